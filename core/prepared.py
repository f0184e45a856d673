"""Queries that are compiled once a process, for the few that every request of a participant makes.

Django turns a queryset into SQL anew each time it runs, which takes longer than SQLite needs to
answer it. What is prepared is an ordinary queryset, built once with marks in place of the values
that change from call to call.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models.query import ModelIterable, get_related_populators

M = TypeVar("M", bound=models.Model)

_NUMBER = 31_077  # within every column of whole numbers
_BITS = 63
_TEXT = "\N{SYMBOL FOR SUBSTITUTE}"
_INSTANT = datetime(9077, 3, 1, tzinfo=UTC)

Value = int | str | datetime


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: list[tuple[int, Any]]  # (position among the call's values or −1, fixed value)
    converters: list[tuple[int, list[Callable[..., Any]], Any]]
    model: type[models.Model] | None  # None of values_list
    columns: slice  # the model's own
    names: list[str]
    related: list[Any]
    annotations: dict[str, int]


class Prepared(Generic[M]):
    """`Prepared(build, int, str)`: the queryset `build(number, text)` returns, compiled once.

    `build` may use its values as they are only: in a lookup that hands them on unchanged, never
    to decide what is asked. Foreign objects read along, deferred columns, annotations, an order
    and a row lock are kept; what is prefetched is not.
    """

    def __init__(self, build: Callable[..., Any], *kinds: type[Value]) -> None:
        self._build, self._kinds = build, kinds

    def rows(self, *values: Value) -> list[tuple[Any, ...]]:
        """What is selected, row by row, for a queryset of `values_list`."""
        return [tuple(row) for row in self._fetched(values)]

    def all(self, *values: Value) -> list[M]:
        return list(self._instances(values))

    def first(self, *values: Value) -> M | None:
        """The first row; the queryset should be limited to one."""
        return next(self._instances(values), None)

    @cached_property
    def _compiled(self) -> _Compiled:
        marks = [_mark(place, kind) for place, kind in enumerate(self._kinds)]
        queryset = self._build(*marks)
        compiler = queryset.query.get_compiler(using=DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        marks = [_adapted(mark) for mark in marks]
        select = compiler.select
        about = compiler.klass_info if queryset._iterable_class is ModelIterable else None
        converting = compiler.get_converters([each[0] for each in select])
        own = about["select_fields"] if about else [0]
        columns = slice(own[0], own[-1] + 1)
        # As `django.db.models.query.ModelIterable` reads what is selected; the stubs are of a
        # later Django.
        related = get_related_populators(about, select, DEFAULT_DB_ALIAS) if about else []  # type: ignore[call-arg]
        return _Compiled(
            sql,
            [(marks.index(each) if each in marks else -1, each) for each in parameters],
            [(place, *how) for place, how in converting.items()],
            about and about["model"],
            columns,
            [each[0].target.attname for each in select[columns]] if about else [],
            related,
            compiler.annotation_col_map or {},
        )

    def _fetched(self, values: tuple[Value, ...]) -> list[Any]:
        known = self._compiled
        if any(isinstance(each, int) and each.bit_length() > _BITS for each in values):
            return []  # more than a column holds
        sent = [
            fixed if place < 0 else _adapted(values[place]) for place, fixed in known.parameters
        ]
        database = connections[DEFAULT_DB_ALIAS]  # found once, not at every use
        with database.cursor() as cursor:
            cursor.execute(known.sql, sent)
            rows = [list(row) for row in cursor.fetchall()]
        for row in rows:
            for place, converters, expression in known.converters:
                for convert in converters:
                    row[place] = convert(row[place], expression, database)
        return rows

    def _instances(self, values: tuple[Value, ...]) -> Iterator[M]:
        known = self._compiled
        if known.model is None:
            raise TypeError("A queryset of values_list has rows, not instances.")
        for row in self._fetched(values):
            instance = known.model.from_db(DEFAULT_DB_ALIAS, known.names, row[known.columns])
            for populator in known.related:
                populator.populate(row, instance)
            for name, place in known.annotations.items():
                setattr(instance, name, row[place])
            yield cast(M, instance)


def _mark(place: int, kind: type[Value]) -> Value:
    if kind is datetime:
        return _INSTANT + timedelta(days=place)
    return _NUMBER + place if kind is int else f"{_TEXT}{place}"


def _adapted(value: Value) -> Any:
    """As the database is sent it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
