"""Which region somebody speaks for: the one in whose places they have spent more than a declared
share of their life.

A stay is whole calendar years, from the year it began to the year it ended: 2000 to 2010 is ten
years, and 2010 to 2020 joins on to it. Years are counted once per region, however stays overlap.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import CommonplaceError

HALF = 50  # per cent; with less, two regions could claim the same life


@dataclass(frozen=True, slots=True)
class Stay:
    """`region` is the region of the place lived in, None for a place of no region."""

    region: str | None
    from_year: int
    to_year: int


@dataclass(frozen=True, slots=True)
class Residency:
    """A region, or none and the reason: `no_years`, `no_region`, `two_homes`.

    `years` counts them by region in the order regions were named, `life` in all.
    """

    region: str | None
    reason: str
    years: dict[str, int]
    life: int


REASONS = {
    "no_years": "Less than a year of life has been told.",
    "no_region": "No region of the study was home for a large enough part of life.",
    "two_homes": "Two regions were home at the same time for a large enough part of life.",
}


def find(stays: Iterable[Stay], *, born: int, until: int, more_than: int = HALF) -> Residency:
    """The residency of a life from `born` to `until` (years), under a share in per cent.

    Raises `residency.years` for a stay that ends before it begins or lies outside the life, and
    `residency.share` for a share under 50 or over 99.
    """
    if not HALF <= more_than <= 99:
        raise CommonplaceError(
            "residency.share",
            "The share of life lies between 50 and 99 per cent. Choose one of those.",
            value=more_than,
        )
    lived: dict[str, set[int]] = {}
    for stay in stays:
        if not born <= stay.from_year <= stay.to_year <= until:
            raise CommonplaceError(
                "residency.years",
                f"A stay from {stay.from_year} to {stay.to_year} does not fit into the years "
                f"{born} to {until}. Correct its years.",
                from_year=stay.from_year,
                to_year=stay.to_year,
            )
        if stay.region is not None:
            years = lived.setdefault(stay.region, set())
            years.update(range(stay.from_year, stay.to_year))
    life = until - born
    counts = {region: len(years) for region, years in lived.items()}
    if life <= 0:
        return Residency(None, "no_years", counts, 0)
    enough = [region for region, years in counts.items() if 100 * years > more_than * life]
    if len(enough) == 1:
        return Residency(enough[0], "", counts, life)
    return Residency(None, "two_homes" if enough else "no_region", counts, life)
