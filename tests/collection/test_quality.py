"""Evidence by hand-made figures and texts."""

import pytest

from collection import quality
from collection.quality import Spread

LONG = "We share bread and salt at the door."


def test_a_spread_is_the_median_between_its_quartiles_with_how_many_it_rests_on():
    assert quality.spread([1, 2, 3, 4, 5]) == Spread(5, 3, 2, 4)
    assert quality.spread([400, 100, 300, 200]) == Spread(4, 250, 175, 325)


def test_a_single_value_has_no_quartiles_and_no_value_has_no_median():
    assert quality.spread([7]) == Spread(1, 7)
    assert quality.spread([]) == Spread(0)
    assert quality.spread([]).said(quality.span, "nobody yet") == "nobody yet"
    assert quality.spread([60_000]).said(quality.span, "nobody yet") == "1 min (n 1)"


def test_a_spread_in_words_names_its_quartiles_and_n():
    words = quality.spread([60_000, 120_000, 180_000]).said(quality.span, "")
    assert words == "2 min (1 min 30 s to 2 min 30 s, n 3)"


def test_mean_and_deviation_are_those_of_a_sample():
    found = quality.moments([2, 4, 4, 4, 5, 5, 7, 9])
    assert (found.n, found.mean) == (8, 5)
    assert found.deviation == pytest.approx(2.13809, abs=1e-5)
    assert quality.moments([3]).deviation is None
    assert quality.moments([]).mean is None


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 s"),
        (45_400, "45 s"),
        (60_000, "1 min"),
        (270_000, "4 min 30 s"),
        (750_000, "12 min"),
        (3_900_000, "1 h 05 min"),
    ],
)
def test_a_span_is_said_as_exactly_as_it_matters(ms, words):
    assert quality.span(ms) == words


def test_a_time_is_compared_with_the_median_only_where_there_is_one():
    assert quality.compared(30, Spread(4, 60, 50, 70)) == 0.5
    assert quality.compared(30, Spread(0)) is None
    assert quality.compared(30, Spread(3, 0, 0, 0)) is None


@pytest.mark.parametrize(
    ("answer", "given_back"),
    [
        ("Bread and Salt", True),
        ("  bread   and salt. ", True),
        (LONG, False),  # more than the example
        ("bread", False),  # a word anybody may say
        ("and salt, a lant", False),  # half a word is not the example
        ("", False),
    ],
)
def test_an_answer_gives_an_example_back_where_it_is_a_run_of_its_words(answer, given_back):
    assert quality.gives_back(answer, "For example: bread and salt, a lantern.") is given_back


def test_examples_are_found_in_scripts_whose_marks_are_no_letters():
    assert quality.gives_back("मिठाई और दीये", "जैसे: मिठाई और दीये।")
    assert not quality.gives_back("मिठाई और दीया", "जैसे: मिठाई और दीये।")


def test_a_list_gives_examples_back_only_where_all_of_it_does():
    assert quality.gives_back_names(["Lantern", "salt"], "bread and salt, a lantern")
    assert not quality.gives_back_names(["Lantern", "drum"], "bread and salt, a lantern")
    assert not quality.gives_back_names([], "bread and salt, a lantern")


def test_lists_are_compared_without_order_case_or_repetition():
    def listed(*names):
        return [{"name": name, "about": "x"} for name in names]

    assert quality.names(listed("Drum", "kite")) == quality.names(listed("KITE", "drum", "Kite"))
    assert quality.names(listed("Drum")) != quality.names(listed("Drum", "kite"))
    assert quality.names(None) == quality.names(listed(" ")) == frozenset()
