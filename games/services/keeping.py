"""What events mean for the rows beside a game: turns, words, seats, what players said afterwards.

Runs within the transaction that writes the events.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from core import clock
from core.inserting import Rows
from core.text import fold
from core.updating import Update
from games.machine import Event, Outcome, Play, Player, Words
from games.machine.commands import Meant
from games.models import Seat, Turn, Utterance, Vetting

Verdict = Utterance.Verdict
RULE = "rule"  # who decides where nobody does
PARTNERS = (Verdict.PROPOSED, Verdict.CONFIRMED, Verdict.DENIED)  # of a proposal, until the team's
_MEANT = {
    Meant.YES.value: Verdict.RIGHT,
    Meant.NO.value: Verdict.WRONG,
    Meant.UNSURE.value: Verdict.DOUBTFUL,
}

_utterances = Rows(
    Utterance,
    *("game", "turn", "kind", "number", "seat", "artifact", "text", "folded", "about"),
    *("verdict", "reason", "decided_by", "struck", "removed", "source", "at"),
)
_turns = Rows(
    Turn,
    *("game", "number", "giver", "artifact", "outcome", "accuracy", "quality", "begun", "ended"),
)
_outcomes = Update(Turn, "outcome", "ended", where=("game", "number"))
_ratings = Update(Turn, "accuracy", "quality", where=("game", "number"))


def keep(game: int, decided: Play, actor: str) -> None:
    """`actor` is the moderator's address, or RULE."""
    if decided.words:
        now = clock.now()
        _utterances.insert_new(_utterance(game, words, now) for words in decided.words)
    for event in decided.events:
        if event.kind in _KEEPERS:
            _KEEPERS[event.kind](game, decided, event, actor)


def _utterance(game: int, words: Words, now: datetime) -> tuple[Any, ...]:
    by = RULE if words.kind in ("clue", "guess") else ""
    said = (words.text, fold(words.text), words.about)
    place = (game, words.turn, words.kind, words.number, words.seat, words.artifact)
    return (*place, *said, words.verdict, words.reason, by, False, False, None, now)


def _said(game: int, turn: int, kind: str, number: int) -> QuerySet[Utterance]:
    return Utterance.objects.filter(game=game, turn=turn, kind=kind, number=number)


def _turn_begun(game: int, _play: Play, event: Event, _actor: str) -> None:
    data = event.data
    place = (game, data["number"], data["giver"], data["artifact"])
    _turns.insert_new([(*place, "", None, None, clock.now(), None)])


def _turn_ended(game: int, _play: Play, event: Event, _actor: str) -> None:
    _outcomes.run([event.data["outcome"], clock.now()], [game, event.data["number"]])


def _rated(game: int, _play: Play, event: Event, _actor: str) -> None:
    data = event.data
    _ratings.run([data["accuracy"], data["quality"]], [game, data["turn"]])


def _clue_said(game: int, play: Play, event: Event, actor: str) -> None:
    """A clue that was refused before and may be said now."""
    if not play.words and play.state.turn:
        number = event.data["number"]
        said = _said(game, play.state.turn.number, "clue", number)
        said.update(verdict=Verdict.SAID, decided_by=actor)


def _appealed(game: int, play: Play, event: Event, _actor: str) -> None:
    if play.state.turn:
        clue = _said(game, play.state.turn.number, "clue", event.data["number"])
        clue.update(verdict=Verdict.APPEALED)


def _appeal_decided(game: int, _play: Play, event: Event, actor: str) -> None:
    data = event.data
    verdict = Verdict.ALLOWED if data["allowed"] else Verdict.REFUSED
    _said(game, data["turn"], "clue", data["number"]).update(verdict=verdict, decided_by=actor)


def _confirmed(game: int, _play: Play, event: Event, actor: str) -> None:
    """By its giver, by a moderator who struck it, or by the clock."""
    by = "giver" if event.seat is not None else "clock" if actor == RULE else actor
    guess = _said(game, event.data["turn"], "guess", event.data["number"])
    guess.update(verdict=_MEANT[event.data["meant"]], decided_by=by)


def _judged(game: int, _play: Play, event: Event, actor: str) -> None:
    """A guess that is right after all makes its turn one that was guessed."""
    data = event.data
    verdict = Verdict.RIGHT if data["right"] else Verdict.WRONG
    _said(game, data["turn"], "guess", data["number"]).update(verdict=verdict, decided_by=actor)
    if data["right"]:
        ended = Turn.objects.filter(game=game, number=data["turn"]).exclude(outcome="")
        ended.update(outcome=Outcome.GUESSED)


def _replaced(game: int, _play: Play, event: Event, _actor: str) -> None:
    Seat.objects.filter(game=game, number=event.whose).update(player=Player.RECORDED)


def _dropped(game: int, _play: Play, event: Event, _actor: str) -> None:
    if event.data["why"] == "gone":
        reason = event.data.get("reason", "left")
        Seat.objects.filter(game=game, number=event.whose).update(left_reason=reason)


def _vetted(game: int, _play: Play, event: Event, _actor: str) -> None:
    data = event.data
    Vetting.objects.update_or_create(
        game_id=game,
        seat=event.whose,
        artifact_id=data["artifact"],
        defaults={"known": data["known"], "shared": data["shared"], "at": clock.now()},
    )


def _verified(game: int, _play: Play, event: Event, _actor: str) -> None:
    """What the team has decided meanwhile stands."""
    proposal = _said(game, 0, "proposal", event.data["number"]).filter(
        seat=1 - event.whose, verdict__in=PARTNERS
    )
    verdict = Verdict.CONFIRMED if event.data["belongs"] else Verdict.DENIED
    proposal.update(verdict=verdict, decided_by="partner")


def _struck(game: int, _play: Play, event: Event, actor: str) -> None:
    data = event.data
    _said(game, data["turn"], data["of"], data["number"]).update(struck=True, decided_by=actor)


_KEEPERS: Mapping[str, Callable[[int, Play, Event, str], None]] = {
    "turn_begun": _turn_begun,
    "turn_ended": _turn_ended,
    "rated": _rated,
    "clue_said": _clue_said,
    "clue_appealed": _appealed,
    "appeal_decided": _appeal_decided,
    "confirmed": _confirmed,
    "judged": _judged,
    "replaced": _replaced,
    "dropped": _dropped,
    "vetted": _vetted,
    "verified": _verified,
    "struck": _struck,
}
