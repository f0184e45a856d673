"""Suggestions for the comparison of regions: by spelling, and read from a model's reply.

A model may match only texts that regions have: one that it names and no region says is invented,
and a match that rests on it is dropped.

Source of the reply's shapes: Common to Whom? Regional Cultural Commonsense and LLM Bias in India,
section 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.relations import AGREE, DIFFER, NONE, PARTIAL, UNIVERSAL
from annotation.suggesting import Said, Unreadable, Value, ladder
from core.text import fold, spelt_alike


@dataclass(frozen=True)
class Compared:
    """What each region agrees on, by its slug and in order; `names` are as the prompt says them."""

    texts: Mapping[str, Sequence[str]]
    names: Mapping[str, str]

    def slug(self, name: Any) -> str | None:
        """Of a region's name or slug, as a reply spells it."""
        wanted = fold(str(name))
        return next(
            (slug for slug in self.texts if wanted in (fold(slug), fold(self.names[slug]))), None
        )

    def says(self, slug: str, text: Any) -> bool:
        return isinstance(text, str) and fold(text) in map(fold, self.texts[slug])


def pair_by_rule(compared: Compared) -> Value | None:
    """The same where both regions' texts are, but for spelling; else nothing."""
    alike = _alike(compared)
    return {"choice": AGREE} if len(alike) == 1 else None


def universal_by_rule(compared: Compared) -> Value | None:
    """Who has the same texts but for spelling: all, or the most of them; else nothing."""
    alike = _alike(compared)
    most = max(alike, key=len)
    if len(most) < 2:
        return None
    return _shared(most, compared)


def _alike(compared: Compared) -> list[list[str]]:
    """Regions in groups of one text in other spelling; a region with several is alone."""
    slugs = list(compared.texts)
    single = [slug for slug in slugs if len(compared.texts[slug]) == 1]
    groups = spelt_alike([compared.texts[slug][0] for slug in single])
    found = [[single[place] for place in group] for group in groups]
    return found + [[slug] for slug in slugs if slug not in single]


def _shared(sharing: Sequence[str], compared: Compared) -> Value:
    choice = UNIVERSAL if len(sharing) == len(compared.texts) else PARTIAL
    return {"choice": choice, "regions": [slug for slug in compared.texts if slug in sharing]}


def read_pair(document: Mapping[str, Any], compared: Compared) -> Said:
    """Raises `Unreadable`."""
    ladder.require(
        document,
        concept_comparisons=list,
        inter_regional_agreement=bool,
        matched_concepts=list,
        agreement_summary=str,
    )
    ladder.objects(document["concept_comparisons"])
    matched = ladder.objects(document["matched_concepts"])
    told: dict[str, Any] = {"summary": ladder.remark(document["agreement_summary"]), "concepts": []}
    if not document["inter_regional_agreement"]:
        return Said({"choice": DIFFER}, told, {"matches": 0, "invented": 0})
    if not matched:
        raise Unreadable(ladder.NO_CONCEPT)
    first, second = compared.texts
    for each in matched:
        ladder.require(each, unified_concept_name=str, region1_concept=str, region2_concept=str)
    real = [
        each
        for each in matched
        if compared.says(first, each["region1_concept"])
        and compared.says(second, each["region2_concept"])
    ]
    told["concepts"] = [_told(each) for each in real]
    checks = {"matches": len(real), "invented": len(matched) - len(real)}
    return Said({"choice": AGREE} if real else None, told, checks)


def read_universal(document: Mapping[str, Any], compared: Compared) -> Said:
    """The regions that share are those of the concept most of them share. Raises `Unreadable`."""
    ladder.require(
        document,
        universal_agreement=bool,
        agreement_type=str,
        regions_in_agreement=list,
        matched_concepts=list,
        concept_matrix=(dict, list),
        agreement_summary=str,
    )
    kind = fold(document["agreement_type"])
    matched = ladder.objects(document["matched_concepts"])
    if kind not in (UNIVERSAL, PARTIAL, NONE):
        raise Unreadable(ladder.INCOMPLETE)
    told: dict[str, Any] = {"summary": ladder.remark(document["agreement_summary"]), "concepts": []}
    if kind == NONE and not document["universal_agreement"]:
        return Said({"choice": NONE, "regions": []}, told, {"regions": 0, "invented": 0})
    if not matched:
        raise Unreadable(ladder.NO_CONCEPT)
    for each in matched:
        ladder.require(each, unified_concept_name=str, regions_sharing=list)
    named = [[compared.slug(name) for name in each["regions_sharing"]] for each in matched]
    sharing = max(({slug for slug in names if slug} for names in named), key=len)
    told["concepts"] = [_told(each) for each in matched]
    checks = {
        "regions": len(sharing),
        "invented": sum(slug is None for names in named for slug in names),
    }
    value = _shared(sorted(sharing), compared) if len(sharing) > 1 else None
    claimed = UNIVERSAL if document["universal_agreement"] else kind
    consistent = value is not None and value["choice"] == claimed == kind
    return Said(value if consistent else None, told, checks)


def _told(concept: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "text": ladder.remark(concept["unified_concept_name"]),
        "note": ladder.remark(concept.get("semantic_explanation")),
    }


def pair_claims(value: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({AGREE} if value["choice"] == AGREE else ())


def universal_claims(value: Mapping[str, Any]) -> frozenset[str]:
    """The regions said to share a practice."""
    return frozenset(value["regions"])
