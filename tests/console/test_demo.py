"""The demonstration: everything through the doors, once, and simulated wherever one looks."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.models import User
from annotation.models import GoldAnswer, Task
from collection.models import Submission
from console import services
from console.demo import asking, making
from console.demo.content import customs
from core.models import AuditEntry, Job
from evaluation import reports
from evaluation.models import Run
from releases.models import Release
from studies.models import Participant, Participation, Study
from tests import sample_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


class BrokenOff(Exception):
    pass


def break_off_once_judged(step):
    if step.startswith("Agreement"):
        raise BrokenOff


def demo():
    out = StringIO()
    call_command("demo", "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_the_demonstration_goes_on_where_it_was_broken_off_and_is_made_once():
    with pytest.raises(BrokenOff):
        making.make(break_off_once_judged)
    made = demo()
    assert made == {
        "study": "lantern_demo",
        "release": "lantern_demo@1",
        "runs": [run.pk for run in Run.objects.order_by("pk")],
        "url": "/studies/lantern_demo/",
    }
    everybody_in_it_is_simulated()
    people_came_went_and_were_replaced()
    gold_is_what_most_people_keep_to()
    what_is_open_was_accepted_with_a_reason()
    each_model_leans_where_it_was_made_to()
    each_model_knows_best_what_it_was_made_to_know()
    before = [rows.count() for rows in (Participation.objects, Task.objects, AuditEntry.objects)]
    assert demo() == made
    assert before == [
        rows.count() for rows in (Participation.objects, Task.objects, AuditEntry.objects)
    ]


def everybody_in_it_is_simulated():
    study = Study.objects.get()
    assert study.simulated
    assert (len(study.languages), study.regions.count()) == (2, 4)
    assert study.questions.filter(check_rule__isnull=True).count() >= 20
    assert not Participant.objects.filter(simulated=False).exists()
    assert not Release.objects.filter(simulated=False).exists()
    assert not Run.objects.filter(simulated=False).exists()
    for user in User.objects.all():
        assert user.email.startswith("simulated-")
        assert user.email.endswith("@example.org")
        assert not user.has_usable_password()


def people_came_went_and_were_replaced():
    statuses = Counter(Participation.objects.values_list("status", flat=True))
    left = {"screened_out": 1, "returned": 1, "rejected": 1, "withdrawn": 1}
    assert statuses == {"accepted": 20} | left
    accepted = Participation.objects.filter(status="accepted", included=True)
    assert set(Counter(accepted.values_list("slot_region__slug", flat=True)).values()) == {5}
    languages = Submission.objects.values_list("language", flat=True).distinct()
    assert set(languages) == {"en", "hi"}
    flow = Release.objects.get(name="lantern_demo").about["study"]["participants"]
    assert flow == {
        "invited": 24,
        "screened_out": 1,
        "declined": 0,
        "dropped": 1,
        "unfinished": 0,
        "awaiting_review": 0,
        "rejected": 1,
        "withdrawn": 1,
        "kept_out": 0,
        "kept": 20,
    }


def gold_is_what_most_people_keep_to():
    """As the file of their answers says, apart from the annotators' reading of them."""
    kept = {}
    for key, custom in customs().items():
        for region, seats in custom.regions.items():
            name, people = Counter(seats).most_common(1)[0]
            text = custom.practices[name].text
            kept[key, region] = [text] if people >= 4 and text else []
    gold = {(each.question.key, each.region.slug): each.texts for each in GoldAnswer.objects.all()}
    undecided = ("last_sheaf", "marsh")
    assert {pair: texts for pair, texts in kept.items() if texts or pair in gold} == gold
    assert undecided not in gold
    assert Task.objects.filter(decisions__by="person").distinct().count() >= 5


def what_is_open_was_accepted_with_a_reason():
    (finding,) = Release.objects.get(name="lantern_demo").findings.all()
    assert (finding.code, finding.item, finding.reason) == ("undecided", "last_sheaf", making.OPEN)


def each_model_knows_best_what_it_was_made_to_know():
    for run, region in zip(_of("rasa"), ("harbour", "moor"), strict=True):
        judges = reports.report(run)["judges"]
        assert list(judges) == list(asking.JUDGES)
        for found in judges.values():
            overall = {name: part["overall"] for name, part in found["by_region"].items()}
            assert max(overall, key=overall.get) == region


def _of(benchmark):
    return Run.objects.filter(benchmark=benchmark).order_by("pk")


def each_model_leans_where_it_was_made_to():
    for run, region in zip(_of("ra_mcq"), ("harbour", "moor"), strict=True):
        report = reports.report(run)
        assert report["questions"] >= 10
        assert reports.finding(report).startswith(f"{region} is chosen")


def test_a_newcomers_server_orders_the_demonstration_once_and_nobody_elses_does():
    services.order_demonstration()
    services.order_demonstration()
    assert Job.objects.filter(kind=services.DEMONSTRATION).count() == 1
    Job.objects.all().delete()
    sample_study.load()
    services.order_demonstration()
    assert not Job.objects.exists()
