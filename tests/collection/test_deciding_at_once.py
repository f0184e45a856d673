"""Two people decide on the same participation at the same moment."""

import threading

import pytest
from django.db import connection

from collection.fairness import Reason
from collection.services import reviewing
from collection.services.reviewing import Rejection
from core.errors import CommonplaceError
from studies.models import Activity, Participation
from studies.participation import Pay, Status
from studies.services import paying
from tests.collection import review_cast

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 8
SAYING = "You wrote about another country, not about where you live."


def fresh(row):
    return Participation.objects.select_related("activity__study", "participant").get(pk=row.pk)


def at_once(row, *decisions):
    """Take decisions on a participation in as many threads, all having read it before any begins;
    the codes of the refusals."""
    refused, gate = [], threading.Barrier(len(decisions))

    def run(decide):
        try:
            mine = fresh(row)
            gate.wait()
            decide(mine)
        except CommonplaceError as error:
            refused.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(decide,)) for decide in decisions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refused


@pytest.fixture
def world():
    made = review_cast.world()
    Activity.objects.update(reward="flat", amount_minor=1250, minutes=25)
    made.activity.refresh_from_db()
    return made


def test_an_appeal_accepted_while_somebody_pays_the_reward_is_owed_one_reward(world):
    for _round in range(ROUNDS):
        row = world.come(minutes=10)
        reviewing.reject(row, Rejection(Reason.OFF_TOPIC, SAYING, Pay.TIME), "rita")
        assert paying.rewarded(row) == 500
        refused = at_once(
            row,
            lambda mine: reviewing.accept(mine, "olga"),
            lambda mine: reviewing.decide_pay(mine, Pay.REWARD, "rita"),
        )
        assert paying.rewarded(row) == 1250
        assert fresh(row).status == Status.ACCEPTED
        assert set(refused) <= {"review.not_payable"}


def test_two_who_pay_different_sums_at_once_owe_the_larger_one(world):
    for _round in range(ROUNDS):
        row = world.come(Status.TIMED_OUT, minutes=10)
        refused = at_once(
            row,
            lambda mine: reviewing.decide_pay(mine, Pay.TIME, "olga"),
            lambda mine: reviewing.decide_pay(mine, Pay.REWARD, "rita"),
        )
        assert paying.rewarded(row) == 1250
        assert set(refused) <= {"review.decided"}


def test_pay_is_not_decided_by_what_somebody_read_before_it_was_accepted(world):
    row = world.come(minutes=10)
    reviewing.reject(row, Rejection(Reason.OFF_TOPIC, SAYING, Pay.TIME), "rita")
    read_before = fresh(row)
    reviewing.accept(fresh(row), "olga")
    with pytest.raises(CommonplaceError) as error:
        reviewing.decide_pay(read_before, Pay.REWARD, "rita")
    assert error.value.code == "review.not_payable"
    assert paying.rewarded(row) == 1250
