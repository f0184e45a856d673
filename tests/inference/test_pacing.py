"""How fast an endpoint may be asked: evenly, by requests and by tokens."""

import pytest

from inference.pacing import Meter


def passages(meter, sizes, seconds, at=0.0):
    """When each of `sizes` passes, all of them waiting from `at` on, for `seconds` at most."""
    moments = []
    for size in sizes:
        wait = meter.wait(size, at)
        at += wait
        if at > seconds:
            break
        meter.count(size, at)
        moments.append(at)
    return moments


def metered(per_minute, at=0.0):
    meter = Meter()
    meter.limit(per_minute, at)
    return meter


@pytest.mark.parametrize("per_minute", [1, 10, 60, 90, 600, 6000])
def test_a_minute_holds_what_it_may_and_a_seconds_worth_more(per_minute):
    moments = passages(metered(per_minute), [1] * 20_000, 60)
    assert per_minute <= len(moments) <= per_minute + max(1, per_minute / 60) + 1


def test_passages_follow_evenly_after_the_first_second():
    moments = passages(metered(600), [1] * 100, 60)
    assert moments[:10] == [0.0] * 10
    assert moments[10:] == pytest.approx([0.1 * k for k in range(1, 91)])


def test_what_stayed_unused_is_not_saved_up():
    meter = metered(60)
    assert len(passages(meter, [1] * 100, 10)) == 11
    late = passages(meter, [1] * 100, 1010, at=1000)
    assert len(late) == 11


def test_tokens_are_counted_by_their_number():
    moments = passages(metered(6000), [300] * 100, 60)  # 100 a second
    assert moments[:3] == pytest.approx([0, 3, 6])
    assert len(moments) == 21


def test_more_than_a_minutes_worth_passes_alone():
    meter = metered(100)
    assert passages(meter, [10, 1000, 10], 10_000) == pytest.approx([0, 6, 606])


def test_without_tokens_or_without_a_limit_nothing_waits():
    meter = metered(1)
    meter.count(50, 0)
    assert meter.wait(0, 0) == 0
    meter.limit(None, 0)
    assert meter.wait(1000, 0) == 0


def test_a_new_limit_counts_what_has_passed():
    meter = metered(60)
    meter.count(30, 0)
    assert meter.wait(1, 0) == pytest.approx(30)
    meter.limit(120, 10)  # 20 left, at two a second
    assert meter.wait(2, 10) == pytest.approx(10)
    meter.limit(30, 15)  # 10 left, at one every two seconds
    assert meter.wait(1, 15) == pytest.approx(20)
    meter.limit(None, 16)
    meter.limit(60, 17)
    assert meter.wait(1, 17) == 0


def test_at_a_rate_of_nothing_nothing_passes_until_there_is_another():
    meter = metered(60)
    meter.count(10, 0)
    meter.limit(0, 5)
    assert meter.wait(1, 1000) == float("inf")
    meter.limit(60, 1000)  # the 5 that were left then
    assert meter.wait(1, 1000) == pytest.approx(5)


@pytest.mark.parametrize("rate", [-1, float("nan")])
def test_a_rate_below_nothing_is_a_mistake(rate):
    with pytest.raises(ValueError, match="0 or more"):
        Meter().limit(rate, 0)
