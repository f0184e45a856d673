"""The ledger of calls and the cache of replies (cases 41 and 44)."""

import pytest
from django.db import transaction

from inference.cache import lookup, store
from inference.endpoints import resolve_model
from inference.models import Call, Completion


@pytest.fixture
def model(db, settings):
    settings.ENDPOINTS = {"stub": {"base_url": "http://127.0.0.1:1/v1"}}
    return resolve_model("stub/small")


def keep(model, finished, purpose="run 1"):
    with transaction.atomic():
        results = [([repeat], one) for repeat, one in enumerate(finished)]
        return store(model, results, purpose=purpose)


def test_thirty_repeats_are_thirty_rows_and_the_second_run_finds_the_same_texts(
    model, stub, make_target, question, ask_all
):
    with stub({"short": {"distinct": 1000}}) as (url, _):
        request = question(url, "Why?")
        finished = ask_all(make_target(url), [request] * 30)
    identities = [(request.key(), repeat) for repeat in range(30)]
    assert lookup(identities) == {}
    keep(model, finished)
    found = lookup(identities)
    assert [found[identity].text for identity in identities] == [one.text for one in finished]
    assert Completion.objects.count() == Call.objects.count() == 30
    assert lookup([(request.key(), 30)]) == {}
    assert lookup([(question(url, "Why?", temperature=0.5).key(), 0)]) == {}


def test_the_same_identity_twice_keeps_the_first_text_and_counts_both_calls(
    model, stub, make_target, question, ask_all
):
    with stub({"short": {"distinct": 1000}}) as (url, _):
        request = question(url, "Why?")
        first, second = ask_all(make_target(url, max_in_flight=1), [request] * 2)
    assert first.text != second.text
    keep(model, [first])
    last = keep(model, [second], purpose="run 2")
    assert Completion.objects.get().text == first.text
    assert Call.objects.get(pk=last[request.key(), 0]).purpose == "run 2"
    assert list(Call.objects.values_list("purpose", flat=True)) == ["run 1", "run 2"]


def test_every_failed_exchange_is_a_call_and_no_completion(
    model, stub, make_target, question, ask_all
):
    with stub({"shares": {"server_error": 1.0}}) as (url, _):
        finished = ask_all(make_target(url), [question(url)])
    keep(model, finished)
    assert not Completion.objects.exists()
    calls = Call.objects.all()
    assert [call.status for call in calls] == [500] * 4
    assert {call.error["code"] for call in calls} == {"endpoint.unavailable"}


def test_a_model_that_answers_as_simulated_is_marked_for_good(
    model, stub, make_target, question, ask_all
):
    assert not model.simulated
    with stub() as (url, _):
        finished = ask_all(make_target(url), [question(url)])
    keep(model, finished)
    model.refresh_from_db()
    assert model.simulated


def test_looking_up_thousands_takes_a_query_for_every_five_hundred_keys(
    db, django_assert_num_queries
):
    with django_assert_num_queries(3):
        assert lookup((f"{key:064}", repeat) for key in range(1200) for repeat in range(5)) == {}
