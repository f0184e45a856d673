"""Writes of the set-up: facts, regions with their places, activities, the consent document."""

import hashlib
import json
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import User
from core import audit, clock
from core.errors import CommonplaceError
from core.text import fold
from studies import participation
from studies.codes import new_code
from studies.models import Activity, ConsentDocument, Membership, Place, Region, Study
from studies.permissions import Role
from studies.services.rows import (
    locked,
    put,
    refuse_fixed,
    refuse_if_used,
    refuse_unless_in_set_up,
)
from studies.setup import (
    ActivityFacts,
    ConsentFacts,
    PlaceFacts,
    RegionFacts,
    StudyFacts,
    distinct_places,
)


def create_study(
    facts: StudyFacts, owner: User | None, actor: str, *, simulated: bool = False
) -> Study:
    """A study in set-up with its first owner. Raises `study.name_taken`."""
    try:
        with transaction.atomic():
            study = Study.objects.create(**asdict(facts), simulated=simulated, created=clock.now())
            _note(study, actor, "study.created", "study", study.slug)
            if owner is not None:
                Membership.objects.create(study=study, user=owner, role=Role.OWNER)
                _note(study, actor, "member.added", "user", owner.email, role=Role.OWNER.value)
    except IntegrityError as error:
        raise CommonplaceError(
            "study.name_taken",
            f"There is a study “{facts.slug}” already. Choose another short name.",
            value=facts.slug,
        ) from error
    return study


def change_facts(study: Study, facts: StudyFacts, actor: str) -> list[str]:
    """The names of the facts that changed; the short name never does.

    Raises `study.not_in_set_up`, and `study.currency_in_use` once rewards stand in the old one.
    """
    with transaction.atomic():
        study = locked(study)
        changed = put_facts(study, facts, actor)
        if "currency" in changed and study.activities.exists():
            raise CommonplaceError(
                "study.currency_in_use",
                "The rewards of this study's activities are amounts in the old currency. Remove "
                "the activities first, then change the currency.",
                http_status=409,
            )
    return changed


def put_facts(study: Study, facts: StudyFacts, actor: str) -> list[str]:
    """As `change_facts`, within a transaction that holds the study's lock."""
    changed = put(study, {name: v for name, v in asdict(facts).items() if name != "slug"})
    if changed:
        refuse_fixed(study, "study", changed)
        _note(study, actor, "study.changed", "study", study.slug, fields=changed)
    return changed


def save_region(study: Study, facts: RegionFacts, actor: str) -> list[str]:
    """Add a region or bring the one of this slug up to `facts`; the names of what changed.

    Raises `place.*` and `study.not_in_set_up`.
    """
    with transaction.atomic():
        changed = put_region(locked(study), facts, actor)
        refuse_shared_places(study)
    return changed


def put_region(
    study: Study, facts: RegionFacts, actor: str, *, move_places: bool = False
) -> list[str]:
    """As `save_region`, within a transaction that holds the study's lock and ends with
    `refuse_shared_places`. With `move_places`, a place that lies in another region comes over
    instead of being refused."""
    values = asdict(facts)
    del values["places"]
    places = distinct_places(facts.places)
    region = study.regions.filter(slug=facts.slug).first()
    added = region is None
    region = region or Region(study=study)
    changed = put(region, values)
    if _put_places(region, places, move=move_places):
        changed.append("places")
    return _told(study, actor, "region", facts.slug, changed, added=added)


def _put_places(region: Region, places: list[PlaceFacts], *, move: bool) -> bool:
    before = {place.name: place.names for place in region.places.all()}
    drop_places(region, [place.name for place in places])
    folded = {place.name: fold(place.name) for place in places}
    alike = region.study.places.filter(folded__in=folded.values()).select_related("region")
    there = {place.folded: place for place in alike}
    added = []
    for place in places:
        row = there.get(folded[place.name])
        if row is None:
            facts = {"name": place.name, "names": place.names, "folded": folded[place.name]}
            added.append(Place(study=region.study, region=region, **facts))
        elif row.region_id != region.pk and not move:
            raise _in_two_regions(place.name, row.region.slug)
        else:
            put(row, {"region": region, "name": place.name, "names": place.names})
    Place.objects.bulk_create(added)
    return before != {place.name: place.names for place in places}


def refuse_shared_places(study: Study) -> None:
    """Raises `place.in_two_regions` where two places of a study are called alike, in whichever
    languages; within a transaction that has changed its regions."""
    home: dict[str, Place] = {}
    for place in study.places.select_related("region"):
        for name in (place.name, *place.names.values()):
            other = home.setdefault(fold(name), place)
            if other != place:
                raise _in_two_regions(name, other.region.slug)


def _in_two_regions(name: str, region: str) -> CommonplaceError:
    return CommonplaceError(
        "place.in_two_regions",
        f"“{name}” lies in {region} already, and a place lies in one region only. Remove it from "
        "one of them.",
        value=name,
    )


def drop_places(region: Region, names: list[str]) -> None:
    """Remove the places of a region that are not named. Raises `place.in_use`."""
    for place in region.places.exclude(name__in=names):
        refuse_if_used(place.residence_set.exists(), "place", place.name)
        place.delete()


def remove_region(study: Study, slug: str, actor: str) -> None:
    """Raises `region.in_use` and `study.not_in_set_up`; a region that is gone is fine."""
    with transaction.atomic():
        drop_region(locked(study), slug, actor)


def drop_region(study: Study, slug: str, actor: str) -> None:
    """As `remove_region`, within a transaction that holds the study's lock."""
    region = study.regions.filter(slug=slug).first()
    if region is None:
        return
    refuse_unless_in_set_up(study)
    used = region.participant_set.exists() or region.participation_set.exists()
    refuse_if_used(used, "region", slug)
    if region.artifacts.exists():
        raise CommonplaceError(
            "region.in_use",
            f"Artifacts are listed for the region “{slug}”, so it cannot be removed. Keep it.",
            http_status=409,
            value=slug,
        )
    drop_places(region, [])
    region.delete()
    _note(study, actor, "region.removed", "region", slug)


def save_activity(study: Study, facts: ActivityFacts, actor: str) -> list[str]:
    """Add an activity or bring the one of this slug up to `facts`; the names of what changed.
    A new one is given a completion code of every kind. Raises `study.not_in_set_up`."""
    with transaction.atomic():
        return put_activity(locked(study), facts, actor)


def put_activity(study: Study, facts: ActivityFacts, actor: str) -> list[str]:
    """As `save_activity`, within a transaction that holds the study's lock."""
    activity = study.activities.filter(slug=facts.slug).first()
    added = activity is None
    activity = activity or Activity(
        study=study, codes={kind.value: new_code(8) for kind in participation.Code}
    )
    changed = put(activity, asdict(facts))
    return _told(study, actor, "activity", facts.slug, changed, added=added)


def remove_activity(study: Study, slug: str, actor: str) -> None:
    """Raises `activity.in_use` and `study.not_in_set_up`; an activity that is gone is fine."""
    with transaction.atomic():
        drop_activity(locked(study), slug, actor)


def drop_activity(study: Study, slug: str, actor: str) -> None:
    """As `remove_activity`, within a transaction that holds the study's lock."""
    activity = study.activities.filter(slug=slug).first()
    if activity is None:
        return
    refuse_unless_in_set_up(study)
    refuse_if_used(activity.participations.exists(), "activity", slug)
    activity.delete()
    _note(study, actor, "activity.removed", "activity", slug)


def adjust(
    study: Study, row: Study | Region | Activity, values: dict[str, Any], actor: str
) -> list[str]:
    """Change what may change while answers are collected (`setup.LATER`); the names of what did.

    Fewer participants wanted than are in already is fine: nobody loses a place, and nobody else
    is let in. Raises `study.not_in_set_up` for anything else."""
    with transaction.atomic():
        study = locked(study)
        row = study if isinstance(row, Study) else type(row).objects.get(pk=row.pk)
        changed = put(row, values)
        return _told(study, actor, row._meta.model_name or "", row.slug, changed, added=False)


def write_consent(study: Study, facts: ConsentFacts, actor: str) -> bool:
    """A new version where the words differ from the newest; whether they did.
    Raises `study.not_in_set_up`."""
    with transaction.atomic():
        return put_consent(locked(study), facts, actor)


def put_consent(study: Study, facts: ConsentFacts, actor: str) -> bool:
    """As `write_consent`, within a transaction that holds the study's lock."""
    canonical = json.dumps(asdict(facts), ensure_ascii=False, sort_keys=True)
    sha256 = hashlib.sha256(canonical.encode()).hexdigest()
    newest = study.consent_documents.first()
    if newest is not None and newest.sha256 == sha256:
        return False
    refuse_unless_in_set_up(study)
    version = newest.version + 1 if newest else 1
    ConsentDocument.objects.create(
        study=study,
        version=version,
        texts=facts.texts,
        purposes={str(purpose): texts for purpose, texts in facts.purposes.items()},
        sha256=sha256,
        created=clock.now(),
    )
    _note(study, actor, "consent.written", "consent", version, version=version)
    return True


def _told(
    study: Study, actor: str, kind: str, slug: str, changed: list[str], *, added: bool
) -> list[str]:
    if added:
        refuse_unless_in_set_up(study)
    if changed:
        refuse_fixed(study, kind, changed)
        if added:
            _note(study, actor, f"{kind}.added", kind, slug)
        else:
            _note(study, actor, f"{kind}.changed", kind, slug, fields=changed)
    return changed


def _note(
    study: Study, actor: str, action: str, kind: str, object_id: object, **data: object
) -> None:
    audit.record(actor, action, kind, object_id, study=study.slug, **data)
