"""Everything of a study's games as tables: games, turns, what was said, what happened, votes.

People are pseudonyms, artifacts and games their codes, instants UTC with their offset; rules and
what an event holds are JSON. Together the tables are a game without loss: folded in order, the
events give its state. Whoever has withdrawn has left no words, also while their removal still waits
for a worker. Who of the team decided is told as `moderator`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.errors import NotFound
from core.tables import Table, Value
from games.models import Game, GameEvent, Seat, Turn, Utterance, Vetting
from games.services.playing import cards_of
from studies.models import Participant, Study

AT_ONCE = 500  # rows read at a time
DECIDERS = ("rule", "giver", "partner", "clock", "")
TITLES = {
    "games": "Games",
    "turns": "Turns",
    "utterances": "What was said",
    "events": "What happened",
    "vettings": "How artifacts were vetted",
}
_GAME = ("study", "activity", "phase", "region", "game")
_SEAT = ("player", "participant", "left_reason")
_COLUMNS: Mapping[str, Sequence[str]] = {
    "games": (
        *(*_GAME, "language", "created", "ended", "ended_reason", "rules"),
        *(f"seat{number}_{each}" for number in (0, 1) for each in _SEAT),
        "simulated",
    ),
    "turns": (
        *(*_GAME, "turn", "artifact", "artifact_name", "giver", "guesser", "recorded"),
        *("outcome", "accuracy", "quality", "begun", "ended", "simulated"),
    ),
    "utterances": (
        *(*_GAME, "turn", "kind", "number", "seat", "participant", "artifact"),
        *("text", "about", "verdict", "reason", "decided_by", "struck", "removed"),
        *("repeats_game", "repeats_turn", "repeats_number", "at", "simulated"),
    ),
    "events": (*_GAME, "seq", "seat", "kind", "data", "by_moderator", "at", "simulated"),
    "vettings": (*_GAME, "participant", "artifact", "known", "shared", "at", "simulated"),
}


def table(study: Study, name: str) -> Table:
    """One of TITLES, its rows read while they are sent. Raises `download.unknown`."""
    if name not in TITLES:
        raise NotFound(
            "download.unknown", f"There is no such table. Use one of: {', '.join(TITLES)}."
        )
    return Table(TITLES[name], _COLUMNS[name], _ROWS[name](_Sitting(study)))


class _Sitting:
    """Who sat where in the games of a study: what rows of every table are read with."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.seats: dict[tuple[int, int], Seat] = {}
        self.simulated: set[int] = set()
        seats = Seat.objects.filter(game__activity__study=study)
        for seat in seats.select_related("participation__participant"):
            self.seats[seat.game_id, seat.number] = seat
            who = self.person(seat.game_id, seat.number)
            if study.simulated or (who and who.simulated):
                self.simulated.add(seat.game_id)

    def person(self, game: int, number: int) -> Participant | None:
        seat = self.seats.get((game, number))
        return seat.participation.participant if seat and seat.participation else None

    def code(self, game: int, number: int) -> str | None:
        who = self.person(game, number)
        return who.code if who else None

    def withdrawn(self, game: int, number: int) -> bool:
        who = self.person(game, number)
        return who is not None and who.status == Participant.Status.WITHDRAWN

    def game(self, game: Game) -> tuple[Value, ...]:
        activity = game.activity
        return (self.study.slug, activity.slug, activity.phase, game.region.slug, game.code)


def _games(sitting: _Sitting) -> Iterator[Sequence[Value]]:
    rows = Game.objects.filter(activity__study=sitting.study).defer("cards", "state")
    for game in rows.select_related("activity", "region").iterator(AT_ONCE):
        seats: list[Value] = []
        for number in (0, 1):
            seat = sitting.seats.get((game.pk, number))
            player, reason = (seat.player, seat.left_reason) if seat else (None, None)
            seats += [player, sitting.code(game.pk, number), reason]
        yield (
            *sitting.game(game),
            *(game.language, game.created, game.ended, game.ended_reason, _json(game.rules)),
            *seats,
            game.pk in sitting.simulated,
        )


def _turns(sitting: _Sitting) -> Iterator[Sequence[Value]]:
    recorded = set(
        _of_games(Utterance, sitting)
        .filter(source__isnull=False)
        .order_by()
        .values_list("game", "turn")
    )
    for turn in _of_games(Turn, sitting).select_related("artifact").iterator(AT_ONCE):
        game = turn.game
        card = cards_of(game.pk).get(turn.artifact_id)
        yield (
            *sitting.game(game),
            *(turn.number, turn.artifact.code, card.name if card else None),
            sitting.code(game.pk, turn.giver),
            sitting.code(game.pk, 1 - turn.giver),
            (game.pk, turn.number) in recorded,
            *(turn.outcome, turn.accuracy, turn.quality, turn.begun, turn.ended),
            game.pk in sitting.simulated,
        )


def _utterances(sitting: _Sitting) -> Iterator[Sequence[Value]]:
    rows = _of_games(Utterance, sitting).select_related("artifact", "source__game")
    for said in rows.defer("source__game__cards", "source__game__state").iterator(AT_ONCE):
        game, source = said.game, said.source
        written_by = (source.game_id, source.seat) if source else (game.pk, said.seat)
        removed = said.removed or sitting.withdrawn(*written_by)
        yield (
            *sitting.game(game),
            *(said.turn, said.kind, said.number, said.seat),
            None if source else sitting.code(game.pk, said.seat),
            said.artifact.code if said.artifact else None,
            *(("", "") if removed else (said.text, said.about)),
            *(said.verdict, said.reason, _decider(said.decided_by), said.struck, removed),
            *((source.game.code, source.turn, source.number) if source else (None, None, None)),
            *(said.at, game.pk in sitting.simulated),
        )


def _events(sitting: _Sitting) -> Iterator[Sequence[Value]]:
    for event in _of_games(GameEvent, sitting).iterator(AT_ONCE):
        yield (
            *sitting.game(event.game),
            *(event.seq, event.seat, event.kind, _json(event.data), bool(event.by), event.at),
            event.game_id in sitting.simulated,
        )


def _vettings(sitting: _Sitting) -> Iterator[Sequence[Value]]:
    for vote in _of_games(Vetting, sitting).select_related("artifact").iterator(AT_ONCE):
        yield (
            *sitting.game(vote.game),
            sitting.code(vote.game_id, vote.seat),
            *(vote.artifact.code, vote.known, vote.shared, vote.at),
            vote.game_id in sitting.simulated,
        )


def _of_games(model: Any, sitting: _Sitting) -> Any:
    rows = model.objects.filter(game__activity__study=sitting.study)
    rows = rows.select_related("game__activity", "game__region")
    return rows.defer("game__cards", "game__state", "game__rules")


def _decider(by: str) -> str:
    return by if by in DECIDERS else "moderator"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_ROWS: Mapping[str, Callable[[_Sitting], Iterator[Sequence[Value]]]] = {
    "games": _games,
    "turns": _turns,
    "utterances": _utterances,
    "events": _events,
    "vettings": _vettings,
}
