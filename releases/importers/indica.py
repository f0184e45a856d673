"""Questions with a gold answer per region and agreement flags, as published with arXiv 2601.15550.

The file is {"questions": [...]}; each question has `question_id`, `question_text`, three labels,
one key per region {"answer": [text, …]} with "N/A" for none, `pairwise_agreements`
{"South_North": {"agreement": bool}} with the names in either order, and `universal_agreement`.
Beside "questions" the file may say its `title`, `language` (a BCP 47 tag, default "en") and
`licence`.

Regions are whatever keys stand for one in at least half of the questions, by holding an "answer"
or by being named in the question's flags. Texts are kept exactly.
A faulty question is refused alone; a file that cannot be used at all raises.
"""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import regex

from core.errors import CommonplaceError
from core.text import clean, fold
from releases.importers.naming import LONGEST_KEY, readable, unfit_region
from releases.importers.naming import fault as _fault
from releases.importers.parsed import Parsed

LABELS = {
    "domain": "question_domain",
    "subcategory": "question_subcategory",
    "topic": "question_topic",
}
PAIRS, UNIVERSAL = "pairwise_agreements", "universal_agreement"
LONGEST_STATED = 80  # title and licence
WORDS_BESIDE_NAME = 3  # in an opening: "On the High Moor"; a longer one says more than a place
_TAG = regex.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,4}")  # BCP 47, RFC 4647 section 2.1

# The published file does not state its licence; its repository does.
PUBLISHED_LICENCES = {
    "6ba8998c79960bd6c6c3c5d55102dc1c03a0f2baee12dfbf8f6890fb54aaa325": "CC-BY-4.0",
}


def parse(data: bytes) -> Parsed:
    """Raises `import.not_text`, `import.not_json`, `import.top_level`, `import.duplicate_field`,
    `import.language`, `import.no_regions`, `import.region_name`, `text.not_storable` and
    `import.nothing_kept`."""
    top = _top_level(data)
    questions = top["questions"]
    language = _language(top)
    regions = _regions(questions)
    items: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    keys: set[str] = set()
    for line, question in enumerate(questions, start=1):
        try:
            row = _item(question, regions, language)
            if row["key"] in keys:
                raise _fault("duplicate_key", f"The key “{row['key']}” was used before.")
        except CommonplaceError as fault:
            refused.append({"line": line, "code": fault.code, "reason": fault.message})
        else:
            keys.add(row["key"])
            items.append(row)
    if not items:
        raise CommonplaceError(
            "import.nothing_kept",
            f"None of the {len(questions)} questions could be used, so nothing was imported. "
            f"The first: {refused[0]['reason']}",
            read=len(questions),
            refused=refused,
        )
    openings = _openings(items, regions, language)
    sha256 = hashlib.sha256(data).hexdigest()
    return Parsed(
        sha256=sha256,
        read=len(questions),
        items=items,
        refused=refused,
        regions=[
            {
                "slug": region,
                "names": {language: _name(region)},
                "phrases": {language: openings[region]},
            }
            for region in regions
        ],
        language=language,
        licence=_stated(top, "licence") or PUBLISHED_LICENCES.get(sha256, ""),
        title=_stated(top, "title"),
    )


class _Repeated(dict[str, Any]):
    """An object in which a field is named twice, in itself or in a field of it: JSON readers
    would silently keep the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    whole = len(value) == len(pairs) and not any(isinstance(v, _Repeated) for v in value.values())
    return value if whole else _Repeated(value)


def _no_number(literal: str) -> None:
    raise ValueError(literal)


def _top_level(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommonplaceError(
            "import.not_text",
            f"The file is not UTF-8 text (byte {error.start + 1}). Save it as UTF-8 and try again.",
            byte=error.start + 1,
        ) from error
    try:
        top = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise CommonplaceError(
            "import.not_json",
            f"The file is not JSON: {error.msg} in line {error.lineno}. Mend it and try again.",
            line=error.lineno,
        ) from error
    except (RecursionError, ValueError) as error:  # absurd nesting or numbers, NaN
        raise CommonplaceError(
            "import.not_json", "The file is not JSON a program can read. Check that it is whole."
        ) from error
    questions = top.get("questions") if isinstance(top, dict) else None
    if not isinstance(questions, list) or not questions:
        raise CommonplaceError(
            "import.top_level",
            'The file must be one object with a list named "questions" that is not empty. '
            "Check that this is the right file for the format.",
        )
    if isinstance(top, _Repeated):
        raise _fault(
            "duplicate_field",
            "The file names a field twice outside its questions. Keep the right one and try again.",
        )
    return top


def _stated(top: dict[str, Any], field: str) -> str:
    value = top.get(field, "")
    return clean(value).strip()[:LONGEST_STATED] if isinstance(value, str) else ""


def _language(top: dict[str, Any]) -> str:
    language = top.get("language", "en")
    if not isinstance(language, str) or not _TAG.fullmatch(language):
        raise _fault(
            "language",
            "The file's language must be a tag such as “en” or “pt-BR”. Mend it, or leave it out "
            "for English.",
        )
    return language


def _columns(question: dict[str, Any]) -> list[str]:
    """The keys of a question that stand for a region, whatever they hold."""
    flags = question.get(PAIRS)
    names = flags if isinstance(flags, dict) else ()
    named = {name for pair in names for cut in _cuts(pair) for name in cut}
    return [
        key
        for key, value in question.items()
        if key in named or (isinstance(value, dict) and "answer" in value)
    ]


def _regions(questions: list[Any]) -> list[str]:
    """Columns of at least half of the questions, in order of first appearance."""
    seen = Counter(
        key for question in questions if isinstance(question, dict) for key in _columns(question)
    )
    regions = [clean(key) for key, count in seen.items() if 2 * count >= len(questions)]
    if not regions:
        raise CommonplaceError(
            "import.no_regions",
            'No region was found: half of the questions or more must hold {"answer": [...]} '
            "under the region's name. Check that this is the right file for the format.",
        )
    for region in regions:
        if not readable(region) or not readable(_name(region)):
            raise unfit_region(region)
    return regions


def _name(region: str) -> str:
    return region.replace("_", " ")


def _item(question: Any, regions: Sequence[str], language: str) -> dict[str, Any]:
    if not isinstance(question, dict):
        raise _fault("question_type", "The question is not a JSON object.")
    if isinstance(question, _Repeated):
        raise _fault("duplicate_field", "The question names a field twice, or a part of it does.")
    for column in _columns(question):
        if column not in regions:
            raise _fault("unknown_region", f"“{column}” is not a region of the other questions.")
    key = _key(question)
    gold = {region: _answers(question, region, language) for region in regions}
    pairs = _pairs(question, regions)
    _refuse_missing_flags(gold, pairs)
    return {
        "key": key,
        "kind": "question",
        "labels": {name: _text(question, field) for name, field in LABELS.items()},
        "payload": {
            "text": {language: _text(question, "question_text")},
            "gold": gold,
            "relations": {"pairs": pairs, "all": _universal(question)},
        },
    }


def _present(question: dict[str, Any], field: str) -> Any:
    if field not in question:
        raise _fault("missing_field", f"The field “{field}” is missing.")
    return question[field]


def _text(question: dict[str, Any], field: str) -> str:
    value = _present(question, field)
    if not isinstance(value, str) or not value.strip():
        raise _fault("field_type", f"The field “{field}” must be a text that is not empty.")
    return clean(value)


def _key(question: dict[str, Any]) -> str:
    """The key, which becomes a part of addresses: browsers drop the steps “.” and “..”."""
    key = _text(question, "question_id")
    if len(key) > LONGEST_KEY:
        raise _fault("key_length", f"The key is longer than {LONGEST_KEY} characters.")
    if not readable(key) or not {".", ".."}.isdisjoint(key.split("/")):
        raise _fault(
            "key_form",
            "The key must have no blanks around it, no control characters, and no “.” or “..” "
            "alone or between slashes.",
        )
    return key


def _answers(question: dict[str, Any], region: str, language: str) -> list[dict[str, Any]] | None:
    """The gold texts of a region, or None for "N/A"."""
    value = _present(question, region)
    texts = value.get("answer") if isinstance(value, dict) else None
    if (
        not isinstance(texts, list)
        or not texts
        or not all(isinstance(text, str) and text.strip() for text in texts)
    ):
        raise _fault("answer_shape", f'“{region}” must be {{"answer": [text, …]}} without gaps.')
    none = [text.strip().casefold() == "n/a" for text in texts]
    if any(none) and len(texts) > 1:
        raise _fault("answer_shape", f"“{region}” holds both an answer and N/A.")
    return None if any(none) else [{"text": {language: clean(text)}} for text in texts]


def _universal(question: dict[str, Any]) -> bool:
    flag = _present(question, UNIVERSAL)
    if not isinstance(flag, bool):
        raise _fault("flag_type", f"“{UNIVERSAL}” must be true or false.")
    return flag


def _pairs(question: dict[str, Any], regions: Sequence[str]) -> list[dict[str, Any]]:
    """Every flag of the question, each pair once, in the regions' order where both are known."""
    flags = _present(question, PAIRS)
    if not isinstance(flags, dict):
        raise _fault("flag_type", f"“{PAIRS}” must be an object of pairs.")
    pairs: dict[tuple[str, str], bool] = {}
    for name, value in flags.items():
        agree = value.get("agreement") if isinstance(value, dict) else None
        if not isinstance(agree, bool):
            raise _fault("flag_type", f'“{name}” must be {{"agreement": true or false}}.')
        pair = _pair_of(clean(name), regions)
        if pair in pairs or pair[0] == pair[1]:
            raise _fault("duplicate_pair", f"The pair “{name}” is named twice or is one region.")
        pairs[pair] = agree
    return [{"a": a, "b": b, "agree": agree} for (a, b), agree in pairs.items()]


def _cuts(name: str) -> list[tuple[str, str]]:
    """Every way to read a pair's key as two names, which may hold the separator themselves."""
    return [
        (name[:at], name[at + 1 :]) for at, character in enumerate(name) if character == "_"
    ] or [(name, "")]


def _pair_of(name: str, regions: Sequence[str]) -> tuple[str, str]:
    """The two names in a pair's key: known names decide where to cut, else the first underscore."""
    a, b = max(_cuts(name), key=lambda cut: (cut[0] in regions) + (cut[1] in regions))
    if a in regions and b in regions and regions.index(a) > regions.index(b):
        return b, a
    return a, b


def _refuse_missing_flags(gold: dict[str, Any], pairs: list[dict[str, Any]]) -> None:
    """A pair of answers without a flag would count as disagreement nobody decided. A flag whose
    name is unknown may be a missing one: then the question stays and the finding tells."""
    flagged = {(pair["a"], pair["b"]) for pair in pairs}
    unknown = [pair for pair in flagged if not gold.keys() >= set(pair)]
    answered = [region for region, answers in gold.items() if answers]
    missing = [pair for pair in itertools.combinations(answered, 2) if pair not in flagged]
    if len(missing) > len(unknown):
        a, b = missing[0]
        raise _fault("missing_field", f"“{PAIRS}” says nothing about {a} and {b}.")


def _openings(items: list[dict[str, Any]], regions: Sequence[str], language: str) -> dict[str, str]:
    """The phrase by which each region's answers place themselves ("In the North").

    It is what most of a region's answers say before their first comma, if that names the region
    and little else. A region whose answers do not open so, or open as another region's do, is
    simply "In <name>".
    """
    found = {}
    for region in regions:
        texts = [
            answer["text"][language]
            for item in items
            for answer in item["payload"]["gold"][region] or ()
        ]
        counts = Counter(text.split(",")[0].strip() for text in texts if "," in text)
        opening, count = counts.most_common(1)[0] if counts else ("", 0)
        if 2 * count > len(texts) and _places(opening, _name(region)):
            found[region] = opening
    shared = Counter(found.values())
    return {
        region: found[region] if shared[found.get(region, "")] == 1 else f"In {_name(region)}"
        for region in regions
    }


def _places(opening: str, name: str) -> bool:
    """Whether an opening is short and has the name at the start of a word, since names are
    inflected ("northern"); one or two letters start too many words and must be one."""
    wanted = f" {fold(name)}" if len(name) > 2 else f" {fold(name)} "
    short = len(opening.split()) <= len(name.split()) + WORDS_BESIDE_NAME
    return short and wanted in f" {fold(opening)} "
