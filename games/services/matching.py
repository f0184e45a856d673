"""Pairs of people who wait, made by any number of processes at once.

A pair takes both tickets by conditional updates, in the order of their numbers, or neither.
"""

from collections import defaultdict
from random import SystemRandom

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from core import clock
from games import matching
from games.machine import Player
from games.matching import Pair, Waiting
from games.models import Seat, Ticket
from games.rules import Rules
from games.selectors import plans
from games.services import starting
from studies.models import Activity, Participation, Region
from studies.participation import Status

AT_ONCE = 500  # people who wait, looked at in one go
chance = SystemRandom()


class _Taken(Exception):
    """Somebody else was faster, or somebody has left."""


def match(activity: Activity) -> set[int]:
    """Pair who can be paired; the participations that play now.

    Only who was seen lately and whose wait is not over is paired.
    """
    rules = plans.rules(activity)
    waiting = _waiting(activity)
    if len(waiting) < 2:
        return set()
    met = _met([each.participant for each in waiting])
    paired: set[int] = set()
    for pair in matching.pairs(waiting, met, same_language=rules.same_language):
        paired |= _seat(activity, rules, pair)
    return paired


def here(activity: Activity) -> QuerySet[Ticket]:
    """Tickets of those who wait, were seen lately, and have time left to wait."""
    return Ticket.objects.filter(
        activity=activity,
        status=Ticket.Status.WAITING,
        last_seen__gte=clock.ago(settings.GAME_IDLE_AFTER),
        deadline__gt=clock.now(),
        participation__status=Status.ACTIVE,
    )


def _waiting(activity: Activity) -> list[Waiting]:
    columns = ("pk", "participation__participant", "region", "language", "entered")
    rows = here(activity).order_by("entered", "pk").values_list(*columns)[:AT_ONCE]
    return [Waiting(*row) for row in rows]


def _met(participants: list[int]) -> set[frozenset[int]]:
    """Who has sat at one table before, even where nothing came of it."""
    games: dict[int, set[int]] = defaultdict(set)
    seats = Seat.objects.filter(participation__participant__in=participants)
    for game, who in seats.values_list("game", "participation__participant"):
        games[game].add(who)
    return {frozenset(who) for who in games.values() if len(who) == 2}


def _seat(activity: Activity, rules: Rules, pair: Pair) -> set[int]:
    with_language = pair[0].language if rules.same_language else ""
    try:
        with transaction.atomic():
            _take(activity, pair)
            tickets = Ticket.objects.filter(pk__in=[each.ticket for each in pair])
            people = Participation.objects.filter(tickets__in=tickets).select_related("participant")
            sitting = [(who, Player.HUMAN) for who in chance.sample(list(people), 2)]
            game = starting.start(
                activity,
                Region.objects.get(pk=pair[0].region),
                rules,
                sitting,
                chance,
                language=with_language,
            )
            tickets.update(game=game)
    except (_Taken, IntegrityError):
        return set()
    return {who.pk for who, _player in sitting}


def _take(activity: Activity, pair: Pair) -> None:
    """Both tickets, while they wait; raises `_Taken` where one does no longer."""
    for ticket in sorted(each.ticket for each in pair):
        free = here(activity).filter(pk=ticket)
        if not free.update(status=Ticket.Status.MATCHED, ended=clock.now()):
            raise _Taken
