"""Who judges a reply learns nothing of the model, the run or the verdicts."""

import re

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from annotation.models import Judgement
from evaluation.models import DrawnReply, Verdict
from studies.permissions import Role
from tests.evaluation.judged import CORRECT, WRONG, judged_run
from tests.evaluation.validation.conftest import (
    LABELS,
    STUDY,
    command,
    drawn,
    judges_label,
    rarely_wrong,
    where,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_nothing_an_annotator_is_shown_tells_model_run_or_verdict(of_study, members):
    rules = {"mild": lambda place, region, which: LABELS[which]}
    runs = [judged_run(of_study, rules, name=name) for name in ("onyx", "topaz")]
    command(runs[0].pk, runs[1].pk, "--sample", 12)
    (ann,) = members("ann")
    page = ann.post(where("next"), follow=True)
    for _ in range(12):
        key = page.context["row"].task.source_key
        text = page.content.decode()
        assert "Tea of the" in text
        assert drawn(key).reply.text in text
        tells_nothing(text)
        sent = {"choice": "correct", "action": "send"}
        page = ann.post(where("task", key), sent, follow=True)
    assert Judgement.objects.count() == 12
    for text in told(ann):
        tells_nothing(text)


def test_who_is_to_judge_replies_sees_no_samples_of_the_run_until_all_are_decided(
    of_study, members, as_alice
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 4)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    run.settings |= {"prompts": {}, "base_url": "http://127.0.0.1:9/v1", "model": "one"}
    run.save()
    pages = [f"/runs/{run.pk}/{part}" for part in ("samples/", "failures/")]
    pages += [f"/runs/{run.pk}/download/samples.csv", f"/api/v1/runs/{run.pk}/samples/"]
    for address in pages:
        assert (as_alice.get(address).status_code, cem.get(address).status_code) == (200, 200)
        refused = ann.get(address)
        assert refused.status_code == 403, address
        assert "samples" in refused.content.decode()
        assert "lab/mild" not in refused.content.decode()
    assert ann.get(f"/runs/{run.pk}/").status_code == 200
    for client in (ann, ben):
        work(client, judges_label)
    assert [ann.get(address).status_code for address in pages] == [200] * len(pages)


def test_nor_of_another_run_that_holds_the_same_replies(of_study, members):
    drawn_from, same = (
        judged_run(of_study, {"mild": rarely_wrong}, name=name) for name in ("one", "two")
    )
    other = judged_run(of_study, {"mild": rarely_wrong}, name="three")
    other.replies.update(sha=Concat(Value("another "), "sha"))
    command(drawn_from.pk, "--sample", 4)
    ann, ben = members("ann", "ben")
    assert ann.get(f"/runs/{same.pk}/samples/").status_code == 403
    assert ann.get(f"/api/v1/runs/{same.pk}/samples/").status_code == 403
    assert ann.get(f"/runs/{other.pk}/samples/").status_code == 200
    for client in (ann, ben):
        work(client, judges_label)
    assert ann.get(f"/runs/{same.pk}/samples/").status_code == 200


def test_the_same_answer_is_shown_in_the_same_bytes_whoever_gave_it_and_whatever_was_said(
    of_study, members
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann,) = members("ann")
    key = ann.post(where("next"), follow=True).context["row"].task.source_key

    def seen():
        pages = [ann.get(where("task", key)), ann.get(f"/studies/{STUDY}/annotation/")]
        once = r'name="csrfmiddlewaretoken" value="[^"]+"'
        return [re.sub(once, "", page.content.decode()) for page in pages] + list(told(ann))

    before = seen()
    theirs = Verdict.objects.filter(reply=drawn(key).reply)
    theirs.update(value=WRONG if theirs.get().value != WRONG else CORRECT)
    DrawnReply.objects.update(stratum="another", replies=1000, drawn=1)
    run.model_label, run.seed, run.simulated = "another/model", 99, True
    run.save()
    assert seen() == before


def tells_nothing(text):
    for word in ("onyx", "topaz", "lab/", "mild", *LABELS, "/runs/1", "stratum", "weight"):
        assert word not in text, word


def told(client):
    """All that programs are told of the annotation."""
    for name in ("tasks/?kind=verdict", "judgements/?kind=verdict", "annotation/"):
        answer = client.get(f"/api/v1/studies/{STUDY}/{name}")
        assert answer.status_code == 200, name
        yield answer.content.decode()
