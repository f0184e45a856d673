"""People judge what was drawn, and how far the judges agree with them is estimated."""

from collections import Counter
from fractions import Fraction

import pytest

from annotation.models import Project, Task
from annotation.services.projects import refresh_study
from evaluation.models import DrawnReply, Judge, Verdict
from evaluation.validation.weighing import Both, against_people
from studies.permissions import Role
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, judged_run
from tests.evaluation.validation.conftest import (
    LABELS,
    WORDS,
    command,
    drawn,
    judges_label,
    of_judge,
    rarely_wrong,
    report,
    where,
    work,
)

pytestmark = pytest.mark.django_db


def blur(key):
    """What Ann says: as the judge does, but of every fourth she says "incorrect"."""
    return WRONG if drawn(key).pk % 4 == 0 else judges_label(key)


def sharp(key):
    """What Ben says: as Ann, but of every fifth "partially correct"."""
    return PARTLY if drawn(key).pk % 5 == 0 else blur(key)


def by_hand(run):
    """What people came to: where the two differ, Cem says "correct"."""
    found = []
    for row in DrawnReply.objects.filter(reply__run=run).select_related("reply__item"):
        key = f"answer-{row.pk}"
        said = blur(key) if blur(key) == sharp(key) else CORRECT
        found.append((row, said, judges_label(key)))
    return found


def decide_all(client):
    """As the third person: every dispute is "correct"."""
    for task in Task.objects.filter(status="disputed"):
        address = where("dispute", task.source_key)
        page = client.get(address)
        assert page.status_code == 200
        sent = {"choice": "correct", "reason": "It says so.", "action": "decide"}
        assert client.post(address, sent | {"seen": task.inputs}).status_code == 302


def test_two_judge_a_third_decides_and_the_figures_are_those_counted_by_hand(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 20, "--seed", 7)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    assert of_judge(run)["raw"] == {"value": None, "reason": "empty"}
    assert (work(ann, blur), work(ben, sharp)) == (20, 20)
    differing = Task.objects.filter(status="disputed").count()
    assert 0 < differing < 20
    halfway = of_judge(run)
    assert (halfway["drawn"], halfway["decided"]) == (20, 20 - differing)
    assert halfway["annotators"]["percent"]["value"] == (20 - differing) / 20
    decide_all(cem)

    people = of_judge(run)
    rows = by_hand(run)
    weigh = sum(row.weight for row, *_ in rows)
    same = sum(row.weight for row, said, judged in rows if said == judged)
    assert (people["decided"], people["replies"], people["raw"]["n"]) == (20, 20, 20)
    assert people["raw"]["value"] == pytest.approx(float(same / weigh))
    assert people["raw"]["low"] < people["raw"]["value"] < people["raw"]["high"]
    of_people, of_mild = Counter(), Counter()
    for row, said, judged in rows:
        of_people[said] += row.weight
        of_mild[judged] += row.weight
    chance = sum(of_people[each] * of_mild[each] for each in LABELS) / weigh**2
    assert people["kappa"]["value"] == pytest.approx(float((same / weigh - chance) / (1 - chance)))
    counted = Counter((said, judged) for _, said, judged in rows)
    assert people["table"] == {a: {b: counted[a, b] for b in LABELS} for a in LABELS}
    assert sum(sum(each.values()) for each in people["shares"].values()) == pytest.approx(1)


def test_figures_weigh_back_what_was_drawn_oftener():
    """Two of 10 incorrect verdicts were drawn, both wrong; two of 90 others, both right."""
    rows = [Both(f"q{n}", CORRECT, WRONG, Fraction(10, 2)) for n in range(2)]
    rows += [Both(f"r{n}", CORRECT, CORRECT, Fraction(90, 2)) for n in range(2)]
    found = against_people(rows, LABELS)
    assert found["raw"]["value"] == 0.9
    assert found["raw"]["n"] == 4
    assert found["shares"][CORRECT] == {CORRECT: 0.9, PARTLY: 0.0, WRONG: 0.1}
    assert found["table"][CORRECT] == {CORRECT: 2, PARTLY: 0, WRONG: 2}


def test_a_decision_is_a_verdict_of_people_beside_it_and_another_replaces_it(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    for client in (ann, ben):
        work(client, judges_label)
    people = Judge.objects.get(kind="person")
    assert people.label == "people"
    theirs = Verdict.objects.filter(judge=people)
    assert theirs.count() == 8
    assert all(
        row.decision.task.payload["drawn"] == row.reply.drawn.pk
        and row.value == Verdict.objects.get(reply=row.reply, decision=None).value
        for row in theirs
    )
    assert of_judge(run)["raw"]["value"] == 1.0
    task = Task.objects.order_by("pk").first()
    label = CORRECT if judges_label(task.source_key) != CORRECT else WRONG
    sent = {"choice": WORDS[label], "reason": "Looked again.", "seen": task.inputs}
    sent |= {"action": "decide", "decision": task.decisions.get(current=True).pk}
    assert cem.post(where("dispute", task.source_key), sent).status_code == 302
    assert theirs.get(decision__task=task).value == label
    assert theirs.count() == 8
    assert of_judge(run)["raw"]["value"] < 1


def test_people_of_a_draw_do_not_stand_unweighed_among_the_judges(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    assert report(run)["agreement"] == []


def test_a_verdict_of_people_goes_with_the_reply_it_is_about(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann, ben), (cem,) = members("ann", "ben"), members("cem", role=Role.RESEARCHER)
    for client in (ann, ben):
        work(client, judges_label)
    gone = DrawnReply.objects.first()
    key = f"answer-{gone.pk}"
    gone.delete()
    refresh_study(Project.objects.get().study_id)
    assert Verdict.objects.filter(judge__kind="person").count() == 7
    assert (of_judge(run)["drawn"], of_judge(run)["replies"]) == (7, 7)
    assert "nothing left to judge" in cem.get(where("trace", key)).content.decode()
