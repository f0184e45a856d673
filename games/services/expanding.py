"""The review of what players propose beside the list: a partner has confirmed it, or there was none
who could, and a person of the team decides.

Accepting makes an artifact of it, or adds to the one of that name; dismissing leaves it. Doing the
same again changes nothing, and both can be undone. `proposal` is an utterance of that kind.
"""

from django.db import transaction

from core import audit
from core.errors import CommonplaceError
from core.models import AuditEntry
from games.models import Seat, Utterance
from games.selectors import between
from studies import artifacts
from studies.models import Artifact, ArtifactName, ArtifactSource, Participant
from studies.services.artifacts import put_name, readable
from studies.services.rows import locked

Verdict = Utterance.Verdict
OPEN = (Verdict.CONFIRMED, Verdict.PROPOSED)  # it waits, the latter where there was no partner
LISTED, DISMISSED = Verdict.ALLOWED, Verdict.REFUSED
PUT_ON_THE_LIST = "game.proposal_listed"
OFF_THE_LIST = (Artifact.Status.PROPOSED, Artifact.Status.LEFT_OUT)
# What people decide of an artifact beside proposals, as the audit trail has it.
DECISIONS = ("artifact.listed", "artifact.left_out", artifacts.MERGED, artifacts.UNDONE)


def accept(proposal: Utterance, actor: str) -> Artifact:
    """Put it on the list: as a name that stands there already, or as an artifact of its own, with
    who proposed it as its source. Locks the study. Raises `game.not_confirmed`,
    `game.proposal_removed`, and for a name that no artifact can have what
    `studies.services.artifacts.readable` raises."""
    with transaction.atomic():
        locked(proposal.game.activity.study)
        proposal.refresh_from_db()
        if proposal.verdict == LISTED and proposal.artifact:
            return proposal.artifact
        _refuse_unfit(proposal)
        artifact = artifacts.find(proposal.game.region, proposal.text)
        was = artifact.status if artifact else ""
        artifact = _listed(artifact) if artifact else _made(proposal)
        ArtifactSource.objects.create(
            artifact=artifact,
            participant=_proposer(proposal),
            text=proposal.text,
            about=proposal.about,
        )
        _decide(proposal, LISTED, actor, artifact)
        _note(proposal, actor, PUT_ON_THE_LIST, artifact=artifact.code, was=was)
    return artifact


def dismiss(proposal: Utterance, actor: str) -> None:
    """Leave it: it stays in its game's transcript. Raises `game.not_confirmed`."""
    with transaction.atomic():
        proposal.refresh_from_db()
        if proposal.verdict == DISMISSED:
            return
        _refuse_undecidable(proposal)
        _decide(proposal, DISMISSED, actor)
        _note(proposal, actor, "game.proposal_dismissed")


def undo(proposal: Utterance, actor: str) -> None:
    """It waits for a decision again. An artifact that rests on this proposal alone is left out of
    the list, and one that was not on the list before is as it was; games that are played with it go
    on. Locks the study."""
    with transaction.atomic():
        locked(proposal.game.activity.study)
        proposal.refresh_from_db()
        if proposal.verdict not in (LISTED, DISMISSED):
            return
        artifact = proposal.artifact
        if _alone(proposal):
            _decide(proposal, Verdict.PROPOSED, "")
        else:
            _decide(proposal, Verdict.CONFIRMED, "partner")
        if artifact:
            _take_back(proposal)
            _restore(artifact)
        _note(proposal, actor, "game.proposal_undone")


def _refuse_unfit(proposal: Utterance) -> None:
    _refuse_undecidable(proposal)
    if proposal.removed:
        raise CommonplaceError(
            "game.proposal_removed",
            "Whoever proposed this has withdrawn, and their words are gone. Dismiss it.",
            http_status=409,
        )


def _refuse_undecidable(proposal: Utterance) -> None:
    confirmed = proposal.verdict in (Verdict.CONFIRMED, LISTED, DISMISSED)
    if not (confirmed or (proposal.verdict == Verdict.PROPOSED and _alone(proposal))):
        raise CommonplaceError(
            "game.not_confirmed",
            "The partner has not confirmed this proposal, so there is nothing to decide. Go back "
            "to the list of proposals.",
            http_status=409,
        )
    if proposal.verdict == LISTED:
        raise CommonplaceError(
            "game.proposal_listed",
            "Somebody has put this on the list already. Undo that first.",
            http_status=409,
        )


def _alone(proposal: Utterance) -> bool:
    """Whether nobody could confirm it."""
    return Utterance.objects.filter(between.ALONE, pk=proposal.pk).exists()


def _listed(artifact: Artifact) -> Artifact:
    artifact.status = Artifact.Status.LISTED
    artifact.save(update_fields=["status"])
    return artifact


def _made(proposal: Utterance) -> Artifact:
    name, region = readable(proposal.text), proposal.game.region
    artifact = Artifact.objects.create(
        study_id=region.study_id,
        region=region,
        origin=Artifact.Origin.EXPANDED,
        status=Artifact.Status.LISTED,
    )
    put_name(artifact, name, ArtifactName.Kind.NAME)
    return artifact


def _take_back(proposal: Utterance) -> None:
    """The source that the proposal became, by now perhaps that of what it was merged into."""
    sources = ArtifactSource.objects.filter(
        participant=_proposer(proposal), answer_ref=None, text=proposal.text
    )
    source = sources.order_by("-pk").first()
    if source is None:
        return
    source.delete()
    alone = not ArtifactSource.objects.filter(artifact=source.artifact_id).exists()
    if alone:
        Artifact.objects.filter(
            pk=source.artifact_id,
            origin=Artifact.Origin.EXPANDED,
            status=Artifact.Status.LISTED,
        ).update(status=Artifact.Status.LEFT_OUT)


def _restore(artifact: Artifact) -> None:
    """Off the list again, if proposals alone have put it there: none is left that does, and nobody
    has decided on the artifact since."""
    if Utterance.objects.filter(verdict=LISTED, artifact=artifact).exists():
        return
    put = AuditEntry.objects.filter(
        action=PUT_ON_THE_LIST, data__artifact=artifact.code, data__was__in=OFF_THE_LIST
    ).first()
    decided = AuditEntry.objects.filter(
        object_kind="artifact", object_id=artifact.code, action__in=DECISIONS
    ).first()
    if put is None or (decided and decided.pk > put.pk):
        return
    listed = Artifact.objects.filter(pk=artifact.pk, status=Artifact.Status.LISTED)
    listed.update(status=put.data["was"])


def _proposer(proposal: Utterance) -> Participant | None:
    seat = Seat.objects.select_related("participation__participant").get(
        game=proposal.game_id, number=proposal.seat
    )
    return seat.participation.participant if seat.participation else None


def _decide(
    proposal: Utterance, verdict: str, decided_by: str, artifact: Artifact | None = None
) -> None:
    Utterance.objects.filter(pk=proposal.pk).update(
        verdict=verdict, decided_by=decided_by, artifact=artifact
    )
    proposal.refresh_from_db()


def _note(proposal: Utterance, actor: str, action: str, **data: str) -> None:
    game = proposal.game
    slug = game.activity.study.slug
    audit.record(actor, action, "game", game.code, study=slug, number=proposal.number, **data)
