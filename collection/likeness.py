"""Which questions ask nearly the same. Pure; a program points them out, people decide."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from core.text import words

NEAR = 0.6


def pairs(folded: Mapping[str, str], near: float = NEAR) -> list[tuple[str, str, float]]:
    """(key, key, likeness) of the texts that share enough of their words, the most alike first.

    Likeness is the share of common words among the distinct words of both (Jaccard 1901), of
    texts as `core.text.fold` leaves them."""
    bags = {key: frozenset(words(text)) for key, text in folded.items()}
    shared: dict[tuple[str, str], int] = defaultdict(int)
    holders: dict[str, list[str]] = defaultdict(list)
    for key, bag in bags.items():
        for word in bag:
            holders[word].append(key)
    for keys in holders.values():
        for pair in combinations(keys, 2):
            shared[pair] += 1
    found = []
    for (one, other), common in shared.items():
        likeness = common / (len(bags[one]) + len(bags[other]) - common)
        if likeness >= near:
            found.append((one, other, likeness))
    return sorted(found, key=lambda each: (-each[2], each[0], each[1]))
