"""What players do once the last turn is over: look back, and name what else belongs."""

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games.machine.commands import Finish, Propose, Verify, Vet
from games.machine.events import Words
from games.machine.play import Play
from games.machine.refusing import LONGEST_ABOUT, text, unknown

MOST_PROPOSALS = 30  # of one player


def vet(play: Play, seat: int, command: Vet) -> None:
    if command.artifact not in play.table.played:
        raise unknown()
    known, shared = command.known, command.shared.value
    play.do("vetted", seat, artifact=command.artifact, known=known, shared=shared)


def propose(play: Play, seat: int, command: Propose) -> None:
    name, about = text(command.name), text(command.about, LONGEST_ABOUT)
    number = 1 + sum(each.seat == seat for each in play.state.proposals)
    if number > MOST_PROPOSALS:
        raise CommonplaceError(
            "game.proposals",
            _("That is as many as one person can propose. Thank you for all of them."),
            http_status=409,
        )
    play.write(Words(0, "proposal", number, seat, name, "proposed", about=about))
    play.do("proposed", seat, number=number)


def verify(play: Play, seat: int, command: Verify) -> None:
    """One may think again; saying the same again changes nothing."""
    of_partner = {each.number: each for each in play.state.proposals if each.seat != seat}
    if command.number not in of_partner:
        raise unknown()
    if of_partner[command.number].verified is not command.belongs:
        play.do("verified", seat, number=command.number, belongs=command.belongs)


def finish(play: Play, seat: int, _command: Finish) -> None:
    if not play.state.finished[seat]:
        play.do("finished", seat)
    play.end_if_finished()
