"""A form as participants see it: one JSON document that holds every language. Pure.

```
{"schema": 2, "activity": slug, "number": 3, "of": 41, "languages": ["en", "hi"],
 "prefix": {"en": "In your region, {question}"},
 "places": [{"name": "Three Wells", "texts": {"en": "Three Wells", "hi": "तीन कुएँ"}}, …],
 "questions": [{"id": <Question pk>, "key": "guests_gifts", "kind": "long",
   "topic": "visiting" | null, "texts": {tag: text}, "help": {tag: text},
   "options": [{"id": "yes", "texts": {tag: text}}], "limits": {"least": 0, "most": 10},
   "prefixed": true, "starts_with_name": false, "check": null | a rule of `collection.checks`}]}
```

`limits` bound a number or a year, or how many options or artifacts; either end may be missing.
Those of a choice may also name the key of another whose chosen options should not be chosen here,
`"unlike": "most_like"`, which reviewers are told about and nobody is refused for.
At most fifteen questions have no check; checks come on top of them. The `name` of a place is the
value of an answer that says it, whichever of its texts was written.

Forms of schema 1, which stay as they were published, have no more of a place than its name:
`"places": ["Three Wells", …]`. Places are therefore read through the functions of this module.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import CommonplaceError
from core.text import fold
from studies import languages
from studies.languages import Texts

SCHEMA = 2
PLACEHOLDER = "{question}"

# What may stand before the first letter: quotes, brackets, ¿ and ¡; digits leave all as it is.
_FIRST_WORD = re.compile(r"^([^\w]*)([^\W\d_]+)")
_DOTTED = {"az", "tr"}  # languages in which I is the capital of ı, and İ that of i


def form(
    *,
    activity: str,
    number: int,
    of: int,
    tongues: Sequence[str],
    prefix: Texts,
    places: Sequence[tuple[str, Texts]],
    questions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The document of one form; a place is its name and what it is called."""
    return {
        "schema": SCHEMA,
        "activity": activity,
        "number": number,
        "of": of,
        "languages": list(tongues),
        "prefix": dict(prefix),
        "places": [{"name": name, "texts": dict(texts)} for name, texts in places],
        "questions": [dict(question) for question in questions],
    }


def canonical(document: Mapping[str, Any]) -> bytes:
    """The bytes that are hashed: keys sorted, no spaces, UTF-8 without escapes."""
    text = json.dumps(
        document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode()


def sha256(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(document)).hexdigest()


def upgraded(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document as it would be written now; it says the same."""
    return {**document, "schema": SCHEMA, "places": _places(document)}


def places_shown(document: Mapping[str, Any], wanted: Sequence[str]) -> list[str]:
    """What the places of a document are called, `wanted` as in `shown`."""
    return [
        languages.choose(place["texts"], wanted)[1] or place["name"] for place in _places(document)
    ]


def place_called(text: str, document: Mapping[str, Any]) -> str | None:
    """The name of the place that is called so in any language, under `core.text.fold`; None
    where none is."""
    wanted = fold(text)
    for place in _places(document) if wanted else ():
        if wanted in map(fold, (place["name"], *place["texts"].values())):
            return place["name"]
    return None


def _places(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The places of a document of any schema, as those of this one."""
    first = document["languages"][0]
    return [
        {"name": each, "texts": {first: each}} if isinstance(each, str) else each
        for each in document["places"]
    ]


def shown(
    question: Mapping[str, Any], document: Mapping[str, Any], wanted: Sequence[str]
) -> tuple[str, str]:
    """(tag, text) of a question as a participant reads it, with the prefix of its language.

    `wanted` are languages in order: the reader's, then the study's."""
    tag, text = languages.choose(question["texts"], wanted)
    prefix = document["prefix"].get(tag) if question["prefixed"] else None
    if not prefix:
        return tag, text
    if not question["starts_with_name"] and not prefix.startswith(PLACEHOLDER):
        text = lowered(text, tag)
    return tag, prefix.replace(PLACEHOLDER, text)


def lowered(text: str, tag: str) -> str:
    """The text with its first letter small, as it stands after a prefix.

    A word in capitals (an acronym) and a text that begins with a digit stay; so does every script
    without small letters. What begins with a name is for its author to say."""
    found = _FIRST_WORD.match(text)
    if found is None:
        return text
    before, word = found.groups()
    if len(word) > 1 and word[1].isupper():
        return text
    first = word[0]
    if tag.split("-")[0] in _DOTTED:
        first = {"I": "ı", "İ": "i"}.get(first, first)
    return f"{before}{first.lower()}{text[len(before) + 1 :]}"


def refuse_prefix(prefix: Texts) -> Texts:
    """The prefix, whose every text has the place of the question exactly once; may be empty.
    Raises `plan.prefix`."""
    for tag, text in prefix.items():
        if text.count(PLACEHOLDER) != 1:
            raise CommonplaceError(
                "plan.prefix",
                f"The prefix in {tag} must say once where the question goes: “In your region, "
                f"{PLACEHOLDER}”.",
                value=text,
            )
    return prefix
