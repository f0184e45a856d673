"""Where a game of two stands: everything the rules need and no word anybody wrote.

Instants and durations are integer milliseconds, instants since 1970 in UTC; seats are 0 and 1.
"""

from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Self

SEATS = (0, 1)
BOTH = (True, True)


class Phase(StrEnum):
    GATHERING = "gathering"  # each player says that they are ready
    CLUE = "clue"  # the giver writes a clue
    GUESS = "guess"  # the guesser guesses, or asks for the next clue
    CONFIRM = "confirm"  # the giver says whether a near miss was meant
    RATE = "rate"  # the guesser rates the clues
    PAUSED = "paused"
    AFTER = "after"  # each player looks back at the artifacts, and proposes further ones
    ENDED = "ended"


TURNING = (Phase.CLUE, Phase.GUESS, Phase.CONFIRM, Phase.RATE)  # a turn is being played
OPEN = tuple(phase for phase in Phase if phase is not Phase.ENDED)


class Player(StrEnum):
    HUMAN = "human"
    BOT = "bot"
    RECORDED = "recorded"  # gives clues that somebody gave in an earlier game


class Outcome(StrEnum):
    """How a turn ended."""

    GUESSED = "guessed"
    MISSED = "missed"  # the last guess was wrong
    PASSED = "passed"  # no clue was left and the guesser had no idea
    NO_CLUE = "no_clue"
    TIME_UP = "time_up"  # the time of the game ended in it
    CUT = "cut"  # a player or a moderator ended the game in it


class Away(StrEnum):
    """Why a player is counted as absent."""

    SILENT = "silent"  # nothing was heard from their device
    IDLE = "idle"  # their device is there, and they let the time pass again and again
    GONE = "gone"  # they left, withdrew or were removed, and do not come back


ABSENT = (Away.SILENT, Away.IDLE)


@dataclass(frozen=True, slots=True)
class Turn:
    """`number` from 1. `written` counts the giver's clues, those that were refused as well: it is
    the number of the last; `said` are the numbers of those the guesser reads, `spent` how many
    count. `blocked` are those refused, until a moderator lets one pass, and `appealed` those that a
    moderator was asked about. `guesses` counts likewise; `near` is the number of the guess that the
    giver is asked about, 0 for none."""

    number: int
    giver: int
    artifact: int
    written: int = 0
    spent: int = 0
    said: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    appealed: tuple[int, ...] = ()
    closed: bool = False  # the giver has no more clues
    guesses: int = 0
    near: int = 0

    @property
    def guesser(self) -> int:
        return 1 - self.giver


@dataclass(frozen=True, slots=True)
class Proposal:
    """A further artifact that a player named after the game; it counts once `verified` is True."""

    seat: int
    number: int
    verified: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """`decks` are numbers of artifacts by seat, those still to come. `deadline` is the phase's and
    `over` the end of play. While the game is paused, `deadline` is the pause's, `held` the phase it
    goes on in, `left` the time that phase has still, `since` when the pause began and `halted`
    whether a moderator did it.
    """

    phase: Phase = Phase.GATHERING
    players: tuple[Player, Player] = (Player.HUMAN, Player.HUMAN)
    decks: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    turn: Turn | None = None
    ready: tuple[bool, bool] = (False, False)
    away: tuple[Away | None, Away | None] = (None, None)
    idle: tuple[int, int] = (0, 0)  # deadlines let pass, one after the other
    finished: tuple[bool, bool] = (False, False)
    proposals: tuple[Proposal, ...] = ()
    warnings: int = 0
    deadline: int | None = None
    over: int | None = None
    held: Phase | None = None
    left: int | None = None
    since: int | None = None
    halted: bool = False
    reason: str = ""

    @property
    def due(self) -> int | None:
        """When the clock changes something next; None once the game has ended."""
        if self.phase in TURNING:
            return min(each for each in (self.deadline, self.over) if each is not None)
        return self.deadline

    @property
    def doing(self) -> Phase:
        """The phase, or the one behind the pause."""
        return self.held or self.phase

    @property
    def turns(self) -> int:
        """How many turns there were, the present one included."""
        return self.turn.number if self.turn else 0

    def gone(self, seat: int) -> bool:
        return self.away[seat] is Away.GONE

    def missing(self, seat: int) -> bool:
        """Whether they are away and may come back."""
        return self.away[seat] in ABSENT

    @property
    def somebody_missing(self) -> bool:
        return any(self.missing(seat) for seat in SEATS)

    def as_json(self) -> dict[str, Any]:
        """Plain values; those inside are not copied, as nobody changes them."""
        stored: dict[str, Any] = {name: getattr(self, name) for name in _NAMES}
        stored["turn"] = self.turn and {name: getattr(self.turn, name) for name in _TURN_NAMES}
        stored["proposals"] = [asdict(each) for each in self.proposals]
        return stored

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The state that `as_json` was taken of."""
        return cls(
            **stored
            | {
                "phase": Phase(stored["phase"]),
                "players": _pair([Player(each) for each in stored["players"]]),
                "decks": _pair([tuple(deck) for deck in stored["decks"]]),
                "turn": _turn(stored["turn"]),
                "ready": _pair(stored["ready"]),
                "away": _pair([each and Away(each) for each in stored["away"]]),
                "idle": _pair(stored["idle"]),
                "finished": _pair(stored["finished"]),
                "proposals": tuple(Proposal(**each) for each in stored["proposals"]),
                "held": stored["held"] and Phase(stored["held"]),
            }
        )


_NAMES = tuple(each.name for each in fields(State))
_TURN_NAMES = tuple(each.name for each in fields(Turn))


def _pair(values: Any) -> Any:
    first, second = values
    return first, second


def _turn(stored: dict[str, Any] | None) -> Turn | None:
    if stored is None:
        return None
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
    return Turn(**values)
