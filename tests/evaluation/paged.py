"""Pages of runs as a reader sees them, and the form of a new one as somebody fills it in."""

import re

from evaluation import services

JUDGES = ("stub/judge-a", "stub/judge-b")


def judged(release, *judges, given=None, **changes):
    settings = {"samples": 4, "limit": 3} | (given or {})
    asked = services.Order(
        "rasa", release.label, "stub/one", settings, judges=judges or JUDGES, **changes
    )
    return services.start_run(asked, "test")


def page(client, run, part="", **query):
    response = client.get(f"/runs/{run.pk}/{part}", query)
    assert response.status_code == 200
    return response.content.decode()


def words(html):
    """What a reader sees, without the marks of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def filled(of, **changes):
    given = {
        "benchmark": "rasa",
        "release": of.label,
        "model": "stub/one",
        "judges": "stub/judge-a",
        "samples": "3",
        "temperature": "1.0",
        "max_tokens": "120",
        "weight": "0.5",
        "limit": "4",
        "max_cost": "",
        "use_cache": "on",
        "nonce": "n1",
    } | changes
    return {name: value for name, value in given.items() if value is not None}


def hidden(html):
    """The hidden inputs of a page, as a browser would send them."""
    inputs = re.findall(r"<input[^>]*type=\"hidden\"[^>]*>", html)
    pairs = [
        (re.search(r'name="([^"]*)"', one), re.search(r'value="([^"]*)"', one)) for one in inputs
    ]
    return {name[1]: value[1] if value else "" for name, value in pairs if name}


def confirmed(client, given):
    """Estimate, then confirm what the page carries."""
    html = client.post("/runs/new/", given).content.decode()
    assert "What it will take" in html, html
    sent = {name: value for name, value in given.items() if name != "pack"}
    carried = hidden(html) | {"confirm": "1"}
    return client.post("/runs/new/", sent | carried)
