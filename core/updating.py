"""Updates that are written out once a process, for the few that every act of a participant makes.

`QuerySet.update` resolves and compiles each column anew, which takes longer than the database
needs to write it.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from django.db import connection, models

from core.inserting import Converters, convert, converters


class Update:
    """`Update(Game, "state", "phase", where=("id", "version")).run([state, "clue"], [7, 3])`: how
    many rows were changed; foreign keys are numbers, and nothing is compared with null. What is
    `added` is put on top of what is there."""

    def __init__(
        self,
        model: type[models.Model],
        *names: str,
        where: Sequence[str],
        added: Collection[str] = (),
    ) -> None:
        self._model, self._names, self._where = model, names, where
        self._added = added

    def run(self, values: Sequence[Any], where: Sequence[Any]) -> int:
        """In the caller's transaction, if there is one."""
        prepared = [*values, *where]
        if len(prepared) != len(self._fields):
            raise ValueError(f"{len(self._fields)} values are needed, {len(prepared)} are given")
        convert(prepared, self._converted)
        with connection.cursor() as cursor:
            cursor.execute(self._statement, prepared)
            return int(cursor.rowcount)

    @cached_property
    def _converted(self) -> Converters:
        return converters(self._fields)

    @cached_property
    def _fields(self) -> list[Any]:
        return [self._model._meta.get_field(name) for name in (*self._names, *self._where)]

    @cached_property
    def _statement(self) -> str:
        quoted = connection.ops.quote_name
        columns = [quoted(field.column) for field in self._fields]
        changed = [
            f"{column} = {column} + %s" if name in self._added else f"{column} = %s"
            for name, column in zip(self._names, columns, strict=False)
        ]
        conditions = [f"{column} = %s" for column in columns[len(self._names) :]]
        table = quoted(self._model._meta.db_table)
        return f"UPDATE {table} SET {', '.join(changed)} WHERE {' AND '.join(conditions)}"  # noqa: S608  names of our own columns
