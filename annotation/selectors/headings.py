"""What a task is about, in the language its study puts first."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotation import kinds
from annotation.kinds import Asked
from annotation.models import Task
from collection.models import QuestionText
from studies import languages
from studies.models import Study


@dataclass(frozen=True)
class Heading:
    """`region` is empty where a task is about more than one; `about` names those it is about, and
    is empty for all of them."""

    task: Task
    question: str
    language: str
    direction: str
    region: str
    about: str


def of(study: Study, tasks: Iterable[Task]) -> list[Heading]:
    """The headings of tasks, in their order; their questions and regions are read along."""
    tasks = list(tasks)
    texts: dict[int | None, dict[str, str]] = defaultdict(dict)
    asked = {task.question_id for task in tasks}
    for row in QuestionText.objects.filter(question__in=asked - {None}):
        texts[row.question_id][row.language] = row.text
    names = dict(region_names(study))
    others = _asked([task for task in tasks if task.question_id is None])
    return [
        _other(task, others[task.pk])
        if task.pk in others
        else _heading(study, task, texts[task.question_id], names)
        for task in tasks
    ]


def _asked(tasks: list[Task]) -> dict[int, Asked]:
    """Of tasks that are about no question of their study, by their ids."""
    by_kind: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_kind[task.project.kind].append(task)
    found: dict[int, Asked] = {}
    for name, some in by_kind.items():
        if asked := kinds.of(name).asked:
            found |= asked(some)
    return found


def _other(task: Task, asked: Asked) -> Heading:
    direction = languages.direction(asked.language)
    return Heading(task, asked.text, asked.language, direction, asked.about, asked.about)


def _heading(study: Study, task: Task, texts: dict[str, str], names: dict[str, str]) -> Heading:
    tag, text = languages.choose(texts, study.languages)
    if not text:
        tag, text = "", task.question.key if task.question else task.source_key
    direction = languages.direction(tag) if tag else ""
    if task.region:
        region = names[task.region.slug]
        return Heading(task, text, tag, direction, region, region)
    return Heading(task, text, tag, direction, "", " and ".join(_compared(task, names)))


def _compared(task: Task, names: dict[str, str]) -> list[str]:
    """The regions in the key of a task that compares some: `question.region.region`."""
    question = task.question.key if task.question else ""
    slugs = task.source_key.removeprefix(question).strip(".").split(".")
    return [names[slug] for slug in slugs if slug in names]


def region_names(study: Study) -> list[tuple[str, str]]:
    """(slug, name) of every region in order."""
    wanted = study.languages
    return [(row.slug, languages.choose(row.names, wanted)[1]) for row in study.regions.all()]
