"""A player's view, read from the rows of their game.

Whose card may be read is decided here alone: `cards_of` is asked for the giver's word by the giver,
and for that of turns which have ended by both.
"""

from django.conf import settings

from core import clock
from games.machine.state import Outcome, Phase, State
from games.screens import view
from games.screens.view import Around, Clue, Guess, Proposal, Told, View
from games.selectors import told
from games.selectors.snapshots import Snapshot
from games.services.playing import cards_of, milliseconds


def view_of(game: Snapshot, seat: int) -> View:
    """What the player at a seat of a game that has not ended is shown now."""
    around = _around(game, seat)
    if around.phase is Phase.GATHERING:
        return view.gathering(around)
    if around.phase is Phase.AFTER:
        return _looking_back(game.pk, around)
    if around.phase is Phase.RATE:
        return _rating(game.pk, around)
    return _turn(game.pk, around)


def _around(game: Snapshot, seat: int) -> Around:
    state = game.state
    return Around(
        state=state,
        seat=seat,
        rules=game.rules,
        pace=game.rules.paced(settings.TIME_SCALE),
        now=milliseconds(clock.now()),
        warnings=_warnings(game.pk, state, seat) if state.warnings else (),
        before=_before(game.pk, state, seat),
    )


def _warnings(game: int, state: State, seat: int) -> tuple[str, ...]:
    """Those of this turn and of the one before: who has played on since has read them. Looking back
    stands for a turn."""
    before = state.turns if state.doing is Phase.AFTER else state.turns - 1
    return told.warnings(game, seat, before)


def _before(game: int, state: State, seat: int) -> Told | None:
    fresh = state.turn is not None and state.turn.number > 1 and not state.turn.written
    return _told(game, state.turns - 1, seat) if fresh else None


def _turn(game: int, around: Around) -> View:
    turn = around.turn
    if around.seat != turn.giver:
        return view.guessing(around, *_said(told.heard(game, turn.number)))
    card = cards_of(game)[turn.artifact]
    return view.giving(around, card, *_said(told.written(game, turn.number)))


def _rating(game: int, around: Around) -> View:
    number = around.turn.number
    over = _told(game, number, around.seat)
    if over is None:
        raise LookupError("the turn is still being played")
    return view.rating(around, over, _said(told.heard(game, number))[0])


def _looking_back(game: int, around: Around) -> View:
    met = [_as_told(game, row, around.seat) for row in told.played(game)]
    partner = 1 - around.seat
    return view.looking_back(
        around,
        met,
        told.vetted(game, around.seat),
        _proposals(game, around.state, around.seat),
        _proposals(game, around.state, partner),
    )


def _proposals(game: int, state: State, seat: int) -> list[Proposal]:
    verified = {each.number: each.verified for each in state.proposals if each.seat == seat}
    return [Proposal(*row, verified=verified.get(row[0])) for row in told.proposals(game, seat)]


def _told(game: int, number: int, seat: int) -> Told | None:
    row = told.ended(game, number)
    return _as_told(game, row, seat) if row else None


def _as_told(game: int, row: tuple[int, str, int], seat: int) -> Told:
    artifact, outcome, giver = row
    return Told(artifact, cards_of(game)[artifact].name, Outcome(outcome), giver == seat)


def _said(said: told.Said) -> tuple[list[Clue], list[Guess]]:
    clues, guesses = said
    return [Clue(*row) for row in clues], [Guess(*row[:3], struck=row[4]) for row in guesses]
