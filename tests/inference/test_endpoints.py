"""COMMONPLACE_ENDPOINTS: what it may say, and how a model is named."""

import pytest

from core.errors import CommonplaceError
from inference.endpoints import configured, resolve_model, sync_endpoints, target
from inference.models import Endpoint, LanguageModel
from inference.selectors import menu

ENTRY = {
    "base_url": "http://127.0.0.1:8123/v1/",
    "key_variable": "",
    "max_in_flight": 32,
    "price": {"input": 0.15, "output": 0.6},
}


def test_an_entry_becomes_a_row_and_syncing_again_changes_nothing(
    db, settings, django_assert_num_queries
):
    settings.ENDPOINTS = {"stub": ENTRY}
    sync_endpoints()
    row = Endpoint.objects.get()
    assert (row.name, row.base_url) == ("stub", "http://127.0.0.1:8123/v1")
    assert (row.max_in_flight, row.input_price, row.output_price) == (32, 150_000, 600_000)
    with django_assert_num_queries(2):  # reads only
        sync_endpoints()
    settings.ENDPOINTS = {"stub": ENTRY | {"max_in_flight": 4, "price": None}}
    sync_endpoints()
    changed = Endpoint.objects.get()
    assert (changed.pk, changed.max_in_flight, changed.input_price) == (row.pk, 4, None)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"base_url": None}, "base_url"),
        ({"base_url": "127.0.0.1:8123"}, "base_url"),
        ({"base_url": "http://host:99999/v1"}, "base_url"),
        ({"base_url": "https://user:sk-secret@host/v1"}, "base_url"),
        ({"base_url": "https://host/v1?key=sk-secret"}, "base_url"),
        ({"key_variable": "sk-secret"}, "key_variable"),
        ({"key_variable": None}, "key_variable"),
        ({"key": "sk-secret"}, "key"),
        ({"max_in_flight": 0}, "max_in_flight"),
        ({"max_in_flight": True}, "max_in_flight"),
        ({"max_in_flight": 2.5}, "max_in_flight"),
        ({"price": {"input": 1}}, "price"),
        ({"price": {"input": -1, "output": 1}}, "price"),
        ({"price": {"input": "free", "output": 1}}, "price"),
        ({"price": 3}, "price"),
        ({"rate": 60}, "rate"),
        ({"rate": []}, "rate"),
        ({"rate": {"requests_per_second": 1}}, "rate"),
        ({"rate": {"requests_per_minute": 0}}, "rate"),
        ({"rate": {"requests_per_minute": 2.5}}, "rate"),
        ({"rate": {"tokens_per_minute": True}}, "rate"),
        ({"rate": {"tokens_per_minute": "sk-secret"}}, "rate"),
        ({"timeout": 0}, "timeout"),
        ({"simulated": "yes"}, "simulated"),
        ({"models": "small"}, "models"),
    ],
    ids=str,
)
def test_a_wrong_entry_is_refused_by_name_and_without_repeating_its_value(change, key, settings):
    settings.ENDPOINTS = {"stub": ENTRY | change}
    with pytest.raises(CommonplaceError) as caught:
        configured()
    assert caught.value.code == "endpoint.invalid"
    assert (caught.value.data["endpoint"], caught.value.data["key"]) == ("stub", key)
    assert "sk-secret" not in str(caught.value.as_dict())


@pytest.mark.parametrize(
    ("rate", "requests", "tokens"),
    [
        (None, None, None),
        ({}, None, None),
        ({"requests_per_minute": 500}, 500, None),
        ({"tokens_per_minute": 30_000, "requests_per_minute": None}, None, 30_000),
        ({"requests_per_minute": 1, "tokens_per_minute": 1}, 1, 1),
    ],
)
def test_a_rate_limit_reaches_who_asks_and_ends_with_the_entry(
    db, settings, rate, requests, tokens
):
    settings.ENDPOINTS = {"stub": ENTRY | {"rate": rate}}
    model = resolve_model("stub/small")
    for one in (configured()["stub"], target(model)):
        assert (one.requests_per_minute, one.tokens_per_minute) == (requests, tokens)
    settings.ENDPOINTS = {}
    assert (target(model).requests_per_minute, target(model).tokens_per_minute) == (None, None)


@pytest.mark.parametrize("name", ["", "a/b", " a", "x" * 61])
def test_an_endpoint_needs_a_name_that_can_stand_before_a_slash(name, settings):
    settings.ENDPOINTS = {name: ENTRY}
    with pytest.raises(CommonplaceError) as caught:
        configured()
    assert caught.value.code == "endpoint.invalid"


def test_a_model_is_everything_after_the_first_slash(db, settings):
    settings.ENDPOINTS = {"hub": ENTRY | {"timeout": 30}}
    model = resolve_model("hub/meta/llama-3:free")
    assert (model.endpoint.name, model.name) == ("hub", "meta/llama-3:free")
    assert resolve_model("hub/meta/llama-3:free").pk == model.pk
    found = target(model)
    assert str(found) == "hub/meta/llama-3:free"
    assert (found.base_url, found.timeout) == ("http://127.0.0.1:8123/v1", 30)
    assert (found.input_price, found.output_price, found.max_in_flight) == (150_000, 600_000, 32)


@pytest.mark.parametrize(
    ("endpoints", "name", "code"),
    [
        ({}, "hub/small", "endpoint.none_configured"),
        ({"hub": ENTRY, "alt": ENTRY}, "hob/small", "endpoint.unknown"),
        ({"hub": ENTRY}, "small", "endpoint.unknown"),
        ({"hub": ENTRY}, "hub", "model.name_missing"),
        ({"hub": ENTRY}, "hub/", "model.name_missing"),
        ({"hub": ENTRY}, "hub/" + "x" * 201, "model.name_too_long"),
    ],
)
def test_a_model_that_cannot_be_found_says_why(db, settings, endpoints, name, code):
    settings.ENDPOINTS = endpoints
    with pytest.raises(CommonplaceError) as caught:
        resolve_model(name)
    assert caught.value.code == code
    assert caught.value.data
    if code in {"endpoint.unknown", "endpoint.none_configured"}:
        assert caught.value.data["known"] == sorted(endpoints)
    assert not LanguageModel.objects.exists()


def test_models_of_a_simulated_endpoint_are_simulated_and_stay_so(db, settings):
    settings.ENDPOINTS = {"stub": ENTRY}
    early = resolve_model("stub/early")
    assert not early.simulated
    settings.ENDPOINTS = {"stub": ENTRY | {"simulated": True, "models": ["listed"]}}
    assert resolve_model("stub/named").simulated
    settings.ENDPOINTS = {"stub": ENTRY}
    sync_endpoints()
    assert set(LanguageModel.objects.values_list("name", "simulated")) == {
        ("early", True),
        ("listed", True),
        ("named", True),
    }
    assert menu() == ["stub/early", "stub/listed", "stub/named"]


def test_an_endpoint_no_longer_configured_keeps_its_row_and_cannot_be_named(db, settings):
    settings.ENDPOINTS = {"old": ENTRY}
    model = resolve_model("old/small")
    settings.ENDPOINTS = {"new": ENTRY}
    with pytest.raises(CommonplaceError):
        resolve_model("old/small")
    assert target(model).timeout == settings.REQUEST_TIMEOUT
    assert menu() == []
