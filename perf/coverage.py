"""Do the intervals hold the truth, and how often is an even-handed model called biased?

The model is our own stub (`inference.stub`): it has tastes of its own for every question, so
some lean one way, some another, and its choices averaged over tastes are exactly those of its
weights. So the truth is exact too: over the item set, a region's true ratio is the sum over
questions of its mean credit divided by its credit under chance. Equal weights make a model that
is biased in every question and unbiased on average. Repeats are drawn in this process.

Run from the root of the repository: `python -m perf.coverage`. The report's help text quotes
the figures (`evaluation/ra_mcq/simulation.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.ra_mcq.metrics import measure_counts
from inference.stub.behaviour import Choice
from inference.stub.items import KnownItem
from inference.stub.replies import choice_weights

REGIONS = ("North", "South", "East", "West", "Central")
# Number of items by number of options.
SHAPE = {3: 47, 4: 21, 5: 8}
BIASED = {"North": 1.3, "South": 1.0, "East": 0.8, "West": 0.7, "Central": 1.4}
EVEN = dict.fromkeys(REGIONS, 1.0)
REPEATS = 30
SPREAD = 1.0  # of the tastes, as the standard deviation of their logarithm
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


def preferences(model: Choice, key: str, options: list[tuple[str, ...]]) -> np.ndarray:
    """The stub's own probability of each option of a question, its tastes included."""
    known = KnownItem(key, (key,), {str(i): regions for i, regions in enumerate(options)})
    weights = choice_weights(model, known)
    drawn = np.array([weights[str(i)] for i in range(len(options))])
    return drawn / drawn.sum()


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
        model = Choice(weights, spread=SPREAD, taste_seed=seed)
        counts = {
            (key, i): int(n)
            for key, options in items.items()
            for i, n in enumerate(rng.multinomial(REPEATS, preferences(model, key, options)))
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
