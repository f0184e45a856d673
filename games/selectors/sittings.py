"""Who sits together in a game, and at which version it is: one read, for an act and for all that is
shown of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from core.prepared import Prepared
from games.models import Seat
from studies.models import Participant
from studies.participation import Status
from studies.setup import ActivityKind

_COLUMNS = (
    *("game", "game__version", "participation", "number", "open", "left_reason"),
    *("participation__code", "participation__status", "participation__activity__kind"),
    *("participation__last_seen", "participation__deadline"),
    *("participation__participant__language", "participation__participant__status"),
)


def _of_last(seats: QuerySet[Seat]) -> Any:
    last = seats.order_by("-pk").values("game")[:1]
    together = Seat.objects.filter(game=last, participation__isnull=False)
    return together.order_by("number").values_list(*_COLUMNS)


_newest: Prepared[Seat] = Prepared(
    lambda participation: _of_last(Seat.objects.filter(participation=participation)), int
)
_newest_of_code: Prepared[Seat] = Prepared(
    lambda code: _of_last(Seat.objects.filter(participation__code=code)), str
)


@dataclass(frozen=True, slots=True)
class Person:
    """Who sits at the seat `number`, `open` while the game binds them; what follows is of their
    participation, and changes without the game."""

    participation: int
    number: int
    open: bool
    left_reason: str
    code: str
    status: str
    kind: str
    last_seen: datetime | None
    deadline: datetime | None
    language: str
    participant_status: str

    @property
    def takes_part(self) -> bool:
        """Whether what they send is for the game they sit in."""
        active = self.status == Status.ACTIVE and self.kind == ActivityKind.GAME
        return self.open and active and self.participant_status == Participant.Status.TAKING_PART


@dataclass(frozen=True, slots=True)
class Sitting:
    game: int
    version: int
    people: Sequence[Person]

    @property
    def participations(self) -> set[int]:
        return {each.participation for each in self.people}

    def person(self, participation: int) -> Person:
        """Raises LookupError for who does not sit here."""
        for each in self.people:
            if each.participation == participation:
                return each
        raise LookupError(f"participation {participation} does not sit in game {self.game}")


def newest(participation: int) -> Sitting | None:
    """Of the last game the participation sat in, or sits in; None where there is none."""
    return _sitting(_newest.rows(participation))


def newest_of(code: str) -> Sitting | None:
    """As `newest`, of the participation with this code."""
    return _sitting(_newest_of_code.rows(code))


def _sitting(rows: Sequence[tuple[Any, ...]]) -> Sitting | None:
    if not rows:
        return None
    game, version = rows[0][:2]
    return Sitting(game, version, [Person(*row[2:]) for row in rows])
