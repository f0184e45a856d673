"""Tables of ratings, random ones and published ones."""

import random

LEVELS = ["nominal", "ordinal", "interval"]
COEFFICIENTS = ["cohen", "fleiss", "alpha", "ac1"]
EVERYTHING = ["percent", *COEFFICIENTS]


def table(*rows):
    """Units from one row of ratings per rater, a dot where one is missing."""
    return [
        {rater: int(x) for rater, x in enumerate(unit) if x != "."}
        for unit in zip(*rows, strict=True)
    ]


def random_table(rng):
    """0-40 units, 1-5 raters, 1-5 categories; from chance to agreement, complete to sparse."""
    raters, categories = rng.randint(1, 5), rng.randint(1, 5)
    missing, noise = rng.choice([0, 0, 0.2, 0.6]), rng.random()
    units = []
    for _ in range(rng.randint(0, 40)):
        truth = rng.randrange(categories)
        units.append(
            {
                f"rater {r}": truth if rng.random() > noise else rng.randrange(categories)
                for r in range(raters)
                if rng.random() >= missing
            }
        )
    return units


TABLES = [random_table(random.Random(seed)) for seed in range(200)]

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections A, B and C.
TWO_VALUES = table("0100000000", "1110010100")
FIVE_VALUES = table("112243335441", "212223335444")
FOUR_OBSERVERS = table("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
