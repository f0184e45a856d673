"""Drawing judged replies for people: by stratum, so that rare verdicts are seen. Pure.

A reply's place in its stratum and among all that are drawn is a hash of the seed and of what the
reply is, so the same seed draws the same replies in the same order wherever they are stored.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """A reply that was judged: `identity` says which it is whatever its number, `verdicts` what
    each judge of its run said, in turn."""

    reply: int
    identity: tuple[str, ...]
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Taken:
    """A candidate that was drawn, as one of `drawn` out of `replies` of its stratum."""

    reply: int
    stratum: str
    replies: int
    drawn: int


class TooFew(ValueError):
    """Fewer replies are to be drawn than there are strata; `strata` says how many there are."""

    def __init__(self, strata: int) -> None:
        super().__init__(strata)
        self.strata = strata


def draw(runs: Sequence[Sequence[Candidate]], size: int, seed: int) -> list[Taken]:
    """As nearly `size` of all as there are, the same number of each run, shuffled over them.

    Raises `TooFew` where a run's share cannot hold one of each verdict.
    """
    found: list[tuple[str, Taken]] = []
    for place, candidates in enumerate(runs):
        share = size // len(runs) + (place < size % len(runs))
        for taken, identity in _of_run(candidates, share, seed):
            found.append((_lot(seed, ("order", str(place), *identity)), taken))
    return [taken for _, taken in sorted(found, key=lambda each: each[0])]


def shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many of each stratum are drawn, n in all: half of n in equal parts, so that what is rare
    is seen, the rest in proportion to what is left. At least one of each.

    Raises `TooFew`.
    """
    if sum(sizes.values()) <= n:
        return dict(sizes)
    if n < len(sizes):
        raise TooFew(len(sizes))
    even = max(1, n // (2 * len(sizes)))
    taken = {name: min(size, even) for name, size in sizes.items()}
    left = {name: size - taken[name] for name, size in sizes.items()}
    rest, total = n - sum(taken.values()), sum(left.values())
    exact = {name: divmod(rest * size, total) for name, size in left.items()}
    for name, (whole, _) in exact.items():
        taken[name] += whole
    lacking = n - sum(taken.values())
    for name in sorted(exact, key=lambda name: (-exact[name][1], name))[:lacking]:
        taken[name] += 1
    return taken


def _of_run(
    candidates: Sequence[Candidate], n: int, seed: int
) -> list[tuple[Taken, tuple[str, ...]]]:
    strata = _strata(candidates, n)
    wanted = shares({name: len(some) for name, some in strata.items()}, n)
    return [
        (Taken(each.reply, name, len(some), wanted[name]), each.identity)
        for name, some in strata.items()
        for each in sorted(some, key=lambda one: _lot(seed, one.identity))[: wanted[name]]
    ]


def _strata(candidates: Sequence[Candidate], n: int) -> dict[str, list[Candidate]]:
    """By what all judges said; by the first judge alone where that makes more than n could fill
    with two each."""
    by_all: dict[str, list[Candidate]] = defaultdict(list)
    by_first: dict[str, list[Candidate]] = defaultdict(list)
    for each in candidates:
        by_all[" / ".join(each.verdicts)].append(each)
        by_first[each.verdicts[0]].append(each)
    return by_all if 2 * len(by_all) <= n else by_first


def _lot(seed: int, identity: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps([seed, *identity]).encode()).hexdigest()
