"""What one player is shown of a game, as plain values; no database and no words of its own.

A guesser's view is built by `guessing` of the clues that were said to them: neither the function
nor the type has a place for the word they look for. `giving` alone takes a card. What a turn was
about is told to both once it has ended (`Told`).

Instants and durations are integer milliseconds, as in the machine.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from games.cards import Card
from games.machine.absence import ABSENT
from games.machine.state import Outcome, Phase, Player, State, Turn
from games.rules import OnDrop, Pace, Rules


class Partner(StrEnum):
    HERE = "here"
    SILENT = "silent"  # their device is not heard from
    IDLE = "idle"  # their device is there and they are not
    GONE = "gone"
    RECORDED = "recorded"
    SCRIPTED = "scripted"


class Pausing(StrEnum):
    """Whom a paused game waits for."""

    MODERATOR = "moderator"
    PARTNER = "partner"
    ME = "me"


@dataclass(frozen=True, slots=True)
class Clue:
    """The `number`-th a giver wrote in the turn; `verdict` and `reason` as of an utterance."""

    number: int
    text: str
    verdict: str = "said"
    reason: str = ""
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Guess:
    """`text` is empty where a moderator struck it."""

    number: int
    text: str
    verdict: str
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A turn that has ended; `mine` where this player was its giver."""

    artifact: int
    word: str
    outcome: Outcome
    mine: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """`verified` is the partner's word on it, None until there is one."""

    number: int
    name: str
    about: str
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """`then` is what becomes of the game if a lost partner is not back; `longest` how long it
    waits for them in all, where it goes on waiting."""

    whom: Pausing
    then: OnDrop
    longest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """`phase` is what is being done, behind a pause as well. `left` is until the deadline of the
    phase or of the pause, `whole` how long that was in all; None without one."""

    phase: Phase
    partner: Partner
    pause: Pause | None
    left: int | None
    whole: int
    turn: int
    turns: int  # those to come included
    warnings: tuple[str, ...] = ()
    before: Told | None = None  # the turn that has just ended

    @property
    def playing(self) -> bool:
        return self.pause is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering(View):
    ready: bool
    partner_ready: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Giving(View):
    """`word`, `names`, `forbidden`: what must not be said. `spent` of `most` clues count, `written`
    is the number of the last; `near` the guess that the giver is asked about."""

    word: str
    names: tuple[str, ...]
    forbidden: tuple[str, ...]
    clues: tuple[Clue, ...]
    guesses: tuple[Guess, ...]
    spent: int
    most: int
    written: int
    near: Guess | None

    @property
    def refused(self) -> str:
        """The last clue where it was refused, to be written anew."""
        last = self.clues[-1] if self.clues else None
        return last.text if last and last.verdict == "blocked" and not last.struck else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessing(View):
    """`slips` are the clues said, in their order. `spent` of `most` count, `more` tells whether
    there may be another, and `guesses_left` how often they may guess."""

    slips: tuple[Clue, ...]
    guesses: tuple[Guess, ...]
    spent: int
    most: int
    more: bool
    guesses_left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating(View):
    """The turn is over: `told` is what it was about, and who guessed rates the clues."""

    told: Told
    slips: tuple[Clue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingBack(View):
    """`next` is the played artifact that this player says something of, None once they have said
    it of all `played`; `theirs` are the partner's proposals without an answer of this player."""

    next: Told | None
    vetted: int
    played: int
    own: tuple[Proposal, ...]
    theirs: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """What a view of any phase is built of. `warnings` are those this player alone reads."""

    state: State
    seat: int
    rules: Rules
    pace: Pace
    now: int
    warnings: tuple[str, ...] = ()
    before: Told | None = None

    @property
    def phase(self) -> Phase:
        """What is being done, or will be once a pause is over."""
        return self.state.held or self.state.phase

    @property
    def turn(self) -> Turn:
        if self.state.turn is None:
            raise LookupError("no turn is being played")
        return self.state.turn


# --- builders -----------------------------------------------------------------------------------


def gathering(around: Around) -> Gathering:
    ready = around.state.ready
    return Gathering(
        **_frame(around), ready=ready[around.seat], partner_ready=ready[1 - around.seat]
    )


def giving(around: Around, card: Card, clues: Iterable[Clue], guesses: Iterable[Guess]) -> Giving:
    turn, said = around.turn, tuple(guesses)
    return Giving(
        **_frame(around),
        word=card.name,
        names=card.names[1:],
        forbidden=card.forbidden,
        clues=tuple(clues),
        guesses=said,
        spent=turn.spent,
        most=around.rules.clues,
        written=turn.written,
        near=next((each for each in said if turn.near and each.number == turn.near), None),
    )


def guessing(around: Around, heard: Iterable[Clue], guesses: Iterable[Guess]) -> Guessing:
    """`heard` is what the guesser was told; anything the state does not count as said is left out
    once more."""
    turn, rules = around.turn, around.rules
    return Guessing(
        **_frame(around),
        slips=_slips(turn, heard),
        guesses=tuple(guesses),
        spent=turn.spent,
        most=rules.clues,
        more=not turn.closed and turn.spent < rules.clues,
        guesses_left=rules.guesses - turn.guesses,
    )


def rating(around: Around, told: Told, heard: Iterable[Clue]) -> Rating:
    return Rating(**_frame(around), told=told, slips=_slips(around.turn, heard))


def looking_back(
    around: Around,
    played: Iterable[Told],
    vetted: Iterable[int],
    own: Iterable[Proposal],
    theirs: Iterable[Proposal],
) -> LookingBack:
    met, done = tuple(played), set(vetted)
    return LookingBack(
        **_frame(around),
        next=next((each for each in met if each.artifact not in done), None),
        vetted=len(done),
        played=len(met),
        own=tuple(own),
        theirs=tuple(each for each in theirs if each.verified is None),
    )


def _slips(turn: Turn, heard: Iterable[Clue]) -> tuple[Clue, ...]:
    return tuple(
        each
        for each in heard
        if each.number in turn.said and each.verdict == "said" and not each.struck
    )


def _frame(around: Around) -> dict[str, Any]:
    state = around.state
    due = state.due
    return {
        "phase": around.phase,
        "partner": _partner(state, 1 - around.seat),
        "pause": _pause(around),
        "left": None if due is None else max(0, due - around.now),
        "whole": _whole(around),
        "turn": state.turns,
        "turns": state.turns + sum(len(deck) for deck in state.decks),
        "warnings": around.warnings,
        "before": around.before,
    }


def _partner(state: State, seat: int) -> Partner:
    player, away = state.players[seat], state.away[seat]
    if away is not None:
        return Partner(away.value)
    return {
        Player.HUMAN: Partner.HERE,
        Player.RECORDED: Partner.RECORDED,
        Player.BOT: Partner.SCRIPTED,
    }[player]


def _pause(around: Around) -> Pause | None:
    state = around.state
    if state.phase is not Phase.PAUSED:
        return None
    if state.halted:
        whom = Pausing.MODERATOR
    else:
        whom = Pausing.ME if state.away[around.seat] in ABSENT else Pausing.PARTNER
    pace, rules = around.pace, around.rules
    longest = round(rules.wait_seconds * pace.grace / rules.grace_seconds)
    return Pause(whom, rules.on_drop, longest)


def _whole(around: Around) -> int:
    state, pace = around.state, around.pace
    if state.phase is Phase.PAUSED:
        return pace.halt if state.halted else pace.grace
    return {
        Phase.GATHERING: pace.ready,
        Phase.CLUE: pace.clue,
        Phase.GUESS: pace.guess,
        Phase.CONFIRM: pace.confirm,
        Phase.RATE: pace.rate,
        Phase.AFTER: pace.after,
    }.get(state.phase, 0)
