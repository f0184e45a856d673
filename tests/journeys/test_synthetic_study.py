"""A study of 611 questions and 25 people, from its file to accepted answers, through the doors.

The people are simulated and say so; everything they do is a request to a participant's page.
"""

import csv
import json
from functools import partial

import pytest
from django.db.models import F
from django.urls import reverse

from collection.models import Answer, QualityFlag, Submission
from studies.models import Participant, Participation
from studies.participation import Code, Status
from tests.journeys.synthetic import (
    CHECKS,
    KINDS,
    PEOPLE,
    REGIONS,
    answer_everything,
    come_in,
    command,
    opened,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

QUESTIONS, FORMS = 611, 41
# What is read along with an answer; as rows of the database, not as thousands of objects.
READ_ALONG = {
    "person": F("submission__participation__participant__code"),
    "region": F("submission__participation__participant__region__slug"),
    "form": F("submission__number"),
    "form_sha256": F("submission__form_version__sha256"),
    "status": F("submission__status"),
    "ms": F("submission__ms"),
    "key": F("question__key"),
    "kind": F("question__kind"),
    "topic": F("question__topic__code"),
    "check": F("question__check_rule"),
}
WORDS = ("=one, two", 'said "no"', "two\nlines", "क्\u200dष", "  x  ", "007", "-5")


def answers_to(question, person):
    """The fields a person sends for a question, each person something of their own."""
    key, number = question["key"], person + question["id"]
    options = [option["id"] for option in question["options"]]
    match question["kind"]:
        case "long" | "short":
            return {f"answer-{key}": f"{WORDS[number % len(WORDS)]} {person} {key}"}
        case "one":
            return {f"answer-{key}": options[number % 2]}
        case "many":
            return {f"answer-{key}": options[: 1 + number % 3]}
        case "number":
            return {f"answer-{key}": f"{number % 900}.5"}
        case "year":
            return {f"answer-{key}": str(1950 + number % 70)}
        case "date":
            return {f"answer-{key}": f"2026-01-{1 + number % 28:02}"}
        case "place":
            return {f"answer-{key}": "marsh town" if number % 2 else "Far away"}
        case "artifacts":
            return {f"name-{key}": [f"Lamp {person}", "Net"], f"about-{key}": ["a light", ""]}


def test_611_questions_and_25_people_go_from_a_file_to_accepted_answers(alice, as_alice, tmp_path):
    kinds = list(KINDS)
    study, documents = opened(tmp_path, [kinds[n % len(kinds)] for n in range(QUESTIONS)])
    codes = study.activities.get().codes
    assert len(documents) == FORMS
    for person in range(PEOPLE):
        client, home, _ = come_in(person)
        said = partial(answers_to, person=person)
        assert answer_everything(client, home, documents, said) == FORMS
        assert codes[Code.COMPLETED] in client.get(home).content.decode()
    everybody_is_in_and_nobody_else_gets_in(study, codes)
    all_answers_are_there(study)
    the_export_equals_the_database(study, tmp_path / "answers.csv")
    everybody_is_accepted(study, as_alice)


def everybody_is_in_and_nobody_else_gets_in(study, codes):
    for region in study.regions.all():
        assert Participation.objects.filter(slot_region=region).count() == region.target
    for late in range(PEOPLE, PEOPLE + len(REGIONS)):
        _, _, page = come_in(late)
        assert codes[Code.QUOTA_FULL] in page
    assert Participation.objects.filter(status=Status.QUOTA_FULL).count() == len(REGIONS)
    assert Participation.objects.filter(status=Status.SUBMITTED).count() == PEOPLE


def all_answers_are_there(study):
    answers = Answer.objects.filter(submission__participation__participant__study=study)
    assert answers.filter(question__check_rule__isnull=True).count() == QUESTIONS * PEOPLE == 15_275
    assert answers.filter(question__check_rule__isnull=False).count() == CHECKS * PEOPLE
    assert Submission.objects.filter(status="submitted").count() == FORMS * PEOPLE
    assert not QualityFlag.objects.exists()
    assert Participant.objects.filter(study=study, simulated=False).count() == 0


def the_export_equals_the_database(study, path):
    manifest = command("export_answers", study.slug, "--format", "csv", "--out", path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    stored = {}
    for answer in Answer.objects.values("value", "text", "revision", "question_id", **READ_ALONG):
        value = answer["value"]
        if not (value is None or isinstance(value, str)):
            value = json.dumps(value, ensure_ascii=False)
        stored[answer["person"], answer["key"]] = {
            "region": answer["region"],
            "form": str(answer["form"]),
            "form_sha256": answer["form_sha256"],
            "submission_status": answer["status"],
            "question_id": str(answer["question_id"]),
            "kind": answer["kind"],
            "topic": answer["topic"] or "",
            "is_check": "true" if answer["check"] else "false",
            "check_passed": "true" if answer["check"] else "",
            "value": value or "",
            "text": answer["text"],
            "skipped": "false",
            "revision": str(answer["revision"]),
            "ms": str(answer["ms"]),
            "simulated": "true",
        }
    assert len(rows) == manifest["rows"] == len(stored) == (QUESTIONS + CHECKS) * PEOPLE
    for row in rows:
        expected = stored.pop((row["participant"], row["question"]))
        assert {name: row[name] for name in expected} == expected
    assert manifest["simulated"]


def everybody_is_accepted(study, client):
    waiting = Participation.objects.filter(status=Status.SUBMITTED)
    chosen = list(waiting.values_list("code", flat=True))
    page = client.post(
        reverse("collection:review_accept_many", args=(study.slug,)), {"code": chosen}
    )
    assert page.status_code == 302
    accepted = Participation.objects.filter(status=Status.ACCEPTED, included=True)
    assert accepted.count() == PEOPLE
    assert Submission.objects.filter(status="accepted").count() == FORMS * PEOPLE
