"""How fast the simulated model answers, and how fast one session asks it.

python perf/stub.py [--samples 2000] [--latency-ms 50] [--in-flight 32]
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django  # noqa: E402  after the path is set

django.setup()

from inference.client import Session  # noqa: E402
from inference.endpoints import Target  # noqa: E402
from inference.requests import ChatRequest  # noqa: E402


def text(number: int) -> str:
    return f"Question {number}?\n\nA. one\nB. two\nC. three\n\nReply with a letter."


async def _ask_raw(port: int, numbers: range) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in numbers:
        message = {"role": "user", "content": text(number)}
        body = json.dumps({"model": "m", "temperature": 1.0, "messages": [message]}).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(answer.split(b"content-length: ")[1].split(b"\r")[0]))
    writer.close()


async def ask_raw(port: int, samples: int, connections: int) -> None:
    each = samples // connections
    await asyncio.gather(
        *(_ask_raw(port, range(c * each, (c + 1) * each)) for c in range(connections))
    )


def ask_by_session(url: str, samples: int, in_flight: int) -> None:
    target = Target("stub", url, "", "m", in_flight, 150_000, 600_000, 60.0)
    with Session(target) as session:
        sent = done = 0
        while done < samples:
            while sent < samples and sent - done < in_flight:
                request = ChatRequest(url, "m", (("user", text(sent)),), temperature=1.0)
                session.submit(sent, request)
                sent += 1
            done += len(session.collect(10))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--in-flight", type=int, default=32)
    options = parser.parse_args()
    for latency in (0, options.latency_ms):
        command = [sys.executable, "manage.py", "stub_llm", "--port", "0"]
        with subprocess.Popen(
            [*command, "--latency-ms", str(latency)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as stub:
            try:
                url = stub.stdout.readline().split()[1] if stub.stdout else ""
                began, used = time.monotonic(), time.process_time()
                if latency:
                    ask_by_session(url, options.samples, options.in_flight)
                else:
                    port = int(url.split(":")[2].removesuffix("/v1"))
                    asyncio.run(ask_raw(port, options.samples, options.in_flight))
                rate = options.samples / (time.monotonic() - began)
                cpu = 1000 * (time.process_time() - used) / options.samples
                who = "session" if latency else "bare sockets"
                print(f"{who}, {latency:g} ms: {rate:.0f} requests/s, {cpu:.2f} CPU s per 1,000")
            finally:
                stub.terminate()


if __name__ == "__main__":
    main()
