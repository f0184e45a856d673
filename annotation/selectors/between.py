"""Gold as what the comparison of regions is made from."""

import hashlib
import json
from collections.abc import Iterator
from itertools import combinations

from annotation.kinds import Source
from annotation.models import GoldAnswer, Project

Gold = dict[int, GoldAnswer]  # region id -> what it agrees on


def pairs(project: Project, question: int | None = None) -> Iterator[Source]:
    """One source per question and pair of regions that both agree on something."""
    regions = list(project.study.regions.order_by("position", "pk"))
    for place, key, gold in _by_question(project, question):
        for number, (a, b) in enumerate(combinations(regions, 2)):
            if a.pk in gold and b.pk in gold:
                yield _source(
                    f"{key}.{a.slug}.{b.slug}", place * 1000 + number, [gold[a.pk], gold[b.pk]]
                )


def universal(project: Project, question: int | None = None) -> Iterator[Source]:
    """One source per question on which every region agrees on something."""
    regions = list(project.study.regions.order_by("position", "pk"))
    for place, key, gold in _by_question(project, question):
        if len(regions) > 1 and all(region.pk in gold for region in regions):
            yield _source(key, place, [gold[region.pk] for region in regions])


def of_task(payload: dict[str, list[int]]) -> list[GoldAnswer]:
    """The gold answers that are compared, in order."""
    rows = GoldAnswer.objects.select_related("region", "question").filter(
        pk__in=payload.get("gold", [])
    )
    return sorted(rows, key=lambda row: payload["gold"].index(row.pk))


def _by_question(project: Project, question: int | None) -> Iterator[tuple[int, str, Gold]]:
    rows = GoldAnswer.objects.filter(question__study=project.study).exclude(texts=[])
    if question is not None:
        rows = rows.filter(question=question)
    found: dict[int, Gold] = {}
    keys: dict[int, tuple[int, str]] = {}
    for row in rows.select_related("question").order_by("question__position", "question", "pk"):
        found.setdefault(row.question_id, {})[row.region_id] = row
        keys[row.question_id] = row.question.position, row.question.key
    for pk, gold in found.items():
        yield *keys[pk], gold


def _source(key: str, position: int, gold: list[GoldAnswer]) -> Source:
    judged = [[row.region_id, row.texts, row.stale] for row in gold]
    return Source(
        key=key,
        position=position,
        payload={"gold": [row.pk for row in gold]},
        inputs=hashlib.sha256(json.dumps(judged).encode()).hexdigest(),
        question=gold[0].question_id,
    )
