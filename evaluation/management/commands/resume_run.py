"""`resume_run`: continue a paused, failed, cancelled or abandoned run."""

from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors, services
from evaluation.management.commands.run_benchmark import usd
from evaluation.running.waiting import NOT_FINISHED, wait_for
from inference.endpoints import sync_endpoints


class Command(BaseCommand):
    help = "Continue a run with what it still lacks"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--max-cost", type=usd, metavar="USD", help="a new cost cap")
        parser.add_argument("--no-wait", action="store_true", help="return once it is queued")

    def work(self, run: int, max_cost: int | None, no_wait: bool, **_: Any) -> dict[str, Any]:
        sync_endpoints()
        resumed = services.resume_run(selectors.find_run(run), audit.COMMAND_LINE, max_cost)
        if no_wait:
            return {"run": resumed.pk, "status": resumed.status}
        return wait_for(resumed, self.note)

    def failed(self, result: dict[str, Any]) -> bool:
        return result["status"] in NOT_FINISHED
