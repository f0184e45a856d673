"""Annotations as a file: every first pass, skip, flag and decision is a row of it."""

import csv
import io
import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from annotation.models import Assignment, Judgement, Task
from annotation.services import deciding, judging, projects, queueing
from collection.models import Answer
from studies.models import Participant
from studies.services.withdrawing import withdraw
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge

pytestmark = pytest.mark.django_db


def export(study, path, format="jsonl"):
    out = StringIO()
    order = (study.slug, "--format", format, "--out", str(path), "--json")
    call_command("export_annotations", *order, stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def all_of(task):
    return agreement("Tea, hot;\n=SUM(A1)", task.payload["answers"])


@pytest.fixture
def judged(world, people):
    """Two items and three people, one of whom skips one; a fourth person decides the other."""
    project = world.open(overlap=3)
    Task.objects.exclude(question__key__in=["tea", "gift"], region__slug=world.first).delete()
    ann, ben, cem, dan, eve = people("ann", "ben", "cem", "dan", "eve")
    queueing.skip(queueing.take(project, eve), "not my region")
    projects.write_guideline(project, "Read them twice.", "test")
    tea, gift = world.task("tea", world.first), world.task("gift", world.first)
    for user in (ann, ben, cem):
        judge(project, user, all_of if user == ann else NO_AGREEMENT)
        judge(project, user, NO_AGREEMENT)
    tea.refresh_from_db()
    deciding.decide(tea, NO_AGREEMENT, "they mean two teas", dan, tea.inputs)
    return world, tea, gift


def test_two_items_of_three_people_with_a_skip_and_an_adjudication(judged, tmp_path):
    world, tea, _ = judged
    for format in ("jsonl", "csv", "xlsx"):
        path = tmp_path / f"a.{format}"
        made = export(world.study, path, format)
        assert made["by_row"] == {
            "first pass": 6,
            "skip": 1,
            "flag": 0,
            "decision": 2,
            "suggestion": 0,
        }
        assert made["rows"] == 9
        assert json.loads((tmp_path / f"a.{format}.manifest.json").read_text())["rows"] == 9
    rows = rows_of(tmp_path / "a.jsonl")
    assert Counter(row["row"] for row in rows) == {"first pass": 6, "skip": 1, "decision": 2}
    by_person = [row for row in rows if row["row"] == "decision" and row["annotator"]]
    assert [(row["annotator"], row["note"]) for row in by_person] == [
        ("dan@example.org", "they mean two teas")
    ]
    for row in rows:
        if row["row"] == "first pass":
            assert row["annotator"].endswith("@example.org")
            assert row["guideline_version"] == 2
            assert row["opened"] <= row["sent"]
            assert row["ms"] >= 0
            assert row["inputs_sha256"] == tea.inputs or row["task"] != tea.source_key
    (skip,) = [row for row in rows if row["row"] == "skip"]
    assert (skip["annotator"], skip["note"]) == ("eve@example.org", "not my region")
    assert (skip["value"], skip["sent"], skip["guideline_version"]) == (None, None, None)


def test_a_first_pass_tells_what_was_said_and_whose_answers_say_it(judged, tmp_path):
    world, tea, _ = judged
    export(world.study, tmp_path / "a.jsonl")
    first = rows_of(tmp_path / "a.jsonl")[0]
    assert first["annotator"] == "ann@example.org"
    assert (first["kind"], first["task"], first["region"]) == (
        "agreement",
        tea.source_key,
        world.first,
    )
    assert (first["question"], first["category"]) == ("tea", "agreement")
    assert json.loads(first["value"]) == all_of(tea)
    assert first["texts"] == "Tea, hot;\n=SUM(A1)"
    answers = Answer.objects.filter(pk__in=tea.payload["answers"]).order_by("pk")
    who = answers.values_list("submission__participation__participant__code", flat=True)
    assert first["participants"].split() == list(who)


def test_a_raw_table_is_byte_for_byte_and_a_safe_one_runs_nothing(judged, tmp_path, world):
    task = judged[1]
    Judgement.objects.filter(assignment__task=task).update(note="=HYPERLINK(1)\r\n\t007")
    export(world.study, tmp_path / "raw.csv", "csv")
    with (tmp_path / "raw.csv").open(newline="") as file:
        raw = list(csv.DictReader(file))
    assert raw[0]["note"] == "=HYPERLINK(1)\r\n\t007"
    made = export(world.study, tmp_path / "safe.csv", "csv-safe")
    text = (tmp_path / "safe.csv").read_bytes().decode("utf-8-sig")
    safe = list(csv.DictReader(io.StringIO(text, newline="")))
    assert safe[0]["note"] == "'=HYPERLINK(1)\r\n\t007"
    assert made["neutralised"] == 3


def test_who_has_withdrawn_is_named_in_no_row(judged, tmp_path):
    world, tea, _ = judged
    gone = Participant.objects.filter(
        participations__submissions__answers__in=tea.payload["answers"]
    ).first()
    withdraw(gone, "test")
    export(world.study, tmp_path / "a.jsonl")
    assert gone.code not in (tmp_path / "a.jsonl").read_text()


def test_the_file_has_as_many_rows_of_each_kind_as_people_have_done(world, people, tmp_path):
    project = world.open()
    ann, ben, cem = people("ann", "ben", "cem")
    queueing.flag(queueing.take(project, ann), "the question is cut off")
    queueing.skip(queueing.take(project, ben), "")
    judge(project, cem, all_of)
    judging.save_draft(queueing.take(project, cem), NO_AGREEMENT)
    made = export(world.study, tmp_path / "a.jsonl")
    status = Counter(Assignment.objects.values_list("status", flat=True))
    assert made["by_row"] == {
        "first pass": status["submitted"],
        "skip": status["skipped"],
        "flag": status["flagged"],
        "decision": 0,
        "suggestion": 0,
    }
    assert (status["draft"], status["submitted"]) == (1, 1)


def test_a_file_that_cannot_be_written_is_refused_in_words(world, tmp_path):
    order = (world.study.slug, "--format", "csv", "--out", str(tmp_path), "--json")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("export_annotations", *order, stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["error"]["code"] == "export.unwritable"
