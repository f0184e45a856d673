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
STOPPED = "game_stopped"  # who chose so instead of waiting, as `lobby.stop` has it
ENDINGS: dict[str, Ending] = {
    Status.SUBMITTED: Ending(
        _("Thank you for playing"),
        _("What you wrote in the game is saved, and the study team reads it next."),
    ),
    STOPPED: Ending(_("You stopped here"), _("You chose to stop. Your time is paid.")),
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
    return [f"{ENOUGH} listed artifacts of {name}" for name in _few(activity)]


def _not_ready(activity: Activity) -> str:
    few = _few(activity)
    if not few:
        return ""
    names = " or ".join(filter(None, (", ".join(few[:-1]), few[-1])))
    each = "the region" if len(few) == 1 else "each of these regions"
    return f"Nobody of {names} can play yet: list at least {ENOUGH} artifacts of {each} first."


def _few(activity: Activity) -> list[str]:
    """Names of the regions with too few artifacts to be played with."""
    study = activity.study
    counts = artifacts.counts(study)
    return [
        languages.choose(region.names, study.languages)[1] or region.slug
        for region in study.regions.all()
        if counts.get(region.pk, 0) < ENOUGH
    ]


def _ready(activity: Activity, region: Region) -> bool:
    return artifacts.counts(activity.study).get(region.pk, 0) >= ENOUGH


def _open(activity: Activity, _actor: str) -> None:
    """Nothing is frozen: every game keeps the rules and the cards it began with."""


def _begin(_participation: Participation) -> None:
    """What somebody does before they play leaves no rows of its own."""


def _address(_participation: Participation, token: str) -> str:
    return reverse("games:play", args=(token,))


def _progress(participation: Participation) -> Progress:
    """A game has no parts to count; who has played has submitted, and is not asked."""
    return Progress(0, 0, participation.activity.minutes)


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
    not_ready=_not_ready,
)
