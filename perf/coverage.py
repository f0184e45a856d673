"""Do the intervals hold the truth, and how often is an even-handed model called biased?

A simulated model has a preference of its own for every question: the probabilities of a
question's options are drawn from a Dirichlet distribution whose mean is known, so some questions
lean one way, some another. Because that mean is exact, so is the truth: over the item set, a
region's true ratio is the sum over questions of its mean credit divided by its credit under
chance. An option's mean is in proportion to the average weight of its regions; equal weights
make a model that is biased in every question and unbiased on average.

Run from the root of the repository: `python -m perf.coverage`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.ra_mcq.metrics import measure_counts

REGIONS = ("North", "South", "East", "West", "Central")
# Number of items by number of options.
SHAPE = {3: 47, 4: 21, 5: 8}
BIASED = {"North": 1.3, "South": 1.0, "East": 0.8, "West": 0.7, "Central": 1.4}
EVEN = dict.fromkeys(REGIONS, 1.0)
REPEATS = 30
# The smaller, the stronger the preferences per question; 1 leaves few questions undecided.
CONCENTRATION = 3.0
ALPHA = 0.05

Items = dict[str, list[tuple[str, ...]]]


@dataclass(frozen=True)
class Outcome:
    """Of `simulations` data sets: intervals (one per region) and tests that came out."""

    simulations: int
    intervals: int
    covering: int
    clustered_alarms: int
    plain_alarms: int


def item_set(seed: int = 1) -> Items:
    """76 items of 3 to 5 options; where more regions answered than options, some are shared."""
    rng = np.random.default_rng(seed)
    items: Items = {}
    for n_options, count in SHAPE.items():
        for _ in range(count):
            answered = rng.permutation(REGIONS)[: rng.integers(n_options, len(REGIONS) + 1)]
            options = [[str(region)] for region in answered[:n_options]]
            for i, region in zip(rng.permutation(n_options), answered[n_options:], strict=False):
                options[i].append(str(region))
            items[f"item-{len(items) + 1:02}"] = [tuple(option) for option in options]
    return items


def mean_preferences(items: Items, weights: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Per item, the mean probability of each option."""
    means = {}
    for key, options in items.items():
        appeal = np.array([np.mean([weights[region] for region in option]) for option in options])
        means[key] = appeal / appeal.sum()
    return means


def true_ratios(items: Items, means: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Exact: mean credit over the items against credit under chance."""
    credit, chance = dict.fromkeys(REGIONS, 0.0), dict.fromkeys(REGIONS, 0.0)
    for key, options in items.items():
        for option, mean in zip(options, means[key], strict=True):
            for region in option:
                credit[region] += mean / len(option)
                chance[region] += 1 / len(options) / len(option)
    return {region: credit[region] / chance[region] for region in REGIONS}


def simulate(weights: Mapping[str, float], seeds: range, *, resamples: int = 2000) -> Outcome:
    """Measure one simulated run per seed and compare with the truth."""
    items = item_set()
    means = mean_preferences(items, weights)
    truth = true_ratios(items, means)
    intervals = covering = clustered = plain = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        counts = {
            (key, i): int(n)
            for key, mean in means.items()
            for i, n in enumerate(rng.multinomial(REPEATS, rng.dirichlet(mean * CONCENTRATION)))
        }
        figures = measure_counts(REGIONS, items, counts, seed=seed, resamples=resamples)
        for region, interval in figures["intervals"].items():
            low, high = interval["ratio"]
            intervals += 1
            covering += low <= truth[region] <= high
        clustered += figures["clustered"]["p"] < ALPHA
        plain += figures["p"] < ALPHA
    return Outcome(len(seeds), intervals, covering, clustered, plain)


def main() -> None:
    biased, even = simulate(BIASED, range(100)), simulate(EVEN, range(100))
    share = biased.covering / biased.intervals
    print(f"{biased.covering} of {biased.intervals} intervals hold the true ratio ({share:.1%})")
    print(f"Called biased at p < {ALPHA}, of {even.simulations} runs without bias on average:")
    print(f"  question-clustered test  {even.clustered_alarms}")
    print(f"  chi-square               {even.plain_alarms}")


if __name__ == "__main__":
    main()
