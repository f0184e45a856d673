"""The game as a kind of activity."""

from django.urls import reverse

from core.catalogue import gettext_noop as _
from games import fairness, telling
from games.selectors import artifacts, plans
from games.services import departures
from studies import languages
from studies.kinds import Ending, Kind, Part, Progress, Review
from studies.models import Activity, Participation, Region
from studies.participation import Status
from studies.setup import ActivityKind

ENOUGH = 2  # artifacts of a region: one for each of two players
ENDINGS = {
    Status.SUBMITTED: Ending(
        _("Thank you for playing"),
        _("What you wrote in the game is saved, and the study team reads it next."),
    ),
    Status.ACCEPTED: Ending(_("Your game is accepted"), _("What you played was accepted.")),
    Status.REJECTED: Ending(
        _("Your game was not accepted"),
        _("A person of the study team read what you wrote in the game and could not use it."),
    ),
}


def _missing(activity: Activity) -> list[str]:
    """Artifacts, unless a survey of the study is there to collect them first."""
    if activity.study.activities.exclude(kind=ActivityKind.GAME).exists():
        return []
    study = activity.study
    few = _few(activity)
    return [
        f"{ENOUGH} listed artifacts of {languages.choose(region.names, study.languages)[1]}"
        for region in few
    ]


def _few(activity: Activity) -> list[Region]:
    """Regions with too few artifacts to be played with."""
    counts = artifacts.counts(activity.study)
    regions = activity.study.regions.all()
    return [region for region in regions if counts.get(region.pk, 0) < ENOUGH]


def _ready(activity: Activity, region: Region) -> bool:
    return artifacts.counts(activity.study).get(region.pk, 0) >= ENOUGH


def _open(activity: Activity, _actor: str) -> None:
    """Nothing is frozen: every game keeps the rules and the cards it began with."""


def _begin(_participation: Participation) -> None:
    """What somebody does before they play leaves no rows of its own."""


def _address(_participation: Participation, token: str) -> str:
    return reverse("games:play", args=(token,))


def _progress(participation: Participation) -> Progress:
    """One part, the game; who has played has submitted, and is not asked."""
    return Progress(0, 1, participation.activity.minutes)


def _state(activity: Activity) -> str:
    listed = sum(artifacts.counts(activity.study).values())
    rules = plans.rules(activity)
    return f"{rules.clues} clues, {rules.guesses} guesses, {listed:,} artifacts listed"


def _left(participation: Participation) -> None:
    telling.tell(departures.left(participation))


GAME = Kind(
    missing=_missing,
    open=_open,
    begin=_begin,
    address=_address,
    progress=_progress,
    part=Part("Rules of the game", "games:rules", _state),
    left=_left,
    self_identified=True,
    newcomers=True,
    ready=_ready,
    review=Review("games:review_one", fairness.TITLES, lambda _row, given: fairness.refusal(given)),
    endings=ENDINGS,
)
