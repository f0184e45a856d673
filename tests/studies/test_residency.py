"""The residency rule: more than a share of life, years counted once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CommonplaceError
from studies.residency import REASONS, Stay, find

BORN, UNTIL = 1980, 2020


def test_more_than_half_of_life_makes_a_region_somebodys():
    found = find([Stay("marsh", 1980, 2001), Stay("moor", 2001, 2020)], born=BORN, until=UNTIL)
    assert (found.region, found.reason) == ("marsh", "")
    assert found.years == {"marsh": 21, "moor": 19}


def test_exactly_half_is_not_more_than_half():
    found = find([Stay("marsh", 1980, 2000), Stay("moor", 2000, 2020)], born=BORN, until=UNTIL)
    assert (found.region, found.reason) == (None, "no_region")


def test_overlapping_and_adjacent_stays_in_one_region_count_a_year_once():
    stays = [Stay("marsh", 1980, 1990), Stay("marsh", 1985, 1995), Stay("marsh", 1995, 1996)]
    assert find(stays, born=BORN, until=UNTIL).years == {"marsh": 16}


def test_several_short_stays_in_places_of_one_region_add_up():
    stays = [Stay("marsh", 1980, 1992), Stay(None, 1992, 2005), Stay("marsh", 2005, 2015)]
    assert find(stays, born=BORN, until=UNTIL).region == "marsh"


def test_two_homes_at_once_are_no_region():
    stays = [Stay("marsh", 1980, 2020), Stay("moor", 1990, 2020)]
    assert find(stays, born=BORN, until=UNTIL).reason == "two_homes"


def test_years_that_were_not_told_count_as_life_elsewhere():
    assert find([Stay("marsh", 2010, 2020)], born=BORN, until=UNTIL).reason == "no_region"


def test_a_stricter_study_asks_for_more():
    stays = [Stay("marsh", 1980, 2008)]
    assert find(stays, born=BORN, until=UNTIL, more_than=69).region == "marsh"
    assert find(stays, born=BORN, until=UNTIL, more_than=70).region is None


def test_less_than_a_year_of_life_has_a_reason():
    assert find([], born=2020, until=2020).reason == "no_years"


@pytest.mark.parametrize("years", [(1979, 1990), (1990, 2021), (2000, 1990)])
def test_a_stay_outside_the_life_is_refused(years):
    with pytest.raises(CommonplaceError) as refused:
        find([Stay("marsh", *years)], born=BORN, until=UNTIL)
    assert refused.value.code == "residency.years"


@pytest.mark.parametrize("share", [49, 100])
def test_a_share_under_which_two_regions_could_win_is_refused(share):
    with pytest.raises(CommonplaceError) as refused:
        find([], born=BORN, until=UNTIL, more_than=share)
    assert refused.value.code == "residency.share"


_YEARS = st.tuples(st.integers(BORN, UNTIL), st.integers(BORN, UNTIL)).map(sorted)
_STAYS = st.lists(
    st.builds(
        lambda region, years: Stay(region, *years),
        st.sampled_from(["marsh", "moor", "harbour", None]),
        _YEARS,
    ),
    max_size=12,
)


@given(_STAYS)
def test_every_life_has_a_region_or_a_reason(stays):
    found = find(stays, born=BORN, until=UNTIL)
    assert (found.region is None) == (found.reason in REASONS)
    if found.region:
        assert 2 * found.years[found.region] > found.life


@given(_STAYS)
def test_telling_a_stay_twice_or_in_two_pieces_changes_nothing(stays):
    found = find(stays, born=BORN, until=UNTIL)
    middle = [(s.from_year + s.to_year) // 2 for s in stays]
    pieces = [
        piece
        for s, m in zip(stays, middle, strict=True)
        for piece in (Stay(s.region, s.from_year, m), Stay(s.region, m, s.to_year))
    ]
    for same in (stays + stays, pieces, [*reversed(stays)]):
        again = find(same, born=BORN, until=UNTIL)
        assert (again.region, again.reason, again.years) == (
            found.region, found.reason, found.years,
        )  # fmt: skip


@given(_STAYS)
def test_no_region_has_more_years_than_the_life(stays):
    assert all(
        years <= UNTIL - BORN for years in find(stays, born=BORN, until=UNTIL).years.values()
    )
