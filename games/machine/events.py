"""What happens in a game, and what each thing makes of the state.

An event holds numbers, codes and instants, never words: words are kept beside it, so that removing
them breaks nothing. The state is always the fold of the events, from a fresh `State`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from games.machine.state import BOTH, Away, Phase, Player, Proposal, State, Turn


@dataclass(frozen=True, slots=True)
class Event:
    """`seat` is who did it, or to whom it happened; None for neither."""

    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def whose(self) -> int:
        """The seat, of an event that has one."""
        if self.seat is None:
            raise LookupError(f"{self.kind} is nobody's")
        return self.seat


@dataclass(frozen=True, slots=True)
class Words:
    """What somebody wrote: the `number`-th clue or guess of a turn and about its artifact, or
    proposal or warning of the game, whose `turn` is 0 and `artifact` None.
    `verdict` is one of the verdicts of `games.models.Utterance`, `reason` why it was refused."""

    turn: int
    kind: str
    number: int
    seat: int
    text: str
    verdict: str
    artifact: int | None = None
    about: str = ""
    reason: str = ""


def fold(events: Iterable[Event], state: State | None = None) -> State:
    state = state or State()
    for event in events:
        state = apply(state, event)
    return state


def apply(state: State, event: Event) -> State:
    """The state after an event."""
    return _FOLDS[event.kind](state, event)


def _of_turn(state: State, **changes: Any) -> State:
    """The state with its turn changed."""
    return replace(state, turn=replace(_turn(state), **changes))


def _into(state: State, phase: Phase, deadline: int) -> State:
    """The state in another phase of the turn. Behind a pause the phase waits with the time it is to
    have: there, deadlines count from the beginning of the pause."""
    if state.phase is Phase.PAUSED:
        return replace(state, held=phase, left=deadline - (state.since or 0))
    return replace(state, phase=phase, deadline=deadline)


def _put(pair: tuple[Any, Any], seat: int | None, value: Any) -> Any:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def _dealt(state: State, event: Event) -> State:
    data = event.data
    first, second = data["decks"]
    one, other = data["players"]
    return replace(
        state,
        players=(Player(one), Player(other)),
        decks=(tuple(first), tuple(second)),
        deadline=data["deadline"],
    )


def _ready(state: State, event: Event) -> State:
    return replace(state, ready=_put(state.ready, event.seat, True))


def _begun(state: State, event: Event) -> State:
    return replace(state, over=event.data["over"], ready=BOTH)


def _turn_begun(state: State, event: Event) -> State:
    data = event.data
    first, second = (
        tuple(each for each in deck if each != data["artifact"]) for deck in state.decks
    )
    turn = Turn(data["number"], data["giver"], data["artifact"])
    return _into(
        replace(state, turn=turn, decks=(first, second)), Phase.CLUE, event.data["deadline"]
    )


def _clue_said(state: State, event: Event) -> State:
    """Also of a clue that a moderator let pass, which comes with the number it had; while the giver
    is asked about a guess, they still are."""
    turn, number = _turn(state), event.data["number"]
    said = _of_turn(
        state,
        written=max(turn.written, number),
        spent=turn.spent + 1,
        said=(*turn.said, number),
        blocked=tuple(each for each in turn.blocked if each != number),
    )
    if state.doing is not Phase.CONFIRM:
        said = _into(said, Phase.GUESS, event.data["deadline"])
    return _heard(said, event.seat)


def _clue_blocked(state: State, event: Event) -> State:
    number = event.data["number"]
    blocked = _of_turn(state, written=number, blocked=(*_turn(state).blocked, number))
    return _heard(blocked, event.seat)


def _clue_appealed(state: State, event: Event) -> State:
    appealed = _of_turn(state, appealed=(*_turn(state).appealed, event.data["number"]))
    return _heard(appealed, event.seat)


def _closed(state: State, event: Event) -> State:
    closed = _into(_of_turn(state, closed=True), Phase.GUESS, event.data["deadline"])
    return _heard(closed, event.seat)


def _guessed(state: State, event: Event) -> State:
    """A guess that is near waits for the giver; a wrong one leaves the guesser another."""
    data = event.data
    near = data["number"] if data["verdict"] == "near" else 0
    counted = _of_turn(state, guesses=data["number"], near=near)
    phase = Phase.CONFIRM if near else Phase.GUESS
    return _heard(_into(counted, phase, data["deadline"]), event.seat)


def _confirmed(state: State, event: Event) -> State:
    answered = _into(_of_turn(state, near=0), Phase.GUESS, event.data["deadline"])
    return _heard(answered, event.seat)


def _next_asked(state: State, event: Event) -> State:
    return _heard(_into(state, Phase.CLUE, event.data["deadline"]), event.seat)


def _turn_ended(state: State, event: Event) -> State:
    done = _of_turn(state, near=0, closed=True)
    return _heard(_into(done, Phase.RATE, event.data["deadline"]), event.seat)


def _rated(state: State, event: Event) -> State:
    return _heard(state, event.seat)


def _let_pass(state: State, event: Event) -> State:
    """A deadline went by without the player it was for."""
    seat = event.whose
    return replace(state, idle=_put(state.idle, seat, state.idle[seat] + 1))


def _heard(state: State, seat: int | None) -> State:
    return state if seat is None else replace(state, idle=_put(state.idle, seat, 0))


def _dropped(state: State, event: Event) -> State:
    return replace(state, away=_put(state.away, event.seat, Away(event.data["why"])))


def _returned(state: State, event: Event) -> State:
    back = replace(state, away=_put(state.away, event.seat, None))
    return _heard(back, event.seat)


def _paused(state: State, event: Event) -> State:
    """Also of a pause that becomes another, or a longer one."""
    data = event.data
    return replace(
        state,
        phase=Phase.PAUSED,
        held=state.doing,
        left=data["left"],
        since=data["at"],
        deadline=data["deadline"],
        halted=state.halted or data["halted"],
    )


def _halt_lifted(state: State, event: Event) -> State:
    """A moderator's pause is over, and somebody is missing still."""
    return replace(state, halted=False, deadline=event.data["deadline"])


def _resumed(state: State, event: Event) -> State:
    data = event.data
    return _unpaused(state, state.doing, deadline=data["deadline"], over=data["over"])


def _unpaused(
    state: State, phase: Phase, deadline: int | None = None, over: int | None = None
) -> State:
    """In a phase behind which there is no other."""
    return replace(
        state,
        phase=phase,
        deadline=deadline,
        over=over,
        held=None,
        left=None,
        since=None,
        halted=False,
    )


def _replaced(state: State, event: Event) -> State:
    """A recorded player takes the seat of who is gone."""
    seated = replace(
        state,
        players=_put(state.players, event.seat, Player.RECORDED),
        away=_put(state.away, event.seat, None),
        decks=_put(state.decks, event.seat, tuple(event.data["deck"])),
    )
    return _heard(seated, event.seat)


def _play_over(state: State, event: Event) -> State:
    return _unpaused(state, Phase.AFTER, deadline=event.data["deadline"])


def _proposed(state: State, event: Event) -> State:
    made = Proposal(event.whose, event.data["number"])
    return replace(state, proposals=(*state.proposals, made))


def _verified(state: State, event: Event) -> State:
    """Of the partner's proposal, by its number."""
    partner, data = 1 - event.whose, event.data
    return replace(
        state,
        proposals=tuple(
            replace(each, verified=data["belongs"])
            if (each.seat, each.number) == (partner, data["number"])
            else each
            for each in state.proposals
        ),
    )


def _finished(state: State, event: Event) -> State:
    return replace(state, finished=_put(state.finished, event.seat, True))


def _warned(state: State, _event: Event) -> State:
    return replace(state, warnings=state.warnings + 1)


def _struck(state: State, event: Event) -> State:
    """Of the present turn, a clue is no longer read; it stays counted."""
    turn, data = state.turn, event.data
    if turn is None or data["turn"] != turn.number or data["of"] != "clue":
        return state
    return _of_turn(state, said=tuple(each for each in turn.said if each != data["number"]))


def _ended(state: State, event: Event) -> State:
    return replace(_unpaused(state, Phase.ENDED), reason=event.data["reason"])


def _kept(state: State, _event: Event) -> State:
    """What is kept in rows alone."""
    return state


def _turn(state: State) -> Turn:
    if state.turn is None:
        raise LookupError("no turn is being played")
    return state.turn


_FOLDS: dict[str, Callable[[State, Event], State]] = {
    "dealt": _dealt,
    "ready": _ready,
    "begun": _begun,
    "turn_begun": _turn_begun,
    "clue_said": _clue_said,
    "clue_blocked": _clue_blocked,
    "clue_appealed": _clue_appealed,
    "appeal_decided": _kept,
    "clues_closed": _closed,
    "guessed": _guessed,
    "confirmed": _confirmed,
    "next_asked": _next_asked,
    "judged": _kept,
    "turn_ended": _turn_ended,
    "rated": _rated,
    "let_pass": _let_pass,
    "dropped": _dropped,
    "returned": _returned,
    "paused": _paused,
    "halt_lifted": _halt_lifted,
    "resumed": _resumed,
    "replaced": _replaced,
    "play_over": _play_over,
    "vetted": _kept,
    "proposed": _proposed,
    "verified": _verified,
    "finished": _finished,
    "warned": _warned,
    "struck": _struck,
    "ended": _ended,
}
KINDS = tuple(_FOLDS)
