"""Which names are one thing in other words, as far as a machine can tell. Pure; people merge.

Names are compared by their letters in Latin ones (`core.text.spelling`) and by the share of
letters two words have in common (normalised indel similarity, `rapidfuzz.fuzz.ratio`). Never by
the words one name shares with a longer one alone: silk is not silk and cotton.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from anyascii import anyascii
from rapidfuzz import fuzz

from core.text import fold, script, spelling, words

LONGEST_APART = 200  # characters of a folded name that the table of what is apart keeps
NEAR = 80.0  # of 100: names that have so much in common are suggested
SHORTEST_NEAR = 4  # letters: among shorter ones nearly every word is near another
SPACED = 5  # letters from which spaces, hyphens and points in between say nothing
VOWELS = 6  # letters from which long and doubled letters say nothing
CONSONANTS = 7  # letters from which an h behind a consonant, and c beside k, say nothing either

_NOT_A_LETTER = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d+")
_HARD = re.compile(r"[ckq]+h*")


class Why(StrEnum):
    """What speaks for two names being one thing, the surest first."""

    SAME = "same name"
    DECIDED = "somebody has said so"
    SPELLING = "spelt another way"
    SHORT = "spelt another way, and short"
    ORDER = "the same words in another order"
    NEAR = "nearly the same letters"
    LONGER = "the same name with more words"


SURE = frozenset({Why.SAME, Why.DECIDED, Why.SPELLING})


@dataclass(frozen=True, slots=True)
class Thing:
    """Something by whatever `key` its owner has for it, and what it is called, its own name
    first."""

    key: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Things that may be one: `ticked` where the machine is sure of every two of them. `near` is
    the share of letters in common, of 100."""

    keys: tuple[int, ...]
    ticked: bool
    why: Why
    near: float


@dataclass(frozen=True, slots=True)
class Said:
    """What people have decided on two folded names: `one` thing, or two kept `apart`. Both as
    pairs in order (`pair`)."""

    one: frozenset[tuple[str, str]] = frozenset()
    apart: frozenset[tuple[str, str]] = frozenset()


def pair(one: str, other: str) -> tuple[str, str]:
    """Two names as people's decisions on them are kept: folded, cut, in order."""
    first, second = sorted(_Name.of(each).folded[:LONGEST_APART] for each in (one, other))
    return first, second


def pairs(names: Iterable[str]) -> set[tuple[str, str]]:
    """Every two of some names."""
    return {pair(one, other) for one, other in combinations(names, 2)}


def suggested(things: Sequence[Thing], said: Said = Said()) -> list[Group]:
    """What may be merged among the things of one region: first the groups to tick beforehand, the
    larger first, then pairs, the likelier first. Two things that were kept apart by any of their
    names are in no group together."""
    found = _compared(things, said)
    groups: list[list[int]] = []
    for thing in things:
        for group in groups:
            if all(_sure(found, each, thing.key) for each in group):
                group.append(thing.key)
                break
        else:
            groups.append([thing.key])
    sure = [_group(keys, found) for keys in groups if len(keys) > 1]
    together = {frozenset(two) for group in sure for two in combinations(group.keys, 2)}
    maybe = [
        Group(keys, False, why, near)
        for keys, (why, near) in found.items()
        if frozenset(keys) not in together
    ]
    order = list(Why)
    return [
        *sorted(sure, key=lambda group: -len(group.keys)),
        *sorted(maybe, key=lambda group: (order.index(group.why), -group.near, group.keys)),
    ]


def compare(one: str, other: str, said: Said = Said()) -> tuple[Why, float] | None:
    """What speaks for two names being one thing, and how near they are (0 to 100); None where
    nothing does."""
    left, right, two = _Name.of(one), _Name.of(other), pair(one, other)
    if two in said.apart:
        return None
    if left.folded == right.folded:
        return Why.SAME, 100.0
    near = fuzz.ratio(left.spelt, right.spelt)
    if two in said.one:
        return Why.DECIDED, near
    if left.numbers != right.numbers:
        return None
    why = _by_spelling(left, right) or _by_words(left, right)
    if why is None and near >= NEAR and min(len(left.spelt), len(right.spelt)) >= SHORTEST_NEAR:
        why = Why.NEAR
    return (why, near) if why else None


# --- one name beside another ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in the forms it is compared in."""

    folded: str
    plain: str  # its letters in Latin ones, nothing in between
    spelt: str
    parts: tuple[str, ...]  # the spelling of every word
    numbers: tuple[str, ...]
    sounds_alike_others: bool  # many words of its script are transliterated to the same letters

    @staticmethod
    @lru_cache(maxsize=8192)
    def of(name: str) -> "_Name":
        folded = fold(name)
        return _Name(
            folded=folded,
            plain=_NOT_A_LETTER.sub("", anyascii(folded).casefold()),
            spelt=spelling(folded),
            parts=tuple(filter(None, map(spelling, words(folded)))),
            numbers=tuple(_NUMBER.findall(anyascii(folded))),
            sounds_alike_others=script(folded) == "CJK",
        )


def _by_spelling(one: _Name, other: _Name) -> Why | None:
    if not one.spelt or one.spelt != other.spelt:
        return None
    if one.sounds_alike_others or other.sounds_alike_others:
        return Why.SHORT
    return Why.SPELLING if len(one.spelt) >= _enough(one.plain, other.plain) else Why.SHORT


def _enough(one: str, other: str) -> float:
    """How long a spelling has to be for two names of it to be one for sure."""
    if one == other:
        return SPACED
    hard, soft = _hard_sounds(one), _hard_sounds(other)
    if len(hard) != len(soft) or any({"ch", "k"} == {*two} for two in zip(hard, soft, strict=True)):
        return float("inf")  # chakra is not khakra
    return VOWELS if hard == soft and one.count("h") == other.count("h") else CONSONANTS


def _hard_sounds(plain: str) -> list[str]:
    """`ch`, `k`, or `c` for what may be either."""
    return [
        "ch" if "ch" in run else "c" if "c" in run and "k" not in run else "k"
        for run in _HARD.findall(plain)
    ]


def _by_words(one: _Name, other: _Name) -> Why | None:
    short, long = sorted((one.parts, other.parts), key=len)
    if len(short) == len(long):
        return Why.ORDER if len(short) > 1 and sorted(short) == sorted(long) else None
    begins = long[: len(short)] == short and len("".join(short)) >= SHORTEST_NEAR
    return Why.LONGER if begins else None


# --- all things of a region -------------------------------------------------------------------

_Found = Mapping[tuple[int, int], tuple[Why, float]]


def _compared(things: Sequence[Thing], said: Said) -> _Found:
    """By the keys of two things in their order, the best that speaks for them."""
    order = list(Why)
    found = {}
    for one, other in combinations(things, 2):
        if _apart(one.names, other.names, said.apart):
            continue
        likely = [
            each
            for name in one.names
            for its in other.names
            if (each := compare(name, its, said)) is not None
        ]
        if likely:
            found[one.key, other.key] = min(
                likely, key=lambda each: (order.index(each[0]), -each[1])
            )
    return found


def _apart(names: Sequence[str], others: Sequence[str], apart: Collection[tuple[str, str]]) -> bool:
    return bool(apart) and any(pair(one, other) in apart for one in names for other in others)


def _sure(found: _Found, one: int, other: int) -> bool:
    return (one, other) in found and found[one, other][0] in SURE


def _group(keys: Sequence[int], found: _Found) -> Group:
    """A group is as sure as the least sure two of it."""
    order = list(Why)
    why, near = max(
        (found[two] for two in combinations(keys, 2)),
        key=lambda each: (order.index(each[0]), -each[1]),
    )
    return Group(tuple(keys), True, why, near)
