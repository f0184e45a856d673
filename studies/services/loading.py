"""Loading a study file: all of it or nothing, and nothing where nothing differs."""

from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from accounts.models import User
from accounts.selectors import find_account
from core.errors import CommonplaceError
from studies import study_file
from studies.models import Study
from studies.services import setting_up
from studies.services.rows import locked
from studies.setup import Setup


@dataclass(frozen=True)
class Loaded:
    """`changes` names what was added, changed or removed, as in `region harbour: target`;
    it is empty where the study was as the file says."""

    study: Study
    created: bool
    changes: list[str]


def load_file(path: Path, actor: str, owner: str | None = None) -> Loaded:
    """Create or update the study a file describes. Raises `study_file.*` and what `load_setup`
    raises; nothing is stored then."""
    try:
        with path.open("rb") as file:
            data = file.read(study_file.LARGEST_FILE + 1)
    except OSError as error:
        raise CommonplaceError(
            "study_file.unreadable",
            f"The file “{path}” cannot be read ({error.strerror}). Check the path.",
            path=str(path),
        ) from error
    return load_setup(study_file.parse(data), actor, owner)


@transaction.atomic
def load_setup(wanted: Setup, actor: str, owner: str | None = None) -> Loaded:
    """Make a study be what `wanted` says.

    A new study is owned by the account of the address `owner`, else by the first administrator
    there is. Raises `account.unknown`, `study.simulated_is_fixed`, `study.not_in_set_up`,
    `region.in_use`, `place.in_use`, `activity.in_use` and what a registered section raises.
    """
    study = Study.objects.filter(slug=wanted.facts.slug).first()
    created = study is None
    if study is None:
        first = find_account(owner) if owner else _first_administrator()
        study = setting_up.create_study(wanted.facts, first, actor, simulated=wanted.simulated)
    study = locked(study)
    if study.simulated != wanted.simulated:
        raise CommonplaceError(
            "study.simulated_is_fixed",
            "Whether a study is simulated is decided when it is created. Load this file under "
            "another short name.",
            study=study.slug,
        )
    return Loaded(study, created, _apply(study, wanted, actor))


def _apply(study: Study, wanted: Setup, actor: str) -> list[str]:
    changes = [f"study: {name}" for name in setting_up.put_facts(study, wanted.facts, actor)]
    for region in study.regions.exclude(slug__in=[r.slug for r in wanted.regions]):
        setting_up.drop_region(study, region.slug, actor)
        changes.append(f"region {region.slug}: removed")
    for activity in study.activities.exclude(slug__in=[a.slug for a in wanted.activities]):
        setting_up.drop_activity(study, activity.slug, actor)
        changes.append(f"activity {activity.slug}: removed")
    for facts in wanted.regions:
        changed = setting_up.put_region(study, facts, actor, move_places=True)
        changes += [f"region {facts.slug}: {name}" for name in changed]
    setting_up.refuse_shared_places(study)
    for act in wanted.activities:
        changed = setting_up.put_activity(study, act, actor)
        changes += [f"activity {act.slug}: {name}" for name in changed]
    if setting_up.put_consent(study, wanted.consent, actor):
        changes.append("consent: texts")
    for name, section in wanted.sections.items():
        changes += study_file.sections[name].load(study, section, actor)
    return changes


def _first_administrator() -> User | None:
    return User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
