"""The rules of a game activity: what a study may choose, with its bounds, and how long things take.

Durations are seconds of the product; `paced` makes them the milliseconds a game waits.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, Self

from core.errors import CommonplaceError


class OnDrop(StrEnum):
    """What becomes of a game whose partner is not back in time."""

    WAIT = "wait"  # until the longest wait for a partner has passed; the other may stop any time
    REQUEUE = "requeue"  # the other looks for a new partner
    RECORDED = "recorded"  # the other goes on with clues from earlier games
    END = "end"  # the other is done, and paid for the time


class RareRegion(StrEnum):
    """What is offered to who has waited in vain."""

    WAIT = "wait"  # wait once more, or end here and be paid for the time
    RECORDED = "recorded"  # besides that, play with clues that people gave in earlier games


CLUES, GUESSES = 5, 2
LEAST_DESCRIPTIONS = 3  # games that should describe an artifact


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Milliseconds, as `Rules.paced` makes them of the seconds of the same name."""

    ready: int
    clue: int
    guess: int
    confirm: int
    rate: int
    grace: int
    halt: int
    play: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    on_drop: OnDrop = OnDrop.END
    rare_region: RareRegion = RareRegion.RECORDED
    same_language: bool = True  # partners read the same language
    practice: bool = True  # a round with a scripted partner before the first game
    clues: int = CLUES  # a turn
    guesses: int = GUESSES  # a turn
    deck: int = 10  # artifacts a player describes at most
    descriptions: int = LEAST_DESCRIPTIONS  # games wanted for each artifact
    ready_seconds: int = 60
    clue_seconds: int = 150
    guess_seconds: int = 120
    confirm_seconds: int = 45
    rate_seconds: int = 60
    grace_seconds: int = 60  # how long a game waits for who was lost
    halt_seconds: int = 15 * 60  # a moderator's pause at most
    play_seconds: int = 75 * 60
    after_seconds: int = 20 * 60
    wait_seconds: int = 10 * 60  # for a partner, at most

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Rules from plain values; what is not given is as usual.

        Raises `game.rules` with `key`, `value` and `allowed`.
        """
        values: dict[str, Any] = {}
        for key, value in given.items():
            if key not in _USUAL:
                raise _refused(key, value, sorted(_USUAL))
            values[key] = _read(key, _USUAL[key], value)
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def paced(self, scale: float) -> Pace:
        """How long a game waits, at `scale` seconds of the product to a real one."""
        return _paced(self, scale)


_USUAL = {each.name: each.default for each in fields(Rules)}
# Least and most of every whole number.
BOUNDS = {
    "clues": (1, 10),
    "guesses": (1, 5),
    "deck": (1, 100),
    "descriptions": (1, 50),
    "ready_seconds": (10, 600),
    "clue_seconds": (15, 1800),
    "guess_seconds": (15, 1800),
    "confirm_seconds": (10, 600),
    "rate_seconds": (10, 600),
    "grace_seconds": (10, 1800),
    "halt_seconds": (60, 3600),
    "play_seconds": (60, 4 * 3600),
    "after_seconds": (60, 3600),
    "wait_seconds": (30, 3600),
}


@lru_cache(maxsize=256)
def _paced(rules: Rules, scale: float) -> Pace:
    return Pace(
        **{
            each.name: round(getattr(rules, f"{each.name}_seconds") * 1000 / scale)
            for each in fields(Pace)
        }
    )


def _read(key: str, usual: Any, value: Any) -> Any:
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise _refused(key, value, [True, False])
        return value
    if isinstance(usual, StrEnum):
        kind = type(usual)
        if value not in list(kind):
            raise _refused(key, value, [each.value for each in kind])
        return kind(value)
    least, most = BOUNDS[key]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refused(key, value, [least, most])
    return value


def _refused(key: str, value: Any, allowed: list[Any]) -> CommonplaceError:
    if key in BOUNDS:
        said = f"a whole number from {allowed[0]} to {allowed[1]}"
    else:
        said = "one of " + ", ".join(str(each) for each in allowed)
    return CommonplaceError(
        "game.rules",
        f"“{value}” does not go with “{key}” of the game's rules. Use {said}.",
        key=key,
        value=value,
        allowed=allowed,
    )
