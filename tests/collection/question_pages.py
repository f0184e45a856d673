"""What authors type on the pages of questions, and read there."""

import re

from django.urls import reverse

from collection import selectors


def at(page, *further):
    return reverse(f"collection:{page}", args=("lantern_coast", *further))


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def typed(response):
    """What a browser would send of the form as it stands."""
    form = response.context["form"]
    given = {}
    for bound in form:
        value = bound.value()
        if value not in (None, False, ""):
            given[bound.html_name] = "on" if value is True else value
    return given


def written(key, text, **more):
    """A new question as typed."""
    given = {"key": key, "text-en": text, "kind": "long", "status": "accepted", "position": "1"}
    return given | {name.replace("_", "-"): v for name, v in more.items()}


def choice(key, text, labels, **more):
    options = {f"option-{n}-en": label for n, label in enumerate(labels)}
    ids = {f"option-{n}-id": "" for n in range(len(labels))}
    return written(key, text) | {"kind": "one"} | options | ids | more


def shape(study, key):
    return selectors.in_document(selectors.access_question(study, key))
