"""What a machine takes for one thing, what it asks about, and what it keeps quiet about."""

import csv
import io
from pathlib import Path

import pytest

from studies.variants import SURE, Group, Said, Thing, Why, compare, pair, suggested

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# Artifacts ticked beforehand

What `studies.variants` would tick for merging among all artifact names of the published DOSA
files, state by state. `tests/studies/test_variants.py` compares this page with the result (the
files are found by `COMMONPLACE_DATASETS`); where they differ it says what the page should be.

Everything here was looked at by a person. The two names that occur in both files of their state
are one thing in each: both speak of the sweet of Ganesh Chaturthi, and both of the festival with
the pot in which rice is boiled.
"""
POOLED = """
## All states as if they were one

What would be ticked if nobody kept states apart, which nobody does: a harder test of the rule,
since more names meet.

"""


def likely(one, other):
    found = compare(one, other)
    return found and found[0]


# --- cases.md 36 --------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other"), [("silk", "silk and cotton"), ("Vishu", "Vishnu")])
def test_case_36_these_are_never_ticked_beforehand(one, other):
    assert likely(one, other) not in SURE
    assert likely(other, one) not in SURE


@pytest.mark.parametrize(
    ("one", "other"), [("Raksha Bandhan", "Rakshabandhan"), ("Diwali", "Deepawali")]
)
def test_case_36_these_are_ticked_beforehand(one, other):
    assert ticked(one, other) == [(0, 1)]
    assert ticked(other, one.upper()) == [(0, 1)]


def test_case_36_pongal_and_lohri_are_not_even_suggested():
    assert suggested(things("Pongal", "Lohri")) == []


def test_case_36_together_none_of_them_is_drawn_in_by_another():
    names = ("silk", "silk and cotton", "Vishu", "Vishnu", "Raksha Bandhan", "Rakshabandhan")
    assert ticked(*names, "Diwali", "Deepawali", "Pongal", "Lohri") == [(4, 5), (6, 7)]


def things(*names):
    return [Thing(key, (name,)) for key, name in enumerate(names)]


def ticked(*names):
    return [group.keys for group in suggested(things(*names)) if group.ticked]


# --- the rule -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Modak", "MODAK "),
        ("aam ras", "Aamras"),
        ("sol-kadhi", "solkadhi"),
        ("Chhath Puja", "Chatt Pooja"),
        ("Bathukamma", "Batukamma"),
        ("gurdwara sahib", "Gurdvara Saahib"),
        ("दीवाली", "Diwali"),
        ("ই", "ই"),
    ],
)
def test_one_name_in_two_spellings_is_sure(one, other):
    assert likely(one, other) in SURE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("chakra", "khakra"),  # a wheel, a bread
        ("bakri", "bhakri"),  # a goat, a bread
        ("Canada", "Kannada"),
        ("malai", "maalai"),  # a hill, a garland
        ("Holi", "Holly"),
        ("春节", "纯洁"),  # sound alike and mean spring festival and purity
        ("1100 rupees", "100 rupees"),
        ("Pongal", "Lohri"),
        ("magh bihu", "bohog bihu"),
        ("", "!"),
    ],
)
def test_different_things_are_not(one, other):
    assert likely(one, other) not in SURE


def test_a_longer_name_is_asked_about_only_where_it_begins_with_the_other():
    assert likely("Kuchipudi", "Kuchipudi dance") is Why.LONGER
    assert likely("bihu", "kati bihu") is None
    assert likely("dance of Kuchipudi", "Kuchipudi") is None


def test_words_in_another_order_are_asked_about():
    assert likely("Puja thali", "Thali of puja") is None
    assert likely("durga puja", "Puja Durga") is Why.ORDER


def test_numbers_tell_things_apart():
    assert compare("gate 21", "gate 22") is None


def test_two_kept_apart_are_in_no_group_and_break_a_larger_one():
    apart = Said(apart=frozenset({pair("Diwali", "Deepavali")}))
    found = suggested(things("Diwali", "Deepawali", "Deepavali"), apart)
    assert [group.keys for group in found if group.ticked] == [(0, 1)]
    assert (0, 2) not in [group.keys for group in found]


def test_two_are_kept_apart_by_any_of_their_names():
    apart = Said(apart=frozenset({pair("cake", "bread")}))
    both = [Thing(1, ("Lantern bread", "bread")), Thing(2, ("lanternbread", "cake"))]
    assert suggested(both)
    assert not suggested(both, apart)


def test_what_somebody_said_is_one_thing_elsewhere_is_ticked_here():
    said = Said(one=frozenset({pair("Bandhani", "Bandhej")}))
    assert suggested(things("Bandhani", "Bandhej")) == []
    (group,) = suggested(things("Bandhani", "Bandhej"), said)
    assert (group.ticked, group.why) == (True, Why.DECIDED)


def test_a_group_is_ticked_only_where_every_two_of_it_are_sure():
    """A c can be either sound; what it stands beside cannot."""
    found = ticked("chakravat", "cakravat", "khakravat")
    assert found == [(0, 1)]


def test_groups_to_tick_come_first_then_the_likelier_pairs():
    found = suggested(things("Vishu", "Vishnu", "silk", "silk and cotton", "Diwali", "Deepawali"))
    assert [(group.keys, group.ticked) for group in found] == [
        ((4, 5), True),
        ((0, 1), False),
        ((2, 3), False),
    ]


def test_a_thing_is_compared_by_all_it_is_called():
    both = [Thing(1, ("Festival of lights", "Diwali")), Thing(2, ("Deepawali",))]
    assert suggested(both) == [Group((1, 2), True, Why.SPELLING, 100.0)]


# --- the published names ------------------------------------------------------------------------


def test_the_list_of_what_is_ticked_in_the_published_files_is_the_one_in_docs(datasets):
    listed = ROOT / "docs" / "artifact-variants.md"
    assert page_of(datasets / "dosa" / "data") == listed.read_text()


def page_of(folder):
    states = {each.name: published(each) for each in sorted(folder.iterdir()) if each.is_dir()}
    page = HEAD
    for state, names in states.items():
        title = state.replace("_", " ").title()
        page += f"\n## {title} ({len(names)} names)\n\n"
        page += lines(names) or "Nothing.\n"
    return page + POOLED + lines([name for names in states.values() for name in names])


def published(folder):
    return [
        row["artifact"].strip()
        for path in sorted(folder.glob("*_artifacts.csv"), reverse=True)
        for row in csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    ]


def lines(names):
    groups = [group for group in suggested(things(*names)) if group.ticked]
    said = [" / ".join(names[key] for key in group.keys) for group in groups]
    whys = [group.why.value for group in groups]
    return "".join(f"* {each} ({why})\n" for each, why in zip(said, whys, strict=True))
