"""What of a task a machine may read: participants' words only where they agreed to that."""

import json
from collections.abc import Iterable, Sequence

from django.db.models import OuterRef, Subquery

from annotation.models import GoldAnswer, GoldSupport, Task
from annotation.selectors import between, headings, inputs
from annotation.suggesting import About
from annotation.suggesting.between import Compared
from annotation.suggesting.within import Answers
from collection.models import Answer
from studies import languages
from studies.models import Consent, Participant
from studies.setup import Purpose

MOST_QUOTES = 4  # of a text, as evidence


def may_leave(answers: Iterable[int]) -> set[int]:
    """Those of answers whose people agreed, the last time they were asked, that an outside model
    reads them."""
    who = "submission__participation__participant"
    newest = Consent.objects.filter(participant=OuterRef(who)).order_by("-pk")
    rows = Answer.objects.filter(
        pk__in=list(answers),
        removed=False,
        **{f"{who}__status": Participant.Status.TAKING_PART},
    )
    rows = rows.annotate(agreed=Subquery(newest.values("purposes")[:1]))
    return {
        pk
        for pk, agreed in rows.values_list("pk", "agreed")
        if Purpose.OUTSIDE_MODEL in (agreed or ())
    }


def of_answers(task: Task, outside: bool) -> About:
    """For agreement within a region. Answers keep the numbers people see beside them."""
    ids: list[int] = task.payload["answers"]
    shown = inputs.shown(task.project.study, ids)
    kept = may_leave(ids) if outside else set(ids)
    numbers = {pk: number for number, pk in enumerate(ids, start=1)}
    texts = {
        numbers[each.pk]: " ".join(each.lines)
        for each in shown
        if each.pk in kept and not each.removed
    }
    needed = task.payload["needed"]
    heading = headings.of(task.project.study, [task])[0]
    fills = {
        "question": heading.question,
        "region": heading.region,
        "needed": str(needed),
        "of": str(len(ids)),
        "answers": "\n".join(f"{number}: {_json(text)}" for number, text in texts.items()),
    }
    return About(
        fills=fills,
        context=Answers(texts, {number: ids[number - 1] for number in texts}, needed),
        answers=[ids[number - 1] for number in texts],
        withheld=len(ids) - len(texts),
        enough=len(texts) >= needed,
    )


def of_pair(task: Task, outside: bool) -> About:
    about, lines, names = _compared(task, outside)
    (first, one), (second, two) = lines.items() if len(lines) == 2 else (("", ""), ("", ""))
    fills = {
        "region_1": names.get(first, ""),
        "region_2": names.get(second, ""),
        "concepts_1": one,
        "concepts_2": two,
    }
    return _filled(about, fills)


def of_all(task: Task, outside: bool) -> About:
    about, lines, names = _compared(task, outside)
    told = "\n".join(f"{names[slug]}:\n{concepts}" for slug, concepts in lines.items())
    return _filled(about, {"concepts": told})


def _filled(about: About, fills: dict[str, str]) -> About:
    return About(
        {**about.fills, **fills}, about.context, about.answers, about.withheld, about.enough
    )


def _compared(task: Task, outside: bool) -> tuple[About, dict[str, str], dict[str, str]]:
    """What is compared, its lines for a prompt by region, and the regions' names. A text that
    nobody who said it lets go stays out, and with it its region if it was the only one."""
    gold = between.of_task(task.payload)
    support = _support(gold)
    said = {answer for rows in support.values() for answer in rows}
    kept = may_leave(said) if outside else said
    shown = inputs.shown(task.project.study, sorted(kept))
    words = {each.pk: " ".join(each.lines) for each in shown if not each.removed}
    kept = set(words)
    texts: dict[str, list[str]] = {}
    lines: dict[str, str] = {}
    for row in gold:
        able = [place for place in range(len(row.texts)) if kept & set(support[row.pk, place])]
        texts[row.region.slug] = [row.texts[place] for place in able]
        lines[row.region.slug] = "\n".join(
            _line(row.texts[place], [words[pk] for pk in support[row.pk, place] if pk in words])
            for place in able
        )
    wanted = task.project.study.languages
    names = {row.region.slug: languages.choose(row.region.names, wanted)[1] for row in gold}
    withheld = sum(len(row.texts) - len(texts[row.region.slug]) for row in gold)
    about = About(
        fills={"question": headings.of(task.project.study, [task])[0].question},
        context=Compared(texts, names),
        answers=sorted(kept),
        withheld=withheld,
        enough=len(gold) > 1 and all(texts.values()),
    )
    return about, lines, names


def _support(gold: Sequence[GoldAnswer]) -> dict[tuple[int, int], list[int]]:
    """Ids of the answers that support a text, by gold answer and place."""
    support: dict[tuple[int, int], list[int]] = {
        (row.pk, place): [] for row in gold for place in range(len(row.texts))
    }
    rows = GoldSupport.objects.filter(gold__in=gold).order_by("answer")
    for pk, place, answer in rows.values_list("gold", "concept", "answer"):
        support[pk, place].append(answer)
    return support


def _line(text: str, quotes: Sequence[str]) -> str:
    evidence = ", ".join(_json(quote) for quote in quotes[:MOST_QUOTES])
    return f"- {_json(text)}" + (f" (in their words: {evidence})" if evidence else "")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
