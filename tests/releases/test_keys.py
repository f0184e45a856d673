"""Keys as parts of addresses: a browser finds every item under whatever its source calls it."""

import html
import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.urls import reverse

from releases import services

ODD = [
    *("a/b", "/a", "a//b/", "/", "items/questions", ".../x", ".a"),
    *("50%", "%2e%2e", "a?b=1&c#d", "a b", "a\\b", "..\\b", "a;b", "@1", '"><script>', "'"),
    *("প্রশ্ন ১", "e\u0301", "👩\u200d🌾", "١", "k" * 120),
]


@pytest.fixture
def odd(db, question, as_bytes):
    """A release with a finding and a built item for every odd key."""
    answers = {"Hill": "bow.", "Coast": "wave.", "Plain": "nod."}
    data = as_bytes(*(question(key, answers, universal=True) for key in ODD))
    return services.import_bytes(data, "odd.json", "indica", "odd", actor="test").release


def links_to_items(client, page):
    """Where a browser would go from a page to items, as a set of the keys that are shown there."""
    response = client.get(page)
    assert response.status_code == 200, page
    found = re.findall(r'href="([^"]*/items/[^"]*)"', response.content.decode())
    shown = set()
    for link in found:
        address = urlsplit(urljoin(f"http://testserver{page}", html.unescape(link)))
        assert (address.query, address.fragment) == ("", ""), link
        reached = client.get(address.path)
        assert reached.status_code == 200, link
        shown.add(reached.context["item"].key)
    return shown


def test_every_page_leads_to_every_item_whatever_its_key(as_alice, odd):
    assert odd.items.count() == len(ODD)
    built = services.build_items("ra_mcq", odd, "odd-items", actor="test")
    for release in (odd, built):
        page = reverse("releases:questions", args=(release.name, 1))
        assert links_to_items(as_alice, page) == set(ODD)
    assert links_to_items(as_alice, reverse("releases:findings", args=("odd", 1))) == set(ODD)
    for before, key, after in zip(ODD, ODD[1:], ODD[2:], strict=False):
        page = reverse("releases:item", args=(built.name, 1, key))
        assert links_to_items(as_alice, page) == {before, key, after}
