"""What people decide about what participants sent, through the services."""

import pytest

from collection import quality
from collection.fairness import Reason
from collection.models import Question, Submission
from collection.selectors import evidence, sheets
from collection.selectors.reviewing import lines
from collection.services import reviewing
from collection.services.reviewing import Rejection
from core import clock
from core.errors import CommonplaceError
from core.models import AuditEntry
from core.text import fold
from studies.history import SENTENCES, sentence
from studies.models import Participation, Study
from studies.participation import Pay, Status
from studies.services import paying
from tests.collection import review_cast

pytestmark = pytest.mark.django_db

SAYING = "You wrote about another country, not about where you live."
OFF_TOPIC = Rejection(Reason.OFF_TOPIC, SAYING, Pay.TIME)
UNPAID = Rejection(Reason.ATTENTION, SAYING, Pay.NOTHING)
SAME = "We bow twice and take off our shoes."
ALSO = "We bring sweets, never an empty hand."
COPIED = Rejection(Reason.COPIED, "Two answers are those of somebody else.", Pay.NOTHING)


@pytest.fixture
def world():
    return review_cast.world()


def statuses(row):
    return set(row.submissions.values_list("status", flat=True))


def refused(code, decide, *arguments, **options):
    with pytest.raises(CommonplaceError) as error:
        decide(*arguments, **options)
    assert error.value.code == code
    return error.value.message


def fresh(row):
    return Participation.objects.select_related("activity__study", "participant").get(pk=row.pk)


# --- Accepting -----------------------------------------------------------------------------------


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


# --- Evidence -------------------------------------------------------------------------------------


def marks(row):
    """What is remarkable about each answer."""
    return {answer.key: answer.marks for answer in sheets.sheet(row).answers if answer.marks}


def notes(row):
    """What is said of each answer and held against nobody."""
    return {answer.key: answer.notes for answer in sheets.sheet(row).answers if answer.notes}


def test_the_same_words_of_others_and_of_oneself_are_found_whatever_their_case(world):
    one = world.come(answers={"guests": SAME})
    other = world.come(answers={"gifts": SAME.upper() + " "})
    alone = world.come(answers={"guests": SAME + SAME, "gifts": SAME + SAME})
    clean = world.come()
    source = f"{one.participant.code} (at “In your region, what about guests?”)"
    assert marks(other) == {"gifts": [f"the same words from {source}, sent before"]}
    own = "the participant’s own words again, at “In your region, what about {}?”"
    assert marks(alone) == {"guests": [own.format("gifts")], "gifts": [own.format("guests")]}
    assert marks(one) == marks(clean) == {}
    found = evidence.duplicates([one, other, alone, clean])
    assert [found[row.pk] for row in (one, other, alone, clean)] == [0, 1, 2, 0]


def test_whoever_sent_the_same_words_first_is_not_blamed_and_said_to_be_first(world):
    first = world.come(answers={"guests": SAME})
    others = [world.come(answers={"guests": SAME}) for _ in range(5)]
    named = ", ".join(row.participant.code for row in others[:3])
    said = f"sent here first; the same words from {named} and 2 more, sent later"
    assert (marks(first), notes(first)) == ({}, {"guests": [said]})
    source = first.participant.code
    assert marks(others[0]) == {"guests": [f"the same words from {source}, sent before"]}
    named = ", ".join(row.participant.code for row in others[1:4])
    assert notes(others[0]) == {"guests": [f"the same words from {named} and 1 more, sent later"]}
    named = ", ".join(row.participant.code for row in (first, *others[:2]))
    last = f"the same words from {named} and 2 more, sent before"
    assert (marks(others[4]), notes(others[4])) == ({"guests": [last]}, {})
    assert evidence.duplicates([first, *others]) == {row.pk: 1 for row in others}


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.REDO])
def test_what_waits_to_be_sent_is_no_duplicate_of_anything(world, status):
    sent = world.come(answers={"guests": SAME, "things": ["Kite", "Drum"]})
    writing = world.come(status, answers={"guests": SAME, "things": ["Kite", "Drum"]})
    for row in (sent, writing):
        assert marks(row) == notes(row) == {}
    assert not evidence.duplicates([sent, writing])


def test_who_was_first_is_not_known_of_words_that_may_have_been_changed_since(world):
    early = world.come(answers={"guests": SAME})
    late = world.come(answers={"guests": SAME})
    reviewing.ask_again(fresh(early), [1], "Please write more.", "rita")
    Participation.objects.filter(pk=early.pk).update(status="submitted")
    early.submissions.update(status="submitted", submitted=clock.now())
    for one, other in ((early, late), (late, early)):
        source = f"the same words from {other.participant.code}"
        assert marks(one) == {"guests": [f"{source}; who was first is not known"]}
    assert not evidence.duplicates([early, late])


def test_a_question_this_participant_was_not_asked_is_named_by_its_words(world):
    row, other = world.come(answers={"guests": SAME}), world.come(answers={"guests": SAME})
    world.silent(other, 1)
    further = Question.objects.create(study=world.study, key="visits", kind="long", position=99)
    further.texts.create(language="en", text="Who visits whom?", folded="who visits whom?")
    answers = other.submissions.get(number=1).answers
    answers.filter(question__key="guests").update(question=further)
    source = f"{other.participant.code} (at “Who visits whom?”)"
    assert marks(row) == {"guests": [f"the same words from {source}, sent before"]}


def test_short_answers_checks_and_a_new_attempt_are_no_duplicates(world):
    one = world.come(answers={"guests": "We shake hands."})
    world.come(answers={"guests": "We shake hands."})
    before = world.come(Status.TIMED_OUT, answers={"guests": SAME})
    again = world.come(participant=before.participant, attempt=2, answers={"guests": SAME})
    assert marks(one) == marks(again) == {}
    assert not evidence.duplicates([one, again])


def test_words_that_only_begin_alike_are_no_duplicates(world):
    begin = "x" * 60
    row = world.come(answers={"guests": begin + "a"})
    world.come(answers={"guests": begin + "b"})
    assert marks(row) == {}


def test_another_study_is_another_world(world):
    row, stranger = (world.come(answers={"guests": SAME}) for _ in range(2))
    elsewhere = Study.objects.create(
        slug="elsewhere", names={"en": "Elsewhere"}, languages=["en"], created=clock.now()
    )
    question = Question.objects.create(study=elsewhere, key="guests", kind="long", position=1)
    answers = stranger.submissions.get(number=1).answers
    answers.filter(question__key="guests").update(question=question)
    assert marks(row) == {}


def test_examples_given_back_are_read_in_the_participants_language(world):
    spanish = world.come(answers={"guests": "Pan y sal"})
    english = world.come(answers={"guests": "bread and salt"})
    assert marks(spanish) == {"guests": ["an example that stood below the question"]}
    assert marks(english) == {}
    assert sheets.sheet(spanish).examples == 1


def copied(row):
    """The lengths of the answers that count as copied."""
    return sheets.sheet(fresh(row)).evidence.copied


def test_whoever_copied_can_be_rejected_for_it_and_whoever_was_copied_from_cannot(world):
    victim = world.come(answers={"guests": SAME, "gifts": ALSO})
    copier = world.come(answers={"guests": SAME, "gifts": ALSO})
    assert (copied(victim), copied(copier)) == ((), (len(fold(SAME)), len(fold(ALSO))))
    refused("review.not_fair", reviewing.reject, victim, COPIED, "rita")
    short = Rejection(Reason.COPIED, "Copied.", Pay.NOTHING)
    why = refused("review.not_fair", reviewing.reject, copier, short, "rita")
    assert "at least 20 characters" in why
    reviewing.reject(copier, COPIED, "rita")
    assert (fresh(victim).status, fresh(copier).status) == ("submitted", "rejected")


def test_one_copied_sentence_rejects_nobody_and_a_long_one_does(world):
    long = " ".join((SAME, ALSO, SAME))
    world.come(answers={"guests": SAME, "gifts": long})
    one, other = (
        world.come(answers={key: text}) for key, text in (("guests", SAME), ("gifts", long))
    )
    refused("review.not_fair", reviewing.reject, one, COPIED, "rita")
    reviewing.reject(other, COPIED, "rita")


def test_words_nobody_has_sent_and_ones_own_elsewhere_are_not_copied(world):
    world.come(Status.ACTIVE, answers={"guests": SAME, "gifts": ALSO})  # a draft
    world.come(Status.REDO, answers={"guests": SAME, "gifts": ALSO})  # being changed
    before = world.come(Status.TIMED_OUT, answers={"guests": SAME, "gifts": ALSO})
    row = world.come(
        participant=before.participant, attempt=2, answers={"guests": ALSO, "gifts": SAME}
    )
    assert copied(row) == ()
    assert set(marks(row)) == {"guests", "gifts"}


def test_whoever_sends_a_form_again_has_not_copied_what_came_in_between(world):
    victim = world.come(answers={"guests": SAME, "gifts": ALSO})
    world.come(answers={"guests": SAME, "gifts": ALSO})
    for _ in range(2):
        reviewing.ask_again(fresh(victim), [1], "Please write more.", "rita")
        Participation.objects.filter(pk=victim.pk).update(status="submitted")
        victim.submissions.update(status="submitted", submitted=clock.now())
    assert copied(victim) == ()


def test_a_whole_list_shared_with_somebody_is_shown_and_one_shared_thing_is_not(world):
    one = world.come(answers={"things": ["Kite", "Drum", "Bowl"]})
    other = world.come(answers={"things": ["bowl", "kite", "DRUM"]})
    world.come(answers={"things": ["Kite", "Boat"]})
    source, copier = one.participant.code, other.participant.code
    assert marks(other) == {"things": [f"the whole list of {source}, sent before"]}
    said = f"sent here first; the whole list of {copier}, sent later"
    assert (marks(one), notes(one)) == ({}, {"things": [said]})
    lonely = world.come(answers={"things": ["Bell"]})
    world.come(answers={"things": ["Bell"]})
    assert marks(lonely) == {}


def test_times_are_compared_with_everybody_who_has_finished_and_n_is_said(world):
    rows = [world.come(minutes=minutes) for minutes in (10, 20, 30)]
    world.come(Status.ACTIVE, minutes=90)
    world.come(Status.WITHDRAWN, minutes=90)
    sheet = sheets.sheet(rows[0])
    assert sheet.usual == "20 min (15 min to 25 min, n 3)"
    assert sheet.times == 0.5
    assert [(form.time, form.usual) for form in sheet.forms] == [
        ("5 min", "10 min (7 min 30 s to 12 min, n 3)")
    ] * 2


def test_the_queue_and_a_sheet_take_as_many_queries_for_many_as_for_one(
    world, django_assert_max_num_queries
):
    rows = [world.come(answers={"guests": SAME}) for _ in range(12)]
    with django_assert_max_num_queries(12):
        sheets.sheet(fresh(rows[0]))
    with django_assert_max_num_queries(8):
        assert [line.duplicates for line in lines(rows)] == [0] + [1] * 11


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


def test_the_least_of_a_duplicate_is_counted_in_folded_characters(world):
    padded = "a b c d e f g h i j  "  # 19 once folded
    assert len(padded) > quality.LEAST_COPIED
    row = world.come(answers={"guests": padded})
    world.come(answers={"guests": padded})
    assert marks(row) == {}
