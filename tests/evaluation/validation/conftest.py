"""A study whose annotators judge a sample of what judges judged."""

import io
import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Task
from evaluation.models import DrawnReply, Verdict
from releases.models import Release
from studies import services
from studies.permissions import Role
from tests import sample_study
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, even_release

STUDY = "lantern_coast"
BACKEND = "django.contrib.auth.backends.ModelBackend"
WORDS = {CORRECT: "correct", PARTLY: "partially correct", WRONG: "incorrect"}
LABELS = (CORRECT, PARTLY, WRONG)


def rarely_wrong(place, region, which):
    """Of 180 replies 4 are incorrect, 60 partially correct."""
    if which == 0 and region == "North" and place < 4:
        return WRONG
    return PARTLY if which == 1 else CORRECT


@pytest.fixture
def study(alice):
    return sample_study.load()


@pytest.fixture
def of_study(study, tmp_path):
    """A release that belongs to the study."""
    release = even_release(tmp_path)
    Release.objects.filter(pk=release.pk).update(study=study)
    return Release.objects.get(pk=release.pk)


@pytest.fixture
def members(study, django_user_model):
    def make(*names, role=Role.ANNOTATOR):
        made = []
        for name in names:
            user = django_user_model.objects.create_user(f"{name}@example.org", "a password")
            services.invite(study, user.email, role, "test")
            client = Client()
            client.force_login(user, backend=BACKEND)
            made.append(client)
        return made

    return make


def command(*arguments):
    """(exit, the object that is printed)."""
    out, code = io.StringIO(), 0
    try:
        call_command("validate_judges", *map(str, arguments), "--json", stdout=out)
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


def refused(*arguments):
    code, told = command(*arguments)
    assert code == 1
    return told["error"]["code"]


def where(name, *arguments):
    return reverse(f"annotation:{name}", args=(STUDY, "verdict", *arguments))


def report(run):
    out = io.StringIO()
    call_command("report", str(run.pk), "--format=json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def of_judge(run, name="lab/mild"):
    return report(run)["judges"][name]["people"]


def drawn(task_key):
    return DrawnReply.objects.get(pk=Task.objects.get(source_key=task_key).payload["drawn"])


def judges_label(task_key):
    return Verdict.objects.get(reply=drawn(task_key).reply, decision=None).value


def work(client, says):
    """Go through the whole queue; `says(task's key)` is a label."""
    done = 0
    page = client.post(where("next"), follow=True)
    while page.context and "row" in page.context:
        key = page.context["row"].task.source_key
        page = client.post(
            where("task", key), {"choice": WORDS[says(key)], "action": "send"}, follow=True
        )
        done += 1
    return done
