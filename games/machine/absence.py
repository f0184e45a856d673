"""Who is lost, who leaves, who comes back, and what becomes of the other."""

from games.machine.commands import Drop, Here, Leave
from games.machine.play import Play
from games.machine.state import TURNING, Away, Phase, Player
from games.rules import OnDrop

ABSENT = (Away.SILENT, Away.IDLE)


def drop(play: Play, seat: int, _command: Drop) -> None:
    """Nothing is heard from the seat's device."""
    if play.state.away[seat] is None and play.state.players[seat] is Player.HUMAN:
        miss(play, seat, Away.SILENT)


def miss(play: Play, seat: int, why: Away) -> None:
    """The game waits for a while; before and after play it need not."""
    play.do("dropped", seat, why=why.value)
    if play.state.phase in TURNING:
        play.pause(play.table.pace.grace)


def back(play: Play, seat: int, _command: Here) -> None:
    if play.state.away[seat] not in ABSENT:
        return
    play.do("returned", seat)
    _go_on_if_complete(play)


def lift(play: Play) -> None:
    """A moderator's pause is over: the game goes on, or waits for who is missing."""
    if any(away in ABSENT for away in play.state.away):
        play.do("halt_lifted", deadline=play.later(play.table.pace.grace))
    else:
        play.resume()


def _go_on_if_complete(play: Play) -> None:
    missing = any(away in ABSENT for away in play.state.away)
    if play.state.phase is Phase.PAUSED and not play.state.halted and not missing:
        play.resume()


def leave(play: Play, seat: int, command: Leave) -> None:
    if play.state.gone(seat):
        return
    play.do("dropped", seat, why=Away.GONE.value, reason=command.reason)
    if play.state.phase is Phase.AFTER:
        play.end_if_finished()
    elif play.state.phase is Phase.GATHERING:
        play.end("left_before")
    else:
        settle(play)


def give_up_waiting(play: Play) -> None:
    """The grace is over: who is absent counts as gone, unless the rules would wait longer."""
    rules, state = play.table.rules, play.state
    waited = play.table.now - (state.since or play.table.now)
    longest = round(rules.wait_seconds * play.table.pace.grace / rules.grace_seconds)
    alone = sum(away in ABSENT for away in state.away) == 1
    if rules.on_drop is OnDrop.WAIT and alone and waited < longest:
        play.pause(longest - waited)
        return
    for seat, away in enumerate(state.away):
        if away in ABSENT:
            play.do("dropped", seat, why=Away.GONE.value, reason=away.value)
    settle(play)


def settle(play: Play) -> None:
    """Somebody is gone for good: the other goes on with recorded clues, or the game ends."""
    gone = [seat for seat in (0, 1) if play.state.gone(seat)]
    staying = [seat for seat in (0, 1) if play.human(seat)]
    if not staying:
        play.end("both_left" if len(gone) == 2 else "left")
    elif play.table.rules.on_drop is OnDrop.RECORDED:
        _seat_recorded(play, gone[0])
    else:
        play.end("partner_left")


def _seat_recorded(play: Play, gone: int) -> None:
    deck = play.table.recorded()
    if not deck and not play.state.decks[1 - gone]:
        play.end("partner_left")
        return
    play.cut_turn()
    paused = play.state.phase is Phase.PAUSED
    play.do("replaced", gone, deck=list(deck))
    if paused and play.state.away[1 - gone] is None:
        play.resume()
    if play.state.phase in TURNING:
        play.go_on()
