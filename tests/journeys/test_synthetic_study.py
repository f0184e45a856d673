"""A study of 611 questions and 25 people, from its file to accepted answers, through the doors.

The people are simulated and say so; everything they do is a request to a participant's page.
"""

import csv
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from collection.models import Answer, FormVersion, QualityFlag, Submission
from studies.models import Participant, Participation, Study
from studies.participation import Code, Status

pytestmark = pytest.mark.django_db

SLUG = "synthetic"
REGIONS = ("harbour", "terraces", "marsh", "moor", "islands")
PER_REGION = 5
PEOPLE = len(REGIONS) * PER_REGION
QUESTIONS, FORMS = 611, 41
CHECKS = 8
# What stands in the file under a question of each kind, in the order the kinds take turns.
KINDS = {
    "long": "",
    "short": "",
    "one": "options: {tea: {en: Tea}, salt: {en: 'Salt, or bread'}}",
    "many": "options: {kin: {en: Kin}, friends: {en: Friends}, all: {en: Everybody}}",
    "number": "limits: {least: 0, most: 900}",
    "year": "limits: {least: 1900, most: 2030}",
    "date": "",
    "place": "",
    "artifacts": "limits: {least: 1, most: 4}",
}
WORDS = ("=one, two", 'said "no"', "two\nlines", "क्\u200dष", "  x  ", "007", "-5")


def kind_of(number):
    return list(KINDS)[number % len(KINDS)]


def study_file():
    lines = [
        f"study: {SLUG}",
        "names: {en: Synthetic}",
        "languages: [en]",
        "country: Lantern Coast",
        "timezone: Asia/Kolkata",
        "currency: EUR",
        "simulated: true",
        "residency: {more_than_percent: 50}",
        "regions:",
    ]
    for slug in REGIONS:
        lines.append(
            f"  {slug}: {{names: {{en: {slug}}}, phrases: {{en: in the {slug}}}, "
            f"places: [{slug} town], target: {PER_REGION}}}"
        )
    lines += [
        "activities:",
        "  everyday: {kind: survey, phase: main, names: {en: Everyday}, recruiter: prolific,",
        "    reward: {kind: flat, amount: 30.00, minutes: 120}}",
        "consent: {texts: {en: We ask.}, purposes: {take_part: {en: Yes}, publish: {en: Yes}}}",
        "survey:",
        "  prefix: {en: 'In your region, {question}'}",
        "  per_form: 15",
        "  topics: {life: {names: {en: Life}}}",
        "  questions:",
    ]
    for number in range(QUESTIONS):
        kind = kind_of(number)
        lines += [
            f"    q{number}:",
            f"      kind: {kind}",
            "      topic: life",
            f"      texts: {{en: 'What is usual on occasion {number}?'}}",
            *([f"      {KINDS[kind]}"] if KINDS[kind] else []),
        ]
    for number in range(CHECKS):
        lines += [
            f"    check{number}:",
            "      kind: one",
            f"      texts: {{en: 'To show that you read this, choose B ({number}).'}}",
            "      options: {a: {en: A}, b: {en: B}}",
            "      check: {type: instructed, expected: b}",
        ]
    return "\n".join(lines)


def answers_to(question, person):
    """The fields a person sends for a question, each person something of their own."""
    key, number = question["key"], person + question["id"]
    if question["check"]:
        return {f"answer-{key}": question["check"]["expected"]}
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


def come_in(person, region):
    """From the recruiter's link to the screening; (client, personal page, what it is now)."""
    client = Client()
    arrival = {"PROLIFIC_PID": f"person-{person}", "SESSION_ID": f"session-{person}"}
    home = client.post(reverse("taking_part:join", args=(SLUG, "everyday")), arrival)["Location"]
    document = Study.objects.get(slug=SLUG).consent_documents.first()
    agreed = {"document": document.pk, "take_part": "on", "publish": "on"}
    assert client.post(f"{home}consent/", agreed).status_code == 303
    lived = {"born": "1980", "stay-0-place": f"{region} town"}
    lived |= {"stay-0-from_year": "1980", "stay-0-to_year": "2026"}
    assert client.post(f"{home}screening/", lived).status_code == 303
    return client, home, client.get(home).content.decode()


def answer_everything(client, home, person, documents):
    """Send form after form, each at the address the one before led to; how many there were."""
    sent, where = 0, f"{home}forms/1/"
    while where != home:
        fields = {"action": "send"}
        for question in documents[int(where.removesuffix("/").rsplit("/", 1)[1])]["questions"]:
            fields |= answers_to(question, person)
        response = client.post(where, fields)
        assert response.status_code == 303, response.content.decode()
        where = response["Location"]
        sent += 1
    return sent


def command(*arguments):
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


@pytest.fixture
def opened(alice, tmp_path):
    """The study, loaded from its file and opened; (study, document of each form)."""
    path = tmp_path / "study.yaml"
    path.write_text(study_file())
    command("load_study", str(path))
    command("open_study", SLUG)
    versions = FormVersion.objects.filter(activity__study__slug=SLUG)
    return Study.objects.get(slug=SLUG), {each.number: each.document for each in versions}


def test_611_questions_and_25_people_go_from_a_file_to_accepted_answers(opened, as_alice, tmp_path):
    study, documents = opened
    codes = study.activities.get().codes
    assert len(documents) == FORMS
    for person in range(PEOPLE):
        client, home, _ = come_in(person, REGIONS[person % len(REGIONS)])
        assert answer_everything(client, home, person, documents) == FORMS
        assert codes[Code.COMPLETED] in client.get(home).content.decode()
    everybody_is_in_and_nobody_else_gets_in(study, codes)
    all_answers_are_there(study)
    the_export_equals_the_database(study, tmp_path / "answers.csv")
    everybody_is_accepted(study, as_alice)


def everybody_is_in_and_nobody_else_gets_in(study, codes):
    for region in study.regions.all():
        assert Participation.objects.filter(slot_region=region).count() == region.target
    for late, region in enumerate(REGIONS, start=PEOPLE):
        _, _, page = come_in(late, region)
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
    manifest = command("export_answers", study.slug, "--format", "csv", "--out", str(path))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    stored = {}
    for answer in Answer.objects.select_related(
        "question__topic", "submission__form_version", "submission__participation__participant"
    ):
        submission = answer.submission
        person = submission.participation.participant
        value = answer.value
        if not (value is None or isinstance(value, str)):
            value = json.dumps(value, ensure_ascii=False)
        stored[person.code, answer.question.key] = {
            "region": person.region.slug,
            "form": str(submission.number),
            "form_sha256": submission.form_version.sha256,
            "submission_status": submission.status,
            "question_id": str(answer.question_id),
            "kind": answer.question.kind,
            "topic": answer.question.topic.code if answer.question.topic else "",
            "is_check": "true" if answer.question.check_rule else "false",
            "check_passed": "true" if answer.question.check_rule else "",
            "value": value or "",
            "text": answer.text,
            "skipped": "false",
            "revision": str(answer.revision),
            "ms": str(submission.ms),
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
