"""Where somebody stands on their way through a game activity: reads, and never writes."""

from dataclasses import dataclass
from enum import StrEnum

from core import clock
from core.prepared import Prepared
from games import endings, matching
from games.endings import Outcome
from games.models import Game, Seat, Ticket
from games.rules import RareRegion, Rules
from games.selectors import plans, recorded, sittings, snapshots
from games.selectors.sittings import Person
from games.selectors.snapshots import Snapshot
from studies.models import Participation
from studies.participation import Status

_players: Prepared[Seat] = Prepared(
    lambda game: (
        Seat.objects.filter(game=game, participation__isnull=False)
        .order_by("number")
        .values_list("participation")
    ),
    int,
)


class Kind(StrEnum):
    INSTRUCTIONS = "instructions"  # they have not asked for a partner yet
    WAITING = "waiting"
    CHOOSING = "choosing"  # the wait, or a game that was not played, is over: what next?
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Standing:
    """`ticket` where they wait, `game` and `seat` where they play or have played last. `reason` is
    the code of why they wait again, choose or are done, `options` what they may choose:
    keep_waiting, play_recorded, stop."""

    kind: Kind
    ticket: Ticket | None = None
    game: Snapshot | None = None
    seat: Person | None = None
    reason: str = ""
    options: tuple[str, ...] = ()


def standing(participation: Participation) -> Standing:
    """What is before the participant now.

    A deadline that has passed counts as passed, and a game that has ended as settled, even where
    nobody has written that down yet.
    """
    game, seat = seated(participation.pk)
    if participation.status != Status.ACTIVE:
        reason = participation.ended_reason or participation.status
        return Standing(Kind.DONE, game=game, seat=seat, reason=reason)
    meant = endings.of_seat(game, seat) if seat and game else None
    if seat and game and seat.open:
        if meant is None:
            return Standing(Kind.PLAYING, game=game, seat=seat)
        if meant.outcome in (Outcome.SUBMIT, Outcome.CUT_SHORT, Outcome.GIVE_BACK):
            return Standing(Kind.DONE, game=game, seat=seat, reason=meant.reason)
        return _choosing(participation, meant.reason, game, seat)
    ticket = participation.tickets.order_by("-pk").first()
    if ticket and ticket.status == Ticket.Status.WAITING:
        if ticket.deadline > clock.now():
            why = meant.reason if meant and meant.outcome is Outcome.REQUEUE else ""
            return Standing(Kind.WAITING, ticket=ticket, reason=why)
        return _choosing(participation, "waited_out", None, None)
    if ticket and ticket.status == Ticket.Status.LEFT and not _later(game, ticket):
        return _choosing(participation, ticket.left_reason, None, None)
    if seat and game:
        return _choosing(participation, meant.reason if meant else game.ended_reason, game, seat)
    return Standing(Kind.INSTRUCTIONS)


def seated(participation: int) -> tuple[Snapshot | None, Person | None]:
    """The last game they sat in, or sit in, and their seat there."""
    sitting = sittings.newest(participation)
    if sitting is None:
        return None, None
    return snapshots.at(sitting.game, sitting.version), sitting.person(participation)


def players(game: Game | int) -> list[int]:
    """The participations of who sits in a game, whose screens change with it."""
    return [who for (who,) in _players.rows(game.pk if isinstance(game, Game) else game)]


def options(participation: Participation, rules: Rules) -> tuple[str, ...]:
    """What somebody without a partner may do."""
    return ("keep_waiting", *_recorded(participation, rules), "stop")


def expected_wait(ticket: Ticket) -> int | None:
    """Seconds of the product until the next person of the ticket's region is likely to come, by
    those who came lately; None where too few did."""
    since = clock.ago(matching.WINDOW)
    came = Ticket.objects.filter(
        activity=ticket.activity_id, region=ticket.region_id, entered__gte=since
    )
    if plans.rules(ticket.activity).same_language:
        came = came.filter(language=ticket.language)
    others = came.exclude(participation=ticket.participation_id)
    people = others.values("participation").distinct().count()
    return matching.expected_wait(people)


def _choosing(
    participation: Participation, reason: str, game: Snapshot | None, seat: Person | None
) -> Standing:
    rules = plans.rules(participation.activity)
    may = options(participation, rules)
    return Standing(Kind.CHOOSING, game=game, seat=seat, reason=reason, options=may)


def _later(game: Snapshot | None, ticket: Ticket) -> bool:
    """Whether the game was over later than the ticket was left."""
    return bool(game and game.ended and ticket.ended and game.ended > ticket.ended)


def _recorded(participation: Participation, rules: Rules) -> tuple[str, ...]:
    if rules.rare_region is not RareRegion.RECORDED:
        return ()
    return ("play_recorded",) if recorded.some(participation) else ()
