"""The cast and the ground of all tests.

Alice owns things (a superuser for now), Bob is signed in, Charlie is nobody and sees nothing.
"""

import gc
import os
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from games.selectors import snapshots
from games.services.playing import cards_of
from inference import client

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_finish(session):
    """What has been imported stays: it is never again looked through for what may go, which took
    a sixth of the time of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def pytest_collection_modifyitems(config, items):
    """What needs several servers is run on PostgreSQL and Redis alone; of the rest there, only
    what a database can make a difference to is run again.

    Tests of what pages say are left out as well: their words come of rows that the tests of
    services and selectors read there, and every page is opened there by tests/test_access.py.
    """
    if not os.environ.get("DATABASE_URL"):
        _leave_out(config, items, [i for i in items if i.get_closest_marker("several_servers")])
        return
    databases = {"db", "transactional_db", "live_server"}
    left = [
        item
        for item in items
        if item.get_closest_marker("one_database")
        or _says_what_a_page_says(item)
        or (
            item.get_closest_marker("django_db") is None
            and not databases & set(getattr(item, "fixturenames", ()))
            and "tests/system" not in item.nodeid
        )
    ]
    _leave_out(config, items, left)


def _says_what_a_page_says(item):
    mark = item.get_closest_marker("django_db")
    plain = mark is None or not mark.kwargs.get("transaction")
    return plain and item.path.stem.endswith(("_page", "_pages"))


def _leave_out(config, items, left):
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in set(left)]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """The tables were made from the models, so every migration counts as applied."""
    recorder = MigrationRecorder(connection)
    with django_db_blocker.unblock():
        recorder.ensure_schema()
        recorder.migration_qs.bulk_create(
            recorder.Migration(app=app, name=name)
            for app, name in sorted(MigrationLoader(None).disk_migrations)
        )


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of published data sets; absent, the test is skipped, in CI it fails."""
    folder = Path(os.environ.get("COMMONPLACE_DATASETS") or ROOT.parent / "shared" / "data")
    if not (folder / "indica" / "dataset.json").exists():
        reason = f"published data sets are not at {folder}; set COMMONPLACE_DATASETS"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return folder


@pytest.fixture(autouse=True)
def no_gate_of_another_test():
    """A later endpoint may get the port of an earlier one, which had asked to be left alone."""
    client._gates.clear()


@pytest.fixture(autouse=True)
def no_cards_of_another_test():
    """A game of the next test may get the number of one of the last, and its cards are other."""
    cards_of.cache_clear()
    snapshots.forget()


@pytest.fixture
def alice(db, django_user_model):
    return django_user_model.objects.create_superuser("alice@example.org", "a long password")


@pytest.fixture
def bob(db, django_user_model):
    return django_user_model.objects.create_user("bob@example.org", "another password")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    return client
