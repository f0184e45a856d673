"""Opening a study: from set-up to collecting answers."""

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from studies import kinds, selectors
from studies.models import Activity, Study


def open_study(study: Study, actor: str) -> Study:
    """Freeze what participants will see and let them in; the study as it is then.

    Raises `study.collecting_already`, `study.no_room_for_kind` and `study.not_ready` with
    `missing`; nothing is stored then.
    """
    with transaction.atomic():
        # The update comes first: it is the lock, and of two people who press the button one finds
        # the study open.
        in_set_up = Study.objects.filter(pk=study.pk, status=Study.Status.SET_UP)
        if not in_set_up.update(status=Study.Status.COLLECTING):
            raise CommonplaceError(
                "study.collecting_already",
                "This study is open already and collects answers. Changed questions are published "
                "on the page of their forms.",
                http_status=409,
                study=study.slug,
            )
        study.refresh_from_db()
        activities = list(study.activities.all())
        rooms = [(activity, _room(activity)) for activity in activities]
        _refuse_unready(study)
        for activity, room in rooms:
            room.open(activity, actor)
        audit.record(actor, "study.opened", "study", study.slug, study=study.slug)
    return study


def _room(activity: Activity) -> kinds.Kind:
    room = kinds.of(activity)
    if room is None:
        raise CommonplaceError(
            "study.no_room_for_kind",
            f"“{activity.slug}” is a {activity.kind}, which this version of Commonplace cannot run "
            "yet. Remove the activity, then open the study.",
            http_status=409,
            activity=activity.slug,
            kind=activity.kind,
        )
    return room


def _refuse_unready(study: Study) -> None:
    missing = [fault for check in selectors.checklist(study) for fault in check.missing]
    if missing:
        raise CommonplaceError(
            "study.not_ready",
            f"The study cannot be opened yet. Still needed: {'; '.join(missing)}.",
            http_status=409,
            study=study.slug,
            missing=missing,
        )
