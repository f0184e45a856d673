"""A form of every kind of question, and its page taken apart."""

from html.parser import HTMLParser

from tests.collection.conftest import question

EVERY_KIND = [
    question("a", "short"),
    question("b", "long", help={"en": "Two sentences will do."}),
    question("c", "one", options=["yes", "no"]),
    question("d", "many", options=["rice", "bread"]),
    question("e", "number"),
    question("f", "year"),
    question("g", "date"),
    question("h", "place"),
    question("i", "artifacts"),
    question("j", "short", check={"type": "instructed", "expected": "blue"}),
]
FILLED = {
    "answer-a": "a line",
    "answer-b": "more\r\nlines",
    "answer-c": "no",
    "answer-d": ["rice", "bread"],
    "answer-e": "१२",
    "answer-f": "1987",
    "answer-g": "2026-01-31",
    "answer-h": "windlow",
    "name-i": ["Lantern", "Eel"],
    "about-i": ["a light", "a fish"],
    "answer-j": "blue",
}


class Elements(HTMLParser):
    """Every element as (tag, attributes), in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def all(self, tag=None, **wanted):
        names = {name.replace("_", "-").strip("-"): value for name, value in wanted.items()}
        return [
            attributes
            for found, attributes in self.found
            if (tag is None or found == tag)
            and all(attributes.get(name) == value for name, value in names.items())
        ]

    def one(self, tag=None, **wanted):
        (attributes,) = self.all(tag, **wanted)
        return attributes


def page(client, address, **follow):
    return Elements(client.get(address, **follow).content.decode())
