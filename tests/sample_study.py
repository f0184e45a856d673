"""The sample study, loaded by the product once a session; later tests get the same rows back.

Loading takes a tenth of a second and a thousand tests begin with it, so its rows are written by
the statements that wrote them the first time they were copied.
"""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, transaction

from accounts.models import User
from studies import services
from studies.models import Membership, Study

SAMPLE = Path(__file__).resolve().parents[1] / "studies" / "samples" / "lantern_coast.yaml"
_MODELS = [
    model
    for name in ("core", "studies", "collection")
    for model in apps.get_app_config(name).get_models()
]
_rows: dict[bool, list[Any]] = {}  # of each model, for a study with an owner and one without
_inserts: dict[bool, list[tuple[str, Any]]] = {}  # statements and parameters that write them


def load() -> Study:
    """The study as `load_study` makes it, owned by the first administrator if there is one."""
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    if _filled():
        return services.load_file(SAMPLE, "test").study
    if bool(owner) not in _rows:
        study = services.load_file(SAMPLE, "test").study
        _rows[bool(owner)] = [list(model.objects.values()) for model in _MODELS]
        return study
    with transaction.atomic():
        if bool(owner) in _inserts:
            _repeat(_inserts[bool(owner)])
        else:
            _inserts[bool(owner)] = _write(_rows[bool(owner)])
        for row in _rows[bool(owner)][_MODELS.index(Membership)]:
            Membership.objects.create(**{**row, "user_id": owner.pk})
    return Study.objects.get()


def _write(rows: list[Any]) -> list[tuple[str, Any]]:
    """Write the rows of all models but of memberships, whose users are other ones each time; the
    statements that did."""
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        for model, some in zip(_MODELS, rows, strict=True):
            if model is not Membership:
                model.objects.bulk_create([model(**row) for row in some])
    return statements


def _repeat(statements: list[tuple[str, Any]]) -> None:
    with connection.cursor() as cursor:
        for sql, params in statements:
            cursor.execute(sql, params)


def _filled() -> bool:
    """Whether something is stored already, whose keys could be those of the sample's rows."""
    tables = [connection.ops.quote_name(model._meta.db_table) for model in _MODELS]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT EXISTS (SELECT 1 FROM {t})" for t in tables))
        return any(one for (one,) in cursor.fetchall())
