"""What stands behind one sample: the prompt as sent, the reply, the options or the verdicts, the
gold answers."""

import string
from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from evaluation import benchmarks, selectors
from evaluation.figures import OUTCOMES
from evaluation.judging.asking import request_of
from evaluation.models import Judge, Run, Sample, Verdict
from evaluation.viewing import viewer
from releases.models import Item, Release
from releases.presenting import names


def in_short(sample: Sample) -> dict[str, Any]:
    """A row of the list: where, what came of it, which regions' answer was chosen."""
    outcome = sample.reply.outcome if sample.reply else "failed"
    options = sample.item.payload.get("options", [])
    return {
        "sample": sample,
        "outcome": outcome,
        "outcome_words": OUTCOMES[outcome],
        "regions": options[sample.choice]["regions"] if sample.choice is not None else [],
        "text": sample.reply.text if sample.reply else "",
    }


def rows(run: Run, samples: Any, judges: Mapping[str, Judge]) -> list[dict[str, Any]]:
    """Rows of the list, each with its `region`'s name, those of the regions chosen, and what each
    judge says in words. One query for the verdicts, whatever the number of rows."""
    called = names(run.release)
    given = viewer.verdicts_on([each.reply_id for each in samples if each.reply_id])
    found = []
    for sample in samples:
        row = in_short(sample)
        verdicts = given.get(sample.reply_id or 0, {})
        row["region"] = called.get(sample.variant, sample.variant)
        row["chosen"] = [called.get(region, region) for region in row["regions"]]
        row["verdicts"] = [
            (name, _verdict_words(row["outcome"], verdicts.get(judge.pk)))
            for name, judge in judges.items()
        ]
        found.append(row)
    return found


def _verdict_words(outcome: str, verdict: Verdict | None) -> str:
    if verdict is None:
        return viewer.words_of(viewer.NONE) if outcome == "ok" else ""
    return viewer.words_of(verdict.outcome, verdict.value)


def of_sample(run: Run, sample: Sample) -> dict[str, Any]:
    """Everything the page of a sample shows.

    `sent` is the request made again from pinned prompt and item; `exact` says that its hash is the
    one stored when it was sent. `judgements` are what judges say of the reply. `source_item` is
    the question asked, or the one the item was built from; `gold` pairs of region and agreed
    texts, `answers` the same with names, and whether the sample was asked for the region;
    `decisions` the address of how people came to it.
    """
    sent, exact = selectors.request_as_sent(run, sample)
    (row,) = rows(run, [sample], {})
    return {
        **row,
        "sent": sent,
        "exact": exact,
        "options": _options(sample),
        "judgements": _judgements(run, sample),
        "question": _question(sample.item),
        **_gold(run, sample),
    }


def _question(item: Item) -> str:
    texts = item.payload.get("question") or item.payload.get("text") or {}
    return next(iter(texts.values()), item.key)


def _options(sample: Sample) -> list[dict[str, Any]]:
    """The options as shown: letter, text, regions, whether chosen."""
    options = sample.item.payload.get("options", [])
    order = sample.shown if sample.shown is not None else range(len(options))
    called = names(sample.item.release) if options else {}
    return [
        {
            "letter": letter,
            "text": next(iter(options[index]["text"].values())),
            "regions": [called.get(region, region) for region in options[index]["regions"]],
            "chosen": index == sample.choice,
        }
        for letter, index in zip(string.ascii_uppercase, order, strict=False)
    ]


# --- Verdicts -----------------------------------------------------------------------------------


def _judgements(run: Run, sample: Sample) -> list[dict[str, Any]]:
    """What each judge says: `judge`, `kin` (of the model's family), `words`, `ok`, its `reasoning`
    and `discrepancies` as read from its `text`, the `request` it got and whether that is `exact`,
    and its `call`. A judge that has not been asked has neither text nor request."""
    if sample.reply is None:
        return []
    related = ("call", "judge__prompt", "judge__model")
    given = {
        verdict.judge_id: verdict
        for verdict in sample.reply.verdicts.select_related(*related).order_by("pk")
    }
    return [
        _judgement(run, sample, name, judge, given.get(judge.pk))
        for name, judge in viewer.judges(run).items()
        if judge.pk in given or sample.reply.outcome == "ok"
    ]


def _judgement(
    run: Run, sample: Sample, name: str, judge: Judge, verdict: Verdict | None
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "judge": name,
        "kin": selectors.is_kin(run, judge),
        "ok": verdict is not None and verdict.outcome == Verdict.Outcome.OK,
        "words": _verdict_words("ok", verdict),
        "verdict": verdict,
    }
    judging = benchmarks.find(run.benchmark).judging
    if verdict is None or judging is None or judge.kind != Judge.Kind.MODEL:
        return found
    judged = judging.read(verdict.text, verdict.finish)
    found |= {"reasoning": judged.reasoning, "discrepancies": judged.discrepancies}
    if verdict.judge.prompt is not None and sample.reply is not None:
        text = sample.reply.text
        request = request_of(verdict.judge, judging, sample.item, sample.variant, text)
        found |= {"request": request, "exact": request.key() == verdict.request_key}
    return found


# --- Gold ---------------------------------------------------------------------------------------


def _gold(run: Run, sample: Sample) -> dict[str, Any]:
    source = _source(run.release, sample.item)
    if source is None:
        return {"source_item": None, "gold": [], "answers": [], "decisions": ""}
    gold = [
        (region, [text for each in agreed or () for text in each["text"].values()])
        for region in source.release.regions
        for agreed in [source.payload["gold"].get(region)]
    ]
    called = names(source.release)
    answers = [(called[region], texts, region == sample.variant) for region, texts in gold]
    decisions = _decisions(source, sample.variant)
    return {"source_item": source, "gold": gold, "answers": answers, "decisions": decisions}


def _decisions(source: Item, region: str) -> str:
    """The page of how people came to the gold; empty for a release that no study has made."""
    study = source.release.study
    if study is None:
        return ""
    if region and source.payload["gold"].get(region):
        place = (study.slug, "agreement", f"{source.key}.{region}")
        return reverse("annotation:trace", args=place)
    return reverse("annotation:gold", args=(study.slug, "agreement"))


def _source(release: Release, item: Item) -> Item | None:
    """The question behind an item: itself, or the one it was built from."""
    if item.kind == Item.Kind.QUESTION:
        return item
    if release.parent is None:
        return None
    key = item.payload.get("source", item.key)
    return release.parent.items.select_related("release__study").filter(key=key).first()
