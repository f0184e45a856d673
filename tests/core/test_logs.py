"""The log names no personal link, whatever is logged."""

import io
import logging
from logging.config import DictConfigurator

import pytest
from django.conf import settings

TOKEN = "7K2M9QXW4D.q3vT0pJ_x1mAcZ-6uYh8LwRk2Ns5BdE7gF9iK4oPtVs"


@pytest.fixture
def written():
    """What the product's own handler writes, as one text."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    line = settings.LOGGING["formatters"]["line"]
    handler.setFormatter(DictConfigurator(settings.LOGGING).configure_formatter(line))
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream.getvalue
    root.removeHandler(handler)


@pytest.mark.parametrize("token", [TOKEN, TOKEN.replace(".", "%2E"), TOKEN.replace(".", "%2e")])
def test_a_personal_link_is_short_in_message_and_arguments(written, token):
    logger = logging.getLogger("django.request")
    logger.error("Internal Server Error: %s", f"/p/{token}/forms/3/?rows=10")
    logger.error(f"/p/{token}/")
    assert token[12:] not in written()
    assert "/p/7K2M…/forms/3/?rows=10" in written()


def test_a_personal_link_is_short_in_a_traceback(written):
    try:
        {}[f"/p/{TOKEN}/"]
    except KeyError:
        logging.getLogger("core").exception("It failed.")
    assert TOKEN not in written()
    assert "KeyError: '/p/7K2M…/'" in written()


def test_what_is_no_link_is_written_as_it_is(written):
    logging.getLogger("core").error("Release 1.20 of 7K2M9QXW4D at config.settings.py")
    assert "Release 1.20 of 7K2M9QXW4D at config.settings.py" in written()
