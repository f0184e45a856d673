"""Clues of earlier games that a recorded player may repeat, for one person to guess from."""

from collections.abc import Mapping, Sequence

from core.prepared import Prepared
from games.models import Game, Turn, Utterance
from games.selectors import artifacts as known
from games.selectors import rows
from studies import setup
from studies.models import Artifact, Participation

_told: Mapping[str, Prepared[Utterance]] = {
    phase: Prepared(
        lambda region, phase=phase: (
            rows.recorded_clues(region, phase).order_by().values_list("artifact").distinct()
        ),
        int,
    )
    for phase in setup.Phase
}


def some(participation: Participation) -> bool:
    """Whether there is an artifact to play with recorded clues that the person has not met."""
    return bool(artifacts(participation))


def artifacts(participation: Participation) -> frozenset[int]:
    """Listed artifacts of the person's region that somebody else has described in a game that has
    ended, themselves or what was merged into them, and that the person has not met."""
    region = participation.slot_region_id
    if region is None:
        return frozenset()
    told = {each for (each,) in _told[participation.activity.phase].rows(region)}
    if not told:
        return frozenset()
    described = known.standing(told)
    listed = Artifact.objects.filter(pk__in=described, status=Artifact.Status.LISTED)
    return frozenset(set(listed.values_list("pk", flat=True)) - met([participation.participant_id]))


def met(participants: Sequence[int]) -> set[int]:
    """The artifacts of turns that these people played, and what they are merged into."""
    turns = Turn.objects.filter(game__seats__participation__participant__in=participants)
    return known.standing(set(turns.values_list("artifact", flat=True)))


def clues(game: int, turn: int, artifact: int, region: int) -> list[Utterance]:
    """What a recorded giver says of the artifact in this turn: the clues of one earlier turn of it
    or of what was merged into it, in their order. The turn that this one has begun to repeat stays;
    else it is one with the most clues."""
    begun = Utterance.objects.filter(game=game, turn=turn, kind="clue", source__isnull=False)
    source = begun.select_related("source").first()
    told: dict[tuple[int, int], list[Utterance]] = {}
    phase = Game.objects.values_list("activity__phase", flat=True).get(pk=game)
    every = rows.recorded_clues(region, phase).exclude(game=game)
    for clue in every.filter(artifact__in=known.merged([artifact])).order_by("game", "number"):
        told.setdefault((clue.game_id, clue.turn), []).append(clue)
    if source and source.source and (source.source.game_id, source.source.turn) in told:
        return told[source.source.game_id, source.source.turn]
    return max(told.values(), key=len, default=[])
