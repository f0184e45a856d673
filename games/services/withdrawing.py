"""What a withdrawal deletes of games: one player's words; the partner's stay, and every event.

Events hold no words, so the state of a game stays the fold of them. How an artifact was vetted
holds none either. What they said of artifacts they proposed goes with the artifacts' own handler;
an artifact that somebody has listed stays.
"""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from games.models import Seat, Utterance
from games.services import departures
from studies.models import Participant, Participation
from studies.participation import Status

AT_ONCE = 50  # rows a transaction; players' own writes wait behind it


def forget(participant: Participant) -> dict[str, int]:
    """Delete what the participant wrote in games, what a moderator wrote to them, and what recorded
    players repeated of it in games of others; nothing they still send is taken from then on. May
    run again; counts the rows it changed."""
    ended = Participation.objects.filter(participant=participant).exclude(status=Status.ACTIVE)
    for seated in ended.filter(seats__open=True):
        departures.left(seated)
    theirs = _theirs(participant)
    repeated = Utterance.objects.filter(source__in=theirs, removed=False)
    gone: dict[str, Any] = {"text": "", "folded": "", "about": "", "removed": True}
    return {
        "repeated_clues": _empty(repeated, **gone),
        "utterances": _empty(theirs.filter(removed=False), **gone),
    }


def _theirs(participant: Participant) -> QuerySet[Utterance]:
    """What was said at the participant's seats, but for what a recorded player said there after
    them: those are the words of others."""
    seats = Seat.objects.filter(participation__participant=participant)
    said = Q(pk__in=())
    for game, number in seats.values_list("game", "number"):
        said |= Q(game=game, seat=number)
    return Utterance.objects.filter(said, source=None)


def _empty(rows: QuerySet[Any], **values: object) -> int:
    """Set columns so that the rows are no longer among those looked for, a batch at a time."""
    changed = 0
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            changed += rows.model.objects.filter(pk__in=batch).update(**values)
    return changed
