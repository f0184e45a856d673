"""Many rows of one table at once, for the few writes that a run makes by the hundred thousand.

`bulk_create` builds an instance and prepares every field of every row, which takes several times
as long as the database needs to insert it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models

ROWS_AT_ONCE = 50  # in a statement that returns keys: SQLite takes a limited number of values

Converters = list[tuple[int, Callable[..., Any]]]


def converters(fields: Iterable[Any]) -> Converters:
    """By place those of the fields whose values are not stored as they are."""
    return [
        (place, field.get_db_prep_save)
        for place, field in enumerate(fields)
        if isinstance(field, models.JSONField | models.DateTimeField)
    ]


def convert(values: list[Any], by: Converters) -> None:
    """Make of the values, in place, what the database is sent."""
    database = connections[DEFAULT_DB_ALIAS]
    for place, prepare in by:
        if values[place] is not None:
            values[place] = prepare(values[place], database)


class Rows:
    """`Rows(Sample, "run", "item").insert([(run_id, item_id), …])`: foreign keys as numbers.

    Every column but the primary key has to be named: Django's defaults are not the database's.
    """

    def __init__(self, model: type[models.Model], *names: str) -> None:
        self._model, self._names = model, names

    @cached_property
    def _statement(self) -> str:
        columns = ", ".join(self._column(name) for name in self._names)
        table = connection.ops.quote_name(self._model._meta.db_table)
        return f"INSERT INTO {table} ({columns}) VALUES {self._marks}"  # noqa: S608  names of our own columns

    @cached_property
    def _marks(self) -> str:
        return "(" + ", ".join(["%s"] * len(self._names)) + ")"

    @cached_property
    def _fields(self) -> list[Any]:
        return [self._model._meta.get_field(name) for name in self._names]

    @cached_property
    def _converted(self) -> Converters:
        return converters(self._fields)

    def insert(self, rows: Iterable[Sequence[Any]]) -> None:
        """In the caller's transaction; a row that is there already is left as it is."""
        if prepared := self._prepared(rows):
            with connection.cursor() as cursor:
                cursor.executemany(self._statement + " ON CONFLICT DO NOTHING", prepared)

    def insert_new(self, rows: Iterable[Sequence[Any]]) -> list[int]:
        """As `insert`, of rows that are not there yet; their primary keys, in order."""
        return [number for (number,) in self._returning(rows, "", "id")]

    def insert_or_find(
        self, rows: Iterable[Sequence[Any]], key: Sequence[str], wanted: Sequence[str]
    ) -> list[tuple[Any, ...]]:
        """Insert what is not there yet by the unique `key`; the `wanted` columns of all the rows as
        they are stored. No two rows may share a key."""
        named = [self._column(name) for name in (*key, *wanted)]
        unique, found = named[: len(key)], named[len(key) :]
        # Without a change nothing would be returned of a row that is there.
        same = f"{unique[-1]} = EXCLUDED.{unique[-1]}"
        on_conflict = f" ON CONFLICT ({', '.join(unique)}) DO UPDATE SET {same}"
        return self._returning(rows, on_conflict, ", ".join(found))

    def _returning(
        self, rows: Iterable[Sequence[Any]], on_conflict: str, wanted: str
    ) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        prepared = self._prepared(rows)
        for start in range(0, len(prepared), ROWS_AT_ONCE):
            part = prepared[start : start + ROWS_AT_ONCE]
            more = f", {self._marks}" * (len(part) - 1)
            with connection.cursor() as cursor:
                cursor.execute(
                    f"{self._statement}{more}{on_conflict} RETURNING {wanted}",
                    [value for row in part for value in row],
                )
                found += cursor.fetchall()
        return found

    def _column(self, name: str) -> str:
        field: Any = self._model._meta.get_field(name)
        return connection.ops.quote_name(field.column)

    def _prepared(self, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
        prepared = []
        for row in rows:
            values = list(row)
            convert(values, self._converted)
            prepared.append(values)
        return prepared
