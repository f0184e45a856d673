"""What a clue must not say."""

import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import fold
from games import clues
from games.cards import Card
from tests.games.work import LONG, SIXTY, calls

DIWALI = Card(1, ("Diwali", "Deepavali", "दिवाली", "Festival of Lamps"), ("firecracker", "it"))


def card(*names, forbidden=(), others=()):
    return Card(1, names, forbidden, others)


def refused(text, of, said=()):
    return clues.refusal(text, of, said)


@pytest.mark.parametrize(
    ("names", "clue"),
    [
        (("Ram",), "It is a program of the stage"),
        (("Apple",), "You make applesauce of this"),
        (("Jalebi",), "People eat it in winter when they wed"),
        (("Vishu",), "People pray to Vishnu on this day"),
        (("Holi",), "Everybody is on holiday then"),
        (("Puran poli",), "It comes from a very old kitchen"),
        (("Bed",), "Children embed shells in wet sand"),
        (("Wat",), "There is water all around"),
        (("Moth",), "A mother gives one to her child"),
        (("राम",), "यह रामायण में नहीं है"),
        (("ভাত",), "এটি প্রভাতে খাওয়া হয়"),
        (("Taj of the lake",), "It lies on the shore of an island"),
    ],
)
def test_words_that_only_hold_the_name_are_free(names, clue):
    assert refused(clue, card(*names)) == ""


def test_a_forbidden_word_is_not_found_inside_another():
    assert refused("You cannot do without", DIWALI) == ""
    assert refused("People wait for it", DIWALI) == "clue.forbidden"


@pytest.mark.parametrize(
    "clue",
    [
        "This is DIWALI",
        "We meet at Deepavali",
        "यह दिवाली।",
        "यह दिवाली है",
        "लोग दिवालियों में मिलते हैं",
        "This is Divali for us",
        "Some write Dipawali, some do not",
        "Diwalis come every year",
        "The sweets of Diwali's night",
        "The night of #Diwali2024",
        "The di-wali of the north",
        "The di wali of the north",
        "The Di\u200bwa\u00adli of the north",
        "Ｄｉｗａｌｉ is near",
        "That diwali-holi time",
        "দিবালি is how others write",
        "ਦਿਵਾਲੀ is how others write",
    ],
)
def test_a_name_is_refused_in_any_script_spelling_and_form(clue):
    assert refused(clue, DIWALI) == "clue.name"


@pytest.mark.parametrize(
    "clue",
    ["d i w a l i", "d-i-w-a-l-i", "D. I. W. A. L. I.", "Write d, i, w, a, l, i", "A d i w a l i",
     "d_i_w_a_l_i", "दि वा ली", "In a mirror, ilawid"],
)  # fmt: skip
def test_a_name_that_is_spelt_out_is_refused(clue):
    assert refused(clue, DIWALI) in ("clue.spelt", "clue.name")


DISGUISED = [
    "рoha",  # Cyrillic р
    "роһа",
    "pοhα",
    "pօha",
    "p̶o̶h̶a̶",
    "ṕóh́á",
    "pòha",
    "pøha",
    "ᴘᴏʜᴀ",
    "🅟🅞🅗🅐",
    "🇵🇴🇭🇦",
    "🇵 🇴 🇭 🇦",
    "ɐɥod",
    "p0ha",
    "p0h4",
    "poh@",
    "pppoha",
    "po-ha",
    "p.oha",
    "po ha",
    "p oh a",
    "\u202eahop",
    "nice \U000e0070\U000e006f\U000e0068\U000e0061",
    "p and o and h and a",
    "the letter p then o then h then a",
    "p aur o aur h aur a",
    "a h o p",
]


@pytest.mark.parametrize("disguised", DISGUISED)
def test_a_short_name_is_refused_in_disguise(disguised):
    assert refused(f"It is {disguised}", card("Poha")) in ("clue.name", "clue.spelt")
    assert refused(f"It is {disguised}", card("Rice")) == ""


@pytest.mark.parametrize(
    ("name", "clue"),
    [
        ("Solkadhi", "It is ѕоlкаԁһі"),
        ("Solkadhi", "It is s0lkadhi"),
        ("Solkadhi", "It is 50lk4dh1"),
        ("Solkadhi", "It is ᴉɥpɐʞlos"),
        ("Solkadhi", "It is i h d a k l o s"),
        ("Idli", "It is 1dl1"),
        ("Pilau", "It is p1lau"),
        ("Pilau", "It is pi1au"),
        ("Aam", "It is aaam"),
        ("Puran poli", "It is p0li"),
        ("पोहा", "यह पो-हा है"),
        ("Idli", "यह ídli है"),
    ],
)
def test_other_names_are_refused_in_disguise(name, clue):
    assert refused(clue, card(name)) in ("clue.name", "clue.part", "clue.spelt")


@pytest.mark.parametrize(
    ("names", "clue"),
    [
        (("Goat",), "They go at night and come back"),
        (("Beat",), "You want to be at home then"),
        (("Mela",), "La nonna me la dava calda"),
        (("Tela",), "En casa te la dan blanca"),
        (("Gota",), "You got a lot of these"),
        (("काका",), "का घर का"),
        (("सेम",), "घर में से निकलो"),
        (("Papa",), "La cocina mi papá los domingos"),
        (("Baki",), "Ana yi wa baƙi shi"),
        (("Pho",), "Có ở mọi khu phố cổ"),
        (("Pare", "Paria"), "Sayur paré mah pait"),
        (("Sam", "Aam"), "People wake at 5am or 4am for this"),
        (("Both",), "It came in the 80th year"),
        (("Ajar",), "A raja ate this"),
        (("Cop",), "Это не сор, а еда"),
        (("Aai",), "Kept as a gift, a treat I like"),
        (("Indian",), "It is loved by 🇮🇳 fans"),
        (("Rice", "Dosa"), "A well-known, half-dry mp3 of the 1980s"),
        (("Poha",), "Люди едят это утром дома"),
        (("Ouzo",), "Είναι ένα ποτό που πίνουμε το καλοκαίρι"),
        (("Poha",), "Sooo good, aaah!"),
    ],
)
def test_honest_words_are_no_disguise(names, clue):
    assert refused(clue, card(*names)) == ""


def test_a_name_inside_another_word_is_free_in_disguise_as_well():
    assert refused("It is p0hawala", card("Poha")) == ""


def test_a_decomposed_letter_is_the_letter_itself():
    of = card("\u0958लम")
    assert refused("यह \u0915\u093cलम है", of) == "clue.name"
    assert refused("यह \u0958लम है", card("\u0915\u093cलम")) == "clue.name"


@pytest.mark.parametrize(
    ("name", "clue"),
    [
        ("जलेबी", "गरम जलेबियाँ मीठी हैं"),
        ("जलेबी", "जलेबियों का रंग देखो"),
        ("समोसा", "समोसे गरम हैं"),
        ("समोसा", "समोसों में आलू है"),
        ("लड्डू", "लड्डुओं का डिब्बा"),
        ("রসগোল্লা", "রসগোল্লার রস"),
        ("রসগোল্লা", "রসগোল্লাগুলো সাদা"),
        ("பொங்கல்", "பொங்கலுக்கு விடுமுறை"),
        ("Samosa", "People fry samosas"),
        ("Samosa", "Garam samose"),
        ("Jalebi", "Garam jalebiyan"),
        ("Jalebi", "गरम जलेबी है"),
        ("जलेबी", "Fresh jalebi is hot"),
        ("Story", "Many stories are told"),
        ("Weave", "Women are weaving by the river"),
        ("Mithila painting", "Women painted the walls"),
        ("пельмени", "много пельменей"),
    ],
)
def test_an_inflected_name_is_refused(name, clue):
    assert refused(clue, card(name)) in ("clue.name", "clue.part")


@pytest.mark.parametrize("clue", ["A jalebi-fafda stall", "A jalebifafda stall", "Jalebi, fafda"])
def test_a_name_of_two_words_is_refused_however_it_is_joined(clue):
    assert refused(clue, card("Jalebi Fafda")) == "clue.name"
    assert refused(clue, card("Jalebifafda")) == "clue.name"


def test_a_part_of_a_name_is_refused():
    assert refused("They serve jalebi at dawn", card("Jalebi Fafda")) == "clue.part"
    assert refused("Lamps stand in every window", DIWALI) == "clue.part"


def test_a_word_that_many_other_names_have_is_no_part():
    others = ("Harvest dance", "Fire dance", "Sword dance")
    assert refused("A dance of farmers", card("Jhumur dance", others=others[:2])) == "clue.part"
    assert refused("A dance of farmers", card("Jhumur dance", others=others)) == ""
    assert refused("It is a dance", card("Dance", others=others)) == "clue.name"


def test_words_that_join_a_name_are_no_part():
    of = card("Bow and arrow of the hills", "Il pane del re")
    assert refused("It comes from the west and is old", of) == ""


def test_a_long_name_is_refused_with_a_letter_wrong():
    assert refused("The Ashtamudhi of the south", card("Ashtamudi")) == "clue.name"
    assert refused("The Ashtanudi of the south", card("Ashtamudi")) == "clue.name"


def test_a_synonym_is_refused_with_its_plural():
    assert refused("Children light firecrackers", DIWALI) == "clue.forbidden"


def test_a_name_in_a_script_without_spaces_is_found_in_a_run():
    assert refused("春节的时候全家团圆", card("春节")) == "clue.name"
    assert refused("全家团圆的时候", card("春节")) == ""


@pytest.mark.parametrize(
    "clue",
    ["It is red. It is sweet.", "Red.It is sweet", "Sweet. Red",
     "It is red! It is sweet", "It is red; sweet",
     "यह लाल है। यह मीठा है।", "It is red\nPeople eat it", "یہ لال ہے۔ یہ میٹھا ہے",
     "It is red... It is sweet", "He said “yes.” We laughed"],
)  # fmt: skip
def test_a_clue_is_one_sentence(clue):
    assert refused(clue, card("Jalebi")) == "clue.sentences"


@pytest.mark.parametrize(
    "clue",
    ["It weighs 2.5 kg.", "e.g. on a Sunday", "Dr. Rao wrote of this", "M. K. Rao wrote of this",
     "It is round… and sweet", "1. It is red", "यह लाल है।", "At 5 a.m. in winter", "It is red!!",
     "Mangoes, nuts etc. are in this", "It was lost in 1.5 hours", "\nIt is red\n"],
)  # fmt: skip
def test_marks_within_a_sentence_end_none(clue):
    assert refused(clue, card("Jalebi")) == ""


@pytest.mark.parametrize(
    "clue", ["Do you eat this?", "کیا یہ میٹھا ہے؟", "甜吗？", "Is it red\u037e"]
)
def test_a_giver_does_not_ask(clue):
    assert refused(clue, card("Jalebi")) == "clue.question"


@pytest.mark.parametrize(
    "clue",
    ["Call me at 98765 43210", "+44 20 7946 0958", "९८७६५ ४३२१०", "write to a.b@example.org",
     "see https://example.org", "look at www.example", "example.com has this", "ask @rahul_92",
     "t.me/somebody"],
)  # fmt: skip
def test_ways_to_reach_somebody_are_refused(clue):
    assert refused(clue, card("Jalebi")) == "clue.contact"


@pytest.mark.parametrize(
    "clue",
    ["It began in 1947-1950", "It began on 15.08.1947", "On 2024-11-01 many came", "Five @ a time",
     "Some 10,00,000 people come"],
)  # fmt: skip
def test_years_and_numbers_are_no_ways_to_reach_somebody(clue):
    assert refused(clue, card("Jalebi")) == ""


@pytest.mark.parametrize("clue", ["", " ", "\u200b\u200d", "...", "🪔", "👨‍👩‍👧 🎆", "!?"])
def test_a_clue_is_told_in_words(clue):
    assert refused(clue, DIWALI) == "clue.empty"


def test_a_clue_is_told_once():
    said = ("People clean their homes.",)
    assert refused("people  clean their HOMES", DIWALI, said) == "clue.repeated"
    assert refused("people clean their streets", DIWALI, said) == ""


def test_every_code_has_a_sentence():
    codes = {value for name, value in vars(clues).items() if name.isupper() and
             isinstance(value, str) and value.startswith("clue.")}  # fmt: skip
    assert codes == set(clues.REASONS)


@given(st.text(max_size=80), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_is_refused_or_not(text, names):
    of = Card(1, ("Diwali", *names), tuple(names), tuple(names))
    assert refused(text, of, ("x",)) in ("", *clues.REASONS)


@given(
    st.sampled_from(DIWALI.names), st.sampled_from(["", "It is ", "ओ "]), st.sampled_from("!. ।")
)
def test_no_clue_holds_a_name(name, before, after):
    assert refused(f"{before}{name}{after}", DIWALI) in ("clue.name", "clue.part")
    assert refused(fold(name).upper(), DIWALI) == "clue.name"


def test_published_clues_are_refused_as_rarely_as_before(datasets):
    """Clues that people of 16 regions gave: those that hold a part of the name, ask, or say two
    things are refused, and none for a disguise."""
    counted = Counter()
    for folder in sorted((datasets / "dosa" / "data").iterdir()):
        rows = []
        for path in sorted(folder.glob("*.csv")):
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows += csv.DictReader(lines)
        names = [row["artifact"].strip() for row in rows]
        for place, row in enumerate(rows):
            of = card(names[place], others=(*names[:place], *names[place + 1 :]))
            given = [line.strip() for line in row["clues"].splitlines()]
            counted += Counter(refused(line, of) for line in given if line)
    assert counted == {"": 973, "clue.name": 4, "clue.part": 146, "clue.sentences": 12}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_clue_costs_little_whatever_it_says(text):
    of = card(*DIWALI.names, "a b a b a b a b a", forbidden=DIWALI.forbidden, others=SIXTY)
    refused("Once, for what is kept of a card", of)
    assert calls(lambda: refused(text, of, (text[1:],))) < 60_000
