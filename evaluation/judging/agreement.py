"""How far two judges say the same of the same replies. Pure.

Every distinct reply counts once. Replies to one question hang together, so intervals are
clustered by question.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from core import stats
from core.stats import Statistic

Count = tuple[str, str, str, int]  # question, one's verdict, the other's, replies
Confusion = Mapping[tuple[str, str], int]  # (one's verdict, the other's) → replies


def agreement(counts: Iterable[Count]) -> dict[str, Any]:
    """`raw` and `kappa`, each as `Statistic.as_dict`; `replies` and `questions` judged by both;
    `table`, {one's verdict: {the other's: replies}}."""
    questions: dict[str, Counter[tuple[str, str]]] = {}
    for question, one, other, n in counts:
        questions.setdefault(question, Counter())[one, other] += n
    clusters = [questions[question] for question in sorted(questions)]
    raw = stats.clustered_rate([(_same(each), each.total()) for each in clusters])
    table: dict[str, dict[str, int]] = {}
    for (one, other), n in sorted(_together(clusters).items()):
        table.setdefault(one, {})[other] = n
    return {
        "raw": raw.as_dict(),
        "kappa": kappa(clusters).as_dict(),
        "replies": raw.n,
        "questions": len(clusters),
        "table": table,
    }


def kappa(clusters: list[Counter[tuple[str, str]]]) -> Statistic:
    """Cohen's kappa (1960, Educ Psychol Meas 20:37-46) over clusters of doubly judged units.

    Kappa is 1 - R with R the ratio of observed to expected disagreement. The variance of log R is
    that of the jackknife that leaves out one cluster at a time (Efron and Tibshirani 1993, 11.5),
    the interval Student's t on log R, so that it never passes 1. `n` counts units. No value:
    `empty`, `single_category`. A value without interval: `one_cluster`; `no_variation`, where the
    two never differ; `too_sparse`, where one cluster holds all that makes a difference.
    """
    whole = _together(clusters)
    n = whole.total()
    ratio = _ratio(whole)
    if ratio is None:
        return Statistic(None, n, "single_category" if n else "empty")
    if len(clusters) == 1:
        return Statistic(1 - ratio, n, "one_cluster")
    if ratio == 0:
        return Statistic(1.0, n, "no_variation")
    lacking = [_ratio(whole - each) for each in clusters]
    logs = [math.log(each) for each in lacking if each]
    if len(logs) < len(clusters):
        return Statistic(1 - ratio, n, "too_sparse")
    from scipy.special import stdtrit

    count, mean = len(logs), math.fsum(logs) / len(logs)
    variance = (count - 1) / count * math.fsum((each - mean) ** 2 for each in logs)
    factor = math.exp(min(700.0, float(stdtrit(count - 1, 0.975)) * math.sqrt(variance)))
    return Statistic(1 - ratio, n, None, max(-1.0, 1 - ratio * factor), 1 - ratio / factor)


def _ratio(confusion: Confusion) -> float | None:
    """Observed over expected disagreement; None where none can be expected."""
    n = sum(confusion.values())
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (one, other), count in confusion.items():
        first[one] += count
        second[other] += count
    expected = n * n - sum(count * second[label] for label, count in first.items())
    return n * (n - _same(confusion)) / expected if expected else None


def _same(confusion: Confusion) -> int:
    return sum(n for (one, other), n in confusion.items() if one == other)


def _together(clusters: Iterable[Counter[tuple[str, str]]]) -> Counter[tuple[str, str]]:
    whole: Counter[tuple[str, str]] = Counter()
    for each in clusters:
        whole.update(each)
    return whole
