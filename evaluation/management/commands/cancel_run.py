"""`cancel_run`: stop a run; what it has stays."""

from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors, services


class Command(BaseCommand):
    help = "Stop a run; what it has stays, and it can be resumed"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)

    def work(self, run: int, **_: Any) -> dict[str, Any]:
        cancelled = services.cancel_run(selectors.find_run(run), audit.COMMAND_LINE)
        return {"run": cancelled.pk, "status": cancelled.status}
