"""Whose answers are in an exported file, and with whose consent."""

import pytest

from collection.exporting import LONG_COLUMNS, Choice, Layout
from collection.selectors.answers import submitted_answers
from collection.services.exporting import write_file
from core import clock
from studies.participation import ENDINGS
from studies.services import load_setup, withdraw
from studies.study_file import parse
from tests.collection.answered import WHEN, asked, fill, person, publish, question
from tests.collection.exported import json_rows, table
from tests.sample_study import SAMPLE

pytestmark = pytest.mark.django_db


def test_drafts_are_left_out_unless_they_are_asked_for(study, activity, exported):
    gift = question(study, "gift")
    version = publish(activity, [asked(gift, "What?")])
    fill(person(activity), version, {gift: "done"})
    fill(person(activity, status="active"), version, {gift: "half"}, status="draft")
    assert [row["text"] for row in table(exported()[0])] == ["done"]
    assert len(table(exported("csv", "wide")[0])) == 1
    content, manifest = exported(drafts=True)
    assert [row["text"] for row in table(content)] == ["done", "half"]
    assert manifest["drafts"]
    assert [row["submitted"] for row in table(content)][1] == ""


@pytest.mark.parametrize("status", [*ENDINGS])
def test_drafts_of_whoever_is_not_at_it_any_more_are_in_no_file(study, activity, exported, status):
    gift = question(study, "gift")
    first, second = (publish(activity, [asked(gift, "What?")], number) for number in (1, 2))
    ended = {"status": status, "ended_reason": status}
    gone = person(activity, **ended)
    fill(gone, first, {gift: "sent"})
    fill(gone, second, {gift: "never sent"}, status="draft")
    fill(person(activity, **ended), first, {gift: "never sent"}, status="draft")
    fill(person(activity, status="active"), first, {gift: "half"}, status="draft")
    for layout in Layout:
        content, manifest = exported("csv", layout, drafts=True)
        assert "never sent" not in content.decode()
        assert manifest["rows"] == 2
    assert [row["text"] for row in table(exported(drafts=True)[0])] == ["sent", "half"]
    assert [answer.text for answer in submitted_answers(study, status="draft")] == ["half"]


def test_a_purpose_that_was_not_asked_for_has_an_empty_cell(study, activity, exported):
    gift = question(study, "gift")
    version = publish(activity, [asked(gift, "What?")])
    fill(person(activity), version, {gift: "x"})
    document = study.consent_documents.create(
        version=9, texts={}, purposes={"take_part": {}, "publish": {}}, sha256="9", created=WHEN
    )
    later = person(activity)
    later.participant.consents.create(
        document=document, language="en", purposes=["take_part"], at=WHEN
    )
    fill(later, version, {gift: "y"})
    for layout in Layout:
        asked_all, asked_one = json_rows(exported("jsonl", layout)[0])
        assert (asked_all["consent_publish"], asked_all["consent_audio"]) == (True, False)
        assert (asked_one["consent_publish"], asked_one["consent_audio"]) == (False, None)
        assert asked_one["consent_outside_model"] is None


def test_who_withdrew_is_left_out_and_counted(study, activity, exported):
    gift = question(study, "gift")
    version = publish(activity, [asked(gift, "What?")])
    stays, goes = person(activity), person(activity)
    fill(stays, version, {gift: "stays"})
    fill(goes, version, {gift: "goes"})
    withdraw(goes.participant, "test")
    for layout in Layout:
        content, manifest = exported("csv", layout)
        assert [row["participant"] for row in table(content)] == [stays.participant.code]
        assert (manifest["rows"], manifest["withdrawn_left_out"]) == (1, 1)


def test_the_newest_consent_of_a_participant_counts(study, activity, exported):
    gift = question(study, "gift")
    version = publish(activity, [asked(gift, "What?")])
    one = person(activity, purposes=("take_part", "publish"))
    fill(one, version, {gift: "x"})
    consent = one.participant.consents.get()
    one.participant.consents.create(
        document=consent.document, language="en", purposes=["take_part"], at=consent.at
    )
    assert json_rows(exported("jsonl")[0])[0]["consent_publish"] is False


def test_no_other_study_is_in_the_file(study, exported):
    other = load_file_as("elsewhere")
    for each in (study, other):
        gift = question(each, "gift")
        version = publish(each.activities.get(), [asked(gift, "What?")])
        fill(person(each.activities.get()), version, {gift: each.slug})
    assert [row["text"] for row in table(exported()[0])] == [study.slug]


def load_file_as(slug):
    text = SAMPLE.read_text().replace("study: lantern_coast", f"study: {slug}")
    return load_setup(parse(text.encode()), "test").study


def test_a_study_without_answers_gives_the_columns_and_no_row(exported):
    content, manifest = exported()
    assert content.decode().strip() == ",".join(LONG_COLUMNS)
    assert (manifest["rows"], manifest["high_water"]) == (0, 0)


def test_a_withdrawal_while_the_file_is_written_makes_it_begin_again(study, activity, tmp_path):
    gift = question(study, "gift")
    version = publish(activity, [asked(gift, "What?")])
    stays, goes = person(activity), person(activity)
    fill(stays, version, {gift: "stays"})
    fill(goes, version, {gift: "goes"})
    seen = []

    def leave_at_the_end(done, of):
        seen.append((done, of))
        if done == of == 2:
            withdraw(goes.participant, "test")

    path = tmp_path / "answers.csv"
    manifest = write_file(study, Choice(Layout.LONG, "csv"), path, "test", leave_at_the_end)
    assert [row["text"] for row in table(path.read_bytes())] == ["stays"]
    assert (manifest["rows"], manifest["withdrawn_left_out"]) == (1, 1)
    assert seen[-1] == (1, 1)


def test_a_form_sent_again_while_the_file_is_written_is_in_it(study, activity, exported):
    gift = question(study, "gift")
    sent = fill(person(activity), publish(activity, [asked(gift, "What?")]), {gift: "salt"})
    sent.first_submitted, sent.submitted = sent.submitted, clock.later(60)
    sent.save()
    content, manifest = exported()
    assert [row["text"] for row in table(content)] == ["salt"]
    assert manifest["rows"] == 1
