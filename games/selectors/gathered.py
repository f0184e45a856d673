"""What games have gathered that may be published: clues by artifact, ratings, and whole games.

Of ended games of a study's main phase in which a turn was played; pilots never count. A clue
counts where its partner read it and it was neither struck nor removed; what a recorded player
repeats is no new clue. How a player describes what they propose is a clue of it once the team has
put it on the list. A player is published who is among the `people` given here and whose
participation was neither rejected nor kept out of the results.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.machine.state import Phase
from games.models import Game, GameEvent, Seat, Turn, Utterance
from games.selectors import between
from studies import setup
from studies.models import Artifact, Study
from studies.participation import Status

Row = dict[str, Any]
Kind, Verdict = Utterance.Kind, Utterance.Verdict
INSTANTS = ("deadline", "over", "at")  # of events, in milliseconds since 1970
DECIDERS = ("", "rule", "giver", "partner", "clock")  # whoever else decided is a moderator


class LeftOut(StrEnum):
    """Why words are not in a transcript."""

    STRUCK = "struck"  # by a moderator
    REMOVED = "removed"  # who wrote them has withdrawn
    NOT_PUBLISHED = "not_published"  # who wrote them did not agree to that


@dataclass(frozen=True, slots=True)
class Clue:
    """`artifact` is a code and `giver` the pseudonym of `person`. `turn` is 0 where it was written
    with a proposal."""

    artifact: str
    text: str
    language: str
    giver: str
    person: int
    game: str
    turn: int
    number: int


@dataclass(frozen=True, slots=True)
class Rating:
    artifact: str
    game: str
    turn: int
    accuracy: int | None
    quality: int | None


@dataclass(frozen=True, slots=True)
class Player:
    person: int
    pseudonym: str


Players = Mapping[tuple[int, int], Player]  # by game and seat, those who are published


def games(study: Study) -> QuerySet[Game]:
    """The ended games of the study's main phase, in the order they were made; one that somebody
    left before its first turn was none."""
    return Game.objects.filter(
        Exists(Turn.objects.filter(game=OuterRef("pk"))),
        activity__study=study,
        activity__phase=setup.Phase.MAIN,
        phase=Phase.ENDED,
    ).order_by("pk")


def players(study: Study, people: Collection[int]) -> Players:
    """Those of these people who are published, by where they sat."""
    seats = Seat.objects.filter(
        game__in=games(study), participation__participant__in=people
    ).exclude(Q(participation__included=False) | Q(participation__status=Status.REJECTED))
    named = "participation__participant"
    rows = seats.values_list("game", "number", named, f"{named}__code")
    return {(game, seat): Player(person, code) for game, seat, person, code in rows}


def standing(study: Study) -> dict[int, str]:
    """Number of every artifact of a study -> the code of it, or of what it is merged into."""
    rows = {row.pk: row for row in Artifact.objects.filter(study=study)}
    return {pk: _survivor(row, rows).code for pk, row in rows.items()}


def _survivor(row: Artifact, rows: Mapping[int, Artifact]) -> Artifact:
    for _step in rows:
        if row.merged_into_id is None:
            break
        row = rows[row.merged_into_id]
    return row


def clues(study: Study, seated: Players) -> list[Clue]:
    """By game, turn and number; what was written with proposals comes last of its game."""
    turns = Turn.objects.filter(game=OuterRef("game"), number=OuterRef("turn"))
    said = Q(Exists(between.guessed(turns)), kind=Kind.CLUE, verdict=Verdict.SAID, source=None)
    proposed = Q(kind=Kind.PROPOSAL, verdict=Verdict.ALLOWED)
    rows = Utterance.objects.filter(
        said | proposed, game__in=games(study), artifact__isnull=False, struck=False, removed=False
    ).select_related("game")
    codes = standing(study)
    ordered = sorted(rows, key=lambda row: (row.game_id, row.turn == 0, row.turn, row.number))
    return [
        Clue(
            codes[row.artifact_id or 0],
            _described(row),
            row.game.language,
            giver.pseudonym,
            giver.person,
            row.game.code,
            row.turn,
            row.number,
        )
        for row in ordered
        if (giver := seated.get((row.game_id, row.seat))) and _described(row).strip()
    ]


def _described(row: Utterance) -> str:
    return row.about if row.kind == Kind.PROPOSAL else row.text


def ratings(study: Study) -> list[Rating]:
    """Of turns that were rated, by game and turn."""
    rated = ~Q(accuracy=None) | ~Q(quality=None)
    rows = Turn.objects.filter(rated, game__in=games(study)).select_related("game")
    codes = standing(study)
    return [
        Rating(codes[row.artifact_id], row.game.code, row.number, row.accuracy, row.quality)
        for row in rows.order_by("game", "number")
    ]


def transcripts(study: Study, seated: Players) -> list[Row]:
    """Rows of the part `transcripts` (`releases.transcripts` tells their shape): games in which
    somebody is published."""
    held = games(study).filter(pk__in={game for game, _ in seated}).select_related("region")
    kept = held.defer("state", "cards")
    codes = standing(study)
    turns = _by_game(Turn.objects.filter(game__in=held).order_by("number"))
    events = _by_game(GameEvent.objects.filter(game__in=held).order_by("seq"))
    said = Utterance.objects.filter(game__in=held).select_related("source__game").order_by("pk")
    words = _by_game(said)
    return [
        {
            "game": game.code,
            "region": game.region.slug,
            "language": game.language,
            "players": [_pseudonym(seated, game.pk, seat) for seat in (0, 1)],
            "ended": game.ended_reason,
            "guesses": game.rules["guesses"],
            "turns": [_turn(row, codes) for row in turns[game.pk]],
            "events": [_event(row, game, codes) for row in events[game.pk]],
            "words": [_words(row, seated, codes) for row in words[game.pk]],
        }
        for game in kept
    ]


def _by_game(rows: Iterable[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.game_id].append(row)
    return found


def _pseudonym(seated: Players, game: int, seat: int) -> str | None:
    player = seated.get((game, seat))
    return player.pseudonym if player else None


def _turn(row: Turn, codes: Mapping[int, str]) -> Row:
    return {
        "number": row.number,
        "giver": row.giver,
        "artifact": codes[row.artifact_id],
        "outcome": row.outcome,
        "accuracy": row.accuracy,
        "quality": row.quality,
    }


def _event(row: GameEvent, game: Game, codes: Mapping[int, str]) -> Row:
    """Instants from when the game was made, artifacts by code. Who moderated is not told."""
    began = round(game.created.timestamp() * 1000)
    data = dict(row.data)
    for name in INSTANTS:
        if isinstance(data.get(name), int):
            data[name] -= began
    for name in ("artifact", "deck", "decks"):
        if name in data:
            data[name] = _coded(data[name], codes)
    ms = round(row.at.timestamp() * 1000) - began
    return {"seq": row.seq, "seat": row.seat, "kind": row.kind, "data": data, "ms": ms}


def _coded(value: Any, codes: Mapping[int, str]) -> Any:
    if isinstance(value, list):
        return [_coded(each, codes) for each in value]
    return codes.get(value)


def _words(row: Utterance, seated: Players, codes: Mapping[int, str]) -> Row:
    """Of a clue that is repeated, who gave it first is its player."""
    first = row.source or row
    player = _pseudonym(seated, first.game_id, first.seat)
    left_out = _left_out(row, first, player)
    return {
        "turn": row.turn,
        "kind": row.kind,
        "number": row.number,
        "seat": row.seat,
        "player": None if left_out == LeftOut.REMOVED else player,
        "artifact": codes.get(row.artifact_id or 0),
        "text": "" if left_out else row.text,
        "about": "" if left_out else row.about,
        "verdict": row.verdict,
        "reason": row.reason,
        "decided_by": row.decided_by if row.decided_by in DECIDERS else "moderator",
        "repeats": _repeated(row.source) if row.source and player else None,
        "left_out": left_out,
    }


def _left_out(row: Utterance, first: Utterance, player: str | None) -> str | None:
    if row.removed or first.removed:
        return LeftOut.REMOVED.value
    if row.struck or first.struck:
        return LeftOut.STRUCK.value
    return None if player else LeftOut.NOT_PUBLISHED.value


def _repeated(row: Utterance) -> Row:
    return {"game": row.game.code, "turn": row.turn, "number": row.number}
