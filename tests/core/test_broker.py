"""Messages as files: from process to process, each to one, whole or not at all."""

import contextlib
import json
import logging
import stat
import subprocess
import sys
from pathlib import Path
from queue import Empty

import pytest
from django.conf import settings
from kombu import Connection

from config.celery import app
from core import jobs

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from kombu import Connection
from kombu.transport import TRANSPORT_ALIASES
TRANSPORT_ALIASES["folder"] = "core.broker:Transport"
options = {"folder": sys.argv[1], "polling_interval": 0.01}
connection = Connection("folder://localhost//", transport_options=options)
queue = connection.SimpleQueue("celery")
"""
SENDER = """
for number in range(50):
    queue.put(number)
"""
TAKER = """
print("ready", flush=True)
payload = None
while payload != "end":
    try:
        message = queue.get(timeout=1)
    except queue.Empty:
        continue
    message.ack()
    if (payload := message.payload) != "end":
        print(payload, flush=True)
"""
HALF = '{"body": "MQ==", "content-type": "application/json", "prop'


@contextlib.contextmanager
def opened(folder, name="celery"):
    options = {"folder": str(folder), "polling_interval": 0.01}
    with (
        Connection("folder://localhost//", transport_options=options) as connection,
        connection.SimpleQueue(name) as queue,
    ):
        yield queue


def process(folder, work):
    """Another process that has `queue` open and does the work."""
    command = [sys.executable, "-c", PROGRAM + work, str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def take(folder, name="celery"):
    """The payloads of all that waits."""
    taken = []
    with opened(folder, name) as queue, contextlib.suppress(Empty):
        while True:
            message = queue.get_nowait()
            message.ack()
            taken.append(message.payload)
    return taken


def send(folder, *payloads, name="celery"):
    with opened(folder, name) as queue:
        for payload in payloads:
            queue.put(payload)


# --- From one to another ------------------------------------------------------------------------


def test_what_one_process_sent_another_gets_in_order_also_when_the_first_has_ended(tmp_path):
    with process(tmp_path, SENDER) as sender:
        assert sender.wait(20) == 0
    assert take(tmp_path) == list(range(50))
    assert list(tmp_path.iterdir()) == []


def test_each_message_goes_to_one_of_three_processes_that_wait(tmp_path):
    with contextlib.ExitStack() as stack:
        takers = [stack.enter_context(process(tmp_path, TAKER)) for _ in range(3)]
        for taker in takers:
            stack.callback(taker.kill)
        assert [taker.stdout.readline() for taker in takers] == ["ready\n"] * 3
        send(tmp_path, *range(300), *["end"] * 3)
        taken = [int(word) for taker in takers for word in taker.communicate(timeout=20)[0].split()]
    assert [taker.returncode for taker in takers] == [0, 0, 0]
    assert sorted(taken) == list(range(300))
    assert list(tmp_path.iterdir()) == []


def test_a_message_nobody_has_done_is_put_back_when_its_taker_stops(tmp_path):
    send(tmp_path, "work")
    with opened(tmp_path) as queue:
        assert queue.get_nowait().payload == "work"
        assert queue.qsize() == 0
    assert take(tmp_path) == ["work"]


def test_a_message_that_was_done_does_not_come_again(tmp_path):
    send(tmp_path, "work")
    assert take(tmp_path) == ["work"]
    assert take(tmp_path) == []


def test_queues_in_one_folder_do_not_mix(tmp_path):
    send(tmp_path, 1, 2, name="celery")
    send(tmp_path, 3, name="other.celery")
    with opened(tmp_path) as queue:
        assert queue.qsize() == 2
        assert queue.clear() == 2
        assert queue.qsize() == 0
    assert take(tmp_path, "other.celery") == [3]


# --- Files that are no messages -----------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", HALF.encode(), b"\xff\xfe\x00", b"[1, 2]", b"null", b"{}", b'{"properties": {}}'],
)
def test_a_file_that_is_no_message_stops_nothing_and_is_named(tmp_path, content, caplog):
    (tmp_path / "1_broken.celery.msg").write_bytes(content)
    send(tmp_path, "work")
    with caplog.at_level(logging.WARNING, "core.broker"):
        assert take(tmp_path) == ["work"]
    assert "1_broken.celery.msg" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_opened_is_left_where_it_is_and_stops_nothing(tmp_path):
    (tmp_path / "1_folder.celery.msg").mkdir()
    (tmp_path / "1_nowhere.celery.msg").symlink_to(tmp_path / "nothing")
    send(tmp_path, "work")
    assert take(tmp_path) == ["work"]


def test_a_message_is_not_seen_before_it_is_whole(tmp_path):
    """A sender that is killed while it writes leaves a part, and nobody takes that."""
    (tmp_path / "1_killed.part").write_text(HALF)
    with opened(tmp_path) as queue:
        assert queue.qsize() == 0
    assert take(tmp_path) == []


# --- In the product -----------------------------------------------------------------------------


@pytest.fixture
def emptied():
    """The folder of the product's own queue, with nothing in it."""
    folder = settings.QUEUE_DIR
    take(folder)
    yield folder
    take(folder)


def test_the_folder_is_its_owners_alone():
    assert stat.S_IMODE(settings.QUEUE_DIR.stat().st_mode) == 0o700


def test_a_job_is_hinted_at_by_a_file_of_its_id(emptied):
    jobs.send(7)
    (file,) = emptied.glob("*.celery.msg")
    assert json.loads(file.read_text())["headers"]["task"] == "core.run_job"
    ((arguments, _, _),) = take(emptied)
    assert arguments == [7]


def test_a_folder_that_cannot_be_written_costs_a_hint_and_no_job(emptied, tmp_path, caplog):
    emptied.rename(tmp_path / "away")
    try:
        jobs.send(7)
    finally:
        (tmp_path / "away").rename(emptied)
    assert "the broker does not answer; job 7 waits for the next sweep" in caplog.text
    jobs.send(7)
    assert len(take(emptied)) == 1


def test_a_message_cannot_reach_every_worker_so_none_is_told_to_listen_for_one():
    assert not app.connection().supports_exchange_type("fanout")
