"""What everybody of the synthetic study says, and what has to come of it.

Nothing here knows the product: the protocol's rule (arXiv 2601.15550, section 3) is written out a
second time, by hand, on what people mean and not on what is stored.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

from tests.journeys.synthetic import PEOPLE, PER_REGION, REGIONS, region_of

SEED = 1
PAIRS = list(combinations(REGIONS, 2))
REJECTED, WITHDRAWN = 13, 24  # a person of the moor and one of the islands
MATERIALS = {
    "silk": ("silk", "SILK", "Silken stuff"),
    "cotton": ("cotton", "Cotton", "cottons"),
    "wool": ("wool", "WOOL", "Woollen  cloth"),
    "linen": ("linen", "linens", "Linen"),
}
FRAMES = ("{}", "{}.", "  always {}!", "Everybody here wears {}", "{},\nas always", "«{}»")

Practice = frozenset[str]  # what is worn, and nothing else: silk is not silk and cotton
PRACTICES = [
    Practice(each.split())
    for each in ("silk", "cotton", "wool", "linen", "silk cotton", "wool linen", "cotton linen")
]
Plan = dict[tuple[str, int], tuple[Practice, str] | None]


@dataclass(frozen=True)
class Case:
    """A question in a region: how many answers count, how many of them have to agree, on what
    they do, and who says that."""

    n: int
    needed: int
    practice: Practice | None
    people: frozenset[int]


@dataclass(frozen=True)
class Outcome:
    """`gold` is of (question, region), `pairs` of (question, region, region), `universal` of
    questions on which every region agrees; `kept` are the questions with gold anywhere."""

    cases: dict[tuple[str, str], Case]
    gold: dict[tuple[str, str], Practice]
    kept: list[str]
    pairs: dict[tuple[str, str, str], bool]
    universal: dict[str, str]

    def counts(self) -> dict[str, Any]:
        """In the shape in which a release is described."""
        kept = len(self.kept)
        return {
            "items": kept,
            "pairs": len(self.gold),
            "coverage": {
                region: {"answered": sum(where == region for _, where in self.gold), "of": kept}
                for region in REGIONS
            },
            "pairwise": [{"a": a, "b": b} | self._of_pair(a, b) for a, b in PAIRS],
            "universal": {
                "agree": sum(each == "universal" for each in self.universal.values()),
                "all_valid": len(self.universal),
            },
        }

    def _of_pair(self, a: str, b: str) -> dict[str, int]:
        flags = [agree for (_, *regions), agree in self.pairs.items() if regions == [a, b]]
        return {"agree": sum(flags), "both": len(flags)}


def drawn(questions: int) -> Plan:
    """(question, person) -> what they mean and the words they use, or None where they would rather
    not say. Regions share a question's practice or have their own; of some questions most regions
    are of one mind, of some hardly any."""
    random = Random(SEED)
    plan: Plan = {}
    for key in (f"q{number}" for number in range(questions)):
        common, spread = random.choice(PRACTICES), random.choice((0, 0.3, 1))
        minds = random.choice(((9, 6, 1, 1, 0), (1, 2, 3, 2, 1), (0, 0, 1, 3, 3)))
        for region in REGIONS:
            usual = random.choice(PRACTICES) if random.random() < spread else common
            alike = random.choices((5, 4, 3, 2, 0), weights=minds)[0]
            silent = random.choice((0, 0, 0.5, 1))
            rest = PER_REGION - alike
            said = [usual] * alike + [_another(random, usual, silent) for _ in range(rest)]
            random.shuffle(said)
            people = [person for person in range(PEOPLE) if region_of(person) == region]
            for person, practice in zip(people, said, strict=True):
                plan[key, person] = practice and (practice, _worded(random, practice))
    return plan


def outcome(plan: Plan) -> Outcome:
    keys = list(dict.fromkeys(key for key, _ in plan))
    cases = {(key, region): _case(plan, key, region) for key in keys for region in REGIONS}
    gold = {where: case.practice for where, case in cases.items() if case.practice}
    kept = [key for key in keys if any((key, region) in gold for region in REGIONS)]
    pairs = {
        (key, a, b): gold[key, a] == gold[key, b]
        for key in kept
        for a, b in PAIRS
        if (key, a) in gold and (key, b) in gold
    }
    everywhere = [key for key in kept if all((key, region) in gold for region in REGIONS)]
    universal = {key: shared([gold[key, region] for region in REGIONS]) for key in everywhere}
    return Outcome(cases, gold, kept, pairs, universal)


def shared(practices: list[Practice]) -> str:
    """Of all regions: whether all, some or none say exactly the same."""
    together = max(Counter(practices).values())
    if together == len(practices):
        return "universal"
    return "partial" if together > 1 else "none"


def meant(words: str) -> Practice:
    """What somebody means who writes this."""
    return Practice(each for each in MATERIALS if each in words.casefold())


def told(practice: Practice) -> str:
    """The one sentence for a practice, however it was said."""
    return f"It is {' and '.join(sorted(practice))}."


def needed(n: int) -> int:
    return 4 if n == 5 else max(2, n - 1)


def _case(plan: Plan, key: str, region: str) -> Case:
    there = set(range(PEOPLE)) - {REJECTED, WITHDRAWN}
    said = {
        person: saying[0]
        for person in sorted(there)
        if region_of(person) == region and (saying := plan[key, person])
    }
    most, times = Counter(said.values()).most_common(1)[0] if said else (None, 0)
    practice = most if times >= needed(len(said)) else None
    people = frozenset(person for person in said if practice and said[person] == practice)
    return Case(len(said), needed(len(said)), practice, people)


def _another(random: Random, usual: Practice, silent: float) -> Practice | None:
    if random.random() < silent:
        return None
    return random.choice([each for each in PRACTICES if each != usual])


def _worded(random: Random, practice: Practice) -> str:
    materials = [random.choice(MATERIALS[each]) for each in sorted(practice)]
    random.shuffle(materials)
    return random.choice(FRAMES).format(random.choice((" and ", " with ", " & ")).join(materials))
