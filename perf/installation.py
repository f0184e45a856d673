"""A scratch installation to be measured: served as an operator would serve it, with open studies.

On SQLite by default; DATABASE_URL, REDIS_URL and WEB_PROCESSES in the environment are passed on.
Standard library only, so that a harness with an environment of its own can use it.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = 15  # a form
COUNTRY = """\
study: {slug}
names: {{en: A study to measure with}}
languages: [en]
country: Lantern Coast
timezone: Atlantic/Azores
currency: EUR
residency: {{more_than_percent: 50}}
regions:
  harbour:
    names: {{en: Harbour}}
    phrases: {{en: in the Harbour towns}}
    places: [Brassgate]
    target: {people}
  marsh:
    names: {{en: Marsh}}
    phrases: {{en: in the Marsh villages}}
    places: [Eelfoot]
    target: {people}
activities:
  everyday_life:
    kind: survey
    names: {{en: Questions about everyday life}}
    reward: {{kind: hourly, amount: 12.50, minutes: 25}}
consent:
  texts: {{en: We ask what people in your part of the country take for granted.}}
  purposes:
    take_part: {{en: I have read this and want to take part.}}
survey:
  prefix: {{en: "In your region, {{question}}"}}
  per_form: {per_form}
  questions:
"""
QUESTION = """\
    q{number}:
      kind: long
      texts: {{en: "What is taken for granted, number {number}? Please answer in a few sentences."}}
"""


@dataclass
class Installation:
    """`folder` holds its data; `python` is an interpreter that has the product's packages."""

    folder: Path
    port: int
    python: str = sys.executable
    env: dict[str, str] = field(default_factory=dict)
    server: "subprocess.Popen[str] | None" = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.env = {
            **os.environ,
            "COMMONPLACE_DATA": str(self.folder),
            "COMMONPLACE_DOTENV": "0",
            "SECRET_KEY": secrets.token_urlsafe(50),
            **self.env,
        }

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.server, "not started"
        return self.server.pid

    def start(self) -> float:
        """Serve; comes back when pages are answered, with the seconds that took."""
        began = time.perf_counter()
        order = (self.python, "manage.py", "serve", "--port", str(self.port))
        with (self.folder / "serve.log").open("a") as log:
            self.server = subprocess.Popen(
                order, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.server.stdout
        said = self.server.stdout.readline()
        if not said.startswith("Ready: "):
            raise SystemExit(f"The server did not start: {(self.folder / 'serve.log').read_text()}")
        return time.perf_counter() - began

    def stop(self, with_signal: int = signal.SIGTERM) -> None:
        if self.server:
            self.server.send_signal(with_signal)
            self.server.wait(timeout=60)
            assert self.server.stdout
            self.server.stdout.close()
            self.server = None

    def manage(self, *order: object) -> dict[str, Any]:
        """Run a command to its end: the one object it says."""
        done = subprocess.run(
            [self.python, "manage.py", *map(str, order), "--json"],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{order} failed: {done.stdout}{done.stderr}")
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def open_study(self, *, forms: int = 1, people: int = 5000) -> str:
        """The short name of a new study that collects answers, `forms` of 15 long questions."""
        slug = f"load_{secrets.token_hex(4)}"
        text = COUNTRY.format(slug=slug, people=people, per_form=QUESTIONS)
        numbers = range(1, forms * QUESTIONS + 1)
        text += "".join(QUESTION.format(number=number) for number in numbers)
        path = self.folder / f"{slug}.yaml"
        path.write_text(text)
        self.manage("load_study", path)
        self.manage("open_study", slug)
        return slug

    def invite(self, study: str, count: int) -> dict[str, str]:
        """Addresses of personal links by the participant's code."""
        made = self.manage("participant_links", study, "--count", count, "--origin", self.origin)
        return {link["participant"]: link["url"] for link in made["links"]}

    def stored(self, study: str) -> dict[str, dict[str, str]]:
        """Texts by question and participant, drafts too, as another process reads them."""
        path = self.folder / "stored.jsonl"
        self.manage("export_answers", study, "--drafts", "--format", "jsonl", "--out", path)
        people: dict[str, dict[str, str]] = {}
        with path.open() as lines:
            for line in lines:
                row = json.loads(line)
                people.setdefault(row["participant"], {})[row["question"]] = row["text"]
        return people

    def cpu_seconds(self) -> float:
        """Of the server and all its children so far."""
        ticks = 0
        for pid in _tree(self.pid):
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Peak resident memory of the largest process of the server."""
        peaks = [_peak_kb(pid) for pid in _tree(self.pid)]
        return max(peaks) / 1024


def _tree(pid: int) -> list[int]:
    found = [pid]
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in listed.read_text().split():
            found += _tree(int(child))
    return found


def _peak_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0
