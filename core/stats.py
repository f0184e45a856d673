"""Statistics that are a value or a reason, and intervals that know their clusters.

Nothing here returns NaN or infinity: what cannot be computed comes back without a value and
with the code that says why. Impossible input (more successes than trials, lists of unequal
length) is a fault of the caller and raises ValueError. Rates and levels are fractions 0-1.

Reasons: `empty` (nothing was counted), `one_observation` and `one_cluster` (nothing to judge the
spread by), `no_variation` and `too_sparse` (the bootstrap sees no or hardly any selections),
`one_category`, `zero_expected`, `too_few_clusters`, `singular`, `zero_bin`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any


@dataclass(frozen=True)
class Statistic:
    """A value with what it rests on, or the reason why there is none.

    `n` counts observations (the docstring of each function says of what); `low` and `high` are
    the interval. A value without an interval says why in `reason`.
    """

    value: float | None
    n: int
    reason: str | None = None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.value is None and self.reason is None:
            raise ValueError("A statistic without a value needs a reason.")
        if not all(math.isfinite(x) for x in (self.value, self.low, self.high) if x is not None):
            raise ValueError("A statistic is a finite number or a reason.")

    def as_dict(self) -> dict[str, Any]:
        """The shape of the command line: `{"value": null, "reason": code}` where none exists."""
        if self.value is None:
            return _absent(self.reason)
        shown = {"value": self.value, "n": self.n, "low": self.low, "high": self.high}
        return shown if self.reason is None else shown | {"reason": self.reason}


def _absent(reason: str | None) -> dict[str, Any]:
    return {"value": None, "reason": reason}


def rate(successes: int, n: int, *, level: float = 0.95) -> Statistic:
    """Share of successes among n independent trials, with Wilson's score interval.

    n = 0 is `empty`; n = 1 has a value and no interval (`one_observation`).
    """
    _check_counts(successes, n)
    if n == 0:
        return Statistic(None, 0, "empty")
    if n == 1:
        return Statistic(float(successes), 1, "one_observation")
    low, high = _wilson(successes / n, n, _normal_quantile(level))
    return Statistic(successes / n, n, None, low, high)


def clustered_rate(clusters: Sequence[tuple[float, float]], *, level: float = 0.95) -> Statistic:
    """Rate over clusters (questions) of (successes, trials); trials of one cluster hang together.
    A success may count in part, where one choice is shared by several.

    The rate is the ratio estimate p = sum(s) / sum(m). Its variance is that of the linearised
    ratio, C/(C-1) sum((s - p m)^2) / sum(m)^2 (Cochran, Sampling Techniques, 3rd ed., 6.3 and
    9A). The interval is Wilson's with the effective sample size p(1-p)/variance, at most the
    number of trials, in place of n, and Student's t with C-1 degrees of freedom in place of z
    (Korn and Graubard 1998; Franco et al. 2019), so that it stays within 0 and 1. Where all
    clusters have one rate the variance says nothing: Wilson on the number of clusters, so that
    0 of 25 is not plus or minus 0.

    `n` counts trials; clusters without trials are left out. No trial: `empty`; a single
    cluster: a value without interval, `one_cluster`.
    """
    for successes, trials in clusters:
        _check_counts(successes, trials)
    used = [(successes, trials) for successes, trials in clusters if trials]
    count, n = len(used), round(sum(trials for _, trials in used))
    if n == 0:
        return Statistic(None, 0, "empty")
    total = sum(successes for successes, _ in used)
    p = total / n
    if count == 1:
        return Statistic(p, n, "one_cluster")
    squares = sum((successes - p * trials) ** 2 for successes, trials in used)
    # Rounding leaves some 1e-32 of the trials where all clusters are equal.
    if squares < 1e-20 * n:
        low, high = _wilson(p, count, _normal_quantile(level))
    else:
        from scipy.special import stdtrit

        variance = count / (count - 1) * squares / n**2
        effective = min(n, p * (1 - p) / variance)
        low, high = _wilson(p, effective, float(stdtrit(count - 1, (1 + level) / 2)))
    return Statistic(p, n, None, low, high)


def clustered_difference(
    clusters: Sequence[tuple[float, float, float, float]], *, level: float = 0.95
) -> Statistic:
    """Difference of two rates over the same clusters (questions), the first minus the second.

    A cluster is (successes, trials, other successes, other trials). Both rates are ratio
    estimates as in `clustered_rate`. The variance is that of the linearised difference (Woodruff
    1971, JASA 66:411-414), C/(C-1) sum(z^2) with z = (s - p m) / sum(m) - (t - q k) / sum(k) in
    each cluster: what makes a question hard for both takes nothing from the certainty of the
    difference. The interval is Student's t with C-1 degrees of freedom, cut off at -1 and 1.

    `n` counts the trials of both; clusters without any are left out. Without trials on either
    side: `empty`. A value without interval: `one_cluster`; `no_variation`, where the difference is
    the same in every cluster, or each side's rate is.
    """
    for successes, trials, others, other_trials in clusters:
        _check_counts(successes, trials)
        _check_counts(others, other_trials)
    used = [cluster for cluster in clusters if cluster[1] or cluster[3]]
    count = len(used)
    m, k = sum(c[1] for c in used), sum(c[3] for c in used)
    if m == 0 or k == 0:
        return Statistic(None, round(m + k), "empty")
    p, q = sum(c[0] for c in used) / m, sum(c[2] for c in used) / k
    if count == 1:
        return Statistic(p - q, round(m + k), "one_cluster")
    squares = sum(((s - p * n) / m - (t - q * o) / k) ** 2 for s, n, t, o in used)
    # Rounding leaves some 1e-32 of 1 / C where the clusters do not differ.
    if squares < 1e-20 / count:
        return Statistic(p - q, round(m + k), "no_variation")
    from scipy.special import stdtrit

    half = float(stdtrit(count - 1, (1 + level) / 2)) * math.sqrt(count / (count - 1) * squares)
    low, high = max(-1.0, p - q - half), min(1.0, p - q + half)
    return Statistic(p - q, round(m + k), None, low, high)


def _check_counts(successes: float, n: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a count of successes.")


def _normal_quantile(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson 1927, JASA 22:209-212; n may be fractional (an effective sample size)."""
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # Exact at the ends, where rounding would leave 1e-18 or push the value outside.
    return (0.0 if p == 0 else max(0.0, centre - half)), (
        1.0 if p == 1 else min(1.0, centre + half)
    )


def chi_square(observed: Sequence[float], expected: Sequence[float]) -> dict[str, Any]:
    """Pearson's goodness of fit: sum (O-E)^2 / E over the categories, df = categories - 1.

    `{"statistic", "df", "p"}`, or `{"value": null, "reason"}`. A category neither expected nor
    observed is left out; one observed though not expected is `zero_expected`; no category left
    is `empty`, a single one `one_category`.
    """
    pairs = [(o, e) for o, e in zip(observed, expected, strict=True) if o or e]
    if any(not math.isfinite(x) or x < 0 for pair in pairs for x in pair):
        raise ValueError("Counts are finite and not negative.")
    if any(e == 0 for _, e in pairs):
        return _absent("zero_expected")
    if len(pairs) < 2:
        return _absent("one_category" if pairs else "empty")
    from scipy.special import chdtrc

    statistic = math.fsum((o - e) ** 2 / e for o, e in pairs)
    df = len(pairs) - 1
    return {"statistic": statistic, "df": df, "p": float(chdtrc(df, statistic))}


def hotelling_t2(differences: Any) -> dict[str, Any]:
    """Is the mean vector zero? Hotelling's one-sample T^2 over clusters.

    `differences` is an array (clusters n, dimensions k), for instance O - E per question of all
    regions but one. T^2 = n m' S^-1 m with mean m and sample covariance S; under normality
    F = T^2 (n-k) / ((n-1) k) has (k, n-k) degrees of freedom (Hotelling 1931; Anderson, An
    Introduction to Multivariate Statistical Analysis, 5.2).

    `{"statistic": T^2, "f", "df": [k, n-k], "p"}`, or `{"value": null, "reason"}` with
    `too_few_clusters` (n <= k) or `singular` (a dimension is constant or follows from others).
    """
    import numpy as np
    from scipy.special import fdtrc

    x = np.asarray(differences, dtype=float)
    if x.ndim != 2 or x.shape[1] == 0 or not np.isfinite(x).all():
        raise ValueError("Differences are a finite array of clusters by dimensions.")
    n, k = x.shape
    if n <= k:
        return _absent("too_few_clusters")
    # T^2 does not depend on units; in units of each spread, the rank does not either.
    spread = x.std(axis=0, ddof=1)
    if (spread <= np.abs(x).max(axis=0) * n * np.finfo(float).eps).any():
        return _absent("singular")
    x = x / spread
    mean, covariance = x.mean(axis=0), np.atleast_2d(np.cov(x, rowvar=False))
    if np.linalg.matrix_rank(covariance, hermitian=True) < k:
        return _absent("singular")
    t2 = float(n * mean @ np.linalg.solve(covariance, mean))
    f = t2 * (n - k) / ((n - 1) * k)
    return {"statistic": t2, "f": f, "df": [k, n - k], "p": float(fdtrc(k, n - k, f))}


def clustered_ratio_intervals(
    numerators: Any, denominators: Any, *, level: float = 0.95, resamples: int = 2000, seed: int
) -> list[Statistic]:
    """sum(numerators) / sum(denominators) per category, with a cluster bootstrap interval.

    Both are arrays (clusters, categories) of finite numbers >= 0, such as observed and expected
    selections per question and region. One Statistic per category; `n` counts the clusters with
    a denominator. Clusters are drawn with replacement, all categories of a cluster together;
    equal input and seed give equal intervals.

    The interval is the bootstrap-t (Efron and Tibshirani 1993, 12.5) on the square root of the
    ratio, studentised in every resample by the linearised ratio variance (`clustered_rate`).
    Measured at nominal 95 %, 1,500 data sets of 30 runs per question and five regions with true
    ratios 0.5-1.56: with 76 questions 94.9-95.9 % (preferences Dirichlet(1)) and 95.0-97.7 %
    (Dirichlet(0.3), nearly all or nothing); with 25 questions 94.0-97.2 %. The percentile
    interval had 92.5-94.9 % and, with 25 questions, 87.5-93.5 %; BCa 93.8-96.4 % and
    90.7-95.3 %.

    No value: `empty` (no denominator). No interval: `one_cluster`; `no_variation` (every cluster
    has the same ratio, also 0); `too_sparse` (a twentieth of the resamples selects nothing).
    """
    import numpy as np

    num, den = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if num.shape != den.shape or num.ndim != 2:
        raise ValueError("Numerators and denominators are arrays of clusters by categories.")
    if not (np.isfinite([num, den]).all() and (num >= 0).all() and (den >= 0).all()):
        raise ValueError("Numerators and denominators are finite and not negative.")
    count = len(num)
    rng = np.random.default_rng(seed)
    weights = (
        rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)
        if count
        else np.zeros((resamples, 0))
    )
    drawn = _root_and_error(weights, num, den)
    whole = _root_and_error(np.ones((1, count)), num, den)
    return [
        _ratio_interval(
            clusters=int((den[:, j] > 0).sum()),
            root=float(whole[0][0, j]),
            error=float(whole[1][0, j]),
            roots=drawn[0][:, j],
            errors=drawn[1][:, j],
            level=level,
        )
        for j in range(num.shape[1])
    ]


def _root_and_error(weights: Any, num: Any, den: Any) -> tuple[Any, Any]:
    """Root of each weighted ratio and its linearised standard error, both (rows, categories).

    NaN where there is no denominator, and an error of 0 or NaN where the root is 0.
    """
    import numpy as np

    count = len(num)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weights @ den
        ratio = (weights @ num) / total
        squares = (
            weights @ num**2 - 2 * ratio * (weights @ (num * den)) + ratio**2 * (weights @ den**2)
        )
        # Rounding leaves 1e-16 of the terms where all clusters are equal.
        squares[squares < 1e-12 * (weights @ num**2)] = 0
        variance = np.float64(count) / (count - 1) * squares / total**2
        return np.sqrt(ratio), np.sqrt(variance / ratio) / 2


def _ratio_interval(
    *, clusters: int, root: float, error: float, roots: Any, errors: Any, level: float
) -> Statistic:
    import numpy as np

    if clusters == 0:
        return Statistic(None, 0, "empty")
    if clusters == 1:
        return Statistic(root**2, 1, "one_cluster")
    if not error > 0:
        return Statistic(root**2, clusters, "no_variation")
    usable = errors > 0
    if usable.mean() < 0.95:
        return Statistic(root**2, clusters, "too_sparse")
    t = (roots[usable] - root) / errors[usable]
    below, above = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    low = max(0.0, root - float(above) * error) ** 2
    return Statistic(root**2, clusters, None, low, (root - float(below) * error) ** 2)


def gini(values: Sequence[float]) -> Statistic:
    """Gini coefficient, 0 = equal, (n-1)/n = one has all: sum (2i-n-1) x_i / (n sum x), sorted.

    `n` counts categories, those with 0 included. All zero, or none: `empty`, since nothing was
    shared out.
    """
    ordered = sorted(_weights(values))
    n, total = len(ordered), math.fsum(ordered)
    if total == 0:
        return Statistic(None, n, "empty")
    ranked = math.fsum((2 * i - n - 1) * x for i, x in enumerate(ordered, start=1))
    return Statistic(max(0.0, ranked / (n * total)), n)


def kl_divergence(p: Sequence[float], q: Sequence[float]) -> Statistic:
    """Kullback-Leibler divergence of p from q in nats, sum p ln(p/q); `n` counts categories.

    Weights are scaled to sum to 1. A zero in p adds nothing; a zero in q where p has weight
    would be infinite: `zero_bin`. A side without weight: `empty`.
    """
    pairs = _distributions(p, q)
    if pairs is None:
        return Statistic(None, len(p), "empty")
    if any(a > 0 and b == 0 for a, b in pairs):
        return Statistic(None, len(p), "zero_bin")
    return Statistic(max(0.0, math.fsum(_relative(a, b) for a, b in pairs)), len(p))


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> Statistic:
    """Jensen-Shannon divergence in bits, 0-1 (Lin 1991); the divergence, not its square root.

    Weights are scaled to sum to 1. Identical distributions have exactly 0, disjoint ones 1;
    zeros are no problem. A side without weight: `empty`. `n` counts categories.
    """
    pairs = _distributions(p, q)
    if pairs is None:
        return Statistic(None, len(p), "empty")
    nats = math.fsum(_relative(a, (a + b) / 2) + _relative(b, (a + b) / 2) for a, b in pairs) / 2
    return Statistic(min(1.0, max(0.0, nats / math.log(2))), len(p))


def _relative(a: float, b: float) -> float:
    return a * math.log(a / b) if a else 0.0


def _weights(values: Sequence[float]) -> list[float]:
    weights = [float(value) for value in values]
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise ValueError("Weights are finite and not negative.")
    return weights


def _distributions(p: Sequence[float], q: Sequence[float]) -> list[tuple[float, float]] | None:
    """Both scaled to sum to 1, paired by category; None if one has no weight."""
    left, right = _weights(p), _weights(q)
    p_total, q_total = math.fsum(left), math.fsum(right)
    pairs = list(zip(left, right, strict=True))
    if p_total == 0 or q_total == 0:
        return None
    return [(a / p_total, b / q_total) for a, b in pairs]
