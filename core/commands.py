"""The manners every command shares (docs/architecture.md, "Commands").

`--json` prints exactly one object on standard output and everything else goes to standard
error. Exit 0: done; 1: the work failed or was refused; 2: the command line cannot be read.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from core.errors import CommonplaceError

UNREADABLE = 2  # the exit of argparse


class Command(BaseCommand):
    """Subclasses define `work(**options) -> dict` and, to show it to a person, `show(result)`."""

    requires_system_checks = ()
    needs_database = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """Arguments of the command itself."""

    work: Callable[..., dict[str, Any]]  # each command names the options it takes

    def show(self, result: dict[str, Any]) -> None:
        """What a person reads; by default one line a key."""
        for key, value in result.items():
            shown = value if isinstance(value, str | int | float) else json.dumps(value)
            self.stdout.write(f"{key:<12} {shown}")

    def failed(self, result: dict[str, Any]) -> bool:
        """Whether a returned result still means exit 1 (a run that paused, say)."""
        return False

    def note(self, text: str) -> None:
        """Progress and remarks: standard error, so that `--json` stays one object."""
        self.stderr.write(text)

    def run_from_argv(self, argv: list[str]) -> None:
        try:
            super().run_from_argv(argv)
        except SystemExit as exit:
            if exit.code == UNREADABLE and "--json" in argv:
                self._print_error(
                    CommonplaceError(
                        "command.unreadable",
                        "The command line cannot be read; standard error says what is wrong "
                        "with it, and --help what it may be.",
                    )
                )
            raise

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._handle(**options)
            self.stdout.flush()
        except BrokenPipeError:  # whoever reads the output has read enough, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def _handle(self, **options: Any) -> None:
        self.as_json: bool = options.pop("json")
        for common in ("verbosity", "settings", "pythonpath", "traceback", "no_color"):
            options.pop(common, None)
        options.pop("force_color", None)
        options.pop("skip_checks", None)
        try:
            if self.needs_database:
                refuse_unmigrated_database()
            result = self.work(**options)
        except CommonplaceError as error:
            self._fail(error)
        else:
            if self.as_json:
                self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False))
            else:
                self.show(result)
            if self.failed(result):
                sys.exit(1)

    def _fail(self, error: CommonplaceError) -> None:
        if self.as_json:
            self._print_error(error)
        else:
            self.stderr.write(self.style.ERROR(f"{error.message} [{error.code}]"))
        sys.exit(1)

    def _print_error(self, error: CommonplaceError) -> None:
        self.stdout.write(json.dumps({"error": error.as_dict()}, ensure_ascii=False))


def refuse_unmigrated_database() -> None:
    """Raise `database.not_migrated` or `database.unreachable` instead of a traceback."""
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommonplaceError(
            "database.unreachable",
            "The database does not answer. Check DATABASE_URL and that the server is running.",
        ) from error
    if pending:
        raise CommonplaceError(
            "database.not_migrated",
            "The database is not up to date. Run `python manage.py migrate`, then try again.",
            pending=len(pending),
        )
