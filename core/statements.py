"""Statements that are sent so often that what Django does around each of them is a good part of
what they cost: the layers of its cursor, and on PostgreSQL planning anew what stays the same.

Where somebody watches what is sent (`connection.execute_wrapper`, `CaptureQueriesContext`, DEBUG)
they go Django's way.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.sqlite3.base import FORMAT_QMARK_REGEX


class Statement:
    """SQL with a `%s` for each value, in the caller's transaction, if there is one."""

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def rows(self, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """What it selects or returns, as the database's driver reads it."""
        found: list[tuple[Any, ...]] = self._run(values, rows=True)
        return found

    def changed(self, values: Sequence[Any]) -> int:
        """How many rows it changes."""
        count: int = self._run(values, rows=False)
        return count

    def _run(self, values: Sequence[Any], *, rows: bool) -> Any:
        database: Any = connections[DEFAULT_DB_ALIAS]
        if database.execute_wrappers or database.queries_logged:
            with database.cursor() as cursor:
                cursor.execute(self.sql, values)
                return cursor.fetchall() if rows else cursor.rowcount
        database.ensure_connection()
        database.validate_no_broken_transaction()
        with database.wrap_database_errors:
            if database.vendor == "sqlite":
                cursor = database.connection.execute(self._with_question_marks, values)
                return cursor.fetchall() if rows else cursor.rowcount
            # Values are bound by the server, so the driver lets it prepare what comes often
            # (`prepare_threshold` in the settings).
            with database.Database.Cursor(database.connection) as cursor:
                cursor.execute(self.sql, values)
                return cursor.fetchall() if rows else cursor.rowcount

    @cached_property
    def _with_question_marks(self) -> str:
        return FORMAT_QMARK_REGEX.sub("?", self.sql).replace("%%", "%")
