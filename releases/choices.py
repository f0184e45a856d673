"""Multiple-choice items derived from questions whose gold answers differ between regions.

Each option is one distinct answer, stands for every region that gave it, and loses the opening
phrase that named the region. Two presets decide which questions qualify and what counts as one
answer:

`as-published`  regions of equal text share an option; at least three texts, and at least 70 %
                of all pair flags false (the rule of arXiv 2601.15550, RA-MCQ).
`agreement`     regions joined by agreement flags, directly or over others, share an option; at
                least three groups, so no two options mean the same.
"""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import CommonplaceError

PRESETS = {"agreement": "by agreement", "as-published": "as published"}  # the first is usual
LEAST_OPTIONS = 3
DISAGREEING_SHARE = 0.7


Flags = Mapping[tuple[str, str], bool]


def agrees(flags: Flags, a: str, b: str) -> bool:
    """A pair's flag under either order; a pair without one does not agree."""
    return flags.get((a, b), flags.get((b, a), False))


@dataclass(frozen=True)
class Question:
    """A question with its decided answers; `regions` is all of the release's, in its order.

    `gold` maps a region to its answer or None; `pairs` holds an agreement flag under either
    order of the two regions, an absent pair does not agree.
    """

    key: str
    text: str
    regions: tuple[str, ...]
    gold: Mapping[str, str | None]
    pairs: Flags
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def answered(self) -> tuple[str, ...]:
        return tuple(region for region in self.regions if self.gold.get(region))

    def agree(self, a: str, b: str) -> bool:
        """Whether both regions have an answer and the two were decided to be the same."""
        return bool(self.gold.get(a) and self.gold.get(b)) and agrees(self.pairs, a, b)


@dataclass(frozen=True)
class Option:
    text: str
    regions: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    key: str
    text: str
    options: tuple[Option, ...]
    labels: Mapping[str, str] = field(default_factory=dict)


def strip_opening(text: str, phrase: str) -> str:
    """Remove a leading `phrase` ("In the North") with its comma and capitalise what follows.

    Case and spacing may differ. A text that does not open so, or holds nothing else, comes back
    with its outer spaces removed and no other change; so does one that goes on with a capital
    and no comma, which may be the rest of a longer name ("In the North Country").
    """
    text = text.strip()
    words = phrase.split()
    if not words:
        return text
    opening = r"\s+".join(map(re.escape, words)) + r"(?!\w)\s*([,،、，:]?)\s*"
    found = re.match(opening, text, flags=re.IGNORECASE)
    rest = text[found.end() :] if found else ""
    if not found or not rest or (rest[0].isupper() and not found[1]):
        return text
    return rest[0].upper() + rest[1:]


def derive(question: Question, preset: str, openings: Mapping[str, str]) -> Choice | None:
    """The item of a question under a preset, or None where the preset leaves it out.

    `openings` maps a region to the phrase its answers begin with. Raises `preset.unknown`.
    """
    texts = {
        region: strip_opening(question.gold[region] or "", openings.get(region, ""))
        for region in question.answered
    }
    if preset == "as-published":
        groups = _equal_texts(texts) if _mostly_disagreeing(question) else []
    elif preset == "agreement":
        groups = agreeing_groups(question)
    else:
        raise CommonplaceError(
            "preset.unknown",
            f"There is no preset “{preset}”; use one of {', '.join(PRESETS)}.",
            preset=preset,
            known=list(PRESETS),
        )
    if len(groups) < LEAST_OPTIONS:
        return None
    options = tuple(Option(texts[group[0]], group) for group in groups)
    return Choice(question.key, question.text, options, question.labels)


def _mostly_disagreeing(question: Question) -> bool:
    """Over all pairs of regions; a pair with an unanswered side counts as disagreeing."""
    pairs = list(itertools.combinations(question.regions, 2))
    disagreeing = sum(not question.agree(a, b) for a, b in pairs)
    return bool(pairs) and disagreeing / len(pairs) >= DISAGREEING_SHARE


def _equal_texts(texts: Mapping[str, str]) -> list[tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for region, text in texts.items():
        groups.setdefault(_comparable(text), []).append(region)
    return [tuple(group) for group in groups.values()]


def _comparable(text: str) -> str:
    """The published rule: lower case, single spaces, no final . ! or ?"""
    return " ".join(text.lower().split()).rstrip(".!?")


def agreeing_groups(question: Question) -> list[tuple[str, ...]]:
    """Connected groups of the answering regions, each and all in region order."""
    groups: list[list[str]] = []
    for region in question.answered:
        joined = [group for group in groups if any(question.agree(region, r) for r in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*itertools.chain(*joined), region])
    position = {region: i for i, region in enumerate(question.regions)}
    ordered = [tuple(sorted(group, key=position.__getitem__)) for group in groups]
    return sorted(ordered, key=lambda group: position[group[0]])


def expected(
    choices: Iterable[Choice], repeats: int, regions: Sequence[str] = ()
) -> dict[str, float]:
    """Selections each region would get by chance if every item were answered `repeats` times.

    An option is chosen with 1/n of an item's n options and credits its regions equally. Regions
    come in the order given, then in order of appearance.
    """
    totals = dict.fromkeys(regions, 0.0)
    for choice in choices:
        for option in choice.options:
            credit = repeats / len(choice.options) / len(option.regions)
            for region in option.regions:
                totals[region] = totals.get(region, 0.0) + credit
    return totals


def findings(question: Question, choice: Choice, names: Iterable[str]) -> list[dict[str, Any]]:
    """What a person should look at before the item is used, as `{"code", "item", "detail"}`.

    `option_joins_disagreeing` (pair): one option stands for two regions not decided to agree.
    `options_agree` (pair): two options hold regions decided to agree.
    `option_names_region` (option, name): a text holds a word that is one of `names`.
    """
    found = []
    for a, b in itertools.combinations(question.answered, 2):
        together = any(a in option.regions and b in option.regions for option in choice.options)
        if together != question.agree(a, b):
            code = "option_joins_disagreeing" if together else "options_agree"
            found.append({"code": code, "item": choice.key, "detail": {"a": a, "b": b}})
    for option, name in itertools.product(choice.options, sorted(set(names))):
        if name and re.search(_word(name), option.text):
            detail = {"option": option.text, "name": name}
            found.append({"code": "option_names_region", "item": choice.key, "detail": detail})
    return found


def _word(name: str) -> str:
    """The pattern of a name as a whole word in any case; but where the name has a capital, the
    word must begin with one: "Central boards" may name a region, "is central to" does not."""
    first, rest = re.escape(name[0]), re.escape(name[1:])
    if not name[0].isupper():
        first = f"(?i:{first})"
    return rf"(?<!\w){first}(?i:{rest})(?!\w)"
