"""Suggestions for agreement within a region: by spelling, and read from a model's reply.

A quote counts where it stands in the answer it is said to come from, character by character;
any other is dropped, and with it the support it was to prove.

Source of the reply's shape: Common to Whom? Regional Cultural Commonsense and LLM Bias in India,
section 3.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.agreement import LONGEST, MOST
from annotation.consensus import AGREEMENT, NONE
from annotation.suggesting import Said, Unreadable, Value, ladder
from core.text import fold, spelt_alike, storable, words

MOST_DIGITS = 6
SHORTEST_QUOTE = 2  # letters: a single one stands in any answer


@dataclass(frozen=True)
class Answers:
    """Texts by the number people see beside them (from 1), ids by the same, and how many of all
    have to agree."""

    texts: Mapping[int, str]
    ids: Mapping[int, int]
    needed: int


def by_rule(answers: Answers) -> Value | None:
    """Agreement where enough answers are the same but for spelling; else nothing, since other
    words may well say the same."""
    numbers = list(answers.texts)
    concepts = []
    for group in spelt_alike([answers.texts[number] for number in numbers]):
        if len(group) >= answers.needed:
            said = [numbers[place] for place in group]
            text = Counter(answers.texts[number] for number in said).most_common(1)[0][0]
            concepts.append({"text": text, "answers": [answers.ids[number] for number in said]})
    if not concepts or any(len(each["text"]) > LONGEST for each in concepts):
        return None
    return {"choice": AGREEMENT, "concepts": concepts[:MOST]}


def read(document: Mapping[str, Any], answers: Answers) -> Said:
    """Raises `Unreadable`."""
    ladder.require(
        document,
        step_by_step_extraction=dict,
        semantic_grouping=dict,
        agreement_found=bool,
        threshold_met=bool,
        common_concepts=list,
        summary=str,
    )
    concepts = ladder.objects(document["common_concepts"])
    claimed = document["agreement_found"] or document["threshold_met"]
    if claimed and not concepts:
        raise Unreadable(ladder.NO_CONCEPT)
    checked = [_checked(each, document["semantic_grouping"], answers) for each in concepts]
    told = {
        "summary": ladder.remark(document["summary"]),
        "concepts": [each.told for each in checked],
    }
    checks = {
        "quotes": sum(each.kept for each in checked),
        "invented": sum(each.invented for each in checked),
    }
    if not (document["agreement_found"] and document["threshold_met"]):
        return Said({"choice": NONE, "concepts": []}, told, checks)
    carried = [each.concept for each in checked if each.carries(answers.needed)]
    value = {"choice": AGREEMENT, "concepts": _merged(carried)[:MOST]} if carried else None
    return Said(value, told, checks)


@dataclass(frozen=True)
class _Checked:
    concept: dict[str, Any]  # text and ids of the answers whose quotes stand in them
    told: dict[str, Any]
    kept: int
    invented: int

    def carries(self, needed: int) -> bool:
        return len(self.concept["answers"]) >= needed and len(self.concept["text"]) <= LONGEST


def _checked(concept: Mapping[str, Any], groups: Mapping[str, Any], answers: Answers) -> _Checked:
    ladder.require(
        concept, concept=str, responses_mentioning=list, exact_quotes_proof=(list, dict, str)
    )
    mentioned = {number for number in map(_number, concept["responses_mentioning"]) if number}
    name = storable(concept["concept"])[0].strip()
    proofs = list(_proofs(concept["exact_quotes_proof"]))
    proofs += _of_group(groups, concept["concept"])
    quotes: dict[int, list[str]] = {}
    invented = 0
    for number, quote in proofs:
        stands = [
            each
            for each in sorted(mentioned & answers.texts.keys())
            if number in (None, each) and _stands(quote, answers.texts[each])
        ]
        invented += not stands
        for each in stands:
            if quote not in quotes.setdefault(each, []):
                quotes[each].append(quote)
    support = [answers.ids[number] for number in sorted(quotes)] if name else []
    told = {
        "text": name,
        "note": ladder.remark(concept.get("semantic_note")),
        "quotes": [[number, _longest(quotes[number])] for number in sorted(quotes)],
    }
    kept = sum(len(each) for each in quotes.values())
    return _Checked({"text": name, "answers": support}, told, kept, invented)


def _proofs(proof: Any) -> Iterator[tuple[int | None, str]]:
    """(number of the answer, None where it is not said which; quote)."""
    if isinstance(proof, Mapping):
        for key, quotes in proof.items():
            yield from ((_number(key), quote) for quote in ladder.texts(quotes))
    else:
        yield from ((None, quote) for quote in ladder.texts(proof))


def _of_group(groups: Mapping[str, Any], name: str) -> list[tuple[int | None, str]]:
    """The quotes of the group of the same name, which say of each answer what was quoted."""
    group = groups.get(name)
    if not isinstance(group, Mapping):
        return []
    return list(_proofs(group.get("responses_and_quotes", {})))


def _stands(quote: str, answer: str) -> bool:
    return quote in answer and sum(map(len, words(quote))) >= SHORTEST_QUOTE


def _merged(concepts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Concepts of the same text as one."""
    merged: dict[str, dict[str, Any]] = {}
    for each in concepts:
        one = merged.setdefault(fold(each["text"]), {"text": each["text"], "answers": []})
        one["answers"] = sorted({*one["answers"], *each["answers"]})
    return list(merged.values())


def _longest(quotes: Sequence[str]) -> list[str]:
    """Without those that stand within another."""
    return [quote for quote in quotes if not any(quote in each for each in quotes if each != quote)]


def _number(value: Any) -> int | None:
    """Of `3`, "3" or "response_3"."""
    digits = "".join(each for each in str(value) if each.isdecimal())
    usable = 0 < len(digits) <= MOST_DIGITS and not isinstance(value, bool | float)
    return int(digits) if usable else None


def claims(value: Mapping[str, Any]) -> frozenset[str]:
    """That the region agrees, if it is said to."""
    return frozenset({AGREEMENT} if value["concepts"] else ())


def numbered(answers: Sequence[str | None]) -> dict[int, str]:
    """Texts by their numbers from 1, without those that are not to be read."""
    return {number: text for number, text in enumerate(answers, start=1) if text}
