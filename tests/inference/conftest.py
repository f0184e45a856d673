"""A real stub on a real socket, and a session that asks it; waits are a hundred times shorter."""

from contextlib import contextmanager

import pytest

from inference.client import Session
from inference.endpoints import Target
from inference.requests import ChatRequest
from inference.stub.behaviour import parse
from inference.stub.server import running


@pytest.fixture(autouse=True)
def _short_waits(settings):
    settings.TIME_SCALE = 100
    settings.RETRY_ATTEMPTS = 4


@pytest.fixture
def make_target():
    def make(url, **changes):
        known = {
            "endpoint": "stub",
            "base_url": url,
            "key_variable": "",
            "model": "small",
            "max_in_flight": 8,
            "input_price": 150_000,
            "output_price": 600_000,
            "timeout": 60.0,
        }
        # Gates are shared per endpoint: a port of its own keeps tests apart.
        return Target(**known | changes)

    return make


@pytest.fixture
def stub():
    """A stub that behaves as a document says: `with stub({...}) as (url, stub)`."""

    @contextmanager
    def serve(document=None, **options):
        with running(parse(document or {}), **options) as pair:
            yield pair

    return serve


@pytest.fixture
def question():
    def ask(url, text="Which?\n\nA. one\nB. two\nC. three", **changes):
        return ChatRequest(url, "small", (("user", text),), **{"temperature": 1.0} | changes)

    return ask


@pytest.fixture
def ask_all():
    """Send all requests over one session; the finished ones in the order of the requests."""

    def ask(target, requests, within=10):
        with Session(target) as session:
            for ticket, request in enumerate(requests):
                session.submit(ticket, request)
            found = {}
            while len(found) < len(requests):
                batch = session.collect(within)
                assert batch, f"only {len(found)} of {len(requests)} finished"
                found |= {one.ticket: one for one in batch}
        return [found[ticket] for ticket in range(len(requests))]

    return ask
