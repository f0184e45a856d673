"""What is found remarkable about answers before somebody decides on them."""

import pytest

from collection import quality
from collection.fairness import Reason
from collection.models import Question
from collection.selectors import evidence, sheets
from collection.selectors.reviewing import lines
from collection.services import reviewing
from collection.services.reviewing import Rejection
from core import clock
from core.text import fold
from studies.models import Participation, Study
from studies.participation import Pay, Status
from tests.collection import review_cast
from tests.collection.review_cast import fresh, refused

pytestmark = pytest.mark.django_db
SAME = "We bow twice and take off our shoes."
ALSO = "We bring sweets, never an empty hand."
COPIED = Rejection(Reason.COPIED, "Two answers are those of somebody else.", Pay.NOTHING)


@pytest.fixture
def world():
    return review_cast.world()


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


def test_the_least_of_a_duplicate_is_counted_in_folded_characters(world):
    padded = "a b c d e f g h i j  "  # 19 once folded
    assert len(padded) > quality.LEAST_COPIED
    row = world.come(answers={"guests": padded})
    world.come(answers={"guests": padded})
    assert marks(row) == {}
