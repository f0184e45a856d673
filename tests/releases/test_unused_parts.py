"""Files of releases that no release holds: what a worker leaves that died while it froze."""

import os
import threading

import pytest
from django.core.files.base import ContentFile
from django.db import connection

from core import clock, jobs
from core.models import Tick
from releases import services, storing
from releases.models import Part
from releases.services import freezing

pytestmark = pytest.mark.django_db
DUTY = "releases.remove_unused_parts"


class Killed(BaseException):
    """As a signal ends a worker: nothing that would tidy up sees it."""


def path_of(sha256):
    return storing._store().path(storing._name(sha256))


def stored():
    """Names of all part files there are."""
    store = storing._store()
    folders = store.listdir("parts")[0] if store.exists("parts") else []
    return {name for folder in folders for name in store.listdir(f"parts/{folder}")[1]}


def held():
    return {f"{sha256}.jsonl" for sha256 in Part.objects.values_list("sha256", flat=True)}


def grow_old(settings):
    """Every part file was last written longer ago than an unused one is kept."""
    old = clock.ago(settings.UNUSED_PARTS_KEPT + 60).timestamp()
    for name in stored():
        os.utime(path_of(name.partition(".")[0]), (old, old))


@pytest.fixture
def killed(monkeypatch, sample):
    """A worker has died between the files of a release and its row; another release stands."""

    def die(*_arguments, **_named):
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(freezing, "_insert", die)
        with pytest.raises(Killed):
            services.build_items("ra_mcq", sample, "coast", actor="test")
    assert stored() > held()
    return sample


def test_what_a_killed_worker_left_goes_once_it_is_old_and_nothing_else(killed, settings):
    grow_old(settings)
    left = len(stored() - held())
    assert storing.remove_unused() == left
    assert stored() == held()
    for part in killed.parts.all():
        assert len(storing.read(part)) == part.size
    assert storing.remove_unused() == 0


def test_what_is_young_may_belong_to_a_freezing_that_is_not_done(killed):
    before = stored()
    assert storing.remove_unused() == 0
    assert stored() == before


def test_a_freezing_that_finds_an_old_file_keeps_it_from_the_sweep(killed, settings, monkeypatch):
    """Its bytes lie there from the worker that died, and its row is not written yet."""
    grow_old(settings)
    insert, swept = freezing._insert, []

    def sweep_first(*arguments, **named):
        swept.append(storing.remove_unused())
        return insert(*arguments, **named)

    monkeypatch.setattr(freezing, "_insert", sweep_first)
    built = services.build_items("ra_mcq", killed, "coast", actor="test")
    assert swept == [0]
    for part in built.parts.all():
        assert len(storing.read(part)) == part.size


def test_a_spare_copy_of_two_who_wrote_at_once_goes_and_the_file_stays(sample, settings):
    part = sample.parts.get(name="items")
    spare = storing._store().save(storing._name(part.sha256), ContentFile(b"half"))
    old = clock.ago(settings.UNUSED_PARTS_KEPT + 60).timestamp()
    os.utime(storing._store().path(spare), (old, old))
    grow_old(settings)
    assert storing.remove_unused() == 1
    assert stored() == held()


def test_words_that_were_erased_and_written_again_do_not_stay(sample, settings):
    part = sample.parts.get(name="findings")
    Part.objects.filter(pk=part.pk).update(purged_at=clock.now())
    grow_old(settings)
    assert storing.remove_unused() == 1
    assert f"{part.sha256}.jsonl" not in stored()


def test_nothing_frozen_is_nothing_to_remove():
    assert storing.remove_unused() == 0


def test_workers_do_it_in_turn(killed, settings):
    grow_old(settings)
    jobs.do_duties()
    assert stored() == held()
    assert Tick.objects.get(name=DUTY).due > clock.now()


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_remove_each_file_and_break_nothing(killed, settings):
    grow_old(settings)
    gate, broke = threading.Barrier(2), []

    def sweep():
        try:
            gate.wait()
            storing.remove_unused()
        except Exception as error:
            broke.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert broke == []
    assert stored() == held()
