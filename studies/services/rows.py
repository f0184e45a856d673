"""What the services share: the lock, writing only what differs, and the two refusals."""

from collections.abc import Iterable
from typing import Any

from django.db import models

from core.errors import CommonplaceError
from studies import setup
from studies.models import Study


def locked(study: Study) -> Study:
    """The study's row as it is now, locked until the transaction ends."""
    return Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def put(row: models.Model, values: dict[str, Any]) -> list[str]:
    """Set what differs and save; the names of the fields that did."""
    changed = [name for name, value in values.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, values[name])
    if changed or row._state.adding:
        row.save()
    return changed


def refuse_fixed(study: Study, kind: str, changed: Iterable[str]) -> None:
    """As `refuse_unless_in_set_up`, where more has changed than `setup.LATER` lets a study, a
    region or an activity change while answers are collected."""
    if set(changed) - set(setup.LATER[kind]):
        refuse_unless_in_set_up(study)


def refuse_unless_in_set_up(study: Study) -> None:
    """Raises `study.not_in_set_up`; called once something has changed, within its transaction."""
    if study.status != Study.Status.SET_UP:
        raise CommonplaceError(
            "study.not_in_set_up",
            "This study is collecting answers, and what it was set up with can no longer change, "
            "but for the participants wanted, the ethics number and the recruiter. Set up a new "
            "study for what else should be different.",
            http_status=409,
            study=study.slug,
        )


def refuse_if_used(used: bool, kind: str, name: str) -> None:
    """Raises `<kind>.in_use` for what participants stand behind."""
    if used:
        raise CommonplaceError(
            f"{kind}.in_use",
            f"Participants belong to the {kind} “{name}”, so it cannot be removed. Keep it.",
            http_status=409,
            value=name,
        )
