"""All chance of the simulated model: SHA-256 of what it depends on, so the same everywhere."""

import hashlib
import json
from collections.abc import Sequence


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but `parts`."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def weighted(weights: Sequence[float], drawn: float) -> int:
    """The place that `drawn` in [0, 1) falls on; all places alike where nothing weighs."""
    total = sum(weights)
    if not total:
        return int(drawn * len(weights))
    mark = drawn * total
    for place, weight in enumerate(weights):
        if (mark := mark - weight) < 0:
            return place
    return max(place for place, weight in enumerate(weights) if weight)
