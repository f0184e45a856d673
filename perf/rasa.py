"""How many requests a judged run takes: 200 question–region pairs × 30 samples, 8 distinct replies
a pair, and a judge. At an endpoint that brings all replies at once, one that brings 8, one that
brings one and one that copies.

A verdict is wanted for every sample; requests are set against samples + verdicts. The tables of
the report are to be the same however the replies came.

    python -m perf.rasa
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from perf.installation import ROOT
from perf.runner import REGIONS, Load, prepare

PAIRS, SAMPLES, DISTINCT = 200, 30, 8
MODES = {"all at once": "honour", "eight at once": "cap:8", "one": "ignore", "copies": "copy"}
TABLES = ("full", "partial", "incorrect", "overall", "by_region", "sensitivity", "outcomes")


def main() -> None:
    tables = {}
    for name, mode in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            tables[name], line = measured(Path(folder), mode)
        print(f"{name:<14} {line}", flush=True)
    same = [name for name in MODES if tables[name] == tables["all at once"]]
    print(f"The same tables: {', '.join(same)}")


def measured(folder: Path, mode: str) -> tuple[dict[str, Any], str]:
    """The judge's tables, and a line of figures."""
    behaviour = folder / "behaviour.json"
    behaviour.write_text(json.dumps({"n": mode, "short": {"distinct": DISTINCT}}))
    order = [sys.executable, "manage.py", "stub_llm", "--port", "0", "--behaviour", str(behaviour)]
    stub = subprocess.Popen(order, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert stub.stdout
        url = stub.stdout.readline().removeprefix("Ready: ").strip()
        load = Load(PAIRS // len(REGIONS), SAMPLES)
        installation, _ = prepare(folder, url, load)
        began = time.perf_counter()
        run = installation.manage(
            *("run_benchmark", "rasa", "--release", "feasts", "--model", "stub/one"),
            *("--judge", "stub/judge", "--samples", SAMPLES),
        )
        seconds = time.perf_counter() - began
        with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
            requests = json.load(answer)["requests"]
        judge = installation.manage("report", run["run"])["judges"]["stub/judge"]
    finally:
        stub.terminate()
        stub.wait()
    wanted = 2 * run["samples"]
    line = f"{requests:>6,} requests for {wanted:,}: {requests / wanted:.3f}, {seconds:.1f} s"
    return {name: judge[name] for name in TABLES}, line


if __name__ == "__main__":
    main()
