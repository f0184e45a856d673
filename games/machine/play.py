"""A game being played on: the events so far of one command, and the state they fold to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.cards import Card
from games.machine.commands import Meant
from games.machine.events import Event, Words, apply
from games.machine.state import TURNING, Outcome, Phase, Player, State, Turn
from games.rules import Pace, Rules


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
        return self.table.now + duration

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

    def end_turn(self, outcome: Outcome, by: int | None = None) -> None:
        """The guesser rates next, if there is somebody and something to rate."""
        deadline = self.later(self.table.pace.rate)
        self.do("turn_ended", by, number=self.turn.number, outcome=outcome.value, deadline=deadline)
        if not (self.turn.said and self.human(self.turn.guesser)):
            self.go_on()

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
        if self.state.turns and (self.human(0) or self.human(1)):
            self.do("play_over", deadline=self.later(self.table.pace.after))
        else:
            self.end("played" if self.state.turns else "no_cards")

    def end_if_finished(self) -> None:
        if all(self.state.finished[seat] or not self.human(seat) for seat in (0, 1)):
            self.end("played")

    # --- stopping -------------------------------------------------------------------------------

    def pause(self, duration: int, *, halted: bool = False) -> None:
        deadline = self.state.deadline or self.table.now
        self.do(
            "paused",
            at=self.table.now,
            left=max(0, deadline - self.table.now),
            deadline=self.later(duration),
            halted=halted,
        )

    def resume(self) -> None:
        """The phase gets back what was left of its time, and the game what the pause took."""
        state = self.state
        lost = self.table.now - (state.since or self.table.now)
        over = None if state.over is None else state.over + lost
        self.do("resumed", deadline=self.later(max(state.left or 0, LEAST_LEFT)), over=over)

    def cut_turn(self) -> None:
        """A turn that cannot be played to its end counts as one that was cut."""
        phase = self.state.held if self.state.phase is Phase.PAUSED else self.state.phase
        if phase in TURNING and phase is not Phase.RATE:
            self.do(
                "turn_ended",
                None,
                number=self.turn.number,
                outcome=Outcome.CUT.value,
                deadline=self.table.now,
            )

    def end(self, reason: str) -> None:
        self.cut_turn()
        self.do("ended", reason=reason)


LEAST_LEFT = 10_000  # milliseconds to go on with after a pause
