"""How workers add up: one run, an endpoint that takes 400 ms, 16 requests in flight a worker.

With 1, 2 and 4 workers the rate should be that of one times their number; then one worker after
another is given 64 requests in flight, which shows where the processor ends it. Needs PostgreSQL
and Redis, an empty DATABASE_URL and REDIS_URL in the environment:

    python -m perf.campaign [SECONDS]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from perf.installation import ROOT, Installation
from perf.runner import Load, prepare

LATENCY_MS, EACH = 400, 16
WARM = 5  # seconds until every worker has a hand in the run
QUESTIONS, SAMPLES = 2000, 30  # more than any of the runs gets done


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    if not os.environ.get("DATABASE_URL") or not os.environ.get("REDIS_URL"):
        raise SystemExit("Set DATABASE_URL and REDIS_URL: workers share a run through them.")
    order = [sys.executable, "manage.py", "stub_llm", "--port", "0", "--latency-ms", LATENCY_MS]
    stub = subprocess.Popen([*map(str, order)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert stub.stdout
        url = stub.stdout.readline().removeprefix("Ready: ").strip()
        with tempfile.TemporaryDirectory() as folder:
            installation, _ = prepare(Path(folder), url, Load(QUESTIONS, SAMPLES))
            one = measured(installation, url, 1, EACH, seconds)
            for workers, each in ((2, EACH), (4, EACH), (1, 64), (2, 64), (4, 64)):
                measured(installation, url, workers, each, seconds, one if each == EACH else None)
    finally:
        stub.terminate()
        stub.wait()


def measured(
    installation: Installation,
    url: str,
    workers: int,
    each: int,
    seconds: int,
    one: float | None = None,
) -> float:
    """Samples a second, counted at the endpoint once every worker is at it."""
    endpoint = {"base_url": url, "key_variable": "", "max_in_flight": workers * each}
    installation.env["COMMONPLACE_ENDPOINTS"] = json.dumps({"stub": endpoint})
    installation.env["COMMONPLACE_WORKER_IN_FLIGHT"] = str(each)
    processes = [
        subprocess.Popen(
            [sys.executable, "manage.py", "worker"],
            cwd=ROOT,
            env=installation.env,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(workers)
    ]
    try:
        time.sleep(WARM)
        run = installation.manage(
            *("run_benchmark", "ra_mcq", "--release", "feasts", "--model", "stub/one"),
            *("--samples", SAMPLES, "--seed", workers * 1000 + each, "--no-cache", "--no-wait"),
        )["run"]
        full = _wait_until_all_work(url, workers * each)
        before, cpu = _requests(url), _cpu(processes)
        time.sleep(seconds)
        rate = (_requests(url) - before) / seconds
        cpu = (_cpu(processes) - cpu) / seconds
        installation.manage("cancel_run", run)
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait()
    beside = f", {rate / one / workers:.2f} of linear" if one else ""
    print(
        f"{workers} × {each:>2} in flight: {rate:>6.1f} samples/s{beside}, {1000 * cpu / rate:.2f} "
        f"CPU s per 1,000, {full:.0f} s until all were at it",
        flush=True,
    )
    return rate


def _wait_until_all_work(url: str, places: int) -> float:
    began = time.perf_counter()
    while _stats(url)["in_flight"] < 0.9 * places:
        if time.perf_counter() - began > 60:
            break
        time.sleep(0.2)
    return time.perf_counter() - began


def _requests(url: str) -> int:
    return int(_stats(url)["requests"])


def _stats(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def _cpu(processes: "list[subprocess.Popen[bytes]]") -> float:
    ticks = 0
    for process in processes:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
        words = re.sub(r"^.*\)", "", stat).split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
