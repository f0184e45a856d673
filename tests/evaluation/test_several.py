"""How many replies one request brings, told from what an endpoint answers."""

import pytest

from evaluation.running.several import (
    CAPS,
    COPIES,
    DOUBTS,
    HONOURS,
    IGNORES,
    MOST,
    REFUSES,
    Several,
)

DIFFERENT = [f"reply {n}" for n in range(30)]


def test_one_scout_goes_out_until_the_endpoint_has_shown_what_it_does():
    several = Several()
    assert several.part(30) == 30
    several.scouting += 1
    assert several.part(30) == 0
    assert several.part(1) == 1


def test_different_replies_prove_that_several_are_honoured():
    several = Several()
    assert several.learn("q", 30, DIFFERENT) == 30
    assert (several.limit, several.why) == (MOST, HONOURS)
    assert several.part(30) == 30


def test_fewer_than_asked_for_is_a_cap_and_one_is_no_support_at_all():
    several = Several()
    assert several.learn("q", 30, DIFFERENT[:8]) == 8
    assert (several.limit, several.why, several.part(22)) == (8, CAPS, 8)
    several = Several()
    assert several.learn("q", 30, DIFFERENT[:1]) == 1
    assert (several.limit, several.why, several.part(29)) == (1, IGNORES, 1)


def test_a_cap_that_tightens_later_is_followed():
    several = Several(8, CAPS)
    assert several.learn("q", 8, DIFFERENT[:4]) == 4
    assert several.part(26) == 4


def test_copies_are_found_out_by_asking_one_at_a_time():
    several = Several()
    assert several.learn("q", 30, ["same"] * 30) == 1
    assert not several.proven
    assert several.part(29, singly=True) == 1
    several.learn("q", 1, ["another"])
    assert (several.limit, several.why) == (1, COPIES)


def test_a_model_that_says_the_same_either_way_is_trusted_after_a_few_prompts():
    several = Several()
    for prompt in range(DOUBTS):
        assert several.learn(f"q{prompt}", 30, ["same"] * 30) == 1
        several.learn(f"q{prompt}", 1, ["same"])
        assert not several.proven
    assert several.learn("one more", 30, ["same"] * 30) == 30
    assert several.why == HONOURS


def test_copies_that_show_only_after_the_trust_are_still_found_out():
    several = Several()
    for prompt in range(DOUBTS + 1):
        several.learn(f"q{prompt}", 30, ["same"] * 30)
    assert several.why == HONOURS
    several.learn("q0", 1, ["another"])
    assert (several.limit, several.why) == (1, COPIES)


def test_at_temperature_zero_equal_replies_raise_no_doubt():
    several = Several()
    assert several.learn("q", 30, ["same"] * 30, even=True) == 30
    assert several.proven


@pytest.mark.parametrize(
    ("said", "limit", "why"),
    [
        ("n must be at most 8", 8, CAPS),
        ("Only n = 1 is supported", 1, REFUSES),
        ("unknown field", 1, REFUSES),
        ("n: 30 is greater than the maximum of 128", 1, REFUSES),
    ],
)
def test_a_refusal_that_names_a_number_is_believed(said, limit, why):
    several = Several()
    assert several.refused(30, said)
    assert (several.limit, several.why) == (limit, why)


def test_what_names_n_in_a_request_for_one_is_no_refusal_of_several():
    assert not Several().refused(1, "n")


def test_a_limit_known_from_before_needs_no_scout():
    several = Several(8, CAPS)
    several.scouting += 1
    assert several.part(30) == 8
