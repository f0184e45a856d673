"""The floor a runner is measured against: a loop over our client library that writes to SQLite.

No cache, no ledger, no resume, no reading beyond a letter: what anybody writes in twenty lines.

    python -m perf.bare URL FILE SAMPLES IN_FLIGHT [N]

`FILE` holds a question a line: {"question", "choices"}. Asks each SAMPLES times in random order of
its choices, or every question once for N replies.
"""

import asyncio
import json
import random
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp

COMMIT = 200  # rows


def prompt(row: dict[str, Any], rng: random.Random) -> str:
    choices = rng.sample(row["choices"], len(row["choices"]))
    lines = [f"{letter}. {text}" for letter, text in zip("ABCD", choices, strict=True)]
    return "\n".join([row["question"], *lines, "Reply with the letter of one option."])


async def main(url: str, file: str, samples: int, in_flight: int, n: int = 1) -> None:
    rows = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
    rng = random.Random(1)
    todo = [(row, repeat) for repeat in range(samples) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder) / "bare.db")
        base.execute("pragma journal_mode=wal")
        base.execute("create table a(q text, r int, i int, said text, primary key(q, r, i))")
        kept: list[tuple[str, int, int, str]] = []

        async def work(http: aiohttp.ClientSession) -> None:
            while todo:
                row, repeat = todo.pop()
                body = {
                    "model": "stub",
                    "messages": [{"role": "user", "content": prompt(row, rng)}],
                    "temperature": 1,
                    "max_tokens": 64,
                    "n": n,
                }
                async with http.post(f"{url}/chat/completions", json=body) as response:
                    reply = await response.json()
                for choice in reply["choices"]:
                    said = choice["message"]["content"] or ""
                    kept.append((row["id"], repeat, choice["index"], said))
                if len(kept) >= COMMIT:
                    _write(base, kept)

        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            await asyncio.gather(*(work(http) for _ in range(in_flight)))
        _write(base, kept)
        print(json.dumps({"rows": base.execute("select count(*) from a").fetchone()[0]}))


def _write(base: sqlite3.Connection, kept: list[tuple[str, int, int, str]]) -> None:
    base.executemany("insert into a values(?,?,?,?)", kept)
    base.commit()
    kept.clear()


if __name__ == "__main__":
    url, file, *numbers = sys.argv[1:]
    asyncio.run(main(url, file, *map(int, numbers)))
