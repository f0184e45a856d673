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
        self.format = format or ("json" if self.as_json else "md")
        found = [selectors.find_run(run) for run in runs]
        reports.refuse_unless_alike(found)
        self.made = [reports.report(run) for run in found]
        self.comparison = reports.compare(found, self.made) if len(found) > 1 else None
        if self.comparison is None:
            return self.made[0]
        return {"runs": self.made, "comparison": self.comparison}

    def handle(self, *args: Any, **options: Any) -> None:
        if options["format"] == "json":
            options["json"] = True
        elif options["format"]:
            options["json"] = False
        super().handle(*args, **options)

    def show(self, result: dict[str, Any]) -> None:
        match self.format:
            case "csv":
                self._write(reports.tables(self.made)[0], "csv")
            case "md":
                self._in_words()
            case "html":
                self.stdout.write(self._page())
            case _:
                self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))

    def _in_words(self) -> None:
        for one in self.made:
            self.stdout.write(reports.in_words(one))
        for table in reports.tables(self.made):
            self._write(reports.rounded(table), "md")
        if self.comparison:
            for shown in figures.compared_tables(self.made, self.comparison):
                self.stdout.write(f"{shown.caption}\n")
                self._write(figures.written(shown), "md")

    def _page(self) -> str:
        context: dict[str, Any] = {
            "reports": [(one, reports.lines_of(one), figures.of_report(one)) for one in self.made],
            "styles": styles(),
        }
        if self.comparison:
            context |= {
                "comparison": self.comparison,
                "compared": figures.compared(self.made, self.comparison),
                "tables": figures.compared_tables(self.made, self.comparison),
            }
        return render_to_string("evaluation/report_file.html", context)

    def _write(self, table: tables.Table, format: str) -> None:
        buffer = io.BytesIO()
        tables.write(table, format, buffer)
        self.stdout.write(buffer.getvalue().decode(), ending="" if format == "csv" else "\n")


def styles() -> str:
    """The product's own style sheets, so that the file looks the same wherever it is opened."""
    pico, tokens, app = (
        Path(str(finders.find(name))).read_text("utf-8")
        for name in ("vendor/pico.min.css", "css/tokens.css", "css/app.css")
    )
    # What names an encoding or another file has no place inside a page.
    pico, ours = (
        re.sub(r"@(?:import|charset)[^;]*;", "", text) for text in (pico, f"{tokens}\n{app}")
    )
    return f"@layer pico {{\n{pico}\n}}\n{ours}"
