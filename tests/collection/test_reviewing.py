"""What people decide about what participants sent, through the services."""

import pytest

from collection.fairness import Reason
from collection.models import Submission
from collection.services import reviewing
from collection.services.reviewing import Rejection
from core import clock
from core.errors import CommonplaceError
from core.models import AuditEntry
from studies.history import SENTENCES, sentence
from studies.models import Participation
from studies.participation import Pay, Status
from studies.services import paying
from tests.collection import review_cast
from tests.collection.review_cast import fresh, refused

pytestmark = pytest.mark.django_db
SAYING = "You wrote about another country, not about where you live."
OFF_TOPIC = Rejection(Reason.OFF_TOPIC, SAYING, Pay.TIME)
UNPAID = Rejection(Reason.ATTENTION, SAYING, Pay.NOTHING)


@pytest.fixture
def world():
    return review_cast.world()


def statuses(row):
    return set(row.submissions.values_list("status", flat=True))


# --- Accepting ------------------------------------------------------------------------------------


def test_accepting_takes_all_forms_into_the_results_and_owes_the_whole_reward_once(world):
    row = world.come(minutes=24)
    for _ in range(2):  # a double click
        reviewing.accept(fresh(row), "rita")
    row = fresh(row)
    assert (row.status, row.included, row.paid_decision) == ("accepted", True, "pay")
    assert statuses(row) == {"accepted"}
    assert row.slot_region == world.region("harbour")
    assert paying.earned(row) == 500  # 12.50 EUR an hour for 24 minutes
    entry = AuditEntry.objects.get(action="participation.accepted")
    assert (entry.actor, entry.object_id) == ("rita", row.code)


def test_accepted_and_paid_is_not_yet_in_the_results(world):
    row = world.come()
    reviewing.accept(row, "rita", included=False)
    assert fresh(row).included is False
    assert paying.earned(row) > 0
    reviewing.decide_inclusion(row, True, "rita")
    reviewing.decide_inclusion(row, True, "rita")
    assert fresh(row).included is True
    assert AuditEntry.objects.filter(action="participation.inclusion_decided").count() == 1


def test_what_was_not_accepted_cannot_be_put_into_the_results(world):
    refused("review.not_accepted", reviewing.decide_inclusion, world.come(), True, "rita")


def test_many_are_accepted_at_once_but_nobody_with_a_failed_check_or_another_status(world):
    clean, excused = world.come(), world.fail(world.come(), "colour", decision="excused")
    doubtful = [world.fail(world.come(), "colour", decision=d) for d in ("", "counts")]
    away = world.come(Status.REDO)
    rows = [clean, excused, *doubtful, away]
    accepted, left = reviewing.accept_many(rows, "rita")
    assert accepted == [clean.participant.code, excused.participant.code]
    assert left == [row.participant.code for row in (*doubtful, away)]
    assert [fresh(row).status for row in rows] == [
        *("accepted", "accepted", "submitted", "submitted", "redo")
    ]


# --- Asking again ---------------------------------------------------------------------------------


def test_asking_again_opens_the_named_forms_only_and_gives_time(world):
    row = world.come(deadline=clock.later(3600))
    for _ in range(2):
        reviewing.ask_again(fresh(row), [2], "Please name five things.", "rita")
    row = fresh(row)
    assert row.status == "redo"
    assert row.deadline > clock.later(13 * 24 * 3600)
    assert [(s.status, s.asked_again) for s in row.submissions.all()] == [
        ("submitted", ""),
        ("redo", "Please name five things."),
    ]
    assert row.slot_region == world.region("harbour")
    assert paying.earned(row) == 0
    assert AuditEntry.objects.filter(action="participation.asked_again").count() == 1


def test_time_that_was_given_is_never_taken_back(world):
    late = clock.later(99 * 24 * 3600)
    row = world.come(deadline=late)
    reviewing.ask_again(row, [1], "Please write more.", "rita")
    assert fresh(row).deadline == late


def test_asking_again_needs_a_form_that_was_sent_and_a_sentence(world):
    row = world.come()
    for numbers in ([], [3], [1, 3]):
        refused("review.no_form", reviewing.ask_again, row, numbers, "Please.", "rita")
    refused("review.no_text", reviewing.ask_again, row, [1], "  ", "rita")
    assert fresh(row).status == "submitted"


# --- Rejecting ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pay", "decided", "cents"),
    [(Pay.NOTHING, "withhold", 0), (Pay.TIME, "pay", 250), (Pay.REWARD, "pay", 900)],
)
def test_rejecting_frees_the_place_and_pays_what_was_decided(world, pay, decided, cents):
    world.activity.reward, world.activity.amount_minor = "flat", 900
    world.activity.minutes = 36
    world.activity.save()
    row = world.fail(fresh(world.come(minutes=10)), "colour", "sum", decision="counts")
    for _ in range(2):
        reviewing.reject(fresh(row), Rejection(Reason.ATTENTION, SAYING, pay), "rita")
    row = fresh(row)
    assert (row.status, row.ended_reason, row.message) == ("rejected", "attention", SAYING)
    assert (row.included, row.paid_decision, row.slot_region) == (False, decided, None)
    assert statuses(row) == {"rejected"}
    assert paying.earned(row) == cents
    entry = AuditEntry.objects.get(action="participation.rejected")
    assert entry.data["pay"] == pay
    assert SAYING not in str(entry.data)


@pytest.mark.parametrize("reason", [Reason.OFF_TOPIC, Reason.OTHER])
def test_a_rejection_that_rests_on_judgement_always_pays_for_the_time(world, reason):
    row = world.come(minutes=24)
    unpaid, paid = (Rejection(reason, SAYING, pay) for pay in (Pay.NOTHING, Pay.TIME))
    why = refused("review.not_fair", reviewing.reject, row, unpaid, "rita")
    assert "Pay at least for the time spent" in why
    assert fresh(row).status == "submitted"
    reviewing.reject(row, paid, "rita")
    assert (fresh(row).status, paying.earned(row)) == ("rejected", 500)


def test_what_the_rules_forbid_is_refused_and_nothing_happens(world):
    row = world.fail(world.come(), "colour", decision="counts")
    why = refused(
        "review.not_fair",
        reviewing.reject,
        row,
        Rejection(Reason.ATTENTION, SAYING, Pay.NOTHING),
        "rita",
    )
    assert "here 1 counts" in why
    assert (fresh(row).status, fresh(row).paid_decision) == ("submitted", "")
    assert not AuditEntry.objects.filter(action="participation.rejected").exists()


def test_excused_checks_are_no_reason_until_somebody_lets_them_count(world):
    row = world.fail(world.come(), "colour", "sum", decision="excused")
    rejection = Rejection(Reason.ATTENTION, SAYING, Pay.TIME)
    refused("review.not_fair", reviewing.reject, row, rejection, "rita")
    for key in ("colour", "sum"):
        reviewing.decide_flag(row, f"attention:{key}", "counts", "rita")
    reviewing.reject(row, rejection, "rita")
    assert fresh(row).ended_reason == "attention"


def test_deciding_on_a_check_twice_is_one_decision(world):
    row = world.fail(world.come(), "colour")
    for _ in range(2):
        reviewing.decide_flag(row, "attention:colour", "excused", "rita")
    assert AuditEntry.objects.filter(action="flag.decided").count() == 1
    refused("flag.unknown", reviewing.decide_flag, row, "attention:sum", "counts", "rita")
    refused("flag.decision", reviewing.decide_flag, row, "attention:colour", "maybe", "rita")


@pytest.mark.parametrize("reason", ["comprehension", "screening"])
def test_comprehension_and_screening_never_reject(world, reason):
    row = world.fail(world.come(), "colour", "sum", decision="counts")
    rejection = Rejection(reason, SAYING, Pay.NOTHING)
    refused("review.not_fair", reviewing.reject, row, rejection, "rita")


def test_who_was_far_faster_than_everybody_can_be_rejected_for_it_and_others_cannot(world):
    for _ in range(24):
        world.come(minutes=25)
    quick, slow = world.come(minutes=2), world.come(minutes=24)
    rejection = Rejection(Reason.SPEED, SAYING, Pay.TIME)
    refused("review.not_fair", reviewing.reject, slow, rejection, "rita")
    reviewing.reject(quick, rejection, "rita")
    assert fresh(quick).status == "rejected"


def test_a_rejection_always_says_something_to_the_participant(world):
    row = world.fail(world.come(), "colour", "sum", decision="counts")
    silent = Rejection(Reason.ATTENTION, " ", Pay.TIME)
    refused("review.no_text", reviewing.reject, row, silent, "rita")


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.REDO, Status.ACCEPTED, Status.WITHDRAWN])
def test_only_what_waits_for_review_can_be_rejected(world, status):
    row = world.come(status)
    with pytest.raises(CommonplaceError) as error:
        reviewing.reject(row, OFF_TOPIC, "rita")
    assert error.value.code in ("participation.not_now", "participation.ended")
    assert fresh(row).status == status


def test_an_appeal_that_succeeds_gives_place_and_pay_back(world):
    row = world.come(minutes=24)
    reviewing.reject(row, OFF_TOPIC, "rita")
    reviewing.accept(fresh(row), "olga")
    row = fresh(row)
    assert (row.status, row.included, row.paid_decision) == ("accepted", True, "pay")
    assert (row.message, row.slot_region) == ("", world.region("harbour"))
    assert statuses(row) == {"accepted"}
    assert paying.earned(row) == 500


# --- Deciding twice -------------------------------------------------------------------------------


def kept(row):
    """Everything a decision writes."""
    columns = ("status", "ended_reason", "included", "paid_decision", "message", "deadline")
    found = Participation.objects.filter(pk=row.pk).values(*columns).get()
    forms = list(row.submissions.values_list("number", "status", "asked_again"))
    return found, forms, paying.earned(row), AuditEntry.objects.count()


@pytest.mark.parametrize(
    "other",
    [
        Rejection(Reason.ATTENTION, SAYING, Pay.REWARD),
        Rejection(Reason.ATTENTION, SAYING, Pay.TIME),
        Rejection(Reason.OFF_TOPIC, SAYING, Pay.TIME),
        Rejection(Reason.ATTENTION, "Something else altogether.", Pay.NOTHING),
    ],
)
def test_a_rejection_is_not_taken_for_another_one_made_before(world, other):
    row = world.fail(world.come(minutes=24), "colour", "sum", decision="counts")
    stale = fresh(row)
    reviewing.reject(row, UNPAID, "rita")
    before = kept(row)
    for read in (fresh(row), stale):
        why = refused("review.decided", reviewing.reject, read, other, "olga")
        assert "rejected (Failed attention checks), payment withheld" in why
    assert kept(row) == before
    reviewing.reject(fresh(row), UNPAID, "rita")
    assert kept(row) == before


def test_a_rejection_repeated_once_more_was_paid_says_what_is_due(world):
    world.activity.reward, world.activity.amount_minor = "flat", 1000
    world.activity.save()
    row = fresh(world.come(minutes=5))
    reviewing.reject(row, OFF_TOPIC, "rita")
    reviewing.reject(fresh(row), OFF_TOPIC, "rita")
    reviewing.decide_pay(fresh(row), Pay.REWARD, "olga")
    why = refused("review.decided", reviewing.reject, fresh(row), OFF_TOPIC, "rita")
    assert "10.00 EUR to be paid" in why


@pytest.mark.parametrize(("included", "said"), [(True, "in the results"), (False, "left out of")])
def test_accepting_otherwise_than_before_says_what_stands(world, included, said):
    row = world.come()
    reviewing.accept(row, "rita", included=included)
    before = kept(row)
    why = refused("review.decided", reviewing.accept, fresh(row), "olga", included=not included)
    assert said in why
    reviewing.accept(fresh(row), "olga", included=included)
    assert kept(row) == before


@pytest.mark.parametrize(
    ("numbers", "text"), [([2], "Please write more."), ([1], "Another wish."), ([1, 2], "Both.")]
)
def test_asking_again_for_something_else_says_what_was_asked(world, numbers, text):
    row = world.come()
    reviewing.ask_again(row, [1], "Please write more.", "rita")
    before = kept(row)
    why = refused("review.decided", reviewing.ask_again, fresh(row), numbers, text, "olga")
    assert "asked again (form 1)" in why
    reviewing.ask_again(fresh(row), [1], "Please write more.", "olga")
    assert kept(row) == before


# --- Paying apart from accepting ------------------------------------------------------------------


def test_whoever_was_rejected_can_still_be_paid_more_and_never_less(world):
    world.activity.reward, world.activity.amount_minor = "flat", 1000
    world.activity.save()
    row = world.fail(fresh(world.come(minutes=5)), "colour", "sum", decision="counts")
    reviewing.reject(row, UNPAID, "rita")
    paid = [
        reviewing.decide_pay(fresh(row), pay, "rita")
        for pay in (Pay.TIME, Pay.TIME, Pay.REWARD, Pay.REWARD)
    ]
    assert paid == [True, False, True, False]
    why = refused("review.decided", reviewing.decide_pay, fresh(row), Pay.TIME, "rita")
    assert "10.00 EUR to be paid" in why
    assert paying.earned(row) == 1000
    assert fresh(row).paid_decision == "pay"
    assert AuditEntry.objects.filter(action="participation.pay_decided").count() == 2


def test_whoever_ran_out_of_time_can_be_paid(world):
    row = world.come(Status.TIMED_OUT, minutes=24)
    reviewing.decide_pay(row, Pay.TIME, "rita")
    assert paying.earned(row) == 500
    assert fresh(row).status == "timed_out"


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.ACCEPTED, Status.ACTIVE])
def test_pay_is_decided_apart_only_where_acceptance_does_not_decide_it(world, status):
    refused("review.not_payable", reviewing.decide_pay, world.come(status), Pay.REWARD, "rita")


def test_pay_is_withheld_only_together_with_a_rejection(world):
    row = world.come(Status.TIMED_OUT)
    refused("review.not_payable", reviewing.decide_pay, row, Pay.NOTHING, "rita")


# --- The trail ------------------------------------------------------------------------------------


def test_every_decision_has_its_sentence_in_the_audit_trail(world):
    row = world.fail(world.come(), "colour", "sum", decision="counts")
    reviewing.decide_flag(row, "attention:sum", "excused", "rita")
    reviewing.decide_flag(row, "attention:sum", "counts", "rita")
    reviewing.ask_again(row, [1, 2], "Please write more.", "rita")
    Participation.objects.filter(pk=row.pk).update(status="submitted")
    Submission.objects.update(status="submitted")
    reviewing.reject(fresh(row), UNPAID, "rita")
    reviewing.decide_pay(fresh(row), Pay.TIME, "rita")
    reviewing.accept(fresh(row), "rita", included=False)
    reviewing.decide_inclusion(fresh(row), True, "rita")
    written = AuditEntry.objects.filter(actor="rita")
    assert written.count() == 7
    for entry in written:
        assert entry.action in SENTENCES
        said = sentence(entry.action, entry.object_id, entry.data)
        assert row.participant.code in said
        assert row.code not in said
