"""What somebody does who has no partner (yet): wait, wait again, play with recorded clues, stop.

Each answers who sees another screen by it, as participations, and says nothing to who has done it
already. Lock order: participation, then tickets and seats.
"""

from django.db import transaction

from core import clock
from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games import dealing
from games.machine import Phase, Player
from games.models import Ticket
from games.selectors import artifacts, places, plans, recorded
from games.services import endings, matching, presence, queueing, starting
from games.services import recorded as recordings
from games.services.matching import chance
from studies.models import Participation
from studies.participation import Action, Status
from studies.services import moving
from studies.setup import ActivityKind

WITHOUT_PARTNER = (places.Kind.WAITING, places.Kind.CHOOSING)


def enter(participation: Participation) -> set[int]:
    """Look for a partner, once the instructions are read. Raises `game.not_in`."""
    return _wait(participation)


def keep_waiting(participation: Participation) -> set[int]:
    """Look for a partner again; who waited in vain keeps their place in the queue. Raises
    `game.not_in`."""
    return _wait(participation)


def play_recorded(participation: Participation) -> set[int]:
    """Play with clues of earlier games. Raises `game.not_in`, and `game.no_recorded` where the
    rules or the region have none for this person."""
    endings.settle_of(participation.pk)
    with transaction.atomic():
        who = _held(participation)
        standing = places.standing(who)
        if standing.kind is places.Kind.PLAYING:
            return set()
        if standing.kind is not places.Kind.CHOOSING or "play_recorded" not in standing.options:
            raise CommonplaceError(
                "game.no_recorded",
                _("There are no clues of earlier games for you now. Choose something else."),
                http_status=409,
            )
        queueing.leave(who.pk, "waited_out")
        game = _against_recorded(who)
    recordings.drive(game)
    return {who.pk}


def stop(participation: Participation) -> set[int]:
    """End here, paid for the time. Also for who plays while their partner is away; raises
    `game.not_now` while a game goes on, and `game.not_in`."""
    presence.seen(participation, now=True)
    endings.settle_of(participation.pk)
    with transaction.atomic():
        who = _held(participation)
        standing = places.standing(who)
        if standing.kind is places.Kind.DONE:
            return set()
        if not _may_stop(standing):
            raise CommonplaceError(
                "game.not_now",
                _(
                    "Your game goes on. If you want to leave it, choose “Leave the study” at the "
                    "foot of this page."
                ),
                http_status=409,
            )
        moving.move(who, Action.CUT_SHORT, reason="game_stopped")
        participation.status = who.status
    return {who.pk}


def _wait(participation: Participation) -> set[int]:
    endings.settle_of(participation.pk)
    with transaction.atomic():
        who = _held(participation)
        queueing.leave_if_over(who.pk)
        joined = queueing.join(who, queueing.old_place(who))
    if not joined:
        return set()
    return {who.pk} | matching.match(who.activity)


def _held(participation: Participation) -> Participation:
    """The participation as it is, locked. Raises `game.not_in` for who is not let in to a game."""
    rows = Participation.objects.select_for_update(of=("self",), no_key=True)
    rows = rows.select_related("activity__study", "participant", "slot_region")
    who = rows.get(pk=participation.pk)
    game = who.activity.kind == ActivityKind.GAME
    if not game or who.status != Status.ACTIVE or who.slot_region is None:
        raise CommonplaceError(
            "game.not_in", _("This game is not open to you now. Go back to your page."),
            http_status=409,
        )  # fmt: skip
    return who


def _may_stop(standing: places.Standing) -> bool:
    if standing.kind in WITHOUT_PARTNER or standing.kind is places.Kind.INSTRUCTIONS:
        return True
    if standing.game is None or standing.seat is None:
        return False
    state = standing.game.state
    return state.phase is Phase.PAUSED and state.away[1 - standing.seat.number] is not None


def _against_recorded(who: Participation) -> int:
    """A game with a recorded player, and the ticket that tells how it came about."""
    rules, region = plans.rules(who.activity), who.slot_region
    assert region is not None  # noqa: S101  (as `_held` has found)
    decks = dealing.beside_recorded(
        artifacts.known(region),
        recorded.artifacts(who),
        rules.deck,
        chance,
        recorded.met([who.participant_id]),
    )
    game = starting.start(
        who.activity,
        region,
        rules,
        [(who, Player.HUMAN), (None, Player.RECORDED)],
        chance,
        language=who.participant.language,
        decks=decks,
    )
    now = clock.now()
    Ticket.objects.create(
        participation=who,
        activity=who.activity,
        region=region,
        language=who.participant.language,
        status=Ticket.Status.MATCHED,
        deadline=now,
        ended=now,
        game=game,
    )
    return game.pk
