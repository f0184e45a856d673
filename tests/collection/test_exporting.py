"""Exports hold what the database holds, in every layout and format."""

import io
import json
import re
from zoneinfo import ZoneInfo

import pytest
from openpyxl import load_workbook

from collection.exporting import LONG_COLUMNS, PERSON_COLUMNS, Choice, Layout
from collection.models import Answer
from collection.services.exporting import write_file
from core import clock
from core.tables import NEUTRALISED_COLUMN
from tests.collection.answered import WHEN, asked, fill, person, publish, question
from tests.collection.conftest import question as form_question
from tests.collection.exported import json_rows, sheet_rows, table

pytestmark = pytest.mark.django_db
LONG = "लंबा 1234 " * 4000  # 40,000 characters
AWKWARD = {
    "comma": "a,b",
    "quote": 'she said "no"',
    "newline": "two\nlines",
    "crlf": "two\r\nlines",
    "tab": "a\tb",
    "outer spaces": "  x  ",
    "zeros": "007",
    "formula": '=HYPERLINK("http://x")',
    "phone": "+91 98765 43210",
    "negative": "-5",
    "at": "@SUM(A1)",
    "apostrophe": "'",
    "long": LONG,
    "control": "a\u000bb",
    "ksha": "क्ष क्\u200dष क्\u200cष",
    "nukta": "\u0958 क\u093c",
    "tamil": "கொ க\u0bc6\u0bbe",
    "urdu": "مہمان کو چائے",
    "family": "👨\u200d👩\u200d👧",
}
RUNNABLE = {"formula", "phone", "negative", "at"}


@pytest.fixture
def awkward(study, activity):
    """Each text as an answer, as the words of its own question and as a label chosen from."""
    rows = {}
    for number, (name, text) in enumerate(AWKWARD.items(), start=1):
        typed = question(study, f"typed_{number}")
        chosen = question(study, f"chosen_{number}", "one")
        version = publish(
            activity,
            [asked(typed, text), asked(chosen, "Which?", options=[("it", text), ("no", "No")])],
            number=number,
        )
        rows[name] = (typed, chosen, version)
    one = person(activity)
    for name, (typed, chosen, version) in rows.items():
        fill(one, version, {typed: AWKWARD[name], chosen: {"value": "it"}})
    return {name: (typed.key, chosen.key) for name, (typed, chosen, _) in rows.items()}


@pytest.mark.parametrize(("format", "rows"), [("csv", table), ("jsonl", json_rows)])
def test_the_raw_files_equal_the_database_byte_for_byte(awkward, exported, format, rows):
    content, manifest = exported(format)
    found = {row["question"]: row for row in rows(content)}
    stored = dict(Answer.objects.values_list("question__key", "text"))
    assert {key: row["text"] for key, row in found.items()} == stored
    for name, (typed, chosen) in awkward.items():
        assert found[typed]["text"] == found[typed]["question_text"] == AWKWARD[name]
        assert (found[chosen]["value"], found[chosen]["value_text"]) == ("it", AWKWARD[name])
    assert (manifest["rows"], manifest["neutralised"]) == (Answer.objects.count(), 0)


def test_the_safe_file_neutralises_what_would_run_and_says_so(awkward, exported):
    content, manifest = exported("csv-safe")
    found = {row["question"]: row for row in table(content)}
    at = {name: LONG_COLUMNS.index(name) + 1 for name in ("question_text", "value_text", "text")}
    for name, (typed, chosen) in awkward.items():
        text = f"'{AWKWARD[name]}" if name in RUNNABLE else AWKWARD[name]
        assert found[typed]["text"] == found[typed]["question_text"] == text
        assert found[chosen]["value_text"] == text
        changed = found[typed][NEUTRALISED_COLUMN].split()
        expected = [at["question_text"], at["text"]] if name in RUNNABLE else []
        assert list(map(int, changed)) == expected
    assert manifest["neutralised"] == 3 * len(RUNNABLE)


def test_a_workbook_neither_dies_of_a_character_nor_cuts_silently(awkward, exported):
    content, manifest = exported("xlsx")
    found = {row["question"]: row for row in sheet_rows(content)}
    for name, (typed, chosen) in awkward.items():
        cells = (found[typed]["text"], found[typed]["question_text"], found[chosen]["value_text"])
        if name == "long":
            assert all(cell.startswith(f"[Cut: {len(LONG)} characters.") for cell in cells)
        else:
            assert cells == (AWKWARD[name],) * 3
    assert manifest["long_cells"] == 3
    pieces = list(load_workbook(io.BytesIO(content))["Long text"].values)[1:]
    for cell in {piece[0] for piece in pieces}:
        assert "".join(piece[3] for piece in pieces if piece[0] == cell) == LONG


def test_scripts_joiners_and_emoji_come_out_of_every_format_as_they_went_in(awkward, exported):
    scripts = ("ksha", "nukta", "tamil", "urdu", "family", "control")
    for format, rows in (("csv", table), ("jsonl", json_rows), ("xlsx", sheet_rows)):
        found = {row["question"]: row["text"] for row in rows(exported(format)[0])}
        assert [found[awkward[name][0]] for name in scripts] == [AWKWARD[n] for n in scripts]


def test_the_awkward_texts_come_out_of_the_wide_layout_too(awkward, exported):
    (row,) = table(exported("csv", "wide")[0])
    for name, (typed, chosen) in awkward.items():
        assert (row[f"answer_{typed}"], row[f"answer_{chosen}"]) == (AWKWARD[name], "it")


@pytest.fixture
def two_versions(study, activity):
    """Version 2 drops option b and asks under another name what version 1 asked."""
    drink, kept = question(study, "drink", "many"), question(study, "kept")
    old, new = question(study, "old_name"), question(study, "new_name")
    options = [("a", "Tea"), ("b", "Buttermilk"), ("c", "Coffee")]
    first = publish(
        activity,
        [asked(drink, "What?", options=options), asked(old, "Old?"), asked(kept, "Kept?")],
    )
    second = publish(
        activity,
        [
            asked(drink, "What?", options=[options[0], options[2]]),
            asked(new, "New?"),
            asked(kept, "Kept?"),
        ],
        version=2,
    )
    early, late = person(activity), person(activity)
    fill(early, first, {drink: {"value": ["b", "c"]}, old: "was", kept: "1"})
    fill(late, second, {drink: {"value": ["c"]}, new: "is", kept: {"skipped": True}})
    return early, late


def test_values_of_dropped_options_and_renamed_questions_keep_their_ids(two_versions, exported):
    early, late = table(exported("csv", "wide")[0])
    assert list(early) == [
        *PERSON_COLUMNS,
        *("answer_drink", "answer_old_name", "answer_kept", "answer_new_name"),
    ]
    assert early["answer_drink"] == '["b", "c"]'
    assert (early["answer_old_name"], early["answer_new_name"]) == ("was", "")
    assert (late["answer_old_name"], late["answer_new_name"]) == ("", "is")
    assert (early["skipped"], late["skipped"]) == ("", "kept")
    long = table(exported("csv")[0])
    shown = [(r["form_version"], r["value"], r["value_text"]) for r in long if r["value"]]
    assert shown == [("1", '["b", "c"]', "Buttermilk; Coffee"), ("2", '["c"]', "Coffee")]


def test_ids_agree_between_long_wide_and_json_lines(two_versions, exported):
    long, lines = table(exported("csv")[0]), json_rows(exported("jsonl")[0])
    wide = {row["participant"]: row for row in table(exported("csv", "wide")[0])}
    who = ("participant", "question", "question_id", "form_sha256")
    assert [[str(row[key]) for key in who] for row in lines] == [
        [row[key] for key in who] for row in long
    ]
    assert set(wide) == {row["participant"] for row in long}
    for row in long:
        if row["skipped"] == "false":
            cell = wide[row["participant"]][f"answer_{row['question']}"]
            assert cell == (row["value"] or row["text"])


def test_a_row_says_who_answered_what_when_and_with_whose_consent(study, activity, exported):
    gift, check = question(study, "gift"), question(study, "check", "one")
    version = publish(
        activity,
        [
            asked(gift, "What do guests bring?", prefixed=True, topic="visiting"),
            asked(check, "Pick b", check={"type": "instructed", "expected": "b"}),
        ],
        prefix={"en": "In your region, {question}"},
    )
    one = person(activity, purposes=("take_part", "outside_model"), included=True)
    fill(one, version, {gift: "Sweets", check: {"value": "a"}}, failed=["check"])
    gifts, checks = json_rows(exported("jsonl")[0])
    assert list(gifts) == list(LONG_COLUMNS)
    assert gifts == {
        "study": study.slug,
        "activity": activity.slug,
        "phase": "pilot",
        "participant": one.participant.code,
        "attempt": 1,
        "region": "harbour",
        "form": 1,
        "form_version": 1,
        "form_sha256": version.sha256,
        "submission_status": "submitted",
        "participation_status": "submitted",
        "included": True,
        "language": "en",
        "question": "gift",
        "question_id": gift.pk,
        "kind": "long",
        "topic": "visiting",
        "question_text": "In your region, what do guests bring?",
        "is_check": False,
        "check_passed": None,
        "value": None,
        "value_text": None,
        "text": "Sweets",
        "skipped": False,
        "revision": 1,
        "started": "2026-01-31T18:00:05+00:00",
        "submitted": "2026-01-31T18:00:05+00:00",
        "ms": 61_000,
        "consent_publish": False,
        "consent_audio": False,
        "consent_outside_model": True,
        "simulated": False,
    }
    assert (checks["is_check"], checks["check_passed"]) == (True, False)


def test_instants_carry_an_offset_and_a_date_answered_stays_that_date(study, activity, exported):
    day, year = question(study, "day", "date"), question(study, "year", "year")
    version = publish(activity, [asked(day, "When?"), asked(year, "Which year?")])
    fill(person(activity), version, {day: {"value": "2026-01-31"}, year: {"value": 1999}})
    for layout in Layout:
        content, manifest = exported("csv", layout)
        text = content.decode()
        assert "2026-01-31," in text
        assert "1999" in text
        assert re.findall(r"2026-01-31T[^,]*", text)[0] == "2026-01-31T18:00:05+00:00"
        assert manifest["made"].endswith("+00:00")


def test_a_date_sent_shortly_before_midnight_where_people_live_comes_out_as_that_date(
    survey, client, tmp_path, monkeypatch
):
    monkeypatch.setattr(clock, "now", lambda: WHEN)
    made = survey([form_question("day", "date")])
    assert WHEN.astimezone(ZoneInfo(made.study.timezone)).strftime("%d %H:%M") == "31 23:30"
    sent = client.post(made.address(), {"action": "send", "answer-day": "2026-01-31"})
    assert sent.status_code == 303
    path = tmp_path / "file"
    for format, rows in (("csv", table), ("jsonl", json_rows), ("xlsx", sheet_rows)):
        write_file(made.study, Choice(Layout.LONG, format), path, "test")
        (row,) = rows(path.read_bytes())
        assert (row["value"], row["submitted"]) == ("2026-01-31", "2026-01-31T18:00:05+00:00")
    write_file(made.study, Choice(Layout.WIDE, "csv"), path, "test")
    assert table(path.read_bytes())[0]["answer_day"] == "2026-01-31"


@pytest.mark.parametrize(
    ("kind", "stored", "cell"),
    [
        *(("number", "12.5", 12.5), ("number", "-5", -5), ("number", "0.1", 0.1)),
        *(("number", "007", 7), ("year", 1999, 1999)),
        ("number", "123456789012345.6", "123456789012345.6"),
        ("number", "1234567890123456", "1234567890123456"),
        ("date", "2026-01-31", "2026-01-31"),
        ("one", "12", "12"),
        ("many", ["1"], '["1"]'),
        ("place", "1770", "1770"),
    ],
)
def test_numbers_and_years_are_numbers_in_a_workbook_where_it_holds_all_their_digits(
    study, activity, exported, kind, stored, cell
):
    asked_for = question(study, "much", kind)
    version = publish(activity, [asked(asked_for, "How much?")])
    fill(person(activity), version, {asked_for: {"value": stored, "text": "as typed"}})
    for layout, column in ((Layout.LONG, "value"), (Layout.WIDE, "answer_much")):
        (row,) = sheet_rows(exported("xlsx", layout)[0])
        assert (row[column], type(row[column])) == (cell, type(cell))
        (line,) = json_rows(exported("jsonl", layout)[0])
        assert line[column] == (stored if isinstance(stored, str) else json.dumps(stored))
