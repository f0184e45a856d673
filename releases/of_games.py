"""What of a study's artifacts and games belongs in a release: an item for each artifact that is
listed, the parts `clues` and `transcripts`, and who wrote what is in them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from games.selectors import gathered
from releases import artifacts as things
from releases import transcripts
from studies import scripts
from studies.models import Artifact, ArtifactName, Study

Row = dict[str, Any]


@dataclass(frozen=True)
class Played:
    """`items` are rows of artifacts, `more` the parts beside them by name; `people` are
    participants whose words are in either."""

    items: list[Row]
    more: dict[str, list[Row]]
    people: set[int]


def gather(study: Study, publishing: Collection[int]) -> Played:
    """Nothing for a study without listed artifacts. `publishing` are those who agreed to that."""
    listed = Artifact.objects.filter(study=study, status=Artifact.Status.LISTED)
    rows = listed.select_related("region").order_by("region__position", "region", "pk")
    seated = gathered.players(study, publishing)
    clues = gathered.clues(study, seated)
    items = _items(list(rows), clues, gathered.ratings(study), study.languages)
    if not items:
        return Played([], {}, set())
    games = gathered.transcripts(study, seated)
    codes = {item["key"] for item in items}
    people = {clue.person for clue in clues if clue.artifact in codes}
    people |= {player.person for player in seated.values()}
    more = {things.CLUES: things.clues(items), transcripts.NAME: games}
    return Played(items, more, people)


def told(study: Study) -> Row:
    """What the manifest says of games: {"ended", "players": participants in them}."""
    games = gathered.games(study)
    sat = games.filter(seats__participation__isnull=False)
    people = sat.order_by().values("seats__participation__participant").distinct()
    return {"ended": games.count(), "players": people.count()}


def _items(
    rows: list[Artifact],
    clues: list[gathered.Clue],
    ratings: list[gathered.Rating],
    languages: Sequence[str],
) -> list[Row]:
    """Rows of artifacts that have a name to be shown by; `languages` are the study's."""
    names: dict[int, list[ArtifactName]] = defaultdict(list)
    for name in ArtifactName.objects.filter(artifact__in=rows).order_by("pk"):
        names[name.artifact_id].append(name)
    given: dict[str, list[Row]] = defaultdict(list)
    for clue in clues:
        given[clue.artifact].append(_clue(clue))
    rated: dict[str, list[Row]] = defaultdict(list)
    for each in ratings:
        rated[each.artifact].append(_rating(each))
    return [
        _item(row, names[row.pk], given[row.code], rated[row.code], languages)
        for row in rows
        if any(name.kind == ArtifactName.Kind.NAME for name in names[row.pk])
    ]


def _item(
    row: Artifact,
    names: list[ArtifactName],
    clues: list[Row],
    ratings: list[Row],
    languages: Sequence[str],
) -> Row:
    shown = next(name for name in names if name.kind == ArtifactName.Kind.NAME)
    tag = shown.language or scripts.tag(shown.text, row.region.language, languages)
    return {
        "key": row.code,
        "kind": things.KIND,
        "labels": {},
        "payload": {
            "region": row.region.slug,
            "name": {tag: shown.text},
            "names": [_name(name) for name in names if name is not shown],
            "origin": row.origin,
            "clues": clues,
            "ratings": ratings,
        },
    }


def _name(name: ArtifactName) -> Row:
    return {
        "text": name.text,
        "kind": str(name.kind),
        "language": name.language,
        "script": name.script,
    }


def _clue(clue: gathered.Clue) -> Row:
    return {
        "text": clue.text,
        "language": clue.language,
        "giver": clue.giver,
        "game": clue.game,
        "turn": clue.turn,
        "number": clue.number,
    }


def _rating(rating: gathered.Rating) -> Row:
    return {
        "game": rating.game,
        "turn": rating.turn,
        "accuracy": rating.accuracy,
        "quality": rating.quality,
    }
