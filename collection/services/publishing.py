"""Making frozen forms of a survey's questions."""

from django.db import transaction

from collection import selectors
from collection.models import FormVersion
from core import audit, clock
from core.errors import CommonplaceError
from studies.models import Activity
from studies.services.rows import locked


def publish(activity: Activity, actor: str) -> list[FormVersion]:
    """The next version of every form whose document differs from what is published; the versions
    made, none where nothing differs.

    Locks the study. Raises `survey.not_ready` with `missing`.
    """
    with transaction.atomic():
        locked(activity.study)
        now = clock.now()
        if missing := selectors.missing(activity):
            raise CommonplaceError(
                "survey.not_ready",
                f"The forms cannot be made yet. Still needed: {'; '.join(missing)}.",
                http_status=409,
                missing=missing,
            )
        made = [
            FormVersion.objects.create(
                activity=activity,
                number=document["number"],
                version=version,
                document=document,
                sha256=sha256,
                published=now,
            )
            for version, document, sha256 in selectors.to_publish(activity)
        ]
        if made:
            audit.record(
                actor,
                "forms.published",
                "activity",
                activity.slug,
                study=activity.study.slug,
                count=len(made),
            )
    return made
