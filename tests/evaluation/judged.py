"""RASA runs written straight into their rows, so that every verdict in them is known."""

import itertools
import json

from core import clock
from evaluation.models import Judge, Reply, Run, RunJudge, Sample, Verdict
from inference.models import Endpoint, LanguageModel
from releases.services import import_release

CORRECT, PARTLY, WRONG = "CORRECT", "PARTIALLY_CORRECT", "INCORRECT"
REPEATS = (3, 2, 1)  # samples that gave each of the distinct replies to a question and region

REGIONS = ("North", "South", "Coast")
QUESTIONS = 20


def even_release(folder, name="even"):
    """QUESTIONS questions with gold for every region, so that shares of questions are round."""
    questions = [
        {
            "question_id": f"q{n:02}",
            "question_text": f"What is given to guests on occasion {n}?",
            "question_domain": ("Food", "Visiting")[n % 2],
            "question_subcategory": "Guests",
            "question_topic": name,
            "pairwise_agreements": {
                f"{a}_{b}": {"agreement": False} for a, b in itertools.combinations(REGIONS, 2)
            },
            "universal_agreement": False,
            **{region: {"answer": [f"Tea of the {region}."]} for region in REGIONS},
        }
        for n in range(QUESTIONS)
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"questions": questions}))
    return import_release(path, "indica", name, actor="test").release


def always(label):
    return lambda place, region, which: label


def judged_run(release, rules, *, name="one", people=(), simulated=False, limit=None, **changes):
    """A finished run of model `lab/<name>`; returns it.

    `rules` maps a judge's name to what it says of a reply: a function of the question's place,
    the region and which of the distinct replies it is, to a label, `unparsed`, `failed` or None
    where it has not been asked. Names in `people` are people.
    """
    model = language_model(name)
    run = Run.objects.create(
        benchmark="rasa",
        release=release,
        asked_release=release.label,
        model=model,
        model_label=str(model),
        settings={"samples": sum(REPEATS), "limit": limit, "weight": 0.5, "resamples": 200},
        status=Run.Status.FINISHED,
        simulated=simulated,
        started_by="test",
        created=clock.now(),
        **changes,
    )
    judges = {name: judge(name, is_person=name in people) for name in rules}
    for number, name in enumerate((each for each in rules if each not in people), 1):
        RunJudge.objects.create(run=run, judge=judges[name], number=number)
    for place, item in enumerate(release.items.order_by("position")[:limit]):
        for region in release.regions:
            if item.payload["gold"].get(region):
                _answer(run, item, place, region, [(judges[name], rules[name]) for name in rules])
    Run.objects.filter(pk=run.pk).update(samples_planned=run.samples.count())
    run.refresh_from_db()
    return run


def language_model(name):
    endpoint, _ = Endpoint.objects.get_or_create(name="lab", base_url="http://127.0.0.1:9/v1")
    return LanguageModel.objects.get_or_create(endpoint=endpoint, name=name)[0]


def judge(name, *, is_person=False, hash=None):
    """A model's name is `lab/<name>` in a report, a person's as it is."""
    kind, model = ("person", None) if is_person else ("model", language_model(name))
    found, _ = Judge.objects.get_or_create(
        hash=hash or name,
        defaults={
            "kind": kind,
            "label": str(model or name),
            "signal": "correctness",
            "model": model,
        },
    )
    return found


def _answer(run, item, place, region, rules):
    repeat = 0
    for which, samples in enumerate(REPEATS):
        reply = Reply.objects.create(
            run=run,
            item=item,
            variant=region,
            sha=f"{which}",
            text=f"Answer {which} of {region}",
            finish="stop",
            outcome="ok",
        )
        for _ in range(samples):
            repeat += 1
            Sample.objects.create(run=run, item=item, variant=region, repeat=repeat, reply=reply)
        for judge, rule in rules:
            said = rule(place, region, which)
            if said in ("unparsed", "failed"):
                Verdict.objects.create(judge=judge, reply=reply, outcome=said)
            elif said:
                Verdict.objects.create(judge=judge, reply=reply, outcome="ok", value=said)
