"""A game being played on: the events so far of one command, and the state they fold to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.cards import Card
from games.machine.commands import Meant
from games.machine.events import Event, Words, apply
from games.machine.state import SEATS, TURNING, Outcome, Phase, Player, State, Turn
from games.rules import Pace, Rules

LEAST_LEFT = 10  # seconds to go on with after a pause


def _none() -> tuple[int, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the rules have to know beside the state. `cards` are those of the present turn at least;
    `said` the words of its clues; `played` the artifacts of turns that were played; `written` every
    (kind, turn, number) there is, and `pending` those that wait for a moderator, both only where a
    moderator commands. `recorded` tells, when it is asked, artifacts with clues of earlier games
    that this game has not used."""

    now: int
    rules: Rules
    pace: Pace
    cards: Mapping[int, Card] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    played: frozenset[int] = frozenset()
    written: frozenset[tuple[str, int, int]] = frozenset()
    pending: frozenset[tuple[str, int, int]] = frozenset()
    recorded: Callable[[], tuple[int, ...]] = _none

    def paced(self, seconds: int) -> int:
        """Seconds of the product as milliseconds of this game."""
        return round(seconds * self.pace.grace / self.rules.grace_seconds)


@dataclass
class Play:
    state: State
    table: Table
    events: list[Event] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)

    def do(self, kind: str, seat: int | None = None, **data: Any) -> None:
        event = Event(kind, seat, data)
        self.events.append(event)
        self.state = apply(self.state, event)

    def write(self, words: Words) -> None:
        self.words.append(words)

    def later(self, duration: int) -> int:
        """The deadline of a phase of the turn that is to last so long. Behind a pause it is told
        from the pause's beginning, since nobody knows when it will end."""
        paused = self.state.phase is Phase.PAUSED
        return duration + ((paused and self.state.since) or self.table.now)

    @property
    def turn(self) -> Turn:
        if self.state.turn is None:
            raise LookupError("no turn is being played")
        return self.state.turn

    @property
    def clues_left(self) -> bool:
        return not self.turn.closed and self.turn.spent < self.table.rules.clues

    def human(self, seat: int) -> bool:
        """Whether a person sits there who has not left."""
        return self.state.players[seat] is Player.HUMAN and not self.state.gone(seat)

    # --- turns ----------------------------------------------------------------------------------

    def confirm(self, seat: int | None, meant: Meant) -> None:
        """The giver's word on a near miss, or nobody's; where it is unsure, the guess counts as
        wrong until a moderator has looked at it."""
        deadline = self.later(self.table.pace.guess)
        self.do(
            "confirmed",
            seat,
            turn=self.turn.number,
            number=self.turn.near,
            meant=meant.value,
            deadline=deadline,
        )
        if meant is Meant.YES:
            self.end_turn(Outcome.GUESSED)
        elif self.turn.guesses >= self.table.rules.guesses:
            self.end_turn(Outcome.MISSED)

    def close_turn(self, outcome: Outcome, by: int | None = None) -> None:
        """A near miss that its giver has not spoken about is left to a moderator."""
        turn = self.turn
        if turn.near:
            self.do(
                "confirmed",
                turn=turn.number,
                number=turn.near,
                meant=Meant.UNSURE.value,
                deadline=self.later(0),
            )
        deadline = self.later(self.table.pace.rate)
        self.do("turn_ended", by, number=turn.number, outcome=outcome.value, deadline=deadline)

    def end_turn(self, outcome: Outcome, by: int | None = None) -> None:
        """The guesser rates next, if there is somebody and something to rate."""
        self.close_turn(outcome, by)
        if not (self.turn.said and self.human(self.turn.guesser)):
            self.go_on()

    def cut_turn(self, outcome: Outcome = Outcome.CUT) -> None:
        """Close a turn that cannot be played to its end."""
        if self.state.doing in TURNING and self.state.doing is not Phase.RATE:
            self.close_turn(outcome)

    def go_on(self) -> None:
        """To the next turn, or to looking back where no card is left."""
        giver = self._next_giver()
        if giver is None:
            self.end_play()
            return
        self.do(
            "turn_begun",
            None,
            number=self.state.turns + 1,
            giver=giver,
            artifact=self.state.decks[giver][0],
            deadline=self.later(self.table.pace.clue),
        )

    def _next_giver(self) -> int | None:
        last = self.state.turn
        order = (0, 1) if last is None else (1 - last.giver, last.giver)
        return next((seat for seat in order if self.state.decks[seat]), None)

    def end_play(self) -> None:
        if self.state.turns and any(self.human(seat) for seat in SEATS):
            self.do("play_over", deadline=self.table.now + self.table.pace.after)
        else:
            self.end("played" if self.state.turns else "no_cards")

    def end_if_finished(self) -> None:
        if all(self.state.finished[seat] or not self.human(seat) for seat in SEATS):
            self.end("played")

    # --- stopping -------------------------------------------------------------------------------

    def pause(self, duration: int, *, halted: bool = False) -> None:
        """Stop the phase's time, and the game's. A pause may become another one."""
        state, now = self.state, self.table.now
        if state.phase is Phase.PAUSED:
            since, left = state.since, state.left
        else:
            since, left = now, max(0, (state.deadline or now) - now)
        self.do("paused", at=since, left=left, deadline=now + duration, halted=halted)

    def resume(self) -> None:
        """The phase gets back what was left of its time, and the game what the pause took."""
        state, now = self.state, self.table.now
        left = max(state.left or 0, self.table.paced(LEAST_LEFT))
        over = None if state.over is None else state.over + now - (state.since or now)
        self.do("resumed", deadline=now + left, over=over)

    def end(self, reason: str) -> None:
        self.cut_turn()
        self.do("ended", reason=reason)
