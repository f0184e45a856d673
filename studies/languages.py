"""Language tags, and short texts in several languages: `{tag: text}`.

Tags are well-formed BCP 47 in the spelling of RFC 5646, 2.1.1 (`hi-Latn`, `pt-BR`). What is shown
falls back in the order of the study's own list, never the browser's.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.conf.locale import LANG_INFO

from core.errors import CommonplaceError
from core.text import clean, fold

Texts = dict[str, str]
LONGEST_TAG = 35  # characters; RFC 5646, 4.4.1, asks for room for as many

# RFC 5646, 2.1, without the irregular tags that were registered before it, and without languages
# of four to eight letters, of which none is registered: people write names of languages so.
_TAG = re.compile(
    r"""(?:[a-z]{2,3}(?:-[a-z]{3}){0,3})            # language, with its extensions
        (?:-[a-z]{4})?                                  # script
        (?:-(?:[a-z]{2}|\d{3}))?                        # region
        (?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*             # variants
        (?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*              # extensions
        (?:-x(?:-[a-z\d]{1,8})+)?                       # private use
        |x(?:-[a-z\d]{1,8})+""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)

# Scripts written from right to left, and the languages written in one unless a tag says otherwise.
_RTL_SCRIPTS = {"adlm", "arab", "aran", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"}
_RTL_LANGUAGES = {"ar", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}

# English names of larger languages that Django does not know.
_FURTHER = {
    "am": "Amharic",
    "as": "Assamese",
    "gu": "Gujarati",
    "ha": "Hausa",
    "lo": "Lao",
    "mai": "Maithili",
    "mt": "Maltese",
    "or": "Odia",
    "pa": "Punjabi",
    "ps": "Pashto",
    "sat": "Santali",
    "sd": "Sindhi",
    "si": "Sinhala",
    "so": "Somali",
    "yo": "Yoruba",
    "zu": "Zulu",
}


def tag(text: str) -> str:
    """The tag in its recommended spelling. Raises `language.tag`."""
    text = text.strip()
    if len(text) > LONGEST_TAG or not _TAG.fullmatch(text):
        hint = _meant(text) or ". Write one such as en, hi or zh-Hant."
        raise CommonplaceError("language.tag", f"“{text}” is not a language tag{hint}", value=text)
    first, *rest = text.lower().split("-")
    parts = [first]
    for part in rest:
        if "x" in parts or len(parts[-1]) == 1:
            parts.append(part)
        elif len(part) == 4 and part.isalpha():
            parts.append(part.title())
        else:
            parts.append(part.upper() if len(part) == 2 else part)
    return "-".join(parts)


def _meant(text: str) -> str:
    """`; did you mean hi (हिन्दी)?` for the name of a language, else nothing."""
    near = _by_name().get(fold(text))
    if near is None:
        return ""
    own = LANG_INFO.get(near, {}).get("name_local", "")
    return f"; did you mean {near} ({own})?" if own else f"; did you mean {near}?"


@cache
def _by_name() -> dict[str, str]:
    """Tags by the folded names of languages, in English and their own."""
    found = {fold(name): each for each, name in _FURTHER.items()}
    for each, info in LANG_INFO.items():
        for name in (info.get("name"), info.get("name_local")):
            if name:
                found.setdefault(fold(name), tag(each))
    return found


def in_english(name: str) -> str:
    """`Hindi (hi)`; a language without a known name is its tag."""
    first = name.split("-")[0]
    known = {key.lower(): info["name"] for key, info in LANG_INFO.items() if "name" in info}
    for key in (name.lower(), first):
        if english := known.get(key) or _FURTHER.get(key):
            return f"{english} ({name})"
    return name


def tags(given: Sequence[str]) -> list[str]:
    """A study's languages in order. Raises `language.tag`, `language.none`, `language.twice`."""
    found = [tag(each) for each in given]
    if not found:
        raise CommonplaceError(
            "language.none", "A study needs at least one language. Write its tag, such as en."
        )
    twice = sorted({each for each in found if found.count(each) > 1})
    if twice:
        raise CommonplaceError(
            "language.twice",
            f"The language “{twice[0]}” is listed twice. Keep it once, where it belongs in order.",
            value=twice[0],
        )
    return found


def texts(given: Any) -> Texts:
    """A map `{tag: text}` with every tag spelt right and no text empty; the map may be empty.

    Raises `language.map`, `language.tag`, `language.twice`, `language.empty_text` and
    `text.not_storable`.
    """
    if not isinstance(given, Mapping):
        raise CommonplaceError(
            "language.map",
            "A text in several languages is a map from language tags to texts, such as en: Coast.",
        )
    found: Texts = {}
    for key, text in given.items():
        name = tag(str(key))
        if name in found:
            raise CommonplaceError(
                "language.twice",
                f"There are two texts for the language “{name}”. Keep one of them.",
                value=name,
            )
        if not isinstance(text, str) or not text.strip():
            raise CommonplaceError(
                "language.empty_text",
                f"The text for “{name}” is empty. Write one, or leave the language out.",
                value=name,
            )
        found[name] = clean(text)
    return found


def choose(given: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, str]:
    """(tag, text) of the first wanted language there is, else of the first text in tag order;
    ("", "") where there is none. `wanted` is the reader's choice, then the study's list."""
    for name in [*wanted, *sorted(given)]:
        if name in given:
            return name, given[name]
    return "", ""


def missing(given: Mapping[str, str], languages: Sequence[str]) -> list[str]:
    """The languages of a study a text does not have, in the study's order."""
    return [name for name in languages if name not in given]


def direction(name: str) -> str:
    """`rtl` or `ltr`, from the declared language and never from a text."""
    first, *rest = name.lower().split("-")
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), None)
    right_to_left = script in _RTL_SCRIPTS if script else first in _RTL_LANGUAGES
    return "rtl" if right_to_left else "ltr"
