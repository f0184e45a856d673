"""The pages on which a study is set up, as somebody fills them in and reads them."""

import re

from django.urls import reverse

FACTS = {
    "languages": "en, hi",
    "country": "Lantern Coast",
    "timezone": "Asia/Kolkata",
    "currency": "INR",
    "residency_percent": "50",
    "retention_days": "30",
    "ethics_number": "",
}


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def region(slug, places, **fields):
    texts = {"names-en": slug.title(), "names-hi": "तट", "phrases-en": "there", "phrases-hi": "वहाँ"}
    numbers = {"target": "5", "language": "hi", "position": "1"}
    return {"slug": slug, "places": places, "aliases": ""} | texts | numbers | fields


def where(page, *further):
    return reverse(f"studies:{page}", args=("coast", *further))


def next_step(client):
    response = client.get(where("detail"))
    step = response.context["next"]
    return step.title if step else "nothing"


def shown(client, name, *args):
    return client.get(reverse(name, args=args))
