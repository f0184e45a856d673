"""Drawing from a page, and what pages, reports and exports say of the judgements of people."""

import csv
import io
import re
from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Task
from evaluation import reports
from studies.permissions import Role
from tests.evaluation.judged import judged_run
from tests.evaluation.validation.conftest import (
    BACKEND,
    STUDY,
    command,
    judges_label,
    rarely_wrong,
    where,
    work,
)

pytestmark = pytest.mark.django_db


def test_every_form_of_the_report_says_how_far_judges_say_what_people_say(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    assert "people" not in printed(run, "md")
    command(run.pk, "--sample", 6)
    waiting = "lab/mild and people: no verdict to compare yet (0 of 6 drawn replies decided"
    assert waiting in printed(run, "md")
    for client in members("ann", "ben"):
        work(client, judges_label)
    for form in ("md", "html"):
        text = printed(run, form)
        assert "lab/mild says what people say of an estimated 100.0 %" in text
        assert "6 of 6 drawn replies decided by people" in text
    (table,) = [each for each in reports.tables([reports.report(run)]) if each.name == "people"]
    (row,) = table.rows
    told = dict(zip(table.columns, row, strict=True))
    assert (told["judge"], told["drawn"], told["decided"], told["raw"]) == ("lab/mild", 6, 6, 1.0)


def printed(run, form):
    out = io.StringIO()
    call_command("report", str(run.pk), f"--format={form}", stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_page_of_the_run_leads_to_the_draw_and_the_draw_to_the_figures(
    of_study, members, as_alice
):
    run = judged_run(of_study, {"mild": rarely_wrong}, simulated=True)
    address = reverse("evaluation:validation", args=[run.pk])
    assert address in as_alice.get(f"/runs/{run.pk}/").content.decode()
    assert as_alice.post(address, {"size": "0", "seed": "1"}).status_code == 422
    assert not Task.objects.exists()
    done = as_alice.post(address, {"size": "20", "seed": "7", "runs": ""}, follow=True)
    assert "20 replies were drawn" in done.content.decode()
    assert "No reply has been judged by two people yet" in done.content.decode()
    for client in members("ann", "ben"):
        work(client, judges_label)
    text = as_alice.get(address).content.decode()
    assert "100.0 %" in text
    assert "No reply has been judged" not in text
    assert "Simulated" in text


def test_only_an_administrator_draws_and_only_who_sees_the_run_sees_the_page(
    of_study, members, client, bob
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    address = reverse("evaluation:validation", args=[run.pk])
    (lea,) = members("lea", role=Role.RESEARCHER)
    assert lea.get(address).status_code == 200
    assert lea.post(address, {"size": "20", "seed": "7"}).status_code == 403
    client.force_login(bob, backend=BACKEND)
    assert client.get(address).status_code == 404
    assert not Task.objects.exists()


def test_every_choice_has_its_key_and_the_page_says_which(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann,) = members("ann")
    text = ann.post(where("next"), follow=True).content.decode()
    for key, value in (("c", "correct"), ("p", "partially correct"), ("i", "incorrect")):
        assert re.search(rf'value="{value}"[^>]*aria-keyshortcuts="{key}"', text)
        assert re.search(rf"<kbd>{key.upper()}</kbd></dt><dd>{value}", text)
    assert "they do not agree" not in text


def test_verdicts_of_people_stand_in_the_way_of_no_release(of_study, members, as_alice):
    """The annotation of judges makes no gold, so it is neither a finding nor in what gold hangs
    on, and it has no suggestions; what was decided of a task can be looked up."""
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    assert as_alice.get(f"/studies/{STUDY}/annotation/hangs-on/").status_code == 200
    freeze = as_alice.get(f"/studies/{STUDY}/freeze/")
    assert freeze.status_code == 200
    assert "answer-" not in freeze.content.decode()
    assert as_alice.get(where("suggestions")).status_code == 400
    key = Task.objects.order_by("pk").first().source_key
    trail = as_alice.get(where("trace", key))
    assert "Answer to judge" in trail.content.decode()
    assert as_alice.get(where("gold")).status_code == 200
    assert as_alice.get(where("reliability")).status_code == 200
    assert (
        "drew 8 judged replies of run" in as_alice.get(f"/studies/{STUDY}/audit/").content.decode()
    )


def test_what_annotators_said_of_answers_is_exported_with_the_rest(of_study, members, tmp_path):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    path = tmp_path / "annotations.csv"
    call_command("export_annotations", STUDY, "--format=csv", f"--out={path}", stdout=io.StringIO())
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert Counter(row["row"] for row in rows) == {"first pass": 16, "decision": 8}
    assert {row["kind"] for row in rows} == {"verdict"}
