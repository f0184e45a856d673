"""The rules that protect participants, one by one (cases.md 20)."""

import pytest

from collection import fairness
from collection.fairness import LEAST_TIMES, Evidence, Reason
from collection.quality import Moments, moments

TELLING = "You wrote about another country."
MINUTE = 60_000
MANY = Moments(25, 20.0 * MINUTE, 4.0 * MINUTE)  # nobody below 8 minutes


def evidence(**fields):
    clean = {"minutes": 25, "counted": 0, "undecided": 0, "worked_ms": 20 * MINUTE}
    return Evidence(**clean | {"times": MANY, "copied": ()} | fields)


def permitted(reason, text=TELLING, **fields):
    return fairness.refusal(reason, evidence(**fields), text) is None


@pytest.mark.parametrize("reason", ["comprehension", "screening", "nonsense", ""])
@pytest.mark.parametrize("counted", [0, 9])
def test_comprehension_screening_and_unlisted_reasons_never_reject(reason, counted):
    assert not permitted(reason, counted=counted, copied=(90, 90), worked_ms=1)


@pytest.mark.parametrize(
    ("minutes", "counted", "allowed"),
    [(25, 1, False), (25, 2, True), (5, 1, False), (5, 2, True), (4, 0, False), (4, 1, True)],
)
def test_it_takes_two_failed_checks_from_five_minutes_on_and_one_below(minutes, counted, allowed):
    assert permitted(Reason.ATTENTION, minutes=minutes, counted=counted) is allowed


def test_a_failed_check_nobody_has_decided_on_does_not_count():
    assert not permitted(Reason.ATTENTION, counted=1, undecided=3)
    sentence = fairness.refusal(Reason.ATTENTION, evidence(counted=1, undecided=3), TELLING)
    assert "here 1 counts, and 3 you have not decided on" in sentence


@pytest.mark.parametrize(("minutes", "allowed"), [(7.9, True), (8, False), (20, False)])
def test_speed_alone_rejects_only_below_mean_minus_three_deviations(minutes, allowed):
    assert permitted(Reason.SPEED, worked_ms=round(minutes * MINUTE)) is allowed


def test_speed_says_nothing_among_few():
    few = Moments(LEAST_TIMES - 1, MANY.mean, MANY.deviation)
    assert not permitted(Reason.SPEED, worked_ms=1, times=few)
    assert permitted(Reason.SPEED, worked_ms=1, times=Moments(LEAST_TIMES, few.mean, few.deviation))


def test_nobody_is_too_fast_where_mean_minus_three_deviations_is_no_time():
    wide = Moments(25, 10.0 * MINUTE, 4.0 * MINUTE)
    assert fairness.too_fast(wide) is None
    assert not permitted(Reason.SPEED, worked_ms=0, times=wide)


def test_the_least_number_of_times_leaves_room_for_somebody_to_lie_outside():
    """Among n values none lies more than (n - 1) / √n deviations off, so 11 are needed."""
    times = [20 * MINUTE] * (LEAST_TIMES - 1) + [MINUTE]
    assert permitted(Reason.SPEED, worked_ms=MINUTE, times=moments(times))


@pytest.mark.parametrize(
    ("copied", "allowed"),
    [
        ((), False),
        ((79,), False),
        ((80,), True),
        ((20, 19), False),
        ((20, 20), True),
        ((19, 19, 19), False),
    ],
)
def test_copying_takes_two_copied_answers_or_a_long_one(copied, allowed):
    assert permitted(Reason.COPIED, copied=copied) is allowed


@pytest.mark.parametrize("reason", [Reason.OFF_TOPIC, Reason.OTHER, Reason.COPIED])
def test_what_machines_cannot_judge_needs_words_of_ones_own(reason):
    assert permitted(reason, copied=(20, 20))
    assert not permitted(reason, copied=(20, 20), text="x" * 19 + "   ")
    assert permitted(reason, copied=(20, 20), text="x" * 20)


def test_pay_is_withheld_only_for_reasons_that_rest_on_evidence():
    withheld = [reason for reason in Reason if fairness.withholding_refusal(reason) is None]
    assert withheld == [Reason.ATTENTION, Reason.SPEED, Reason.COPIED]
    for reason in (Reason.OFF_TOPIC, Reason.OTHER, "nonsense", ""):
        assert fairness.withholding_refusal(reason).endswith("Pay at least for the time spent.")


@pytest.mark.parametrize("reason", Reason)
def test_every_refusal_is_a_sentence_and_every_reason_has_a_title(reason):
    sentence = fairness.refusal(reason, evidence(times=Moments(3)), "")
    assert sentence.endswith(".")
    assert fairness.TITLES[reason]
