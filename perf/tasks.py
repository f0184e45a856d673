"""An annotation project with as many tasks as wanted, written straight into its rows.

Called in a process that has Django set up: `manage.py shell -c "from perf.tasks import fill; …"`.
The tasks share a few real answers, so that a page of one is as heavy as any.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

PASSWORD = "a password to measure with"
ANSWERS_A_TASK = 5
AT_ONCE = 2_000


def fill(
    study: str, tasks: int, people: int, overlap: int, judged: int = 0, skipped: int = 0
) -> None:
    """Open *agreement* in a study that collects, with `people` who annotate. The first of them has
    judged the first `judged` tasks; the second has skipped as many as `skipped`."""
    from annotation.models import Assignment, Guideline, Project, Task
    from collection.models import Question
    from core import clock
    from studies.models import Study

    row = Study.objects.get(slug=study)
    project = Project.objects.create(
        study=row, kind="agreement", overlap=overlap, created=clock.now()
    )
    Guideline.objects.create(project=project, version=1, text="Judge it.", created=clock.now())
    users = _annotators(row, people)
    regions = list(row.regions.all())
    payloads = {region.pk: _payload(row, region) for region in regions}
    first = Question.objects.count()
    _in_bulk(
        Question(study=row, key=f"task_{n}", kind="long", position=first + n)
        for n in range(-(-tasks // len(regions)))
    )
    asked = Question.objects.filter(study=row, key__startswith="task_").order_by("position")
    _in_bulk(
        Task(
            project=project,
            source_key=f"{question.key}.{region.slug}",
            position=1 + place * len(regions) + number,
            question=question,
            region=region,
            payload=payloads[region.pk],
            inputs="0" * 64,
        )
        for place, question in enumerate(asked)
        for number, region in enumerate(regions)
    )
    _in_bulk(
        Assignment(task_id=pk, project=project, position=position, slot=slot)
        for pk, position in project.tasks.values_list("pk", "position")
        for slot in range(1, overlap + 1)
    )
    if judged:
        _judge(project, users[0], judged)
    if skipped:
        _skip(project, users[1], skipped)


def held(study: str) -> None:
    """Print `{"most", "judgements"}`: places taken at any task at most, and judgements stored."""
    from django.db.models import Count, Max

    from annotation.models import Assignment, Judgement

    places = Assignment.objects.filter(project__study__slug=study, slot__isnull=False)
    taken = places.exclude(status="free").order_by().values("task").annotate(n=Count("pk"))
    most = taken.aggregate(most=Max("n"))["most"] or 0
    print(json.dumps({"most": most, "judgements": Judgement.objects.count()}))


def _annotators(study: Any, people: int) -> list[Any]:
    from accounts.models import User
    from studies.models import Membership
    from studies.permissions import Role

    users = [User.objects.create_user(f"annotator{n}@example.org", PASSWORD) for n in range(people)]
    Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.ANNOTATOR) for user in users
    )
    return users


def _payload(study: Any, region: Any) -> dict[str, Any]:
    """Accepted answers of a few people of the region to the study's first question."""
    from collection.models import Answer, FormVersion, Submission
    from core import clock
    from studies.models import Participant, Participation

    version = FormVersion.objects.filter(activity__study=study).order_by("number")[0]
    question, answers = version.document["questions"][0]["id"], []
    for n in range(ANSWERS_A_TASK):
        who = Participant.objects.create(study=study, region=region, language="en")
        ended = {"status": "accepted", "included": True, "ended_reason": "accepted"}
        row = Participation.objects.create(
            participant=who, activity=version.activity, ended=clock.now(), **ended
        )
        form = Submission.objects.create(
            participation=row,
            form_version=version,
            number=version.number,
            status="accepted",
            language="en",
            started=clock.now(),
            touched=clock.now(),
            submitted=clock.now(),
        )
        text = f"People come before it is dark, number {n} says. " * 10
        answers.append(Answer.objects.create(submission=form, question_id=question, text=text).pk)
    return {"answers": answers, "needed": ANSWERS_A_TASK - 1}


def _judge(project: Any, user: Any, count: int) -> None:
    from annotation.models import Assignment, Judgement
    from core import clock

    rows = Assignment.objects.filter(project=project, slot=1, position__lte=count)
    rows.update(status="submitted", annotator=user, opened=clock.now())
    guideline = project.guidelines.all()[0]
    _in_bulk(
        Judgement(
            assignment_id=pk,
            value={"choice": "none", "concepts": []},
            ms=1000,
            guideline=guideline,
            inputs="0" * 64,
            at=clock.now(),
        )
        for pk in rows.values_list("pk", flat=True)
    )


def _skip(project: Any, user: Any, count: int) -> None:
    from annotation.models import Assignment

    tasks = project.tasks.order_by("position").values_list("pk", "position")[:count]
    _in_bulk(
        Assignment(task_id=pk, project=project, position=position, annotator=user, status="skipped")
        for pk, position in tasks
    )


def _in_bulk(rows: Iterator[Any]) -> None:
    while batch := list(islice(rows, AT_ONCE)):
        type(batch[0]).objects.bulk_create(batch)
