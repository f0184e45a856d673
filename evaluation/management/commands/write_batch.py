"""`write_batch`: write what a run's stage still lacks as files a provider works off."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors
from evaluation.batch import writing
from evaluation.management.commands.run_benchmark import usd
from inference.endpoints import sync_endpoints


class Command(BaseCommand):
    help = "Write what a run still lacks as batch files for its provider; nothing is asked"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--out", required=True, type=Path, metavar="DIR")
        parser.add_argument("--max-cost", type=usd, metavar="USD", help="a new cost cap")

    def work(self, run: int, out: Path, max_cost: int | None, **_: Any) -> dict[str, Any]:
        sync_endpoints()
        found = selectors.find_run(run)
        writing.make_folder(out)
        return writing.written(writing.prepare(found, audit.COMMAND_LINE, max_cost), out)
