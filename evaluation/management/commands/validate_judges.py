"""`validate_judges`: have people judge a sample of what judges judged."""

from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from evaluation import selectors
from evaluation.services import validating
from evaluation.validation import draws
from studies.selectors import find_study


class Command(BaseCommand):
    help = "Draw judged replies of runs, of each as many, for two people each to judge"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", type=int, metavar="RUN")
        parser.add_argument("--sample", type=int, default=validating.SAMPLE, metavar="N")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--study",
            metavar="STUDY",
            help="whose members judge, where the release belongs to no study",
        )

    def work(
        self, runs: list[int], sample: int, seed: int, study: str | None, **_: Any
    ) -> dict[str, Any]:
        made = validating.validate(
            [selectors.find_run(run) for run in runs],
            audit.COMMAND_LINE,
            size=sample,
            seed=seed,
            study=find_study(study) if study else None,
        )
        return {
            "project": made.project_id,
            "study": made.project.study.slug,
            "kind": made.project.kind,
            "tasks": made.drawn.count(),
            "seed": made.seed,
            "strata": draws.strata(made),
        }
