"""Somebody who takes part, with a personal link and a browser."""

import html
import re

from django.urls import reverse

from studies import links
from studies.models import (
    ConsentDocument,
)

HISTORY = {
    "born": "1980",
    "rows": "4",
    "stay-0-place": "Windlow",
    "stay-0-from_year": "1980",
    "stay-0-to_year": "2020",
}


class Reading:
    """Somebody with a personal link and a browser."""

    def __init__(self, client, row):
        self.client, self.row, self.token = client, row, links.token(row)

    def address(self, name):
        return reverse(f"taking_part:{name}", args=(self.token,))

    def get(self, name="home"):
        return self.client.get(self.address(name))

    def post(self, name="home", data=None, **more):
        return self.client.post(self.address(name), data or {}, **more)

    def page(self, name="home"):
        return words(self.get(name))

    def agree(self, **ticks):
        document = ConsentDocument.objects.first()
        return self.post("consent", {"document": document.pk, "take_part": "on"} | ticks)

    @property
    def status(self):
        self.row.refresh_from_db()
        return self.row.status


def words(response):
    """What a response says, as text."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(html.unescape(text).split())
