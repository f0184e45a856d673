"""The survey as a kind of activity."""

from django.urls import reverse

from collection import fairness, selectors
from collection.selectors import answering
from collection.services import reviewing
from collection.services.answering import begin
from collection.services.publishing import publish
from studies.kinds import Kind, Part, Review, Waiting
from studies.models import Activity, Participation


def _open(activity: Activity, actor: str) -> None:
    publish(activity, actor)


def _address(participation: Participation, token: str) -> str:
    """The first form that waits for the participant."""
    number = answering.next_number(participation) or 1
    return reverse("collection:form", args=(token, number))


def waiting(activity: Activity) -> Waiting | None:
    """What of a survey differs from the forms people are given, and where to publish it."""
    said = selectors.behind(activity)
    if not said:
        return None
    return Waiting(said, reverse("collection:plan", args=(activity.study.slug, activity.slug)))


SURVEY = Kind(
    missing=selectors.missing,
    open=_open,
    begin=begin,
    address=_address,
    progress=answering.progress,
    part=Part("Questions", "collection:questions", selectors.state, early=True),
    waiting=waiting,
    review=Review(
        "collection:review_one", fairness.TITLES, reviewing.unfair, decided=reviewing.follow
    ),
)
