"""Who describes what: which artifacts are played, split into two decks; and the cards of a game.

No database and no chance of its own: the generator of random numbers is an argument.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from games.cards import Card

Decks = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Known:
    """An artifact of the region: all its names, its own first; further forbidden words; and in how
    many games it has been described."""

    artifact: int
    names: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    descriptions: int = 0


def split(artifacts: Iterable[Known], most: int, rng: Random, avoid: Collection[int] = ()) -> Decks:
    """Two disjoint decks of near-equal size, at most `most` cards each: of the artifacts with the
    fewest descriptions, in an order drawn by lot. Those to `avoid`, which a player has met in an
    earlier game, are left out."""
    met = set(avoid)
    usable = [each for each in artifacts if each.artifact not in met]
    rng.shuffle(usable)
    usable.sort(key=lambda each: each.descriptions)
    chosen = [each.artifact for each in usable[: 2 * most]]
    rng.shuffle(chosen)
    middle = (len(chosen) + 1) // 2
    return tuple(chosen[:middle]), tuple(chosen[middle:])


def beside_recorded(
    artifacts: Iterable[Known],
    recorded: Collection[int],
    most: int,
    rng: Random,
    avoid: Collection[int] = (),
) -> Decks:
    """The decks of a person and of a recorded player beside them: the recorded one's is of
    `recorded` artifacts, half of all there are to play at most; the person describes of the others
    those with the fewest descriptions."""
    usable = [each for each in artifacts if each.artifact not in set(avoid)]
    rng.shuffle(usable)
    known = [each.artifact for each in usable if each.artifact in set(recorded)]
    theirs = known[: min(most, (len(usable) + 1) // 2)]
    rest = [each for each in usable if each.artifact not in theirs]
    rest.sort(key=lambda each: each.descriptions)
    return tuple(each.artifact for each in rest[:most]), tuple(theirs)


def stored(artifacts: Iterable[Known]) -> dict[str, Any]:
    """The cards of a region as JSON, which a game keeps as they were when it began."""
    return {
        str(each.artifact): {"names": list(each.names), "forbidden": list(each.forbidden)}
        for each in artifacts
    }


def cards(stored: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[int, Card]:
    """The cards by number of artifact."""
    return {
        int(artifact): Card(
            int(artifact),
            tuple(words["names"]),
            tuple(words["forbidden"]),
            tuple(
                name for other, its in stored.items() if other != artifact for name in its["names"]
            ),
        )
        for artifact, words in stored.items()
    }
