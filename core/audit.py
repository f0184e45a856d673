"""The audit trail: one line per thing somebody did."""

from typing import Any

from core import clock
from core.models import AuditEntry

COMMAND_LINE = "command line"
SYSTEM = "system"


def record(
    actor: str, action: str, object_kind: str, object_id: object, study: str = "", **data: Any
) -> None:
    """Append an entry; `data` holds short values and field names, never answers or secrets;
    `study` is the slug of the study it belongs to, if any."""
    AuditEntry.objects.create(
        at=clock.now(),
        actor=actor,
        action=action,
        study=study,
        object_kind=object_kind,
        object_id=str(object_id),
        data=data,
    )
