"""`export_answers`: a file and its manifest, or a refusal with a code."""

import hashlib
import json
import os
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from collection.exporting import LONG_COLUMNS
from core.models import AuditEntry
from tests import sample_study
from tests.collection.answered import asked, fill, person, publish, question

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(alice):
    study = sample_study.load()
    gift = question(study, "gift")
    version = publish(study.activities.get(), [asked(gift, "What do guests bring?")])
    fill(person(study.activities.get()), version, {gift: "Sweets"})
    return study


def export(study, path, *more, format="csv"):
    """(exit, what was printed) of the command."""
    out, code = StringIO(), 0
    order = (str(study), "--format", format, "--out", str(path), *more)
    try:
        call_command("export_answers", *order, stdout=out, stderr=StringIO())
    except SystemExit as exit:
        code = exit.code
    return code, out.getvalue()


def test_the_file_stands_beside_a_manifest_that_says_what_it_holds(study, tmp_path):
    path = tmp_path / "answers.csv"
    code, said = export(study.slug, path, "--json")
    printed = json.loads(said)
    manifest = json.loads((tmp_path / "answers.csv.manifest.json").read_text())
    assert code == 0
    assert printed == {"path": str(path), **manifest}
    assert manifest["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert manifest["columns"] == list(LONG_COLUMNS)
    assert {key: manifest[key] for key in ("study", "layout", "format", "rows")} == {
        "study": study.slug,
        "layout": "long",
        "format": "csv",
        "rows": 1,
    }
    assert (manifest["simulated"], manifest["withdrawn_left_out"]) == (False, 0)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        path.name,
        f"{path.name}.manifest.json",
    ]
    assert AuditEntry.objects.get(action="answers.exported").actor == "command line"


@pytest.mark.parametrize("format", ["csv", "csv-safe", "xlsx", "jsonl"])
def test_a_person_is_told_where_the_file_is_and_how_many_rows_it_has(study, tmp_path, format):
    path = tmp_path / "answers"
    code, said = export(study.slug, path, "--layout", "wide", format=format)
    assert code == 0
    assert f"{path}  1 rows" in said


def test_an_unknown_study_is_refused(study, tmp_path):
    code, said = export("nowhere", tmp_path / "a.csv", "--json")
    assert (code, json.loads(said)["error"]["code"]) == (1, "study.unknown")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["missing/answers.csv", "", "file/answers.csv", "pipe"])
def test_a_path_that_cannot_be_written_is_refused(study, tmp_path, place):
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    code, said = export(study.slug, tmp_path / place, "--json")
    error = json.loads(said)["error"]
    assert (code, error["code"]) == (1, "export.unwritable")
    assert error["message"].endswith(".")


@pytest.mark.parametrize(("option", "value"), [("--format", "papyrus"), ("--layout", "round")])
def test_a_format_or_layout_nobody_knows_is_an_unreadable_command_line(
    study, tmp_path, option, value
):
    with pytest.raises(CommandError, match=f"argument {option}: invalid choice: '{value}'"):
        export(study.slug, tmp_path / "a.csv", option, value)
