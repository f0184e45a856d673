"""Choosing the rules of a game activity.

A game keeps the rules it began with. Who waits for a partner does not: a longer or shorter wait
holds for them as well, and their page shows it.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import F

from core import audit, clock
from games.models import GamePlan, Ticket
from games.rules import Rules
from games.selectors import plans
from studies.models import Activity, Study
from studies.services.rows import locked, refuse_unless_in_set_up

FIXED = ("clues", "guesses")  # what games are compared by, once a study collects them


def set_rules(activity: Activity, rules: Rules, actor: str) -> list[str]:
    """The names of the rules that changed. Locks the study. Raises `study.not_in_set_up` where one
    of `FIXED` would change in an open study."""
    with transaction.atomic():
        return put_rules(locked(activity.study), activity, rules, actor)


def load_rules(study: Study, rules: Rules, actor: str) -> list[str]:
    """What changed, in words: the same rules for every game of the study. Runs within a transaction
    that holds the study's lock."""
    return [
        f"game {activity.slug}: {name}"
        for activity in plans.games(study)
        for name in put_rules(study, activity, rules, actor)
    ]


def put_rules(study: Study, activity: Activity, rules: Rules, actor: str) -> list[str]:
    """As `set_rules`, within a transaction that holds the study's lock."""
    before = plans.rules(activity).as_json()
    after = rules.as_json()
    changed = [name for name, value in after.items() if value != before[name]]
    if not changed:
        return []
    if set(changed) & set(FIXED):
        refuse_unless_in_set_up(study)
    GamePlan.objects.update_or_create(activity=activity, defaults={"rules": after})
    _shift_waits(activity, after["wait_seconds"] - before["wait_seconds"])
    audit.record(
        actor, "game.rules_changed", "activity", activity.slug, study=study.slug, fields=changed
    )
    return changed


def _shift_waits(activity: Activity, seconds: int) -> None:
    if seconds:
        by = timedelta(seconds=clock.scaled(seconds))
        waiting = Ticket.objects.filter(activity=activity, status=Ticket.Status.WAITING)
        waiting.update(deadline=F("deadline") + by)
