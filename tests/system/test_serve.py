"""`manage.py serve` as a newcomer meets it: one line, one link, and nothing left behind."""

import http.cookiejar
import json
import os
import re
import signal
import urllib.error
import urllib.parse
import urllib.request
from functools import partial

import pytest

from tests.system.conftest import EMBEDDED, PATIENCE, children, free_port, runs, until

READY = re.compile(r"Ready: (?P<url>http://\S+?)(?:  admin: (?P<admin>http://\S+))?")


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def serve(empty, port):
    """Start a server and wait for its line: (process, its URL, the administrator's link)."""
    return partial(served, empty, port)


def served(installation, port, *options):
    process = installation.start("serve", "--port", port, *options)
    found = READY.fullmatch(process.ready())
    assert found, process.ready()
    return process, found["url"], found["admin"]


class Browser:
    def __init__(self):
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def get(self, url, data=None):
        """(status, address arrived at, text) after redirects."""
        body = urllib.parse.urlencode(data).encode() if data else None
        request = urllib.request.Request(url, body, {"Referer": url})
        try:
            with self.opener.open(request, timeout=PATIENCE) as response:
                return response.status, response.url, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, url, error.read().decode()

    def send(self, url, data):
        """Fill in the form of the page."""
        _, at, page = self.get(url)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        return self.get(at, data | {"csrfmiddlewaretoken": token[1]})


def health(url):
    return json.loads(Browser().get(f"{url}/healthz")[2])


def all_is_well(url):
    until(lambda: health(url) == {"database": True, "worker": True}, every=0.2)


@pytest.mark.one_database
def test_a_newcomer_gets_one_line_a_link_for_one_use_and_something_to_see(fresh, port):
    process, url, link = served(fresh, port)
    all_is_well(url)

    browser, password = Browser(), "quite a long password"
    assert browser.get(f"{url}/releases/")[1].startswith(f"{url}/accounts/sign-in/")
    words = {"new_password1": password, "new_password2": password}
    assert browser.send(link, words)[:2] == (200, f"{url}/")
    assert "lantern" in browser.get(f"{url}/releases/")[2].lower()
    status, _, page = Browser().get(link)
    assert "new_password1" not in page, status

    other = Browser()
    signed_in = other.send(
        f"{url}/accounts/sign-in/",
        {"username": "admin@localhost.localdomain", "password": password},
    )
    assert signed_in[:2] == (200, f"{url}/")

    process.popen.send_signal(signal.SIGTERM)
    assert process.end() == 0
    assert process.lines() == [f"Ready: {url}  admin: {link}"]
    said = process.err.read_text()
    for secret in (password, urllib.parse.urlsplit(link).path):
        assert secret not in said
    assert "Traceback" not in said

    again, _, link = served(fresh, port)
    assert link is None
    again.popen.send_signal(signal.SIGINT)
    assert again.end() == 0


@pytest.mark.one_database
def test_a_worker_that_is_killed_is_replaced_and_a_killed_server_leaves_none(serve):
    process, url, _ = serve()
    all_is_well(url)
    (worker,) = children(process.pid)
    os.kill(worker, signal.SIGKILL)
    until(lambda: children(process.pid) not in ([], [worker]))
    (worker,) = children(process.pid)
    all_is_well(url)
    process.kill()
    until(lambda: not runs(worker))


@pytest.mark.one_database
def test_a_taken_port_is_refused_with_its_number_and_nobody_elses_answer_says_ready(
    serve, empty, port
):
    _, url, _ = serve("--no-worker")
    assert health(url)["database"]
    code, result = empty.manage("serve", "--port", port)
    taken = "serve.already_running" if EMBEDDED else "serve.port_taken"
    assert (code, result["error"]["code"]) == (1, taken)
    elsewhere = empty.start("serve", "--port", port, COMMONPLACE_DATA=f"{empty.folder}/other")
    assert elsewhere.end() == 1
    assert elsewhere.lines() == []
    assert f":{port} " in elsewhere.err.read_text()
    assert "[serve.port_taken]" in elsewhere.err.read_text()


def test_a_second_server_on_the_same_folder_is_refused_only_where_it_would_lose_messages(
    serve, empty
):
    first, _, _ = serve("--no-worker")
    second = empty.start("serve", "--port", free_port(), "--no-worker")
    if EMBEDDED:
        assert second.end() == 1
        assert "[serve.already_running]" in second.err.read_text()
        first.kill()  # a lock that outlives its holder would be worse than none
        second = empty.start("serve", "--port", free_port(), "--no-worker")
    other_url = READY.fullmatch(second.ready())["url"]
    assert health(other_url)["database"]


def test_several_web_processes_serve_where_redis_is_and_are_refused_where_not(empty):
    process = empty.start("serve", "--port", free_port(), WEB_PROCESSES="2")
    if EMBEDDED:
        assert process.end() == 1
        assert process.err.read_text().startswith("WEB_PROCESSES=2 without REDIS_URL")
        assert process.err.read_text().count("\n") == 1
        return
    url = READY.fullmatch(process.ready())["url"]
    all_is_well(url)
    process.popen.send_signal(signal.SIGTERM)
    assert process.end() == 0
    assert "Traceback" not in process.err.read_text()


@pytest.mark.one_database
def test_check_starts_fetches_a_page_and_exits(fresh):
    code, result = fresh.manage("serve", "--port", port := free_port(), "--check")
    assert (code, result["url"]) == (0, f"http://127.0.0.1:{port}")
    assert result["admin"].startswith(f"{result['url']}/accounts/welcome/")


@pytest.mark.one_database
def test_a_server_for_all_addresses_and_another_name_is_ready_too(empty):
    port = free_port()
    process = empty.start(
        "serve", "--port", port, "--host", "0.0.0.0", "--check", ALLOWED_HOSTS="corpus.example.org"
    )
    assert process.end() == 0, process.err.read_text()
    assert process.lines()[0].startswith(f"Ready: http://127.0.0.1:{port}  admin: ")
