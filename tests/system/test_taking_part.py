"""kill −9 of the server while people send their answers: what anybody was told is stored, and
nobody holds a code for answers that are not."""

import http.client
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from perf.installation import COUNTRY, QUESTION
from tests.system.conftest import PATIENCE, free_port, until

PEOPLE, QUESTIONS = 12, 6
WRITTEN = {f"q{number}": f"क्षण {number}: what is said" for number in range(1, QUESTIONS + 1)}


class Person:
    """Somebody on a poor line: whatever gets no answer is sent again, just as it was."""

    def __init__(self, link):
        self.link, self.code, self.told, self.revisions = link, "", set(), {}
        self.sending = False

    def send(self, path, data):
        body = urllib.parse.urlencode(data).encode()
        address = urllib.parse.urljoin(self.link, path)

        def answered():
            try:
                with urllib.request.urlopen(address, body, timeout=PATIENCE) as response:
                    return response.read().decode()
            except urllib.error.HTTPError:
                raise
            except (OSError, http.client.HTTPException):  # broken off, maybe within an answer
                return None

        return until(answered, every=0.2)

    def come_in(self):
        self.send("", {"go": "on"})
        with urllib.request.urlopen(self.link, timeout=PATIENCE) as response:
            document = re.search(r'name="document" value="(\d+)"', response.read().decode())[1]
        self.send("consent/", {"document": document, "take_part": "on"})
        lived = {"stay-0-place": "Brassgate", "stay-0-from_year": 1980, "stay-0-to_year": 2020}
        self.send("screening/", {"rows": 1, "born": 1980} | lived)

    def answer(self):
        for key, text in WRITTEN.items():
            fields = {f"answer-{key}": text, f"rev-{key}": 0}
            self.revisions |= json.loads(self.send("forms/1/save/", fields))["saved"]
            self.told.add(key)
            time.sleep(random.uniform(0.1, 0.4))  # people think between two answers
        fields = {f"answer-{key}": text for key, text in WRITTEN.items()}
        fields |= {f"rev-{key}": revision for key, revision in self.revisions.items()}
        self.sending = True
        page = self.send("forms/1/", fields | {"action": "send"})
        self.code = re.search(r'id="completion-code"[^>]*>\s*([0-9A-Z]{8})\s*<', page)[1]


@pytest.fixture
def study(empty, tmp_path):
    text = COUNTRY.format(slug="kills", people=PEOPLE, per_form=15)
    text += "".join(QUESTION.format(number=number) for number in range(1, QUESTIONS + 1))
    file = tmp_path / "kills.yaml"
    file.write_text(text)
    for order in (("load_study", file), ("open_study", "kills")):
        assert empty.manage(*order)[0] == 0
    return empty


def test_a_killed_server_loses_nothing_it_acknowledged_and_shows_no_code_too_early(study, tmp_path):
    port = free_port()
    server = study.start("serve", "--port", port)
    server.ready()
    order = ("participant_links", "kills", "--count", PEOPLE)
    code, made = study.manage(*order, "--origin", f"http://127.0.0.1:{port}")
    assert code == 0
    people = [Person(link["url"]) for link in made["links"]]
    for person in people:
        person.come_in()

    threads = [threading.Thread(target=person.answer) for person in people]
    for thread in threads:
        thread.start()

    def told(least):
        return sum(len(person.told) for person in people) >= least

    def somebody_sends():
        return any(person.sending and not person.code for person in people)

    for due in (lambda: told(12), lambda: told(30), somebody_sends, somebody_sends):
        until(due, every=0.002)
        assert any(thread.is_alive() for thread in threads)
        server.kill()
        server = study.start("serve", "--port", port)
        server.ready()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)

    out = tmp_path / "answers.jsonl"
    code, manifest = study.manage(
        "export_answers", "kills", "--format", "jsonl", "--out", out, "--drafts"
    )
    assert (code, manifest["rows"]) == (0, PEOPLE * QUESTIONS)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {(row["question"], row["text"]) for row in rows} == set(WRITTEN.items())
    assert {row["participation_status"] for row in rows} == {"submitted"}
    assert len({person.code for person in people}) == 1  # one code of the activity, for everybody
