"""Annotators and their leader in browsers of their own, without a script."""

import re

from django.test import Client
from django.urls import reverse

from studies import services
from studies.permissions import Role
from tests.annotation.conftest import AGREEMENT

STUDY = "lantern_coast"
BACKEND = "django.contrib.auth.backends.ModelBackend"


def where(name, *arguments):
    return reverse(f"annotation:{name}", args=(STUDY, *arguments))


def task_of(key):
    return where("task", "agreement", key)


def signed_in(user):
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


def leader(world, django_user_model, name="lea"):
    """A researcher of the study: may judge, and may decide what others judged."""
    user = django_user_model.objects.create_user(f"{name}@example.org", "a password")
    services.invite(world.study, user.email, Role.RESEARCHER, "test")
    return user


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def filled(text, answers, action="send", **more):
    """The fields of a form with one text."""
    return {
        "choice": AGREEMENT,
        "concept-0": text,
        "support-0": [str(each) for each in answers],
        "action": action,
        **more,
    }


def none(action="send", **more):
    return {"choice": "none", "action": action, **more}


def begin(client):
    """Press "Next task": the key of the task that opens."""
    response = client.post(where("next", "agreement"), follow=True)
    return response.context["row"].task.source_key
