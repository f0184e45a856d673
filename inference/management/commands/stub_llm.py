"""`stub_llm`: serves a simulated model until it is stopped (docs/stub.md).

Where it listens is its result, which is printed before it serves.
"""

from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.commands import Command as BaseCommand
from core.errors import CommonplaceError
from inference.stub.behaviour import load
from inference.stub.server import Stub, address, listen, server


class Command(BaseCommand):
    help = "Serve a simulated language model at an OpenAI-compatible address"
    needs_database = False

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8123, help="0 takes any free port")
        parser.add_argument("--latency-ms", type=float, default=0, help="added to every reply")
        parser.add_argument("--fail-rate", type=float, default=0, help="share answered 429 or 500")
        parser.add_argument("--behaviour", type=Path, help="a JSON file (docs/stub.md)")

    def work(self, **options: Any) -> dict[str, Any]:
        port, latency, fail_rate = options["port"], options["latency_ms"], options["fail_rate"]
        if not (0 <= fail_rate <= 1 and latency >= 0 and 0 <= port <= 65535):
            raise CommonplaceError(
                "stub.argument_invalid",
                "--fail-rate is a share from 0 to 1, --latency-ms is 0 or more, and --port is at "
                "most 65535. Correct them and start again.",
                port=port,
                latency_ms=latency,
                fail_rate=fail_rate,
            )
        behaviour = load(options["behaviour"]) if options["behaviour"] else None
        stub = Stub(behaviour, latency_ms=latency, fail_rate=fail_rate)
        try:
            listening = listen(port)
        except OSError as error:
            raise CommonplaceError(
                "stub.port_taken",
                f"Port {port} cannot be listened on ({error.strerror}). Choose another --port.",
                port=port,
            ) from error
        self._serve = partial(server(stub).run, sockets=[listening])
        url = address(listening)
        if self.as_json:
            self.note(f"Ready: {url}")
        return {"url": url}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"Ready: {result['url']}")

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        self._serve()
