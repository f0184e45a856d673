"""What the simulated model suggests to annotators (docs/stub.md): it knows spelling and no more."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.text import spelt_alike

NUMBERED = re.compile(r'^(\d+): (".*")$', re.MULTILINE)
CONCEPT = re.compile(r'^- ("(?:[^"\\]|\\.)*")', re.MULTILINE)
REGION = re.compile(r"^(\S.*):$", re.MULTILINE)
NEEDED = re.compile(r"at least (\d+) of all (\d+)")
STYLES = ("right", "wrong", "malformed", "invented", "claims", "lacking")
INVENTED = "words that nobody has said"
NOTE = "A simulated reason."


def asked(prompt: str) -> str:
    """Which suggestion a prompt asks for; empty for none."""
    if "common_concepts" in prompt and "responses_mentioning" in prompt:
        return "agreement"
    if "matched_concepts" in prompt:
        return "pair" if "inter_regional_agreement" in prompt else "universal"
    return ""


def reply(prompt: str, style: str) -> str:
    """`right` as spelling has it; `wrong` the other way round; `invented` with quotes or concepts
    nobody has said; `claims` agreement without a concept; `lacking` a field; `malformed` JSON."""
    kind = asked(prompt)
    document = {"agreement": _agreement, "pair": _pair, "universal": _universal}[kind](
        prompt, style
    )
    if style == "lacking":
        document.popitem()
    text = json.dumps(document, ensure_ascii=False)
    return text[: len(text) // 2] if style == "malformed" else text


def _agreement(prompt: str, style: str) -> dict[str, Any]:
    answers = {int(number): json.loads(text) for number, text in NUMBERED.findall(prompt)}
    numbers, texts = list(answers), list(answers.values())
    found = NEEDED.search(prompt)
    needed = int(found[1]) if found else len(numbers)
    groups = spelt_alike(texts)
    largest = [numbers[place] for place in groups[0]] if groups else []
    agrees = (len(largest) >= needed) != (style == "wrong")
    said = (numbers if style == "wrong" else largest) if agrees else []
    if style in ("invented", "claims"):
        agrees, said = True, numbers
    quotes = [INVENTED if style == "invented" else answers[number] for number in said]
    concept = {
        "concept": answers[said[0]] if said else "",
        "responses_mentioning": said,
        "exact_quotes_proof": quotes,
        "semantic_note": NOTE,
    }
    return {
        "step_by_step_extraction": {f"response_{n}_concepts": [t] for n, t in answers.items()},
        "semantic_grouping": {},
        "agreement_found": agrees,
        "threshold_met": agrees,
        "common_concepts": [concept] if said and style != "claims" else [],
        "summary": NOTE,
    }


def _pair(prompt: str, style: str) -> dict[str, Any]:
    first, second = _halves(prompt)
    alike = bool(first and second) and len(spelt_alike([first[0], second[0]])) == 1
    agrees = alike != (style == "wrong") or style in ("invented", "claims")
    match = {
        "unified_concept_name": first[0] if first else "",
        "region1_concept": INVENTED if style == "invented" else (first or [""])[0],
        "region2_concept": (second or [""])[0],
        "semantic_explanation": NOTE,
    }
    return {
        "concept_comparisons": [],
        "inter_regional_agreement": agrees,
        "matched_concepts": [match] if agrees and style != "claims" else [],
        "agreement_summary": NOTE,
    }


def _halves(prompt: str) -> tuple[list[str], list[str]]:
    """The concepts of the first region and of the second, which stand in two blocks of lines."""
    blocks = [_concepts(block) for block in re.split(r"\n\s*\n", prompt)]
    found = [block for block in blocks if block]
    return (found[0], found[1]) if len(found) > 1 else ([], [])


def _concepts(text: str) -> list[str]:
    return [json.loads(each) for each in CONCEPT.findall(text)]


def _universal(prompt: str, style: str) -> dict[str, Any]:
    by_region = _by_region(prompt)
    names = [name for name, concepts in by_region.items() if len(concepts) == 1]
    groups = spelt_alike([by_region[name][0] for name in names])
    most = [names[place] for place in groups[0]] if groups else []
    sharing: Sequence[str] = most if len(most) > 1 else []
    if style == "wrong":
        sharing = [] if sharing else list(by_region)
    if style == "invented":
        sharing = ["Nowhere", "Elsewhere"]
    kind = "none" if not sharing else "universal" if len(sharing) == len(by_region) else "partial"
    if style in ("invented", "claims"):
        kind = "universal"
    concept = {
        "unified_concept_name": by_region[sharing[0]][0]
        if sharing and sharing[0] in by_region
        else "A simulated concept",
        "regions_sharing": list(sharing),
        "regional_variations": {},
        "semantic_explanation": NOTE,
    }
    return {
        "universal_agreement": kind == "universal",
        "agreement_type": kind,
        "regions_in_agreement": list(sharing),
        "matched_concepts": [concept] if sharing and style != "claims" else [],
        "concept_matrix": {},
        "agreement_summary": NOTE,
    }


def _by_region(prompt: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in prompt.splitlines():
        if heading := REGION.fullmatch(line):
            name = heading[1]
        elif name and CONCEPT.match(line):
            found.setdefault(name, []).extend(_concepts(line))
    return found
