"""Who has withdrawn from a study, and what every room has removed of theirs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from core.errors import NotFound
from core.models import AuditEntry, Job
from studies import codes, history, withdrawal
from studies.models import Participant, Study
from studies.services import withdrawing


@dataclass(frozen=True)
class Room:
    """`state` is `removed`, `waiting` or `failed`; `said` is a sentence of what was removed, or
    why not."""

    state: str
    said: str


@dataclass(frozen=True)
class Withdrawn:
    code: str
    at: datetime | None
    rooms: list[Room]

    @property
    def failed(self) -> bool:
        return any(room.state == "failed" for room in self.rooms)


def find_participant(code: str, study: Study | None = None) -> Participant:
    """Somebody by their own code, or by that of a participation, which their link begins with.

    Raises `participant.unknown`.
    """
    people = Participant.objects.select_related("study")
    if study is not None:
        people = people.filter(study=study)
    asked = codes.typed(code.split(".")[0])
    found = people.filter(code=asked).first()
    found = found or people.filter(participations__code=asked).first()
    if found is None:
        raise NotFound(
            "participant.unknown",
            f"Nobody has the code “{code}”. Use the ten characters of a participant's code, or "
            "those their personal link begins with.",
            value=code,
        )
    return found


def participants(study: Study) -> QuerySet[Participant]:
    """Those who have withdrawn, the last first."""
    gone = study.participants.filter(status=Participant.Status.WITHDRAWN)
    return gone.order_by("-withdrawn_at", "-pk")


def described(people: Iterable[Participant]) -> list[Withdrawn]:
    people = list(people)
    removed = _removed([each.code for each in people])
    keys = {
        (each.code, name): withdrawing.job_key(each.code, name)
        for each in people
        for name in withdrawal.handlers
    }
    last = {job.key: job for job in Job.objects.filter(key__in=keys.values()).order_by("pk")}
    return [
        Withdrawn(
            each.code,
            each.withdrawn_at,
            [
                _room(name, removed.get((each.code, name)), last.get(keys[each.code, name]))
                for name in withdrawal.handlers
            ],
        )
        for each in people
    ]


def _removed(theirs: list[str]) -> dict[tuple[str, str], Mapping[str, int]]:
    entries = AuditEntry.objects.filter(
        action=withdrawing.REMOVED, object_kind="participant", object_id__in=theirs
    )
    return {(each.object_id, each.data["handler"]): each.data["removed"] for each in entries}


def _room(name: str, removed: Mapping[str, int] | None, job: Job | None) -> Room:
    if removed is not None:
        done = "removed" if any(removed.values()) else "to remove"
        return Room("removed", f"{history.counted(removed).capitalize()} {done} from the {name}.")
    if job is not None and job.status in Job.UNFINISHED:
        return Room("waiting", f"A worker will remove what is in the {name}.")
    why = job.error["message"] if job and job.error else "Nobody has ordered it yet."
    return Room("failed", f"In the {name}: {why}")
