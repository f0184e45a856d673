"""How fast the simulated model answers, and how fast one session asks it.

    python -m perf.stub [--samples 2000] [--latency-ms 50] [--in-flight 32]

Bare sockets ask for one choice, then for ten; the stub's own processor time says how fast it is on
a core of its own, whatever else the machine does. Then a session asks at the latency given.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # noqa: E402  after the path is set

django.setup()

from inference.client import Session  # noqa: E402
from inference.endpoints import Target  # noqa: E402
from inference.requests import ChatRequest  # noqa: E402

CONTEXT = "People are asked what they do and say on the days of their year. " * 8
MCQ, SHORT, JUDGE = "choice", "short", "judge"
TASKS = {
    MCQ: "Question {number}?\n\nA. one\nB. two\nC. three\n\nReply with a letter.",
    SHORT: "In the North, what is done on day {number}? Reply with one sentence.",
    JUDGE: "Label it CORRECT, PARTIALLY_CORRECT or INCORRECT:\n"
    "This simulated answer is right and is number {number}.",
}
LOADS = ((MCQ, 1), (SHORT, 1), (JUDGE, 1), (SHORT, 10))  # what is asked, and the choices of each


def text(task: str, number: int) -> str:
    return f"{CONTEXT}\n{TASKS[task].format(number=number)}"


async def _ask_raw(port: int, task: str, n: int, numbers: range) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in numbers:
        messages = [{"role": "user", "content": text(task, number)}]
        body = json.dumps({"model": "m", "temperature": 1.0, "n": n, "messages": messages}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}"
        writer.write(f"{head}\r\n\r\n".encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(answer.split(b"content-length: ")[1].split(b"\r")[0]))
    writer.close()


async def ask_raw(port: int, task: str, n: int, samples: int, connections: int) -> None:
    each = samples // connections
    await asyncio.gather(
        *(_ask_raw(port, task, n, range(c * each, (c + 1) * each)) for c in range(connections))
    )


def ask_by_session(url: str, samples: int, in_flight: int) -> None:
    target = Target("stub", url, "", "m", in_flight, 150_000, 600_000, 60.0)
    with Session(target) as session:
        sent = done = 0
        while done < samples:
            while sent < samples and sent - done < in_flight:
                messages = (("user", text(MCQ, sent)),)
                session.submit(sent, ChatRequest(url, "m", messages, temperature=1.0))
                sent += 1
            done += len(session.collect(10))


def used(pid: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(latency_ms: float) -> Iterator[tuple[str, int]]:
    """A stub in a process of its own: (address, process)."""
    command = [sys.executable, "manage.py", "stub_llm", "--port", "0"]
    with subprocess.Popen(
        [*command, "--latency-ms", str(latency_ms)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as stub:
        try:
            yield (stub.stdout.readline().split()[1] if stub.stdout else ""), stub.pid
        finally:
            stub.terminate()


def measure_stub(samples: int, connections: int) -> None:
    with serving(0) as (url, pid):
        port = int(url.split(":")[2].removesuffix("/v1"))
        for task, n in LOADS:
            began, before = time.monotonic(), used(pid)
            asyncio.run(ask_raw(port, task, n, samples, connections))
            wall, processor = time.monotonic() - began, used(pid) - before
            asked = samples // connections * connections
            print(
                f"{task}, n = {n}: {asked / wall:.0f} requests/s; per processor second of the stub "
                f"{asked / processor:.0f} requests, {asked * n / processor:.0f} choices"
            )


def measure_session(samples: int, latency_ms: float, in_flight: int) -> None:
    with serving(latency_ms) as (url, _):
        began, before = time.monotonic(), time.process_time()
        ask_by_session(url, samples, in_flight)
        rate = samples / (time.monotonic() - began)
        processor = 1000 * (time.process_time() - before) / samples
        print(f"session, {latency_ms:g} ms: {rate:.0f} requests/s, {processor:.2f} CPU s per 1,000")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--in-flight", type=int, default=32)
    options = parser.parse_args()
    measure_stub(options.samples, options.in_flight)
    measure_session(options.samples, options.latency_ms, options.in_flight)


if __name__ == "__main__":
    main()
