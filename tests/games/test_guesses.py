"""Which guesses are right, near, wrong."""

import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import guesses
from games.cards import Card
from games.guesses import Found
from tests.games.work import LONG, SIXTY, calls


def judge(text, *names, others=()):
    return guesses.judge(text, Card(1, names, (), others))


@pytest.mark.parametrize(
    ("guess", "name"),
    [
        ("JALEBI FAFDA", "jalebi fafda"),
        ("jalebifafda", "Jalebi Fafda"),
        ("Jalebi-Fafda.", "Jalebi Fafda"),
        (" “jalebi”,  fafda! ", "Jalebi Fafda"),
        ("solkadhi", "sol kadhi"),
        ("sol kadhi", "Solkadhi"),
        ("aamras", "aam ras"),
        ("aam ras", "Aamras"),
        ("deepawali", "Deepavali"),
        ("divali", "Diwali"),
        ("दिवाली", "Diwali"),
        ("दिवाली।", "दिवाली"),
        ("diwali", "दिवाली"),
        ("जलेबी", "Jalebi"),
        ("रसगुल्ला", "Rasgulla"),
        ("దివాళి", "Divali"),
        ("\u0915\u093cलम", "\u0958लम"),
        ("क्\u200dष", "क्ष"),
        ("pootharekulu", "Putarekulu"),
        ("ram", "RAM"),
    ],
)
def test_a_name_is_right_in_any_case_spacing_script_and_spelling(guess, name):
    assert judge(guess, name) is Found.RIGHT


def test_any_of_the_names_is_right():
    names = ("Diwali", "Deepavali", "दिवाली", "Festival of lamps")
    assert {judge(name, *names) for name in names} == {Found.RIGHT}


@pytest.mark.parametrize(
    ("guess", "name"),
    [
        ("applesauce", "apple"),
        ("program", "ram"),
        ("ramp", "ram"),
        ("A kite", "Diwali"),
        ("I do not know", "Onam"),
        ("festival", "Harvest festival of the hills"),
        ("Pongal", "Lohri"),
        ("होली", "Diwali"),
    ],
)
def test_another_thing_is_wrong(guess, name):
    assert judge(guess, name) is Found.WRONG


@pytest.mark.parametrize(
    ("guess", "name"),
    [
        ("is it diwali?", "Diwali"),
        ("the Diwali festival", "Diwali"),
        ("diwali or holi", "Diwali"),
        ("यह दिवाली है", "दिवाली"),
        ("春节的时候", "春节"),
        ("bandhani", "Bandhani weave"),
        ("kozhukattai", "Kozukottai"),
        ("gurdwara", "Gurudwara"),
        ("jalebis", "Jalebi"),
        ("होली", "Holi"),
        ("রসগোল্লা", "Rosogolla"),
    ],
)
def test_what_may_have_been_meant_is_near_and_no_more(guess, name):
    assert judge(guess, name) is Found.NEAR


@pytest.mark.parametrize("guess", ["", " ", "\u200b", "...", "🪔", "?"])
def test_an_empty_guess_is_wrong(guess):
    assert judge(guess, "Diwali", "...", "🪔", "") is Found.WRONG


@pytest.mark.parametrize(
    ("guess", "name", "other"),
    [
        ("Vishnu", "Vishu", "Vishnu"),
        ("magh bihu", "Maagh Bihhu", "Magh Bihu"),
        ("litti", "Litti chokha", "Litti"),
        ("दिवाली", "Deevali", "दिवाली"),
        ("Silk", "Silk and cotton", "Silk"),
    ],
)
def test_the_name_of_another_artifact_is_wrong(guess, name, other):
    assert judge(guess, name, others=(other,)) is Found.WRONG


def test_two_artifacts_of_one_name_are_both_guessed_by_it():
    assert judge("modak", "Modak", others=("Modak", "Lapsi")) is Found.RIGHT


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_guess_costs_little_whatever_it_says(text):
    names = ("Diwali", "Deepavali", "दिवाली", "Festival of the lamps", "a b a b a b a b a")
    judge("Once, for what is kept of a card", *names, others=SIXTY)
    assert calls(lambda: judge(text, *names, others=SIXTY)) < 60_000


@pytest.mark.parametrize(
    ("guess", "name"),
    [
        ("Is it what they call the net blessing of may", "Net blessing"),
        ("deepa waali night", "Deepavali"),
        ("net bless ing", "The net blessing"),
        ("a b c d e net bles sing", "Netblessing"),
    ],
)
def test_a_name_is_near_among_words_however_it_is_split(guess, name):
    assert judge(guess, name) is Found.NEAR


@given(st.text(max_size=60), st.text(max_size=30), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_is_judged(guess, name, others):
    found = judge(guess, name, others=tuple(others))
    if found is Found.RIGHT:
        assert judge(name, guess) is Found.RIGHT


def test_published_guesses_are_judged_as_people_would(datasets):
    """A model's 1,015 guesses at the things of 16 regions, each among the others of its region."""
    counted, found = Counter(), {}
    regions: dict[str, list[dict[str, str]]] = {}
    for path in sorted((datasets / "dosa").glob("results/commercial/gpt_4/*/*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as rows:
            regions.setdefault(path.parent.name, []).extend(csv.DictReader(rows))
    for rows in regions.values():
        truths = [row["ground_truth"].strip() for row in rows]
        for place, row in enumerate(rows):
            others = tuple(truths[:place] + truths[place + 1 :])
            for guess in (row["guess1"], row["guess2"]):
                if guess and guess != "NA":
                    verdict = judge(guess, truths[place], others=others)
                    counted[verdict] += 1
                    found[guess.strip(" ."), truths[place]] = verdict
    assert found["solkadhi", "sol kadhi"] is Found.RIGHT
    assert found["aamras", "aam ras"] is Found.RIGHT
    assert found["petha", "peda"] is not Found.RIGHT
    assert counted[Found.RIGHT] == 91
    assert counted[Found.NEAR] == 117
