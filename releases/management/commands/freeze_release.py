"""Freeze the gold of a study as a release."""

from typing import Any

from django.core.management.base import CommandParser

from core import commands
from core.audit import COMMAND_LINE
from releases import consistency, services
from studies.selectors import find_study


class Command(commands.Command):
    help = "Freeze what the annotation of a study decided as a release."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name")
        parser.add_argument("--name", metavar="N", help="name of the release (default: STUDY)")
        parser.add_argument("--licence", metavar="L", default="", help="as in CC-BY-4.0")
        parser.add_argument(
            "--accept", metavar="REASON", default="", help="why the findings there are may stay"
        )

    def work(self, **options: Any) -> dict[str, Any]:
        study = find_study(options["study"])
        release, created = services.freeze_study(
            study,
            options["name"] or study.slug,
            actor=COMMAND_LINE,
            licence=options["licence"],
            accepted=options["accept"],
        )
        items = release.items.count()
        findings = release.findings.order_by("pk").values(
            "code", "item", "detail", "accepted_by", "reason"
        )
        return {
            "release": release.label,
            "sha256": release.sha256,
            "created": created,
            "read": items,
            "kept": items,
            "refused": [],
            "findings": list(findings),
        }

    def show(self, result: dict[str, Any]) -> None:
        done = "Frozen as" if result["created"] else "Nothing has changed since"
        self.stdout.write(f"{done} {result['release']}  {result['sha256']}")
        self.stdout.write(f"{result['kept']} items")
        for finding in result["findings"]:
            self.stdout.write(f"  {finding['item']}: {consistency.sentence(finding['code'])}")
