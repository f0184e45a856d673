"""How fast a run is, what it costs in processor time and memory, beside a bare loop and others.

| load | what runs |
|---|---|
| `samples` | 20,000 samples of 2,000 questions of four options, a request each |
| `short` | the same with 2,000 samples, where starting up counts |
| `memory` | 10,000, then 100,000 calls: what the worker holds |
| `choices` | 2,000 questions × 10 samples, ten replies a request |

At an endpoint that takes 50 ms, with 32 requests in flight, the database included. A line is one
command from its start to its end, with the worker it starts: wall and processor seconds of the
whole tree, the most resident memory of one process and of the tree. Ours and the bare loop
(`perf.bare`) take turns. `--beside FOLDER` runs Inspect AI and lm-eval in the same turn, from a
copy of the evaluation harness with its environments.

    python -m perf.runner samples|short|memory|choices [--rounds 2] [--stub URL] [--beside FOLDER]

SQLite in a scratch folder, or DATABASE_URL and REDIS_URL of the environment (then the database's
own processor time is not in the figure).
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perf.installation import ROOT, Installation, _tree

QUESTIONS, REGIONS, IN_FLIGHT, LATENCY_MS = 2000, ("North", "South", "East", "West"), 32, 50
WORDS = ("rice", "lamp", "shawl", "drum")


@dataclass(frozen=True)
class Load:
    questions: int
    samples: int  # of each question
    n: int = 1  # replies a request of the bare loop


LOADS = {
    "samples": [Load(QUESTIONS, 10)],
    "short": [Load(QUESTIONS, 1)],
    "memory": [Load(QUESTIONS, 5), Load(QUESTIONS, 50)],
    "choices": [Load(QUESTIONS, 1, 10)],
}


@dataclass(frozen=True)
class Taken:
    """What one command took; memory in MB."""

    name: str
    samples: int
    wall: float
    cpu: float
    largest: float
    tree: float

    def line(self) -> str:
        return (
            f"{self.name:<12} {self.samples:>7,} samples {self.wall:>7.1f} s "
            f"{self.samples / self.wall:>7.0f}/s  {1000 * self.cpu / self.samples:>6.2f} CPU s "
            f"per 1,000  {self.largest:>5.0f} MB largest, {self.tree:>5.0f} MB tree"
        )


def questions(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{number:05d}",
            "question": f"({number}) Which of these is customary at a feast in the evening?",
            "choices": [f"{word} {number * 7919 % 1_000_003}" for word in WORDS],
        }
        for number in range(count)
    ]


def as_release(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The questions in the published format: one region for each choice, none agrees."""
    pairs = [f"{a}_{b}" for n, a in enumerate(REGIONS) for b in REGIONS[n + 1 :]]
    return {
        "questions": [
            {
                "question_id": row["id"],
                "question_text": row["question"],
                "question_domain": "Feasts",
                "question_subcategory": "Evenings",
                "question_topic": "Customs",
                **{
                    region: {"answer": [f"In {region} Coast, {choice}."]}
                    for region, choice in zip(REGIONS, row["choices"], strict=True)
                },
                "pairwise_agreements": {pair: {"agreement": False} for pair in pairs},
                "universal_agreement": False,
            }
            for row in rows
        ]
    }


def measured(name: str, samples: int, order: Sequence[str], **options: Any) -> Taken:
    """Run a command to its end. Processor time is that of the command and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    running = subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    most = {"largest": 0.0, "tree": 0.0}
    watching = threading.Thread(target=_watch, args=(running, most), daemon=True)
    watching.start()
    out, err = running.communicate()
    wall = time.perf_counter() - began
    watching.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode:
        raise SystemExit(f"{name} failed: {out.decode()[-2000:]}{err.decode()[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(name, samples, wall, cpu, most["largest"], most["tree"])


def _watch(running: "subprocess.Popen[bytes]", most: dict[str, float]) -> None:
    while running.poll() is None:
        try:
            sizes = [_resident_mb(pid) for pid in _tree(running.pid)]
        except OSError:
            continue
        most["largest"] = max(most["largest"], *sizes)
        most["tree"] = max(most["tree"], sum(sizes))
        time.sleep(0.1)


def _resident_mb(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def stub(given: str | None) -> Iterator[str]:
    """The address of an endpoint that takes 50 ms: the one given, or our own."""
    if given:
        yield given
        return
    order = [sys.executable, "manage.py", "stub_llm", "--port", "0"]
    running = subprocess.Popen(
        [*order, "--latency-ms", str(LATENCY_MS)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert running.stdout
        yield running.stdout.readline().removeprefix("Ready: ").strip()
    finally:
        running.terminate()
        running.wait()


def prepare(folder: Path, url: str, load: Load) -> tuple[Installation, Path]:
    """An installation with the release `feasts`, and the same questions as a file."""
    endpoint = {"base_url": url, "key_variable": "", "max_in_flight": IN_FLIGHT}
    endpoint["price"] = {"input": 0.15, "output": 0.6}
    env = {"COMMONPLACE_ENDPOINTS": json.dumps({"stub": endpoint})}
    installation = Installation(folder / "data", 0, env=env)
    rows = questions(load.questions)
    release, plain = folder / "feasts.json", folder / "feasts.jsonl"
    release.write_text(json.dumps(as_release(rows)))
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows))
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=installation.env,
        check=True,
    )
    installation.manage("import_release", "indica", release, "--name", "feasts")
    return installation, plain


def ours(installation: Installation, load: Load, seed: int) -> Taken:
    if load.n > 1:
        benchmark, samples = "rasa", load.n
        total = load.questions * len(REGIONS) * load.n
    else:
        benchmark, samples = "ra_mcq", load.samples
        total = load.questions * load.samples
    order = [sys.executable, "manage.py", "run_benchmark", benchmark, "--release", "feasts"]
    order += ["--model", "stub/stub", "--samples", str(samples), "--seed", str(seed)]
    order += ["--no-cache", "--json"]
    return measured("Commonplace", total, order, cwd=ROOT, env=installation.env)


def bare(url: str, plain: Path, load: Load) -> Taken:
    numbers = [load.samples, IN_FLIGHT] + ([load.n] if load.n > 1 else [])
    order = [sys.executable, "-m", "perf.bare", url, str(plain), *map(str, numbers)]
    return measured("bare loop", load.questions * load.samples * load.n, order, cwd=ROOT)


def others(folder: Path, url: str, plain: Path, load: Load) -> list[Taken]:
    """Inspect AI and lm-eval on the same questions, as the harness runs them."""
    rows = [json.loads(line) for line in plain.read_text("utf-8").splitlines()]
    with (folder / "mcq.jsonl").open("w") as file:
        for repeat in range(load.samples):
            for row in rows:
                changed = {"id": f"{row['id']}-{repeat}", "answer": 0}
                changed["question"] = f"{row['question']} ({repeat})"
                file.write(json.dumps(row | changed) + "\n")
    total = str(load.questions * load.samples)
    env = {**os.environ, "OPENAI_API_KEY": "x", "STUB_API_KEY": "x", "STUB_BASE_URL": url}
    env |= {"INSPECT_LOG_DIR": str(folder / "logs"), "HF_HUB_OFFLINE": "1"}
    env |= {"HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    inspect = ["venv-inspect/bin/inspect", "eval", "inspect_task.py", "-T", f"n={total}"]
    inspect += ["--model", "openai-api/stub/stub", "--temperature", "0", "--display", "none"]
    inspect += ["--max-connections", str(IN_FLIGHT), "--max-samples", str(IN_FLIGHT)]
    model = f"model=stub,base_url={url}/chat/completions,num_concurrent={IN_FLIGHT}"
    lm = ["venv-lmeval/bin/lm_eval", "run", "--model", "local-chat-completions", "--model_args"]
    lm += [f"{model},tokenizer_backend=None,max_retries=3", "--include_path", "lmeval_tasks"]
    lm += ["--tasks", "stub_mcq", "--apply_chat_template", "--limit", total]
    lm += ["--output_path", "lmout", "--log_samples"]
    return [
        measured("lm-eval", int(total), lm, cwd=folder, env=env),
        measured("Inspect AI", int(total), inspect, cwd=folder, env=env),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m perf.runner")
    parser.add_argument("load", choices=LOADS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--stub", help="the base URL of an endpoint that takes 50 ms")
    parser.add_argument("--beside", type=Path, help="a copy of the evaluation harness")
    given = parser.parse_args()
    for load in LOADS[given.load]:
        with tempfile.TemporaryDirectory() as folder, stub(given.stub) as url:
            installation, plain = prepare(Path(folder), url, load)
            for turn in range(given.rounds):
                print(ours(installation, load, turn + 1).line(), flush=True)
                print(bare(url, plain, load).line(), flush=True)
            if given.beside:
                for one in others(given.beside, url, plain, load):
                    print(one.line(), flush=True)


if __name__ == "__main__":
    main()
