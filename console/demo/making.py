"""Making the demonstration, from its study file to the reports of two models.

Every step may be taken again, so that a demonstration that was broken off goes on where it was.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.urls import reverse

from collection.models import Question
from console.demo import ACTOR, annotators, asking, gaming, listing, people, team
from console.demo.content import STUDY_FILE
from console.demo.reviewing import review, review_players
from core import jobs
from core.models import Job
from evaluation.models import Run
from inference.prompts import sync_prompts
from releases.models import Release
from releases.services import freeze_study
from studies import withdrawal
from studies.models import Participant, Study
from studies.permissions import Role
from studies.services import load_file, open_study
from studies.services.withdrawing import job_key

SLUG = "lantern_demo"
LICENCE = "CC0-1.0"
OPEN = "Simulated, to show what an open finding looks like: the marsh would be asked again."


@dataclass(frozen=True)
class Made:
    study: Study
    release: str  # its label
    runs: list[Run]

    @property
    def url(self) -> str:
        return reverse("studies:detail", args=(self.study.slug,))


def find() -> Made | None:
    """The demonstration, once it is complete."""
    study = Study.objects.filter(slug=SLUG, simulated=True).first()
    for release in study.releases.filter(name=SLUG).order_by("version") if study else ():
        runs = asking.finished_runs(release.label)
        if study and len(runs) == len(asking.MODELS):
            return Made(study, release.label, runs)
    return None


def make(note: Callable[[str], None]) -> Made:
    """The demonstration there is, else a new one; `note` is told of each step."""
    if made := find():
        return made
    sync_prompts()
    study = _open()
    note(f"{study.name}: {Question.objects.filter(study=study).count()} questions.")
    _collect(study, note)
    note(f"{listing.list_things(study)} things that everybody knows are listed.")
    gaming.play_games(study, team.member(study, "moderator", Role.MODERATOR), note)
    review_players(study)
    annotators.annotate(study, note)
    release = _freeze(study)
    note(f"Frozen as {release.label}; {len(asking.MODELS)} simulated models are asked.")
    return Made(study, release.label, asking.ask_models(release))


def _open() -> Study:
    study = load_file(STUDY_FILE, ACTOR).study
    if study.status == Study.Status.SET_UP:
        study = open_study(study, ACTOR)
    return study


def _collect(study: Study, note: Callable[[str], None]) -> None:
    """People come until every place is taken by somebody whose answers are accepted."""
    _come(people.FIRST, study)
    note(f"{len(people.FIRST)} simulated people have come.")
    people.withdraw(people.WITHDRAWING, study)
    _do_jobs(study)
    _come(people.LATER, study)
    note(f"{len(people.LATER)} more have come for the places that fell free.")


def _come(those: Iterable[people.Person], study: Study) -> None:
    for person in those:
        people.take_part(person, study)
    review(study)


def _do_jobs(study: Study) -> None:
    """What a worker would do after a withdrawal, which may not be there."""
    gone = Participant.objects.filter(study=study, status=Participant.Status.WITHDRAWN)
    keys = [job_key(each.code, handler) for each in gone for handler in withdrawal.handlers]
    waiting = Job.objects.filter(key__in=keys, status=Job.Status.QUEUED)
    for job in waiting.order_by("pk").values_list("pk", flat=True):
        jobs.execute(job)


def _freeze(study: Study) -> Release:
    release, _ = freeze_study(study, SLUG, actor=ACTOR, licence=LICENCE, accepted=OPEN)
    return release
