"""The page of models."""

from django.urls import reverse

from inference.cache import store
from inference.endpoints import resolve_model


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


def test_calls_and_spending_are_counted_per_model(
    as_alice, settings, stub, make_target, question, ask_all
):
    with stub() as (url, _):
        settings.ENDPOINTS = {"stub": {"base_url": url, "price": {"input": 0.15, "output": 0.6}}}
        model = resolve_model("stub/small")
        finished = ask_all(make_target(url), [question(url, f"Q{n}") for n in range(12)])
        store(model, list(enumerate(finished)), purpose="run 1")
    settings.ENDPOINTS = {}
    text = page(as_alice)
    assert "stub/small" in text
    assert '<td class="num">12</td>' in text
    assert "simulated" in text
    assert "No longer configured." in text
