"""What a decision hangs on: one reviewer, one respondent, the threshold.

Each is a question of leaving one out and deciding again.

One reviewer. Without that person's word, what the other people said would not settle the case as
it is: nobody else judged it, or others said otherwise and this person decided. Two who say the
same alone settle a case, so neither is needed; had one of them said otherwise, a third would have
decided. Words count to the letter (`same` of the kind), and apart from that whether there is an
agreement at all (its `category`).

One respondent. Without one answer there are N - 1, and as many have to agree as of N - 1. A text
falls if fewer support it then. Whoever does not support it can only help: of fewer answers never
more have to agree. What nobody agreed on may become an agreement in the same way, but how near it
came was never written down (`not_recorded`), since annotators tick support of agreements only.

The threshold. A gold answer is gone if more had to agree than support any of its texts. Downwards
nothing can be said, for the same reason.

A comparison of regions rests on the gold answers it compares and loses its ground with any of
them. Shares have intervals at 95 %, clustered by question (`core.stats.clustered_rate`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from annotation import consensus
from core.stats import Statistic, clustered_rate

Value = Mapping[str, Any]  # as its kind shapes it
Same = Callable[[Sequence[Value]], bool]
Category = Callable[[Value], str]

NOT_RECORDED = "not_recorded"
SHARE = 0.8


class Why(StrEnum):
    """How a case came to hang on one reviewer, by what the others said."""

    ALONE = "alone"  # nothing
    SPLIT = "split"  # not the same as each other
    AGAINST = "against"  # the same as each other, and otherwise


@dataclass(frozen=True)
class Answered:
    """A gold answer, or none: of `n` answers `needed` had to agree; of each text those that do."""

    n: int
    needed: int
    support: Sequence[frozenset[int]] = ()

    @property
    def most(self) -> int:
        """Answers behind the text that most agree on, 0 where there is none."""
        return max(map(len, self.support), default=0)


@dataclass(frozen=True)
class Case:
    """A decided task. `passes` are first passes on what was decided, by reviewer; `decider` is
    None where the rule decided; it `rests_on` its own answer, or on those it compares."""

    task: int
    question: Hashable
    region: str  # empty where it compares regions
    value: Value
    passes: Mapping[int, Value]
    decider: int | None
    rests_on: Sequence[Answered]


@dataclass(frozen=True)
class Found:
    """`reviewer` on whom a case hangs, and whether so does its very `outcome`; `one_more` is None
    where every answer had to agree already."""

    case: Case
    reviewer: int | None
    why: Why | None
    outcome: bool
    respondent: bool
    one_more: bool | None

    @property
    def gold(self) -> bool:
        return any(each.support for each in self.case.rests_on)

    @property
    def hangs(self) -> bool:
        return self.reviewer is not None or self.respondent or bool(self.one_more)


def reviewer(case: Case, same: Same) -> int | None:
    """The one without whom the case would not be settled as it is; there is never a second."""
    for who in [*case.passes, *([] if case.decider is None else [case.decider])]:
        settled = _without(case, who, same)
        if settled is None or not same([settled, case.value]):
            return who
    return None


def _without(case: Case, who: int, same: Same) -> Value | None:
    """What the others' words come to; None where they settle nothing."""
    if case.decider not in (None, who):
        return case.value  # whoever decided had all first passes in view and is bound by none
    others = _others(case, who)
    return others[0] if others and same(others) else None


def _others(case: Case, who: int) -> list[Value]:
    return [value for each, value in case.passes.items() if each != who]


def why(case: Case, who: int, same: Same) -> Why:
    others = _others(case, who)
    if not others:
        return Why.ALONE
    return Why.AGAINST if same(others) else Why.SPLIT


def falling(answer: Answered, share: float | None = None) -> int:
    """How many texts would fall if some one of the answers behind them were left out."""
    needed = consensus.needed(answer.n - 1, share)
    return sum(len(each) - 1 < needed for each in answer.support)


def hangs_on_respondent(answer: Answered, share: float | None = None) -> bool:
    """Whether there is an answer without which no text would be left."""
    needed = consensus.needed(answer.n - 1, share)
    behind = frozenset().union(*answer.support)
    return any(all(len(each - {one}) < needed for each in answer.support) for one in behind)


def gone_at(answer: Answered, asked: int) -> bool:
    """Whether no text would be left if this many answers had to agree."""
    return bool(answer.support) and answer.most < asked


def examine(
    cases: Iterable[Case], same: Same, category: Category, share: float | None = None
) -> list[Found]:
    """Every case of one kind; `share` is that in place of the threshold, if any."""

    def alike(values: Sequence[Value]) -> bool:
        return len({category(each) for each in values}) == 1

    return [_examined(case, same, alike, share) for case in cases]


def _examined(case: Case, same: Same, alike: Same, share: float | None) -> Found:
    who = reviewer(case, same)
    can_ask_more = [each for each in case.rests_on if each.support and each.needed < each.n]
    return Found(
        case,
        who,
        why(case, who, same) if who is not None else None,
        who is not None and reviewer(case, alike) is not None,
        any(hangs_on_respondent(each, share) for each in case.rests_on),
        any(gone_at(each, each.needed + 1) for each in can_ask_more) if can_ask_more else None,
    )


@dataclass(frozen=True)
class Figure:
    """`count` of `share.n`, None where the share is none but a reason."""

    count: int | None
    share: Statistic

    @classmethod
    def of(cls, hits: Iterable[tuple[Hashable, bool]]) -> Self:
        """Of (question, whether it is one of them), one for each that is counted."""
        clusters: dict[Hashable, list[bool]] = defaultdict(list)
        for question, hit in hits:
            clusters[question].append(hit)
        share = clustered_rate([(sum(each), len(each)) for each in clusters.values()])
        return cls(sum(map(sum, clusters.values())) if share.n else None, share)

    @classmethod
    def unknown(cls, n: int) -> Self:
        return cls(None, Statistic(None, n, NOT_RECORDED))

    def as_dict(self) -> dict[str, Any]:
        """{"count", "of", "value", "low", "high"}, with a "reason" where one of them is null."""
        share = {name: each for name, each in self.share.as_dict().items() if name != "n"}
        return {"count": self.count, "of": self.share.n, **share}


@dataclass(frozen=True)
class Line:
    """Of one region, or of all. `gold` is of the `decided`; `none_…` of those without agreement,
    `…_texts` of gold texts, all others of gold answers, `one_more` of those where more answers
    can be asked for. `firm`: hangs on none of `one_reviewer`, `one_respondent`, `one_more`."""

    decided: int
    gold: Figure
    one_reviewer: Figure
    one_reviewer_outcome: Figure
    none_one_reviewer: Figure
    one_respondent: Figure
    one_respondent_texts: Figure
    none_one_respondent: Figure
    one_more: Figure
    share_80: Figure
    unanimity: Figure
    firm: Figure

    @classmethod
    def of(cls, found: Sequence[Found], share: float | None = None) -> Self:
        gold = [each for each in found if each.gold]
        none = [each for each in found if not each.gold]
        return cls(
            len(found),
            _figure(found, lambda each: each.gold),
            _figure(gold, lambda each: each.reviewer is not None),
            _figure(gold, lambda each: each.outcome),
            _figure(none, lambda each: each.reviewer is not None),
            _figure(gold, lambda each: each.respondent),
            Figure.of(_texts(gold, share)),
            Figure.unknown(len(none)),
            _figure([each for each in gold if each.one_more is not None], _at_the_threshold),
            _figure(gold, lambda each: _gone(each, lambda n: consensus.part(SHARE, n))),
            _figure(gold, lambda each: _gone(each, lambda n: n)),
            _figure(gold, lambda each: not each.hangs),
        )

    def as_dict(self) -> dict[str, Any]:
        return _plain(vars(self))


@dataclass(frozen=True)
class Between:
    """Of comparisons of regions; all of the `decided`, the last two by what they rest on."""

    decided: int
    one_reviewer: Figure
    one_respondent: Figure
    one_more: Figure

    @classmethod
    def of(cls, found: Sequence[Found]) -> Self:
        return cls(
            len(found),
            _figure(found, lambda each: each.reviewer is not None),
            _figure(found, lambda each: each.respondent),
            _figure([each for each in found if each.one_more is not None], _at_the_threshold),
        )

    def as_dict(self) -> dict[str, Any]:
        return _plain(vars(self))


@dataclass(frozen=True)
class Asked:
    """Of the cases with this many answers, of which `needed` had to agree, those that would have
    gold if `asked` had to."""

    answers: int
    needed: int
    asked: int
    gold: Figure

    def as_dict(self) -> dict[str, Any]:
        return _plain(vars(self))


@dataclass(frozen=True)
class Alone:
    """Cases of every kind that hang on one reviewer, of all that are decided, and why."""

    reviewer: int
    hanging: Figure
    why: Mapping[str, int]


def thresholds(found: Iterable[Found]) -> list[Asked]:
    """For each number of answers, from two on up to all of them; `not_recorded` below the
    threshold."""
    by_size: dict[tuple[int, int], list[Found]] = defaultdict(list)
    for each in found:
        (answer,) = each.case.rests_on
        by_size[answer.n, answer.needed].append(each)
    return [
        Asked(n, needed, asked, _with_gold_at(by_size[n, needed], needed, asked))
        for n, needed in sorted(by_size)
        for asked in range(2, n + 1)
    ]


def reviewers(found: Sequence[Found]) -> list[Alone]:
    """Everybody on whom something hangs, the one on whom most does first."""
    whys: dict[int, Counter[str]] = defaultdict(Counter)
    for each in found:
        if each.reviewer is not None and each.why is not None:
            whys[each.reviewer][each.why] += 1
    order = sorted(whys, key=lambda who: (-whys[who].total(), who))
    return [Alone(who, _figure(found, _hangs_on(who)), whys[who]) for who in order]


def most_on_one(found: Sequence[Found]) -> Figure:
    """Cases that hang on the one reviewer on whom most do."""
    everybody = reviewers(found)
    return everybody[0].hanging if everybody else _figure(found, lambda _each: False)


def _hangs_on(who: int) -> Callable[[Found], bool]:
    return lambda each: each.reviewer == who


def _figure(found: Iterable[Found], hit: Callable[[Found], bool]) -> Figure:
    return Figure.of((each.case.question, hit(each)) for each in found)


def _at_the_threshold(each: Found) -> bool:
    return bool(each.one_more)


def _gone(each: Found, asked: Callable[[int], int]) -> bool:
    return any(gone_at(answer, asked(answer.n)) for answer in each.case.rests_on)


def _texts(gold: Iterable[Found], share: float | None) -> Iterable[tuple[Hashable, bool]]:
    for each in gold:
        for answer in each.case.rests_on:
            fall = falling(answer, share)
            yield from ((each.case.question, n < fall) for n in range(len(answer.support)))


def _with_gold_at(found: Sequence[Found], needed: int, asked: int) -> Figure:
    if asked < needed:
        return Figure.unknown(len(found))
    return _figure(found, lambda each: each.gold and not _gone(each, lambda _n: asked))


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: each.as_dict() if isinstance(each, Figure) else each for name, each in fields.items()
    }
