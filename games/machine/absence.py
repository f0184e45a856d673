"""Who is lost, who leaves, who comes back, and what becomes of the other."""

from games.machine.commands import Drop, Here, Leave
from games.machine.play import Play
from games.machine.refusing import code
from games.machine.state import ABSENT, SEATS, TURNING, Away, Phase, Player
from games.rules import OnDrop

__all__ = ["ABSENT", "back", "drop", "give_up_waiting", "leave", "lift", "miss", "wait"]


def drop(play: Play, seat: int, _command: Drop) -> None:
    """Nothing is heard from the seat's device."""
    if play.state.away[seat] is None and play.state.players[seat] is Player.HUMAN:
        miss(play, seat, Away.SILENT)


def miss(play: Play, seat: int, why: Away) -> None:
    """The game waits for a while; before and after play it need not."""
    play.do("dropped", seat, why=why.value)
    if play.state.phase in TURNING:
        wait(play)
    elif play.state.phase is Phase.PAUSED and not play.state.halted:
        _wait_for_both(play)


def wait(play: Play) -> None:
    play.pause(play.table.pace.grace)


def _wait_for_both(play: Play) -> None:
    """Who drops while the other is missing has the whole grace as well; but two who take turns in
    dropping do not hold the game up without end."""
    grace, now = play.table.pace.grace, play.table.now
    until = min(now + grace, (play.state.since or now) + 2 * grace)
    if until > (play.state.deadline or now):
        play.pause(until - now)


def back(play: Play, seat: int, _command: Here) -> None:
    if play.state.missing(seat):
        play.do("returned", seat)
        _go_on_if_complete(play)


def lift(play: Play) -> None:
    """A moderator's pause is over: the game goes on, or waits for who is missing."""
    if play.state.somebody_missing:
        play.do("halt_lifted", deadline=play.table.now + play.table.pace.grace)
    else:
        play.resume()


def _go_on_if_complete(play: Play) -> None:
    state = play.state
    if state.phase is Phase.PAUSED and not state.halted and not state.somebody_missing:
        play.resume()


def leave(play: Play, seat: int, command: Leave) -> None:
    """Of who has left before, and has been replaced perhaps, nothing follows."""
    if not play.human(seat):
        return
    play.do("dropped", seat, why=Away.GONE.value, reason=code(command.reason, usual="left"))
    if play.state.phase is Phase.AFTER:
        play.end_if_finished()
    elif play.state.phase is Phase.GATHERING:
        play.end("left_before")
    else:
        _settle(play)


def give_up_waiting(play: Play) -> None:
    """The grace is over: who is absent counts as gone, unless the rules would wait longer."""
    rules, state = play.table.rules, play.state
    waited = play.table.now - (state.since or play.table.now)
    longest = play.table.paced(rules.wait_seconds)
    alone = not all(state.missing(seat) for seat in SEATS)
    if rules.on_drop is OnDrop.WAIT and alone and waited < longest:
        play.pause(longest - waited)
        return
    for seat in SEATS:
        why = state.away[seat]
        if why in ABSENT:
            play.do("dropped", seat, why=Away.GONE.value, reason=why.value)
    _settle(play)


def _settle(play: Play) -> None:
    """Somebody is gone for good: the other goes on with recorded clues, or the game ends."""
    gone = [seat for seat in SEATS if play.state.gone(seat)]
    staying = [seat for seat in SEATS if play.human(seat)]
    if not staying:
        play.end("both_left" if len(gone) == 2 else "left")
    elif play.table.rules.on_drop is OnDrop.RECORDED:
        _seat_recorded(play, gone[0])
    else:
        play.end("partner_left")


def _seat_recorded(play: Play, gone: int) -> None:
    """In the place of who is gone. Somebody who is rating clues may do so before they go on."""
    deck = play.table.recorded()
    if not deck and not play.state.decks[1 - gone]:
        play.end("partner_left")
        return
    rating = play.state.doing is Phase.RATE and play.turn.giver == gone
    play.cut_turn()
    play.do("replaced", gone, deck=list(deck))
    if not rating:
        play.go_on()
    _go_on_if_complete(play)
