"""Write what annotators said and what was decided as one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.exporting import FORMATS
from annotation.services import exporting
from core import commands
from core.audit import COMMAND_LINE
from studies.selectors import find_study


class Command(commands.Command):
    help = "Export first passes, skips, flags and decisions of a study, with a manifest beside."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="short name of the study")
        parser.add_argument("--format", required=True, choices=FORMATS)
        parser.add_argument("--out", metavar="FILE", type=Path, required=True)

    def work(self, study: str, format: str, out: Path, **_: Any) -> dict[str, Any]:
        manifest = exporting.write_file(find_study(study), format, out, COMMAND_LINE)
        return {"path": str(out), **manifest}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['path']}  {result['rows']} rows  {result['sha256']}")
        for row, count in result["by_row"].items():
            self.stdout.write(f"{row:<12} {count}")
        if result["neutralised"]:
            self.stdout.write(f"{result['neutralised']} cells got an apostrophe in front")
        if result["long_cells"]:
            self.stdout.write(f"{result['long_cells']} cells go on on the sheet “Long text”")
