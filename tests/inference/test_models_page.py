"""The page of models."""

import html
import json
import re

import pytest
from django.urls import reverse

from inference.cache import store
from inference.endpoints import resolve_model, sync_endpoints, target

PRICE = {"input": 0.15, "output": 0.6}


def page(client):
    response = client.get(reverse("inference:models"))
    assert response.status_code == 200
    return response.content.decode()


def test_a_stranger_is_sent_to_sign_in(client, db):
    response = client.get(reverse("inference:models"))
    assert response.status_code == 302


def test_without_an_endpoint_the_page_says_what_to_do(as_alice, settings):
    settings.ENDPOINTS = {}
    text = page(as_alice)
    assert "No endpoint is configured" in text
    assert "COMMONPLACE_ENDPOINTS" in text
    assert "stub_llm" in text


def test_keys_are_shown_by_name_and_presence_only(as_alice, settings, monkeypatch):
    monkeypatch.setenv("HUB_KEY", "sk-very-secret")
    monkeypatch.delenv("ALT_KEY", raising=False)
    settings.ENDPOINTS = {
        "hub": {"base_url": "https://hub.example/v1", "key_variable": "HUB_KEY"},
        "alt": {"base_url": "https://alt.example/v1", "key_variable": "ALT_KEY"},
    }
    text = page(as_alice)
    assert "HUB_KEY" in text
    assert text.count("The key is missing.") == 1
    assert "sk-very-secret" not in text


def test_rates_stand_beside_the_endpoint_that_has_them(as_alice, settings):
    settings.ENDPOINTS = {
        "hub": {
            "base_url": "https://hub.example/v1",
            "key_variable": "",
            "rate": {"requests_per_minute": 500, "tokens_per_minute": 200_000},
        },
        "alt": {"base_url": "https://alt.example/v1", "key_variable": ""},
    }
    text = page(as_alice)
    assert "500 requests and 200,000 tokens a minute at most" in text
    assert text.count("a minute at most") == 1


def test_calls_and_spending_are_counted_per_model(
    as_alice, settings, stub, make_target, question, ask_all
):
    with stub() as (url, _):
        settings.ENDPOINTS = {"stub": {"base_url": url, "price": {"input": 0.15, "output": 0.6}}}
        model = resolve_model("stub/small")
        finished = ask_all(make_target(url), [question(url, f"Q{n}") for n in range(12)])
        store(model, [([n], one) for n, one in enumerate(finished)], purpose="run 1")
    settings.ENDPOINTS = {}
    text = page(as_alice)
    assert "stub/small" in text
    assert '<td class="num" data-label="Requests">12</td>' in text
    assert "simulated" in text
    assert "$0.0000" in text


@pytest.mark.parametrize(
    ("then", "today", "shown"),
    [(None, None, "no price known"), (None, PRICE, "no price then"), (PRICE, None, "$0.0")],
)
def test_what_was_spent_is_a_figure_or_the_reason_why_there_is_none(
    then, today, shown, as_alice, settings, stub, make_target, question, ask_all
):
    with stub() as (url, _):
        settings.ENDPOINTS = {"stub": {"base_url": url, "price": then}}
        model = resolve_model("stub/small")
        [one] = ask_all(target(model), [question(url)])
        store(model, [([0], one)], purpose="run 1")
    settings.ENDPOINTS = {"stub": {"base_url": url, "price": today}}
    text = page(as_alice)
    assert shown in text
    assert "never" not in text


def test_a_model_never_asked_has_spent_nothing_yet(as_alice, settings):
    settings.ENDPOINTS = {"hub": {"base_url": "https://hub.example/v1", "models": ["small"]}}
    sync_endpoints()
    text = page(as_alice)
    assert "nothing yet" in text
    assert "never" in text


def test_an_endpoint_no_longer_configured_comes_with_the_setting_that_brings_it_back(
    as_alice, settings
):
    entry = {"base_url": "https://hub.example/v1", "key_variable": "HUB_KEY", "max_in_flight": 5}
    settings.ENDPOINTS = {"hub": entry | {"price": PRICE}}
    sync_endpoints()
    settings.ENDPOINTS = {}
    text = page(as_alice)
    assert "No longer configured." in text
    setting = json.loads(html.unescape(re.search(r'<pre class="exact">(.+?)</pre>', text)[1]))
    assert setting == {"hub": entry | {"price": PRICE}}
