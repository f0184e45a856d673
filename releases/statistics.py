"""What a release holds, in counts; rates and intervals are made of them where they are shown.

Every count of agreement names what it is out of: `both` are questions that both regions answered,
`all_valid` those that every region did. What nobody has compared is in neither. Source of the set:
arXiv 2601.15550, section 4.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from releases.choices import Choice, agrees, expected
from releases.consistency import all_pairs_agree
from releases.shapes import ORIGINS, flags_of

Row = Mapping[str, Any]
SAMPLES_EXPECTED = 30  # of each item, for which a release says what chance would give


def describe_questions(rows: Sequence[Row], regions: Sequence[str]) -> dict[str, Any]:
    """Counts of question rows.

    {"items", "coverage": {region: {"answered", "of"}}, "pairs": question–region pairs with gold,
    "pairwise": [{"a", "b", "agree", "both"}], "universal": {"agree", "all_valid"},
    "all_pairs_agree", "domains": [{"domain", "questions", "items", "universal", "all_valid"}]},
    `items` of a domain being its question–region pairs; domains in order of appearance.
    """
    return {
        "items": len(rows),
        "coverage": {
            region: {"answered": sum(region in answered(row) for row in rows), "of": len(rows)}
            for region in regions
        },
        "pairs": sum(len(answered(row)) for row in rows),
        "pairwise": [_pair(rows, a, b) for a, b in itertools.combinations(regions, 2)],
        "universal": {
            "agree": sum(_is_universal(row) for row in rows),
            "all_valid": sum(_all_valid(row, regions) for row in rows),
        },
        "all_pairs_agree": sum(
            _all_valid(row, regions) and all_pairs_agree(flags_of(row), regions) for row in rows
        ),
        "domains": [_domain(name, rows, regions) for name in _domains(rows)],
    }


def describe_choices(
    rows: Sequence[Row], choices: Sequence[Choice], regions: Sequence[str]
) -> dict[str, Any]:
    """Counts of choice rows: {"items", "by_options": {"3": items}, "by_domain", "keys",
    "expected": {region: selections by chance in 30 samples of each item}}."""
    options = Counter(len(choice.options) for choice in choices)
    return {
        "items": len(rows),
        "by_options": {str(n): options[n] for n in sorted(options)},
        "by_domain": dict(Counter(row["labels"].get("domain", "") for row in rows)),
        "keys": [row["key"] for row in rows],
        "expected": expected(choices, SAMPLES_EXPECTED, regions),
    }


def describe_artifacts(rows: Sequence[Row], regions: Sequence[str]) -> dict[str, Any]:
    """Counts of artifact rows: {"items", "artifacts": [{"region", "original", "expanded"}],
    "clues": {region: clues}}, of every region of the release in its order."""
    held = Counter((row["payload"]["region"], row["payload"]["origin"]) for row in rows)
    clues: Counter[str] = Counter()
    for row in rows:
        clues[row["payload"]["region"]] += len(row["payload"]["clues"])
    return {
        "items": len(rows),
        "artifacts": [
            {"region": region, **{origin: held[region, origin] for origin in ORIGINS}}
            for region in regions
        ],
        "clues": {region: clues[region] for region in regions},
    }


def answered(row: Row) -> list[str]:
    """The regions with a gold answer."""
    return [region for region, answers in row["payload"]["gold"].items() if answers]


def _is_universal(row: Row) -> bool:
    return row["payload"]["relations"]["all"] is True


def _all_valid(row: Row, regions: Sequence[str]) -> bool:
    """Whether every region has an answer, and somebody has said whether they are the same."""
    compared = row["payload"]["relations"]["all"] is not None
    return compared and len(answered(row)) == len(regions)


def _pair(rows: Sequence[Row], a: str, b: str) -> dict[str, Any]:
    """What nobody has compared counts as neither."""
    both = [
        row
        for row in rows
        if {a, b} <= set(answered(row)) and {(a, b), (b, a)} & flags_of(row).keys()
    ]
    agree = sum(agrees(flags_of(row), a, b) for row in both)
    return {"a": a, "b": b, "agree": agree, "both": len(both)}


def _domains(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["labels"].get("domain", "") for row in rows))


def _domain(name: str, rows: Sequence[Row], regions: Sequence[str]) -> dict[str, Any]:
    own = [row for row in rows if row["labels"].get("domain", "") == name]
    return {
        "domain": name,
        "questions": len(own),
        "items": sum(len(answered(row)) for row in own),
        "universal": sum(_is_universal(row) for row in own),
        "all_valid": sum(_all_valid(row, regions) for row in own),
    }
