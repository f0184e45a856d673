"""What several people do at one queue: at the same moment, and when leases have run out."""

import threading

from django.db import connection

from annotation.models import Assignment, Task
from collection.models import Question
from core import clock
from core.errors import CommonplaceError
from tests.annotation.conftest import agreement


def all_of(task):
    return agreement("It is drunk hot.", task.payload["answers"])


def run_out(**of):
    """Leases run out, as after half an hour."""
    Assignment.objects.filter(lease_until__isnull=False, **of).update(lease_until=clock.ago(1))


def at_once(*work):
    """Do all of it at the same moment, each in a thread; what each returned or the code of its
    refusal, in order."""
    said, gate = [None] * len(work), threading.Barrier(len(work))

    def do(place, act):
        try:
            gate.wait()
            said[place] = act()
        except CommonplaceError as error:
            said[place] = error.code
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=each) for each in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


def many_tasks(project, count):
    """Tasks beyond those of the study's answers, with nothing particular to judge."""
    region = project.study.regions.first()
    asked = Question.objects.bulk_create(
        Question(study=project.study, key=f"more_{n}", kind="long", position=100 + n)
        for n in range(count)
    )
    tasks = Task.objects.bulk_create(
        Task(
            project=project,
            source_key=f"{question.key}.{region.slug}",
            position=question.position,
            question=question,
            region=region,
            inputs="x",
        )
        for question in asked
    )
    Assignment.objects.bulk_create(
        Assignment(task=task, project=project, position=task.position, slot=slot)
        for task in tasks
        for slot in range(1, project.overlap + 1)
    )
