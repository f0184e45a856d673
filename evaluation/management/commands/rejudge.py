"""`rejudge`: have the stored replies of a run judged by further judges."""

from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors, services
from evaluation.running.waiting import NOT_FINISHED, wait_for
from inference.endpoints import sync_endpoints
from inference.prompts import load_pack, sync_prompts


class Command(BaseCommand):
    help = "Judge the stored replies of a run; nothing is generated"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument(
            "--judge", action="append", required=True, metavar="J", help="endpoint/model"
        )
        parser.add_argument("--prompts", metavar="PACK", help="a zip of prompts to use instead")
        parser.add_argument("--no-wait", action="store_true", help="return once it is queued")

    def work(self, run: int, judge: list[str], no_wait: bool, **options: Any) -> dict[str, Any]:
        sync_prompts()
        sync_endpoints()
        pack = load_pack(options["prompts"]) if options["prompts"] else ()
        judged = services.rejudge(selectors.find_run(run), judge, audit.COMMAND_LINE, pack)
        if no_wait:
            return {"run": judged.pk, "status": judged.status}
        return wait_for(judged, self.note)

    def failed(self, result: dict[str, Any]) -> bool:
        return result["status"] in NOT_FINISHED
