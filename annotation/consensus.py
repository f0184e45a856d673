"""How many answers have to agree (protocol 1, section 3), and what counts as the same decision."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

SHARE_FROM = 6  # answers from which on a share may stand in place of the threshold
AGREEMENT, NONE = "agreement", "none"


def threshold(n: int) -> int:
    """Of n answers: 4 from five on, otherwise all but one and at least two. One never agrees.

    Source: Common to Whom? Regional Cultural Commonsense and LLM Bias in India, section 3.
    """
    return 4 if n >= 5 else max(2, n - 1)


def needed(n: int, share: float | None = None) -> int:
    """As `threshold`, or with a `share` (0–1) of more than five answers that part of them,
    rounded up: 4 of 8 would be no more than half."""
    if share is None or n < SHARE_FROM:
        return threshold(n)
    return part(share, n)


def part(share: float, n: int) -> int:
    """At least this share of n, in whole answers: 0.8 of 5 is 4."""
    return math.ceil(round(share * n, 9))


def category(value: Mapping[str, Any]) -> str:
    """What of a judgement reliability is computed on."""
    return AGREEMENT if value["concepts"] else NONE


def same(values: Iterable[Mapping[str, Any]]) -> bool:
    """Whether judgements say the same: no agreement, or the same texts on the same answers."""
    said = {
        frozenset((each["text"], frozenset(each["answers"])) for each in value["concepts"])
        for value in values
    }
    return len(said) == 1
