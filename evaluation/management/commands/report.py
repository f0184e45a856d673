"""`report`: what one run, or several beside each other, came to."""

import io
import json
import re
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.core.management.base import CommandParser
from django.template.loader import render_to_string

from core import tables
from core.commands import Command as BaseCommand
from evaluation import figures, reports, selectors


class Command(BaseCommand):
    help = "Print the report of runs"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", type=int, metavar="ID")
        parser.add_argument("--format", choices=("json", "html", "md", "csv"))

    def work(self, runs: list[int], format: str | None, **_: Any) -> dict[str, Any]:
        found = [selectors.find_run(run) for run in runs]
        made = [reports.report(run) for run in found]
        self.format = format or ("json" if self.as_json else "md")
        self.figures = [figures.of_report(one) for one in made] if self.format == "html" else []
        if len(made) == 1:
            return made[0]
        return {"runs": made, "comparison": reports.compare(made)}

    def handle(self, *args: Any, **options: Any) -> None:
        if options["format"] == "json":
            options["json"] = True
        elif options["format"]:
            options["json"] = False
        super().handle(*args, **options)

    def show(self, result: dict[str, Any]) -> None:
        made = result.get("runs", [result]) if isinstance(result.get("runs"), list) else [result]
        match self.format:
            case "csv":
                self._write(reports.region_table(made), "csv")
            case "md":
                for one in made:
                    self.stdout.write(reports.in_words(one))
                self._write(reports.rounded(reports.region_table(made)), "md")
                self._write(reports.outcome_table(made), "md")
            case "html":
                pairs = list(zip(made, self.figures, strict=True))
                self.stdout.write(
                    render_to_string(
                        "evaluation/report_file.html", {"reports": pairs, "styles": styles()}
                    )
                )
            case _:
                self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))

    def _write(self, table: tables.Table, format: str) -> None:
        buffer = io.BytesIO()
        tables.write(table, format, buffer)
        self.stdout.write(buffer.getvalue().decode(), ending="" if format == "csv" else "\n")


def styles() -> str:
    """The product's own style sheets, so that the file looks the same wherever it is opened."""
    texts = []
    for name in ("css/tokens.css", "css/app.css"):
        path = finders.find(name)
        texts.append(Path(str(path)).read_text("utf-8"))
    return re.sub(r"@import[^;]*;", "", "\n".join(texts))
