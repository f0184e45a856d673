"""The review through its pages, without a script."""

import re

import pytest
from django.urls import reverse

from collection.models import FormVersion
from core import clock
from studies import services
from studies.models import Activity, Participation, Study
from studies.participation import Status
from studies.permissions import Role
from studies.services import paying
from tests.collection import review_cast

pytestmark = pytest.mark.django_db

SAYING = "You wrote about another country, not about where you live."
SAME = "We bow twice and take off our shoes."


@pytest.fixture
def world():
    return review_cast.world()


@pytest.fixture
def rita(world, client, django_user_model):
    """A researcher of the study, signed in."""
    user = django_user_model.objects.create_user("rita@example.org", "a password")
    services.invite(world.study, user.email, Role.RESEARCHER, "test")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def where(name, *arguments):
    return reverse(f"collection:{name}", args=("lantern_coast", *arguments))


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def fresh(row):
    return Participation.objects.select_related("activity__study").get(pk=row.pk)


def listed(response):
    return [line.row.code for line in response.context["lines"]]


# --- The queue ------------------------------------------------------------------------------------


def test_the_queue_has_those_that_wait_longest_first_and_the_others_by_filter(world, rita):
    second, first = world.come(region="moor"), world.come()
    world.silent(first, 24)
    done, away = world.come(Status.ACCEPTED), world.come(Status.REDO)
    world.come(Status.ACTIVE)
    world.come(Status.WITHDRAWN)
    assert listed(rita.get(where("review"))) == [first.code, second.code]
    assert listed(rita.get(where("review"), {"region": "moor"})) == [second.code]
    assert listed(rita.get(where("review"), {"status": "accepted"})) == [done.code]
    assert listed(rita.get(where("review"), {"activity": "everyday_life"}))
    assert not listed(rita.get(where("review"), {"activity": "another"}))
    everybody = [first.code, second.code, away.code, done.code]
    assert listed(rita.get(where("review"), {"status": "all"})) == everybody


@pytest.mark.parametrize("query", ["status=nonsense", "region=nowhere", "page=zero", "status="])
def test_a_filter_nobody_knows_shows_nothing_and_breaks_nothing(world, rita, query):
    assert rita.get(where("review") + "?" + query).status_code == 200


def test_a_line_says_what_is_remarkable_with_what_it_rests_on(world, rita):
    world.come(minutes=20)
    world.come(minutes=20, answers={"guests": SAME})
    row = world.come(minutes=10, answers={"guests": SAME})
    world.fail(row, "colour")
    response = rita.get(where("review"))
    line = next(each for each in response.context["lines"] if each.row.pk == row.pk)
    assert (line.time, line.times, line.n, line.duplicates) == ("10 min", 0.5, 3, 1)
    assert "0.5 ×, n 3" in text_of(response)
    assert "1 of 2 failed" in text_of(response)


def test_ticking_accepts_and_whoever_has_a_failed_check_has_no_box(world, rita):
    clean, doubtful = world.come(), world.fail(world.come(), "colour")
    page = rita.get(where("review")).content.decode()
    assert f'value="{clean.code}"' in page
    assert f'value="{doubtful.code}"' not in page
    codes = {"code": [clean.code, doubtful.code, "ELSEWHERE0"]}
    response = rita.post(where("review_accept_many"), codes, follow=True)
    assert (fresh(clean).status, fresh(doubtful).status) == ("accepted", "submitted")
    assert f"Left for you to look at: {doubtful.participant.code}" in text_of(response)


def test_accepting_nobody_says_so(world, rita):
    assert "Nobody was chosen" in text_of(rita.post(where("review_accept_many"), follow=True))


# --- One participation ----------------------------------------------------------------------------


def test_answers_stand_below_their_questions_in_both_languages(world, rita):
    answers = {"guests": "Dejamos <los> zapatos fuera.", "gifts": None, "boat": "blue"}
    row = world.come(answers={**answers, "things": ["Cometa"]})
    page = text_of(rita.get(where("review_one", row.code)))
    assert "¿Qué hay de guests?" in page
    assert "In your region, what about guests?" in page
    assert "Dejamos &lt;los&gt; zapatos fuera." in page
    assert "would rather not answer" in page
    assert "Azul" in page
    assert "Cometa" in page


def test_what_was_chosen_stands_in_the_studys_first_language_too(world, rita):
    row = world.come(answers={"boat": "blue"})
    page = rita.get(where("review_one", row.code)).content.decode()
    assert '<p class="quiet" lang="en">Blue</p>' in page
    row.submissions.update(language="en")
    assert ">Blue</p>\n" not in rita.get(where("review_one", row.code)).content.decode()


def test_where_reward_and_time_come_to_the_same_there_is_one_way_to_pay(world, rita):
    row = world.come(minutes=24)
    page = text_of(rita.get(where("review_one", row.code)))
    assert "Pay for the time spent, 5.00 EUR" in page
    assert "Pay the whole reward" not in page
    assert "The whole reward, 5.00 EUR, becomes payable" in page
    Activity.objects.update(reward="flat", amount_minor=900)
    page = text_of(rita.get(where("review_one", row.code)))
    assert "Pay the whole reward, 9.00 EUR" in page
    assert "Pay for the time spent, 8.64 EUR" in page


@pytest.mark.parametrize("reason", ["off_topic", "other"])
def test_pay_is_not_withheld_for_a_reason_that_rests_on_judgement(world, rita, reason):
    row = world.come()
    given = {"reason": reason, "text": SAYING, "pay": "nothing"}
    response = rita.post(where("review_reject", row.code), given)
    assert response.status_code == 422
    assert "Pay at least for the time spent." in text_of(response)
    assert SAYING in response.content.decode()
    assert fresh(row).status == "submitted"


def test_a_failed_check_shows_what_was_expected_and_given_and_is_decided_on_the_page(world, rita):
    row = world.fail(world.come(), "colour")
    page = text_of(rita.get(where("review_one", row.code)))
    assert "Blue Red not decided" in page
    given = {"check": "attention:colour", "decision": "counts"}
    response = rita.post(where("review_flag", row.code), given, follow=True)
    assert "Blue Red counts" in text_of(response)
    assert row.submissions.get(number=1).flags.get().decision == "counts"


def test_accepting_goes_on_to_whoever_waits_next(world, rita):
    first, second = world.come(), world.come()
    response = rita.post(where("review_accept", first.code))
    assert response["Location"] == where("review_one", second.code)
    response = rita.post(where("review_accept", first.code))  # a double click
    assert response["Location"] == where("review_one", second.code)
    assert rita.post(where("review_accept", second.code))["Location"] == where("review")
    assert fresh(first).included is True


def test_a_rejection_without_a_decision_on_pay_is_not_done_and_keeps_what_was_written(world, rita):
    row = world.come()
    given = {"reason": "off_topic", "text": SAYING}
    response = rita.post(where("review_reject", row.code), given)
    assert response.status_code == 422
    assert SAYING in response.content.decode()
    assert fresh(row).status == "submitted"


def test_a_rejection_the_rules_forbid_says_why_and_keeps_what_was_written(world, rita):
    row = world.come()
    given = {"reason": "copied", "text": SAYING, "pay": "nothing"}
    response = rita.post(where("review_reject", row.code), given)
    assert response.status_code == 422
    assert "It takes two answers of 20 characters or more" in text_of(response)
    assert SAYING in response.content.decode()
    assert fresh(row).status == "submitted"


def test_a_rejection_with_pay_for_the_time(world, rita):
    row = world.come(minutes=24)
    page = text_of(rita.get(where("review_one", row.code)))
    assert "Pay for the time spent, 5.00 EUR" in page
    given = {"reason": "off_topic", "text": SAYING, "pay": "time"}
    assert rita.post(where("review_reject", row.code), given)["Location"] == where("review")
    assert (fresh(row).status, fresh(row).paid_decision) == ("rejected", "pay")
    assert paying.earned(row) == 500
    page = text_of(rita.get(where("review_one", row.code)))
    assert SAYING in page
    assert "An appeal that succeeds" in page


def test_another_decision_than_the_one_that_stands_is_told_and_not_reported_as_done(world, rita):
    row = world.come(minutes=24)
    given = {"reason": "off_topic", "text": SAYING, "pay": "time"}
    done = rita.post(where("review_reject", row.code), given)
    assert rita.post(where("review_reject", row.code), given)["Location"] == done["Location"]
    response = rita.post(where("review_reject", row.code), given | {"reason": "other"})
    assert response.status_code == 409
    said = text_of(response)
    assert "Another decision stands already: rejected (Answers that have nothing to do" in said
    assert "5.00 EUR to be paid. Nothing was changed." in said
    assert fresh(row).ended_reason == "off_topic"


def test_asking_again_names_forms_and_says_why(world, rita):
    row = world.come()
    response = rita.post(where("review_ask_again", row.code), {"text": "Please write more."})
    assert response.status_code == 422
    given = {"numbers": ["2"], "text": "Please write more."}
    rita.post(where("review_ask_again", row.code), given)
    assert fresh(row).status == "redo"
    assert row.submissions.get(number=2).asked_again == "Please write more."


def test_pay_and_inclusion_are_decided_on_their_own(world, rita):
    late, done = (
        world.come(Status.TIMED_OUT, minutes=24),
        world.come(Status.ACCEPTED, included=True),
    )
    rita.post(where("review_pay", late.code), {"pay": "time"})
    assert paying.earned(late) == 500
    assert rita.post(where("review_pay", late.code), {"pay": "nothing"}).status_code == 422
    rita.post(where("review_include", done.code), {"included": "no"})
    assert fresh(done).included is False
    assert fresh(done).status == "accepted"


def ledger(row):
    return list(row.ledger.order_by("pk").values_list("kind", "amount_minor"))


def test_who_is_paid_is_said_to_be_paid_and_is_not_offered_pay_again(world, rita):
    row = world.come(minutes=24)
    given = {"reason": "off_topic", "text": SAYING, "pay": "time"}
    rita.post(where("review_reject", row.code), given)
    page = text_of(rita.get(where("review_one", row.code)))
    assert "5.00 EUR to be paid." in page
    paying.pay(row, 500, "an order")
    response = rita.get(where("review_one", row.code))
    page = text_of(response)
    assert "Paid 5.00 EUR. In the results: no." in page
    assert "nothing more becomes payable" in page
    assert "to be paid" not in page
    assert where("review_pay", row.code) not in response.content.decode()
    before = ledger(row)
    response = rita.post(where("review_pay", row.code), {"pay": "time"}, follow=True)
    assert f"Nothing changed for {row.participant.code}: paid 5.00 EUR." in text_of(response)
    assert ledger(row) == before


def test_only_what_is_more_than_is_owed_already_is_offered(world, rita):
    Activity.objects.update(reward="flat", amount_minor=900)
    row = fresh(world.come(Status.TIMED_OUT, minutes=24))
    rita.post(where("review_pay", row.code), {"pay": "time"})
    paying.pay(row, 500, "an order")
    page = text_of(rita.get(where("review_one", row.code)))
    assert "Paid 5.00 EUR, 3.64 EUR to be paid." in page
    assert "Pay the whole reward, 9.00 EUR" in page
    assert "Pay for the time spent" not in page
    response = rita.post(where("review_pay", row.code), {"pay": "reward"}, follow=True)
    assert f"{row.participant.code} is to be paid." in text_of(response)
    assert paying.earned(row) == 900


def test_who_was_accepted_and_paid_is_said_to_be_paid(world, rita):
    row = world.come(minutes=24)
    rita.post(where("review_accept", row.code))
    paying.pay(row, 500, "an order")
    assert "Paid 5.00 EUR. In the results: yes." in text_of(rita.get(where("review_one", row.code)))


def test_where_there_is_nothing_to_decide_nothing_leads_there(world, rita):
    away, here = world.come(Status.REDO), world.come()
    page = rita.get(where("review_one", away.code)).content.decode()
    assert "There is nothing to decide now." in page
    assert ">Decide<" not in page
    assert (
        '<a href="#decide">Decide</a>' in rita.get(where("review_one", here.code)).content.decode()
    )


def test_the_way_back_leads_through_the_review(world, rita):
    response = rita.get(where("review_one", world.come().code))
    assert ("Review", where("review")) in response.context["crumbs"]


def test_people_languages_and_questions_are_called_as_people_call_them(world, rita):
    world.come(answers={"guests": SAME})
    row = world.fail(world.come(answers={"guests": SAME}), "colour")
    page = text_of(rita.get(where("review_one", row.code)))
    assert "They read Spanish (es)." in page
    assert "In your region, what about guests? (form 1): the same words from" in page
    assert "Let it count (What about colour?)" in page
    assert "Excuse it (What about colour?)" in page


def test_what_a_repeated_question_was_compared_with_is_named_by_its_words(world, rita):
    document = world.versions[1].document
    again = next(each for each in document["questions"] if each["key"] == "colour")
    again["check"] = {"type": "repeated", "of": "boat"}
    FormVersion.objects.filter(pk=world.versions[1].pk).update(document=document)
    row = world.come()
    page = text_of(rita.get(where("review_one", row.code)))
    assert "the same as at “In your region, what about boat?”" in page


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.WITHDRAWN, Status.INVITED])
def test_what_is_not_sent_or_withdrawn_is_not_read(world, rita, status):
    row = world.come(status)
    response = rita.get(where("review_one", row.code))
    assert response.status_code == 404
    assert "There is nothing to review here" in text_of(response)


def test_another_studys_participation_is_not_found(world, rita):
    row = world.come()
    elsewhere = Study.objects.create(
        slug="elsewhere", names={"en": "Elsewhere"}, languages=["en"], created=clock.now()
    )
    Activity.objects.filter(pk=world.activity.pk).update(study=elsewhere)
    assert rita.get(where("review_one", row.code)).status_code == 404
    assert rita.post(where("review_accept", row.code)).status_code == 404
    rita.post(where("review_accept_many"), {"code": [row.code]})
    assert fresh(row).status == "submitted"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MODERATOR, Role.ANNOTATOR])
def test_whoever_only_watches_neither_reads_nor_decides(world, client, django_user_model, role):
    row = world.come()
    user = django_user_model.objects.create_user("vic@example.org", "a password")
    services.invite(world.study, user.email, role, "test")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(where("review")).status_code == 403
    assert client.get(where("review_one", row.code)).status_code == 403
    for name in ("accept", "ask_again", "reject", "pay", "include", "flag"):
        assert client.post(where(f"review_{name}", row.code)).status_code == 403
    assert client.post(where("review_accept_many"), {"code": [row.code]}).status_code == 403
    assert fresh(row).status == "submitted"
