"""`suggest`: have suggestions made for the tasks of a study that are not decided."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.selectors import projects, suggestions
from annotation.services import suggesting
from core import commands, jobs
from core.audit import COMMAND_LINE
from core.models import Job
from inference.endpoints import sync_endpoints
from inference.prompts import load_pack, sync_prompts
from studies.selectors import find_study

POLL = 0.2  # seconds


class Command(commands.Command):
    help = "Suggest by spelling, or by a model, what annotators may compare their decision with."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="short name of the study")
        parser.add_argument("kind", metavar="KIND", help="agreement, pair or universal")
        parser.add_argument("--model", metavar="ENDPOINT/MODEL", default="", help="not by spelling")
        parser.add_argument("--prompts", metavar="PACK", type=Path, help="a zip of prompts")

    def work(
        self, study: str, kind: str, model: str, prompts: Path | None, **_: Any
    ) -> dict[str, Any]:
        sync_prompts()
        sync_endpoints()
        project = projects.access_project(find_study(study), kind)
        pack = load_pack(prompts) if prompts else ()
        job = suggesting.order(project, model, COMMAND_LINE, pack=pack)
        jobs.execute(job.pk)  # where no worker has it already
        while (job := Job.objects.get(pk=job.pk)).status in Job.UNFINISHED:
            time.sleep(POLL)
        by = model or suggestions.RULE
        made = suggestions.outcomes(project, by)
        result = {"study": study, "kind": kind, "by": by, "status": job.status, "outcomes": made}
        return result | ({"error": job.error} if job.error else {})

    def failed(self, result: dict[str, Any]) -> bool:
        return result["status"] != Job.Status.DONE

    def show(self, result: dict[str, Any]) -> None:
        for outcome, count in result["outcomes"].items():
            self.stdout.write(f"{outcome:<12} {count}")
        if "error" in result:
            self.stdout.write(result["error"]["message"])
