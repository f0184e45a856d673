"""Where a gold set contradicts itself: one finding per question, pair or triple.

| code                      | of       | detail      | what it says |
|---------------------------|----------|-------------|--------------|
| `all_pairs_not_universal` | question | {}          | every pair agrees, yet it is not universal |
| `universal_not_all_pairs` | question | {a, b}      | universal, yet this first pair disagrees |
| `same_text_disagree`      | pair     | {a, b}      | equal answers are said to differ |
| `different_text_agree`    | pair     | {a, b}      | unequal answers are said to agree: a note |
| `not_transitive`          | triple   | {a, b, c}   | a agrees with b, b with c, but not a with c |
| `pair_true_where_na`      | pair     | {a, b}      | agreement where a side has no answer |
| `unknown_region`          | pair     | {a, b, unknown} | a flag names no region of the release |

Answers are equal when nothing differs but the opening that names the region, case, spacing,
typographic variants and a final . ! or ?
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.text import fold
from releases.choices import Flags, agrees, strip_opening
from releases.shapes import flags_of

NOTES = frozenset({"different_text_agree"})  # listed, and no error: one practice, many wordings

SENTENCES = {
    "all_pairs_not_universal": "Every pair of regions agrees, but the question is not universal.",
    "universal_not_all_pairs": "The question is universal, but a pair of regions does not agree.",
    "same_text_disagree": "Two regions gave the same text but are said to differ.",
    "different_text_agree": "Two regions gave different texts and are said to agree.",
    "not_transitive": "Two regions each agree with a third, but not with each other.",
    "pair_true_where_na": "Two regions are said to agree although one has no answer.",
    "unknown_region": "An agreement flag names a region this release does not have.",
    "option_joins_disagreeing": "One option stands for two regions that do not agree.",
    "options_agree": "Two options hold regions that agree.",
    "option_names_region": "An option holds a word that is also a region's name; it may mean "
    "something else.",
    "stale": "An answer has changed since this was decided, and nobody has looked again.",
    "undecided": "The annotators have not decided this yet.",
    "pair_not_compared": "Nobody has said whether these two regions say the same.",
    "in_both_sets": "An artifact of this name is both original and expanded in one region.",
    "in_two_regions": "Artifacts of several regions have this name.",
    "missing_file": "The source lacks a file of this region.",
    "surrounding_space": "The name begins or ends with a blank.",
    "markup_like_name": "The name holds something in angle brackets, which a page could take for "
    "markup.",
    "too_many_options": "The question has more answers than there are letters; it was left out.",
}

Finding = dict[str, Any]


def sentence(code: str) -> str:
    """What a finding says; a code this version does not know stands for itself."""
    return SENTENCES.get(code, code)


def to_accept(found: Iterable[Finding]) -> list[Finding]:
    """Those that are mended or accepted before freezing; the others are notes."""
    return [finding for finding in found if finding["code"] not in NOTES]


def findings(
    rows: Sequence[Mapping[str, Any]], regions: Sequence[str], openings: Mapping[str, str]
) -> list[Finding]:
    """Findings [{"code", "item", "detail"}] of those rows that are questions, by question, in the
    table's order.

    `openings` maps a region to the phrase its answers begin with.
    """
    found = []
    for row in [row for row in rows if row["kind"] == "question"]:
        gold, flags = row["payload"]["gold"], flags_of(row)
        known = {pair: agree for pair, agree in flags.items() if set(pair) <= set(regions)}
        texts = {
            region: _comparable(answers, openings.get(region, ""))
            for region, answers in gold.items()
            if answers
        }
        for code, detail in itertools.chain(
            _universal(known, row["payload"]["relations"]["all"], regions),
            _pairs(known, texts),
            _triples(known, texts, regions),
            _unknown(flags, regions),
        ):
            found.append({"code": code, "item": row["key"], "detail": detail})
    return found


def _comparable(answers: Sequence[Mapping[str, Any]], opening: str) -> frozenset[str]:
    return frozenset(
        fold(strip_opening(text, opening)).rstrip(".!?")
        for answer in answers
        for text in answer["text"].values()
    )


def all_pairs_agree(flags: Flags, regions: Sequence[str]) -> bool:
    """Whether there is more than one region and every two of them are flagged as agreeing."""
    return len(regions) > 1 and all(
        agrees(flags, a, b) for a, b in itertools.combinations(regions, 2)
    )


def _universal(
    flags: Flags, universal: bool | None, regions: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    if universal is False and all_pairs_agree(flags, regions):
        yield "all_pairs_not_universal", {}
    if universal and not all_pairs_agree(flags, regions):
        for a, b in itertools.combinations(regions, 2):
            if not agrees(flags, a, b):
                yield "universal_not_all_pairs", {"a": a, "b": b}
                return


def _pairs(
    flags: Flags, texts: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, dict[str, str]]]:
    for (a, b), agree in flags.items():
        detail = {"a": a, "b": b}
        if a not in texts or b not in texts:
            if agree:
                yield "pair_true_where_na", detail
        elif agree and texts[a] != texts[b]:
            yield "different_text_agree", detail
        elif not agree and texts[a] == texts[b]:
            yield "same_text_disagree", detail


def _triples(
    flags: Flags, texts: Mapping[str, frozenset[str]], regions: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Triples of answering regions with exactly two agreeing pairs; `b` is the middle one."""
    answering = [region for region in regions if region in texts]
    for triple in itertools.combinations(answering, 3):
        apart = [pair for pair in itertools.combinations(triple, 2) if not agrees(flags, *pair)]
        if len(apart) == 1:
            a, c = apart[0]
            b = next(region for region in triple if region not in apart[0])
            yield "not_transitive", {"a": a, "b": b, "c": c}


def _unknown(flags: Flags, regions: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for a, b in flags:
        unknown = [name for name in (a, b) if name not in regions]
        if unknown:
            yield "unknown_region", {"a": a, "b": b, "unknown": unknown}
