"""Clues of earlier games that a recorded player may repeat, for one person to guess from."""

from collections.abc import Sequence

from games.models import Game, Turn, Utterance
from games.selectors import artifacts as known
from games.selectors import rows
from studies.models import Participation


def some(participation: Participation) -> bool:
    """Whether there is an artifact to play with recorded clues that the person has not met."""
    return bool(artifacts(participation))


def artifacts(participation: Participation) -> frozenset[int]:
    """Listed artifacts of the person's region that somebody else has described in a game that has
    ended, and that the person has not met."""
    region = participation.slot_region_id
    if region is None:
        return frozenset()
    clues = rows.recorded_clues(region, participation.activity.phase)
    clues = clues.filter(artifact__status="listed")
    described = set(clues.values_list("artifact", flat=True).distinct())
    return frozenset(described - met([participation.participant_id]))


def met(participants: Sequence[int]) -> set[int]:
    """The artifacts of turns that these people played, and what they are merged into."""
    turns = Turn.objects.filter(game__seats__participation__participant__in=participants)
    return known.standing(set(turns.values_list("artifact", flat=True)))


def clues(game: int, turn: int, artifact: int, region: int) -> list[Utterance]:
    """What a recorded giver says of the artifact in this turn: the clues of one earlier game, in
    their order. The game that the turn has begun to repeat stays; else it is one with the most
    clues."""
    begun = Utterance.objects.filter(game=game, turn=turn, kind="clue", source__isnull=False)
    source = begun.select_related("source").first()
    told: dict[int, list[Utterance]] = {}
    phase = Game.objects.values_list("activity__phase", flat=True).get(pk=game)
    every = rows.recorded_clues(region, phase).filter(artifact=artifact).exclude(game=game)
    for clue in every.order_by("game", "number"):
        told.setdefault(clue.game_id, []).append(clue)
    if source and source.source and source.source.game_id in told:
        return told[source.source.game_id]
    return max(told.values(), key=len, default=[])
