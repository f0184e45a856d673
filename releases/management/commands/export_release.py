"""Write a release as files."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core import commands
from releases import exporting, selectors


class Command(commands.Command):
    help = "Export a release and its card: its frozen parts (jsonl) or tables (csv)."

    def arguments(self, parser: CommandParser) -> None:
        formats = ", ".join(exporting.FORMATS)
        parser.add_argument("release", metavar="N", help="name or name@version")
        parser.add_argument("--format", metavar="F", required=True, help=f"one of: {formats}")
        parser.add_argument("--out", metavar="DIR", type=Path, required=True)

    def work(self, **options: Any) -> dict[str, Any]:
        release = selectors.find_release(options["release"])
        return exporting.export_release(release, options["format"], options["out"])

    def show(self, result: dict[str, Any]) -> None:
        for file in result["files"]:
            self.stdout.write(f"{file['path']}  {file['rows']} rows  {file['sha256']}")
        self.stdout.write(f"{result['card']['path']}  the card")
        for file in result.get("erased", ()):
            self.stdout.write(f"{file['file']} was erased, since somebody withdrew.")
