"""Questions with a gold answer per region and agreement flags, as published with arXiv 2601.15550.

The file is {"questions": [...]}; each question has `question_id`, `question_text`, three labels,
one key per region {"answer": [text, …]} with "N/A" for none, `pairwise_agreements`
{"South_North": {"agreement": bool}} with the names in either order, and `universal_agreement`.
Beside "questions" the file may say its `title`, `language` (default "en") and `licence`.

Regions are whatever keys hold answers in at least half of the questions. Texts are kept exactly.
A faulty question is refused alone; a file that cannot be used at all raises.
"""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from core.errors import CommonplaceError
from core.text import clean, fold
from releases.importers.parsed import Parsed

LABELS = {
    "domain": "question_domain",
    "subcategory": "question_subcategory",
    "topic": "question_topic",
}
PAIRS, UNIVERSAL = "pairwise_agreements", "universal_agreement"
LONGEST_KEY = 120
LONGEST_OPENING = 80

# The published file does not state its licence; its repository does.
PUBLISHED_LICENCES = {
    "6ba8998c79960bd6c6c3c5d55102dc1c03a0f2baee12dfbf8f6890fb54aaa325": "CC-BY-4.0",
}


def parse(data: bytes) -> Parsed:
    """Raises `import.not_text`, `import.not_json`, `import.top_level`, `import.no_regions` and
    `import.nothing_kept`."""
    top = _top_level(data)
    questions = top["questions"]
    regions = _regions(questions)
    items: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    language = _stated(top, "language") or "en"
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
    return Parsed(
        read=len(questions),
        items=items,
        refused=refused,
        regions=[
            {
                "slug": region,
                "names": {language: region.replace("_", " ")},
                "phrases": {language: openings[region]},
            }
            for region in regions
        ],
        language=language,
        licence=_stated(top, "licence")
        or PUBLISHED_LICENCES.get(hashlib.sha256(data).hexdigest(), ""),
        title=_stated(top, "title"),
    )


class _Repeated(dict[str, Any]):
    """An object that names a field twice: JSON readers would silently keep the last."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else _Repeated(value)


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
        top = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise CommonplaceError(
            "import.not_json",
            f"The file is not JSON: {error.msg} in line {error.lineno}. Mend it and try again.",
            line=error.lineno,
        ) from error
    except (RecursionError, ValueError) as error:  # absurd nesting, absurdly long numbers
        raise CommonplaceError(
            "import.not_json", "The file is not JSON a program can read. Check that it is whole."
        ) from error
    questions = top.get("questions") if isinstance(top, dict) else None
    if not isinstance(questions, list) or not questions or isinstance(top, _Repeated):
        raise CommonplaceError(
            "import.top_level",
            'The file must be one object with a list named "questions" that is not empty. '
            "Check that this is the right file for the format.",
        )
    return top


def _stated(top: dict[str, Any], field: str) -> str:
    value = top.get(field, "")
    return clean(value).strip()[:LONGEST_OPENING] if isinstance(value, str) else ""


def _holds_answers(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("answer"), list)


def _regions(questions: list[Any]) -> list[str]:
    """Keys that hold answers in at least half of the questions, in order of first appearance."""
    seen = Counter(
        key
        for question in questions
        if isinstance(question, dict)
        for key, value in question.items()
        if _holds_answers(value)
    )
    regions = [clean(key) for key, count in seen.items() if 2 * count >= len(questions)]
    if not regions:
        raise CommonplaceError(
            "import.no_regions",
            'No region was found: half of the questions or more must hold {"answer": [...]} '
            "under the region's name. Check that this is the right file for the format.",
        )
    return regions


def _fault(code: str, reason: str) -> CommonplaceError:
    return CommonplaceError(f"import.{code}", reason)


def _item(question: Any, regions: Sequence[str], language: str) -> dict[str, Any]:
    if not isinstance(question, dict):
        raise _fault("question_type", "The question is not a JSON object.")
    if isinstance(question, _Repeated):
        raise _fault("duplicate_field", "The question names one of its fields twice.")
    for key, value in question.items():
        if _holds_answers(value) and key not in regions:
            raise _fault("unknown_region", f"“{key}” is not a region of the other questions.")
    key = _text(question, "question_id")
    if len(key) > LONGEST_KEY:
        raise _fault("key_length", f"The key is longer than {LONGEST_KEY} characters.")
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


def _answers(question: dict[str, Any], region: str, language: str) -> list[dict[str, Any]] | None:
    """The gold texts of a region, or None for "N/A"."""
    value = _present(question, region)
    texts = value.get("answer") if isinstance(value, dict) else None
    if (
        isinstance(value, _Repeated)
        or not isinstance(texts, list)
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
    if not isinstance(flags, dict) or isinstance(flags, _Repeated):
        raise _fault("flag_type", f"“{PAIRS}” must be an object with each pair named once.")
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


def _pair_of(name: str, regions: Sequence[str]) -> tuple[str, str]:
    """The two names in a pair's key. Region names may hold the separator themselves, so known
    names decide where to cut; with none known the first underscore does."""
    cuts = [
        (name[:at], name[at + 1 :]) for at, character in enumerate(name) if character == "_"
    ] or [(name, "")]
    a, b = max(cuts, key=lambda cut: (cut[0] in regions) + (cut[1] in regions))
    if a in regions and b in regions and regions.index(a) > regions.index(b):
        return b, a
    return a, b


def _refuse_missing_flags(gold: dict[str, Any], pairs: list[dict[str, Any]]) -> None:
    """A pair of answers without a flag would count as disagreement nobody decided. A flag whose
    name is unknown may be the missing one: then the question stays and the finding tells."""
    flagged = {(pair["a"], pair["b"]) for pair in pairs}
    if any(a not in gold or b not in gold for a, b in flagged):
        return
    answered = [region for region, answers in gold.items() if answers]
    for a, b in itertools.combinations(answered, 2):
        if (a, b) not in flagged:
            raise _fault("missing_field", f"“{PAIRS}” says nothing about {a} and {b}.")


def _openings(items: list[dict[str, Any]], regions: Sequence[str], language: str) -> dict[str, str]:
    """The phrase by which each region's answers place themselves ("In the North").

    It is what most of a region's answers say before their first comma. A region whose answers
    do not open alike, or open as another region's do, is simply "In <name>".
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
        named = fold(region.replace("_", " ")) in fold(opening)
        usual = 2 * count > len(texts) and (named or count > 2)
        if usual and 0 < len(opening) <= LONGEST_OPENING:
            found[region] = opening
    shared = Counter(found.values())
    return {
        region: found[region]
        if shared[found.get(region, "")] == 1
        else f"In {region.replace('_', ' ')}"
        for region in regions
    }
