"""Who sits together in a game, and at which version it is: one read, for an act and for all that is
shown of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.prepared import Prepared
from games.models import Seat
from studies.participation import Status
from studies.setup import ActivityKind

_COLUMNS = (
    *("game", "game__version", "participation", "number", "open", "left_reason"),
    *("participation__code", "participation__status", "participation__activity__kind"),
    *("participation__participant__language", "participation__activity__study__timezone"),
)
_newest: Prepared[Seat] = Prepared(
    lambda participation: (
        Seat.objects.filter(
            game=Seat.objects.filter(participation=participation)
            .order_by("-pk")
            .values("game")[:1],
            participation__isnull=False,
        )
        .order_by("number")
        .values_list(*_COLUMNS)
    ),
    int,
)


@dataclass(frozen=True, slots=True)
class Person:
    """Who sits at the seat `number`, `open` while the game binds them; `code` names their
    participation, and of the last four nothing can be told by the game."""

    participation: int
    number: int
    open: bool
    left_reason: str
    code: str
    status: str
    kind: str
    language: str
    timezone: str

    @property
    def takes_part(self) -> bool:
        return self.open and self.status == Status.ACTIVE and self.kind == ActivityKind.GAME


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
    rows = _newest.rows(participation)
    if not rows:
        return None
    game, version = rows[0][:2]
    return Sitting(game, version, [Person(*row[2:]) for row in rows])
