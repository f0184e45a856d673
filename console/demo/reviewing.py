"""What the study team of the demonstration does with what came in."""

from collection import fairness
from collection.models import QualityFlag
from collection.selectors.reviewing import Filters, queue
from collection.services import reviewing
from collection.services.reviewing import Rejection
from console.demo import ACTOR
from games.selectors import reviewing as games
from studies.models import Participation, Study
from studies.participation import Pay
from studies.services import deciding

REASON = Rejection(
    fairness.Reason.ATTENTION,
    "Two questions said which option to choose, and others were chosen.",
    Pay.TIME,
)


def review(study: Study) -> None:
    """Accept what passed its checks, excuse a single slip, and reject who failed them all."""
    reviewing.accept_many(queue(study, Filters()), ACTOR)
    for row in queue(study, Filters()):
        _look(row)


def review_players(study: Study) -> None:
    """Accept everybody who has played to the end of their game."""
    deciding.accept_many(games.queue(study, games.Filters()), ACTOR)


def _look(row: Participation) -> None:
    failed = list(QualityFlag.objects.filter(submission__participation=row))
    careless = len(failed) >= fairness.needed(row.activity.minutes)
    decision = QualityFlag.Decision.COUNTS if careless else QualityFlag.Decision.EXCUSED
    for flag in failed:
        reviewing.decide_flag(row, flag.check_name, decision, ACTOR)
    if careless:
        reviewing.reject(row, REASON, ACTOR)
    else:
        reviewing.accept(row, ACTOR)
