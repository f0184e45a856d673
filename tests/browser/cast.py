"""People of the study `two_shores` in every status, and what the database holds of one of them.

A program that runs inside the installation under test, by its environment, and says one JSON
object: `python -m tests.browser.cast people` or `python -m tests.browser.cast stored CODE`.
"""

import json
import os
import sys
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from collection import answers, selectors  # noqa: E402
from collection.services import answering, reviewing  # noqa: E402
from core import clock  # noqa: E402
from studies import links, services  # noqa: E402
from studies.models import Activity, Participation  # noqa: E402
from studies.participation import Action, Pay, Status  # noqa: E402
from studies.services.entering import Stay, this_year  # noqa: E402
from studies.services.moving import move  # noqa: E402

SLUG = "two_shores"
LANGUAGES = ("hi", "bn", "ur")
INATTENTIVE = {"shoes_again": ("value", "inside"), "reading_check": ("value", "never")}
ANSWERS = {
    "guests_arrive": ("text", "पहले पानी दिया जाता है।"),
    "greeting": ("text", "নমস্কার, কেমন আছেন?"),
    "shoes": ("value", "outside"),
    "shoes_again": ("value", "outside"),
    "gifts": ("value", ["sweets", "fruit"]),
    "visit_hours": ("value", "2.5"),
    "first_lantern": ("value", 1820),
    "lantern_night": ("value", "2026-11-08"),
    "market": ("text", "ऊपर वाला बाज़ार"),
    "dishes": ("value", [{"name": "ক্ষীর", "about": "দুধের মিষ্টি"}]),
    "reading_check": ("value", "often"),
}


def people():
    """{status: personal link} of one person in every status, and of four more."""
    activity = Activity.objects.select_related("study").get(study__slug=SLUG)
    made = {}
    for number, status in enumerate(Status):
        row = _newcomer(activity, LANGUAGES[number % len(LANGUAGES)])
        _bring(row, status)
        made[status.value] = row
    made["late"] = _late(_bring(_newcomer(activity, "hi"), Status.ACTIVE))
    made["waiting"] = _bring(_newcomer(activity, "bn"), Status.SUBMITTED)
    made["doubtful"] = _bring(_newcomer(activity, "bn"), Status.ACTIVE)
    _answer(made["doubtful"], ANSWERS | INATTENTIVE)
    made["begun"] = _bring(_newcomer(activity, "ur"), Status.ACTIVE)
    return {name: {"link": links.personal(row), "code": row.code} for name, row in made.items()}


def stored(code):
    """The status, how often each form was sent, and every answer as it is kept."""
    row = Participation.objects.get(code=code)
    submissions = row.submissions.order_by("number")
    return {
        "status": row.status,
        "code": row.activity.codes["completed"],
        "forms": [[each.number, each.status] for each in submissions],
        "flags": [flag.check_name for each in submissions for flag in each.flags.all()],
        "answers": {
            answer.question.key: {
                "value": answer.value,
                "text": answer.text,
                "skipped": answer.skipped,
            }
            for each in submissions
            for answer in each.answers.select_related("question")
        },
    }


def _newcomer(activity, language):
    (row,) = services.make_links(activity, 1, "a test")
    row.activity = activity
    services.speak(row.participant, language)
    return row


def _bring(row, status):
    """The shortest way to a status, through the services."""
    if status == Status.INVITED:
        return row
    move(row, Action.OPEN)
    if status in (Status.CONSENTING, Status.DECLINED):
        return row if status == Status.CONSENTING else move(row, Action.DECLINE)
    services.agree(row, row.activity.study.consent_documents.get(), ["take_part", "publish"])
    early = {Status.SCREENED_OUT: Action.SCREEN_OUT, Status.QUOTA_FULL: Action.TURN_AWAY}
    if status == Status.SCREENING or status in early:
        return row if status == Status.SCREENING else move(row, early[status])
    _admit(row)
    leaving = {
        Status.RETURNED: Action.GIVE_BACK,
        Status.TIMED_OUT: Action.TIME_OUT,
        Status.CUT_SHORT: Action.CUT_SHORT,
    }
    if status in leaving:
        return move(row, leaving[status])
    if status == Status.WITHDRAWN:
        services.withdraw(row.participant, "a test")
        return row
    if status != Status.ACTIVE:
        _answer(row)
    if status == Status.ACCEPTED:
        reviewing.accept(row, "a test")
    if status == Status.REDO:
        reviewing.ask_again(row, [1], "কোন মিষ্টি দেওয়া হয়, তা লিখুন। कृपया और लिखें।", "a test")
    if status == Status.REJECTED:
        text = "आपके उत्तर सवालों के बारे में नहीं हैं।"
        reviewing.reject(row, reviewing.Rejection("off_topic", text, Pay.TIME), "a test")
    return row


def _admit(row):
    place = row.activity.study.places.get(name="Brassgate")
    services.screen(row, 1980, [Stay(place, 1980, this_year(row.activity.study))])


def _answer(row, given_to=ANSWERS):
    while (number := selectors.next_number(row)) is not None:
        form = selectors.form_of(row, number)
        fields = {}
        for question in form.document["questions"]:
            key, (_part, given) = question["key"], given_to[question["key"]]
            if question["kind"] == "artifacts":
                fields[f"name-{key}"] = [each["name"] for each in given]
                fields[f"about-{key}"] = [each["about"] for each in given]
            else:
                fields[f"answer-{key}"] = given if isinstance(given, list) else [str(given)]
        written = answering.submit(
            form, answers.read_form(form.document, lambda name, sent=fields: sent.get(name, []))
        )
        assert written.sent, written
        row.refresh_from_db()


def _late(row):
    before = clock.now() - timedelta(days=1)
    Participation.objects.filter(pk=row.pk).update(deadline=before)
    return row


if __name__ == "__main__":
    done = {"people": people, "stored": stored}[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write(json.dumps(done, ensure_ascii=False))
