"""Which artifacts are played, and in whose deck."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from games import dealing
from games.dealing import Known

chances = st.integers(0, 2**32).map(Random)
regions = st.lists(st.integers(0, 5), max_size=40).map(
    lambda described: [
        Known(number, (f"Thing {number}",), descriptions=games)
        for number, games in enumerate(described, start=1)
    ]
)


@given(regions, st.integers(1, 12), chances, st.sets(st.integers(1, 40)))
def test_two_decks_are_disjoint_near_equal_and_of_the_least_described(region, most, rng, met):
    first, second = dealing.split(region, most, rng, met)
    dealt, usable = {*first, *second}, {each.artifact for each in region} - met
    assert len(dealt) == len(first) + len(second) == min(2 * most, len(usable))
    assert 0 <= len(first) - len(second) <= 1
    assert dealt <= usable
    games = {each.artifact: each.descriptions for each in region}
    left = [games[each] for each in usable - dealt]
    assert not left or max(games[each] for each in dealt) <= min(left)


def test_the_same_chance_deals_the_same_decks_and_another_does_not():
    region = [Known(number, (f"Thing {number}",)) for number in range(1, 30)]
    dealt = [dealing.split(region, 5, Random(seed)) for seed in (1, 1, 2)]
    assert dealt[0] == dealt[1] != dealt[2]


@given(
    regions, st.integers(1, 12), chances, st.sets(st.integers(1, 40)), st.sets(st.integers(1, 40))
)
def test_beside_a_recorded_player_a_person_has_what_is_not_recorded(
    region, most, rng, recorded, met
):
    person, theirs = dealing.beside_recorded(region, recorded, most, rng, met)
    assert not set(person) & set(theirs)
    assert set(theirs) <= recorded
    assert not {*person, *theirs} & met
    assert max(len(person), len(theirs)) <= most


def test_a_card_knows_the_names_of_the_regions_other_artifacts():
    region = [
        Known(1, ("Lantern bread", "Glow loaf"), ("bakery",)),
        Known(2, ("Salt herring",)),
        Known(3, ("Bell night", "Night of bells")),
    ]
    cards = dealing.cards(dealing.stored(region))
    assert cards[1].names == ("Lantern bread", "Glow loaf")
    assert cards[1].forbidden == ("bakery",)
    assert cards[1].others == ("Salt herring", "Bell night", "Night of bells")
    assert cards[3].others == ("Lantern bread", "Glow loaf", "Salt herring")
    assert hash(cards[1]) == hash(dealing.cards(dealing.stored(region))[1])
