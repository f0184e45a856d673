"""Write the answers of a study as one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from collection.exporting import FORMATS, Choice, Layout
from collection.services import exporting
from core import commands
from core.audit import COMMAND_LINE
from studies.selectors import find_study


class Command(commands.Command):
    help = "Export the answers of a study, with a manifest beside the file."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="short name of the study")
        parser.add_argument("--format", required=True, choices=FORMATS)
        parser.add_argument(
            "--layout",
            choices=[layout.value for layout in Layout],
            default=Layout.LONG.value,
            help="a row is an answer (long, the default) or a participation (wide)",
        )
        parser.add_argument(
            "--drafts", action="store_true", help="also forms that people are still writing"
        )
        parser.add_argument("--out", metavar="FILE", type=Path, required=True)

    def work(self, **options: Any) -> dict[str, Any]:
        choice = Choice(Layout(options["layout"]), options["format"], options["drafts"])
        study, path = find_study(options["study"]), options["out"]
        manifest = exporting.write_file(study, choice, path, COMMAND_LINE, self._progress)
        return {"path": str(path), **manifest}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['path']}  {result['rows']} rows  {result['sha256']}")
        if result["withdrawn_left_out"]:
            self.stdout.write(f"left out: {result['withdrawn_left_out']} who have withdrawn")
        if result["neutralised"]:
            self.stdout.write(f"{result['neutralised']} cells got an apostrophe in front")
        if result["long_cells"]:
            self.stdout.write(f"{result['long_cells']} cells go on on the sheet “Long text”")

    def _progress(self, done: int, of: int) -> None:
        self.note(f"{done} of {of} participations")
