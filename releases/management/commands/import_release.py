"""Freeze a published data set as a release."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core import commands
from core.audit import COMMAND_LINE
from releases import importers, services


class Command(commands.Command):
    help = "Import a published data set and freeze it as a release."

    def arguments(self, parser: CommandParser) -> None:
        formats = ", ".join(importers.FORMATS)
        parser.add_argument("format", metavar="FORMAT", help=f"one of: {formats}")
        parser.add_argument(
            "path",
            metavar="PATH",
            type=Path,
            help="the file to import, or the folder of a format that is one",
        )
        parser.add_argument("--name", metavar="N", help="name of the release (default: FORMAT)")

    def work(self, **options: Any) -> dict[str, Any]:
        result = services.import_release(
            options["path"], options["format"], options["name"], actor=COMMAND_LINE
        )
        return {
            "release": result.release.label,
            "sha256": result.release.sha256,
            "created": result.created,
            "read": result.read,
            "kept": result.kept,
            "refused": result.refused,
        }

    def show(self, result: dict[str, Any]) -> None:
        done = "Imported" if result["created"] else "Already there:"
        refused = result["refused"]
        self.stdout.write(f"{done} {result['release']}  {result['sha256']}")
        self.stdout.write(f"{result['read']} read, {result['kept']} kept, {len(refused)} refused")
        for row in refused:
            self.stdout.write(f"  {row['line']}: {row['reason']} [{row['code']}]")
