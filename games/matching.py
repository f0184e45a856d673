"""Who is paired with whom, and how long a partner is likely to be in coming: no database.

Whoever has waited longest is served first, with the one who has waited longest of those who suit.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

WINDOW = 30 * 60  # seconds of the product that count as lately
FEW = 3  # people who came lately, below which nothing is said of the next


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody in the queue: `ticket`, `participant` and `region` are numbers of rows."""

    ticket: int
    participant: int
    region: int
    language: str
    since: datetime


Pair = tuple[Waiting, Waiting]


def pairs(
    waiting: Iterable[Waiting], met: Collection[frozenset[int]] = (), *, same_language: bool
) -> list[Pair]:
    """Pairs of one region, and of one language where that is asked for. Nobody is paired with
    themselves or with somebody they have `met` (two participants each)."""
    queue = sorted(waiting, key=lambda each: (each.since, each.ticket))
    found: list[Pair] = []
    while queue:
        first, *queue = queue
        for place, other in enumerate(queue):
            if _suit(first, other, met, same_language):
                found.append((first, queue.pop(place)))
                break
    return found


def _suit(
    one: Waiting, other: Waiting, met: Collection[frozenset[int]], same_language: bool
) -> bool:
    return (
        one.region == other.region
        and one.participant != other.participant
        and (one.language == other.language or not same_language)
        and frozenset((one.participant, other.participant)) not in met
    )


def expected_wait(came: int) -> int | None:
    """Seconds until the next person comes, where so many `came` in the last `WINDOW`: the mean
    time between them, which is also what is to come, if people come independently of each other.
    None where they are too few to tell."""
    return None if came < FEW else round(WINDOW / came)
