"""A study of any number of questions with five people a region, and what people do at its doors.

The people are simulated and say so; everything they do is a request to a participant's page.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import Any
from urllib.parse import urlencode

from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from collection.models import FormVersion
from studies.models import Study

SLUG = "synthetic"
REGIONS = ("harbour", "terraces", "marsh", "moor", "islands")
PER_REGION = 5
PEOPLE = len(REGIONS) * PER_REGION
CHECKS = 8
ENCODED = "application/x-www-form-urlencoded"
# What stands in the file under a question of each kind.
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

Question = Mapping[str, Any]  # of a form's document


def region_of(person: int) -> str:
    return REGIONS[person % len(REGIONS)]


def study_file(kinds: Sequence[str]) -> str:
    """A study file with a question `q0`, `q1`, … of each of these kinds, and attention checks."""
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
    for number, kind in enumerate(kinds):
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


def opened(folder, kinds: Sequence[str]) -> tuple[Study, dict[int, dict[str, Any]]]:
    """The study, loaded from its file and opened, and the document of each form."""
    path = folder / "study.yaml"
    path.write_text(study_file(kinds))
    command("load_study", path)
    command("open_study", SLUG)
    versions = FormVersion.objects.filter(activity__study__slug=SLUG)
    return Study.objects.get(slug=SLUG), {each.number: each.document for each in versions}


def come_in(person: int) -> tuple[Client, str, str]:
    """From the recruiter's link to the screening; (client, personal page, what it is now)."""
    client = Client()
    arrival = {"PROLIFIC_PID": f"person-{person}", "SESSION_ID": f"session-{person}"}
    home = client.post(reverse("taking_part:join", args=(SLUG, "everyday")), arrival)["Location"]
    document = Study.objects.get(slug=SLUG).consent_documents.first()
    agreed = {"document": document.pk, "take_part": "on", "publish": "on"}
    assert client.post(f"{home}consent/", agreed).status_code == 303
    lived = {"born": "1980", "stay-0-place": f"{region_of(person)} town"}
    lived |= {"stay-0-from_year": "1980", "stay-0-to_year": "2026"}
    assert client.post(f"{home}screening/", lived).status_code == 303
    return client, home, client.get(home).content.decode()


def answer_everything(
    client: Client,
    home: str,
    documents: Mapping[int, Question],
    said: Callable[[Question], dict[str, Any]],
) -> int:
    """Send form after form, each at the address the one before led to; how many there were.
    `said` gives the fields of a question; attention checks are passed."""
    sent, where = 0, f"{home}forms/1/"
    while where != home:
        fields: dict[str, Any] = {"action": "send"}
        for question in documents[int(where.removesuffix("/").rsplit("/", 1)[1])]["questions"]:
            check = question["check"]
            fields |= {f"answer-{question['key']}": check["expected"]} if check else said(question)
        # As a browser sends it; the client's own way of files takes three times as long to read.
        response = client.post(where, urlencode(fields, doseq=True), content_type=ENCODED)
        assert response.status_code == 303, response.content.decode()
        where = response["Location"]
        sent += 1
    return sent


def command(*arguments: object) -> dict[str, Any]:
    out = StringIO()
    call_command(*map(str, arguments), "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())
