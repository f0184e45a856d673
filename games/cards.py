"""What is known of an artifact when it is played: its names, and the words that give it away."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """`names` are all it is called, its own first, in whatever script: a guess of any is right.
    `forbidden` are further words that a clue must not hold, and `others` the names of the region's
    other artifacts, so that a guess of one of those is never taken for this."""

    artifact: int
    names: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0]
