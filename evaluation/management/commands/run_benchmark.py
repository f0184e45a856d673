"""`run_benchmark`: start a run and wait for it (cli.md "Runs")."""

from argparse import ArgumentTypeError
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import benchmarks, selectors, services
from evaluation.batch import writing
from evaluation.running.waiting import NOT_FINISHED, own_worker, wait_for
from inference.endpoints import sync_endpoints
from inference.prompts import load_pack, sync_prompts


class Command(BaseCommand):
    help = "Run a benchmark over a release with one model"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="B", help=", ".join(benchmarks.names()))
        parser.add_argument("--release", required=True, metavar="N")
        parser.add_argument("--model", required=True, metavar="ENDPOINT/MODEL")
        parser.add_argument(
            "--judge", action="append", default=[], metavar="J", help="endpoint/model; repeatable"
        )
        parser.add_argument("--preset", help="how items are made from questions")
        parser.add_argument("--prompts", metavar="PACK", help="a zip of prompts to use instead")
        parser.add_argument("--samples", type=int, metavar="K", help="samples of each item")
        parser.add_argument("--limit", type=int, metavar="L", help="the first L items only")
        parser.add_argument("--seed", type=int, default=0, metavar="S")
        parser.add_argument("--max-cost", type=usd, metavar="USD", help="pause before passing it")
        parser.add_argument("--set", action="append", default=[], type=pair, metavar="KEY=VALUE")
        parser.add_argument(
            "--no-cache", action="store_true", help="ask even where a reply is kept"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what it would take")
        parser.add_argument("--no-wait", action="store_true", help="return once it is queued")
        parser.add_argument(
            "--batch", type=Path, metavar="DIR", help="ask nothing; write batch files to DIR"
        )

    def work(self, **options: Any) -> dict[str, Any]:
        sync_prompts()
        sync_endpoints()
        given = dict(options["set"])
        for name in ("preset", "samples", "limit"):
            if options[name] is not None:
                given[name] = options[name]
        order = services.Order(
            benchmark=options["benchmark"],
            release=options["release"],
            model=options["model"],
            given=given,
            seed=options["seed"],
            cap_micro=options["max_cost"],
            use_cache=not options["no_cache"],
            pack=load_pack(options["prompts"]) if options["prompts"] else (),
            judges=options["judge"],
            by_batch=options["batch"] is not None,
        )
        if options["dry_run"]:
            prepared = services.prepare(order, audit.COMMAND_LINE)
            return selectors.estimate(prepared, by_batch=order.by_batch)
        self._compare_with_cap(order)
        if options["batch"] is not None:
            return writing.start(order, options["batch"], audit.COMMAND_LINE)
        if options["no_wait"]:
            run = services.start_run(order, audit.COMMAND_LINE)
            return {"run": run.pk, "status": run.status}
        with own_worker() as child:
            return wait_for(services.start_run(order, audit.COMMAND_LINE), self.note, child)

    def _compare_with_cap(self, order: services.Order) -> None:
        """Say beforehand where the cap may not be enough."""
        if order.cap_micro is None:
            return
        prepared = services.prepare(order, audit.COMMAND_LINE)
        cost = selectors.estimate(prepared, by_batch=order.by_batch)["cost"]
        if cost is not None and cost > order.cap_micro:
            self.note(
                f"The run may cost {cost / 1_000_000:.6f} USD at most, which is more than the cap "
                f"of {order.cap_micro / 1_000_000:.6f} USD. It pauses before it would pass the "
                "cap; nothing is lost then, and it goes on with a higher one."
            )

    def failed(self, result: dict[str, Any]) -> bool:
        return result.get("status") in NOT_FINISHED and "files" not in result


def pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise ArgumentTypeError(f"{text!r} is not key=value")
    return key.replace("-", "_"), value


def usd(text: str) -> int:
    """US dollars as whole micro-USD."""
    try:
        amount = Decimal(text) * 1_000_000
    except DecimalException:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount <= services.LARGEST:
        raise ArgumentTypeError(f"{text!r} is not an amount of US dollars")
    return int(amount)
