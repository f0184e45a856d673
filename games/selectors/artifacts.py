"""The artifacts of a region as a game is played with them."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Exists, OuterRef

from core.prepared import Prepared
from games.dealing import Known
from games.machine import Outcome
from games.models import Turn
from games.selectors import between
from studies.models import Artifact, ArtifactName, Region, Study

SHOWN_FIRST: dict[str, int] = {ArtifactName.Kind.NAME: 0, ArtifactName.Kind.ALIAS: 1}

Name = tuple[str, int, str]  # kind, number, text
FORBIDDEN = ArtifactName.Kind.FORBIDDEN
DESCRIBED = (Outcome.GUESSED, Outcome.MISSED, Outcome.PASSED, Outcome.TIME_UP)

# Whoever sits down has a game dealt, and all that is read for it.
_turns: Prepared[Turn] = Prepared(
    lambda region: (
        between.people(Turn.objects.filter(artifact__region=region, outcome__in=DESCRIBED))
        .order_by()
        .values_list("artifact", "game")
    ),
    int,
)


def known(region: Region) -> list[Known]:
    """Those that are listed and have a name, with how many games have described them, themselves or
    what is merged into them: in a turn that was neither cut nor left without a clue, and whose
    clues a person gave to a person."""
    described = _described(region)
    listed = ArtifactName.objects.filter(
        artifact__region=region, artifact__status=Artifact.Status.LISTED
    )
    rows = listed.order_by("artifact").values_list("artifact", "kind", "pk", "text")
    names: dict[int, list[Name]] = defaultdict(list)
    for artifact, kind, pk, text in rows:
        names[artifact].append((kind, pk, text))
    return [_known(each, described.get(each, 0), names[each]) for each in names]


def standing(artifacts: Collection[int]) -> set[int]:
    """These artifacts, and what stands for those that were merged."""
    return _linked(artifacts, "merged__in")


def merged(artifacts: Collection[int]) -> set[int]:
    """These artifacts, and what was merged into them."""
    return _linked(artifacts, "merged_into__in")


def _linked(artifacts: Collection[int], through: str) -> set[int]:
    """All that merges lead to, one after the other."""
    found, fresh = set(artifacts), set(artifacts)
    while fresh:
        rows = Artifact.objects.filter(**{through: fresh}).order_by()
        fresh = set(rows.values_list("pk", flat=True)) - found
        found |= fresh
    return found


def _described(region: Region) -> dict[int, int]:
    """In how many games each artifact was described, by number of what stands for it."""
    stands = Artifact.objects.filter(region=region, merged__isnull=False).order_by()
    into = {merged: artifact for artifact, merged in stands.values_list("pk", "merged")}
    games: dict[int, set[int]] = defaultdict(set)
    for artifact, game in _turns.rows(region.pk):
        while artifact in into:
            artifact = into[artifact]
        games[artifact].add(game)
    return {artifact: len(each) for artifact, each in games.items()}


def counts(study: Study) -> dict[int, int]:
    """How many artifacts there are to play with, by number of region."""
    names = ArtifactName.objects.filter(artifact=OuterRef("pk")).exclude(kind="forbidden")
    listed = Artifact.objects.filter(Exists(names), study=study, status=Artifact.Status.LISTED)
    return dict(listed.order_by().values_list("region").annotate(Count("pk")))


def _known(artifact: int, described: int, names: list[Name]) -> Known:
    ordered = sorted(names, key=lambda name: (SHOWN_FIRST.get(name[0], 2), name[1]))
    return Known(
        artifact,
        tuple(text for kind, _pk, text in ordered if kind != FORBIDDEN),
        tuple(text for kind, _pk, text in ordered if kind == FORBIDDEN),
        described,
    )
