"""Create or update a study from a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from core import commands
from core.audit import COMMAND_LINE
from studies import selectors, services
from studies.models import Study


class Command(commands.Command):
    help = "Create or update the study a file describes (docs/study-file.md)."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", metavar="FILE.yaml", type=Path)
        parser.add_argument(
            "--owner",
            metavar="EMAIL",
            help="who owns a new study (default: the first administrator, if there is one)",
        )

    def work(self, **options: Any) -> dict[str, Any]:
        loaded = services.load_file(options["path"], COMMAND_LINE, options["owner"])
        study = loaded.study
        address = reverse("studies:detail", args=(study.slug,))
        return {
            "study": study.slug,
            "created": loaded.created,
            "changes": loaded.changes,
            "regions": [region.slug for region in study.regions.all()],
            "activities": [activity.slug for activity in study.activities.all()],
            "url": address,
            "next": _next(study, address),
        }

    def show(self, result: dict[str, Any]) -> None:
        name = result["study"]
        if result["created"]:
            regions = len(result["regions"])
            self.stdout.write(f"Created {name} with {regions} regions: {result['url']}")
        elif result["changes"]:
            self.stdout.write(f"Changed {name}:")
            for change in result["changes"]:
                self.stdout.write(f"  {change}")
        else:
            self.stdout.write(f"{name} is already as the file says; nothing was changed.")
        if result["next"]:
            self.stdout.write(result["next"])


def _next(study: Study, address: str) -> str:
    """What to do next with a study that is not open yet; empty for one that is."""
    if study.status != Study.Status.SET_UP:
        return ""
    if missing := [fault for check in selectors.checklist(study) for fault in check.missing]:
        return f"Next: complete it at {address}. Still needed: {'; '.join(missing)}."
    return f"Next: open_study {study.slug}, or look at it at {address}."
