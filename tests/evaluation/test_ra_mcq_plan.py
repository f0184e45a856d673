"""The order of options and the seeds of requests."""

from collections import Counter

import pytest

from evaluation.ra_mcq.plan import letters, request_seed, shown_order


def test_every_order_of_three_options_is_equally_likely():
    seen = Counter(shown_order(7, f"q{i}", repeat, 3) for i in range(200) for repeat in range(30))
    assert len(seen) == 6
    # Chi-square with 5 degrees of freedom: 20.5 is the 99.9 % point.
    assert sum((n - 1000) ** 2 / 1000 for n in seen.values()) < 20.5


def test_every_option_stands_equally_often_at_every_position():
    seen = Counter(
        pair for repeat in range(5000) for pair in enumerate(shown_order(1, "q", repeat, 5))
    )
    assert len(seen) == 25
    assert all(abs(n - 1000) < 150 for n in seen.values())


def test_an_order_holds_every_option_once_up_to_the_whole_alphabet():
    for n in range(27):
        assert sorted(shown_order(3, "q", 1, n)) == list(range(n))


def test_the_order_is_the_same_for_ever():
    assert shown_order(42, "q_004", 1, 5) == (0, 1, 4, 2, 3)
    assert request_seed(42, "q_004", 1) == 478005621


def test_seed_item_and_repeat_each_change_the_order():
    def orders(seed, key, first):
        return [shown_order(seed, key, first + i, 5) for i in range(10)]

    assert orders(1, "q", 0) == orders(1, "q", 0)
    assert (
        len({tuple(orders(*x)) for x in [(1, "q", 0), (2, "q", 0), (1, "r", 0), (1, "q", 50)]}) == 4
    )


def test_parts_that_read_alike_when_joined_are_kept_apart():
    assert request_seed(1, "q1", 11) != request_seed(1, "q11", 1) != request_seed(11, "q1", 1)


def test_no_two_repeats_of_a_run_send_the_same_seed():
    seeds = {request_seed(5, f"q{i}", repeat) for i in range(100) for repeat in range(30)}
    assert len(seeds) == 3000
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_letters_end_with_the_alphabet():
    assert letters(3) == ("A", "B", "C")
    assert letters(26)[-1] == "Z"
    with pytest.raises(ValueError, match="27"):
        letters(27)
