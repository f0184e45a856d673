"""`reparse`: read the stored replies and verdicts of a run again."""

from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors, services


class Command(BaseCommand):
    help = "Read the stored replies and verdicts of a run again; nothing is asked"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)

    def work(self, run: int, **_: Any) -> dict[str, Any]:
        found = selectors.find_run(run)
        changed = services.reparse(found, audit.COMMAND_LINE)
        return {"run": run, "changed": changed, "outcomes": selectors.outcomes(found)}
