"""Making a release of what belongs in it, and its index of the frozen bytes.

Files are stored before the transaction that makes them a release, so that a release never
points to bytes that are not there; a file without a release is only unused space.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex
from django.db import IntegrityError, transaction

from core import audit, clock
from core.errors import CommonplaceError
from core.text import fold, storable
from releases import artifacts, canonical, shapes, storing
from releases.models import Contribution, Finding, Item, Part, Release
from studies.models import Participant, Study

_NAME = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]{0,79}")
_BATCH = 500


@dataclass(frozen=True)
class Draft:
    """All that becomes a release; its manifest and bytes follow from it and nothing else."""

    name: str
    title: str
    language: str
    regions: Sequence[dict[str, Any]]
    licence: str
    simulated: bool
    origin: dict[str, Any]  # {"source": …} or {"parent": …, "recipe": …}
    rows: Sequence[dict[str, Any]]
    findings: Sequence[dict[str, Any]]
    parent: Release | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    version: int = 1
    study: Study | None = None
    more: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)  # further parts
    people: Sequence[int] = ()  # participants whose words are in parts
    licence_text: str = ""  # word for word, where the source has it

    @property
    def wordy(self) -> list[str]:
        """The parts that hold somebody's own words."""
        return [*self.more, *(["items"] if artifacts.givers(self.rows) else [])]


class Withdrawn(Exception):
    """Somebody whose words are in the draft has withdrawn since it was made."""


class Overtaken(Exception):
    """Somebody else has frozen the study under this name and version since the draft was made."""


def freeze(draft: Draft, *, actor: str, action: str) -> tuple[Release, bool]:
    """Make the release of a draft, or find the one with these very bytes (False).

    Raises `item.shape` and `release.name_taken`, and `Withdrawn` and `Overtaken`.
    """
    slugs = [region["slug"] for region in draft.regions]
    for row in draft.rows:
        shapes.check(row, slugs)
    files = _files(draft)
    manifest = canonical.dumps(manifest_of(draft))
    sha256 = canonical.sha256(manifest)
    if (existing := _same_or_taken(draft, sha256)) is not None:
        return existing, False
    for data in files.values():
        storing.write(data)
    try:
        return _insert(draft, manifest, files, actor=actor, action=action), True
    except Withdrawn:
        for part in draft.wordy:  # the others hold no words, and somebody may be freezing the same
            storing.erase(canonical.sha256(files[part]))
        raise
    except IntegrityError:  # another process froze this name since we looked
        existing = _same_or_taken(draft, sha256)
        if existing is None:
            raise
        return existing, False


def _same_or_taken(draft: Draft, sha256: str) -> Release | None:
    """The release of these bytes, None where the name, or of a study's own name this version, is
    free; raises `release.name_taken` and `Overtaken`. One query, so that another process cannot
    come in between."""
    named = list(Release.objects.filter(name=draft.name))
    same = next((release for release in named if release.sha256 == sha256), None)
    ours = draft.study is not None and {row.study_id for row in named} == {draft.study.pk}
    if same is None and ours and draft.version in {row.version for row in named}:
        raise Overtaken
    if same is None and named and not ours:
        raise name_taken(draft.name)
    return same


def manifest_of(draft: Draft) -> dict[str, Any]:
    """The manifest a draft gets; its canonical bytes are the release's hash."""
    return {
        "name": draft.name,
        "version": draft.version,
        "title": draft.title,
        "schema_version": shapes.SCHEMA_VERSION,
        "language": draft.language,
        "regions": list(draft.regions),
        "groups": draft.groups,
        "licence": draft.licence,
        **({"licence_text": draft.licence_text} if draft.licence_text else {}),
        "simulated": draft.simulated,
        "parts": [
            {
                "name": name,
                "sha256": canonical.sha256(data),
                "rows": data.count(b"\n"),
                "bytes": len(data),
            }
            for name, data in _files(draft).items()
        ],
        **draft.origin,
    }


def _files(draft: Draft) -> dict[str, bytes]:
    content = {"items": draft.rows, "findings": draft.findings, **draft.more}
    return {part: canonical.lines(rows) for part, rows in content.items()}


def _refuse_withdrawn(people: Sequence[int]) -> None:
    """From here to the commit nobody of these withdraws; who does afterwards finds the release."""
    held = Participant.objects.filter(pk__in=people).select_for_update(no_key=True).order_by("pk")
    if Participant.Status.WITHDRAWN in set(held.values_list("status", flat=True)):
        raise Withdrawn


@transaction.atomic
def _insert(
    draft: Draft,
    manifest: bytes,
    files: dict[str, bytes],
    *,
    actor: str,
    action: str,
) -> Release:
    _refuse_withdrawn(draft.people)
    release = Release.objects.create(
        study=draft.study,
        name=draft.name,
        version=draft.version,
        title=draft.title,
        status=Release.Status.FROZEN,
        parent=draft.parent,
        manifest=manifest.decode(),
        sha256=canonical.sha256(manifest),
        schema_version=shapes.SCHEMA_VERSION,
        licence=draft.licence,
        simulated=draft.simulated,
        created=clock.now(),
    )
    Part.objects.bulk_create(
        Part(
            release=release,
            name=part["name"],
            sha256=part["sha256"],
            rows=part["rows"],
            size=part["bytes"],
        )
        for part in release.about["parts"]
    )
    Contribution.objects.bulk_create(
        Contribution(release=release, participant_id=person) for person in draft.people
    )
    _index(release, files)
    audit.record(
        actor,
        action,
        "release",
        release.label,
        study=draft.study.slug if draft.study else "",
        sha256=release.sha256,
        items=len(draft.rows),
    )
    return release


def rebuild_index(release: Release) -> None:
    """Replace the rows of items and findings by what the frozen bytes say.

    Raises `release.bytes_changed`, `release.part_purged` and `item.shape`; the rows stay then.
    """
    wanted = release.parts.filter(name__in=("items", "findings"))
    files = {part.name: storing.read(part) for part in wanted}
    for row in canonical.rows(files["items"]):
        shapes.check(row, release.regions, release.schema_version)
    with transaction.atomic():
        release.items.all().delete()
        release.findings.all().delete()
        _index(release, files)


def _index(release: Release, files: dict[str, bytes]) -> None:
    items = [
        Item(release=release, position=position, folded=folded(row), **row)
        for position, row in enumerate(canonical.rows(files["items"]), start=1)
    ]
    Item.objects.bulk_create(items, batch_size=_BATCH)
    findings = [
        Finding(release=release, **finding) for finding in canonical.rows(files["findings"])
    ]
    Finding.objects.bulk_create(findings, batch_size=_BATCH)


@transaction.atomic
def redact_index(release: Release, pseudonym: str) -> None:
    """Take somebody's clues out of the rows of artifacts; again does nothing."""
    for item in release.items.filter(kind=Item.Kind.ARTIFACT):
        row = {"key": item.key, "kind": item.kind, "payload": item.payload}
        if pseudonym in artifacts.givers([row]):
            stays = artifacts.left(row, {pseudonym})
            release.items.filter(pk=item.pk).update(payload=stays["payload"], folded=folded(stays))


def folded(row: Mapping[str, Any]) -> str:
    """What a search looks through: key, question and answers, or names and clues, a line each."""
    payload = row["payload"]
    answers = [answer for given in payload.get("gold", {}).values() for answer in given or ()]
    maps = [payload.get("text") or payload.get("question") or payload["name"]]
    maps += [answer["text"] for answer in (*answers, *payload.get("options", ()))]
    texts = [text for languages in maps for text in languages.values()]
    texts += [each["text"] for name in ("names", "clues") for each in payload.get(name, ())]
    return "\n".join(map(fold, [row["key"], *texts]))


def valid_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        shown = storable(name)[0]
        raise CommonplaceError(
            "release.name_invalid",
            f"“{shown}” cannot name a release. Use 1 to 80 letters, digits, “.”, “_” and “-”, "
            "beginning with a letter or digit; the version is added by itself.",
            name=shown,
        )
    return name


def name_taken(name: str) -> CommonplaceError:
    return CommonplaceError(
        "release.name_taken",
        f"A release called “{name}” exists with other content. A release never changes: give "
        "this one another name.",
        http_status=409,
        name=name,
    )
