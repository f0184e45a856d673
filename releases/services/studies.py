"""Freezing a study, and what a withdrawal does to what was frozen of it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Max

from annotation.models import Project
from annotation.services import projects
from core import audit, clock
from core.errors import CommonplaceError
from releases import (
    artifacts,
    canonical,
    consistency,
    gathering,
    of_games,
    provenance,
    responses,
    storing,
    transcripts,
)
from releases.models import Contribution, Part, Release
from releases.services import freezing
from releases.services.freezing import (
    Draft,
    Overtaken,
    Withdrawn,
    freeze,
    manifest_of,
    valid_name,
)
from studies.models import Participant, Study

TRIES = 5
WORDY = (responses.NAME, artifacts.CLUES, transcripts.NAME, "items")
Frozen = tuple[Release, bool]
Row = dict[str, Any]


def freeze_study(
    study: Study,
    name: str,
    *,
    actor: str,
    licence: str = "",
    accepted: str = "",
    seen: str | None = None,
) -> tuple[Release, bool]:
    """The release of a study's gold as it is now; the one there is (False) where nothing differs.

    Every finding but a note is mended before, or `accepted` says why it stays; the sentence is kept
    with each. `seen` is the `findings_sha256` the person had in view, None accepts whatever there
    is. A further freezing under the same name is the next version, and the one before is marked
    as superseded by it. Raises `release.no_gold`, `release.findings_open` and
    `release.findings_changed` with them, `release.name_invalid` and `release.name_taken`.
    """
    name = valid_name(name)
    for project in Project.objects.filter(study=study).order_by("pk"):
        projects.refresh(project)  # what has changed since somebody decided has to show
    return _undisturbed(lambda: _frozen(_draft(study, name, licence, accepted, seen), actor))


def _undisturbed(freezing: Callable[[], Frozen]) -> Frozen:
    """Gather and freeze, anew where somebody has withdrawn or frozen between the two."""
    for _attempt in range(TRIES):
        try:
            return freezing()
        except (Withdrawn, Overtaken):
            continue
    raise CommonplaceError(
        "release.changing",
        "Participants are withdrawing, or others are freezing, at this moment. Freeze again in a "
        "minute.",
    )


def forget(participant: Participant) -> dict[str, int]:
    """What a withdrawal does: a successor without the participant's words for every release that
    is not superseded, and the parts that held them are erased everywhere. May run again."""
    held = Release.objects.filter(contributions__participant=participant)
    done = {"successors": 0, "parts": 0}
    for release in held.filter(superseded_by=None).order_by("pk"):
        _succeed(release)
        done["successors"] += 1
    for release in list(held.order_by("pk")):
        done["parts"] += _purge(release, participant)
    return done


def _draft(study: Study, name: str, licence: str, accepted: str, seen: str | None = None) -> Draft:
    found = gathering.gather(study)
    if not found.items:
        raise CommonplaceError(
            "release.no_gold",
            "No question of this study has a gold answer and no artifact is listed yet. Open the "
            "annotation and have the answers judged, or list artifacts, then freeze.",
            http_status=409,
        )
    reason, wanting = accepted.strip(), consistency.to_accept(found.findings)
    if wanting and not reason:
        raise CommonplaceError(
            "release.findings_open",
            f"{len(wanting)} findings are open. Mend them, or say why they may stay.",
            http_status=409,
            findings=wanting,
        )
    if wanting and seen not in (None, found.findings_sha256):
        raise CommonplaceError(
            "release.findings_changed",
            "What is in the way has changed since you opened this. Look at the findings again, "
            "then freeze; your reason is still below.",
            http_status=409,
            findings=wanting,
        )
    return Draft(
        name=name,
        title=study.name,
        language=found.language,
        regions=found.regions,
        licence=licence,
        simulated=study.simulated,
        origin={
            "study": {
                "slug": study.slug,
                "country": study.country,
                "ethics_number": study.ethics_number,
                "participants": found.flow,
                "findings": {
                    "accepted": len(wanting),
                    "notes": len(found.findings) - len(wanting),
                },
                **provenance.of_study(study),
                **({"games": of_games.told(study)} if found.artifacts else {}),
            }
        },
        rows=found.items,
        findings=[each | _accepted(each, reason) for each in found.findings],
        study=study,
        more=found.more,
        people=found.people,
    )


def _accepted(finding: consistency.Finding, reason: str) -> dict[str, str]:
    """By whom and why it stays; a note is nobody's to accept."""
    if finding["code"] in consistency.NOTES:
        return {"accepted_by": "", "reason": ""}
    return {"accepted_by": "the study team", "reason": reason}


def _frozen(draft: Draft, actor: str) -> tuple[Release, bool]:
    """As the newest version of the name where the bytes are the same, else as the next one."""
    ours = Release.objects.filter(name=draft.name, study=draft.study)
    newest = ours.order_by("-version").first()
    if newest is None:
        return freeze(draft, actor=actor, action="release.frozen")
    if newest.about == manifest_of(replace(draft, version=newest.version)):
        return newest, False
    following = replace(draft, version=newest.version + 1)
    release, created = freeze(following, actor=actor, action="release.frozen")
    ours.filter(superseded_by=None).exclude(pk=release.pk).update(superseded_by=release)
    return release, created


def _succeed(release: Release) -> None:
    """Freeze the next version, equal but for the words of who has withdrawn, whoever it is."""
    successor, _ = _undisturbed(
        lambda: freeze(_following(release), actor=audit.SYSTEM, action="release.succeeded")
    )
    Release.objects.filter(pk=release.pk).update(superseded_by=successor)


def _following(release: Release) -> Draft:
    parts = {part.name: canonical.rows(storing.read(part)) for part in release.parts.all()}
    about = release.about
    stay = Participant.objects.filter(
        contributions__release=release, status=Participant.Status.TAKING_PART
    )
    people = dict(stay.values_list("code", "pk"))
    wrote = release.contributions.values_list("participant__code", flat=True)
    gone = set(wrote) - people.keys()
    rows = [artifacts.left(row, gone) for row in parts["items"]]
    last = Release.objects.filter(name=release.name).aggregate(last=Max("version"))["last"]
    return Draft(
        name=release.name,
        title=release.title,
        language=about["language"],
        regions=about["regions"],
        licence=release.licence,
        simulated=release.simulated,
        origin={"study": about["study"], "supersedes": release.label},
        rows=rows,
        findings=parts["findings"],
        groups=about["groups"],
        version=last + 1,
        study=release.study,
        more=_left(parts, rows, gone),
        people=list(people.values()),
    )


def _left(
    parts: Mapping[str, list[Row]], rows: Sequence[Row], gone: Collection[str]
) -> dict[str, list[Row]]:
    """The parts beside the items `rows`, without what those who are gone wrote."""
    left = {responses.NAME: [r for r in parts[responses.NAME] if r["participant"] not in gone]}
    if artifacts.CLUES in parts:
        left[artifacts.CLUES] = artifacts.clues(rows)
        left[transcripts.NAME] = transcripts.without(parts[transcripts.NAME], gone)
    return left


def _purge(release: Release, participant: Participant) -> int:
    """Erase the parts with words of this person. The mark is committed first, so that nobody reads
    them since; that the person is in them is forgotten last, so that a worker that died is followed
    by another. Of items that go, the index keeps all but this person's clues."""
    holding = [part.pk for part in release.parts.all() if _holds(part, participant.code)]
    purged = release.parts.filter(pk__in=holding, purged_at=None).update(purged_at=clock.now())
    freezing.redact_index(release, participant.code)
    for sha256 in release.parts.exclude(purged_at=None).values_list("sha256", flat=True):
        storing.erase(sha256)
    Contribution.objects.filter(release=release, participant=participant).delete()
    return purged


def _holds(part: Part, pseudonym: str) -> bool:
    """Whether somebody's pseudonym stands in a part; of one that cannot be read it may."""
    if part.purged_at:
        return False
    try:
        return pseudonym.encode() in storing.read(part)
    except CommonplaceError:
        return part.name in WORDY
