"""The games of a study and their rules as they stand."""

from django.db.models import QuerySet

from core.errors import NotFound
from core.prepared import Prepared
from games.models import GamePlan
from games.rules import Rules
from studies.models import Activity, Study
from studies.setup import ActivityKind

_rules: Prepared[GamePlan] = Prepared(
    lambda activity: GamePlan.objects.filter(activity=activity).order_by().values_list("rules"), int
)


def rules(activity: Activity) -> Rules:
    """Those a study has chosen; the usual ones where it has chosen none."""
    return Rules.read(next((stored for (stored,) in _rules.rows(activity.pk)), {}))


def games(study: Study) -> QuerySet[Activity]:
    return study.activities.filter(kind=ActivityKind.GAME)


def access_game(study: Study, slug: str = "") -> Activity:
    """A game of a study already accessed, its first without a name. Raises `activity.no_game`."""
    rows = games(study).filter(slug=slug) if slug else games(study)
    found = rows.select_related("study").first()
    if found is None:
        called = f"a game “{slug}”" if slug else "a game yet"
        raise NotFound(
            "activity.no_game",
            f"The study has not {called}. Add an activity of the kind “game”, or choose another.",
            activity=slug,
        )
    return found
