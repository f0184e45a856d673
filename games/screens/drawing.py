"""A view as HTML, in the language that is active: zones, each an element with `data-zone`.

The zone with the fields to fill in is a form whose `data-key` changes when it is about something
else, so that a page which is shown anew keeps what somebody is writing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from core.catalogue import gettext_noop as _
from games.clues import REASONS
from games.machine.deciding import LONGEST_TEXT
from games.machine.state import Phase
from games.screens import sentences, zones
from games.screens.view import (
    Clue,
    Gathering,
    Giving,
    Guess,
    Guessing,
    LookingBack,
    Rating,
    Told,
    View,
)

MINUTE = 60_000  # milliseconds
UNNAMED = _("This is against the rules of the game.")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the forms go, which further fields they carry (as HTML), the language they are in, and
    the time now in milliseconds. After a refusal, `fault` is its sentence and `typed` are the
    fields of the form it was about. `at` tells one showing of a form from another."""

    action: str
    hidden: str = ""
    at: str = ""
    now: int = 0
    fault: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    language: str | None = field(default_factory=get_language)

    def zone(
        self, name: str, own: Mapping[str, str | int] = zones.NOTHING, **values: Any
    ) -> SafeString:
        return zones.zone(name, self.language, own, **values)

    @property
    def own(self) -> Mapping[str, str]:
        """What differs for everybody."""
        return {"action": self.action, "hidden": self.hidden, "at": self.at}


def draw(view: View, place: Place) -> str:
    """The zones of a game."""
    return "\n".join((*_around(view, place), *_ZONES[type(view)](view, place)))


def _around(view: View, place: Place) -> Iterator[str]:
    """What every screen of a game begins with."""
    pause = view.pause
    yield place.zone("turn", sentence=sentences.whose_turn(view))
    yield _time(view, place)
    yield place.zone("partner", partner=view.partner)
    yield place.zone(
        "notices",
        {"before": _told(view.before, place) if view.before else "", **place.own},
        warnings=view.warnings,
        pause=pause,
        longest_wait=pause and whole_minutes(pause.longest),
    )


def _time(view: View, place: Place) -> str:
    minutes = None if view.left is None else whole_minutes(view.left)
    said = place.zone(
        "time_left", turn=view.turn, turns=view.turns, phase=view.phase, minutes=minutes
    )
    if view.left is None:
        return place.zone("time", said=said)
    own = {"left": view.left, "whole": view.whole, "due": place.now + view.left}
    return place.zone("time", own, said=said)


def whole_minutes(duration: int) -> int:
    """Begun minutes of the product in real milliseconds; 0 for the last."""
    scaled = round(duration * settings.TIME_SCALE)
    return -(-scaled // MINUTE) if scaled > MINUTE else 0


def takes_text(view: View) -> bool:
    """Whether there is a field before the reader that they may fill in now."""
    if not view.playing or isinstance(view, Gathering):
        return False
    if isinstance(view, Giving):
        return view.phase in (Phase.CLUE, Phase.CONFIRM)
    if isinstance(view, Guessing):
        return view.phase is Phase.GUESS
    return isinstance(view, LookingBack) or (isinstance(view, Rating) and not view.told.mine)


def _act(place: Place, key: str = "", name: str = "", **values: Any) -> SafeString:
    """The form with what there is to do, or may be drafted; without a `name` there is nothing."""
    if not name:
        return place.zone("act", some=False)
    own = {"key": key, "fields": place.zone(name, **values), **place.own}
    return place.zone("act", own, some=True)


def _told(told: Told, place: Place) -> SafeString:
    return place.zone("told", {"word": told.word}, mine=told.mine, outcome=told.outcome)


def _gathering(view: Gathering, place: Place) -> Iterator[str]:
    yield _act(place) if view.ready else _act(place, "ready", "ready", fault=place.fault)


def _giving(view: Giving, place: Place) -> Iterator[str]:
    yield place.zone("word", word=view.word, names=view.names, forbidden=view.forbidden)
    slips = _joined(_own_clue(view, clue, place) for clue in view.clues)
    yield place.zone("own_clues", {"slips": slips}, spent=view.spent, most=view.most)
    yield _guesses(view.guesses, place, live=True)
    if view.phase is Phase.CONFIRM and view.near:
        yield _act(
            place,
            f"confirm:{view.turn}:{view.near.number}",
            "confirming",
            own={"near": view.near.text},
            open=view.playing,
            fault=place.fault,
        )
    elif view.phase is Phase.CLUE or view.spent < view.most:
        yield _act(
            place,
            f"clue:{view.turn}:{view.written}",
            "clue_fields",
            open=takes_text(view),
            spent=view.spent,
            fault=place.fault or (_why(view.clues[-1]) if view.refused else ""),
            own={"text": place.typed.get("text", "") if place.typed else view.refused},
            longest=LONGEST_TEXT,
        )
    else:
        yield _act(place)


def _own_clue(view: Giving, clue: Clue, place: Place) -> SafeString:
    """A clue as its giver sees it."""
    own: dict[str, str | int] = {"text": clue.text, "number": clue.number, **place.own}
    may_appeal = view.playing and view.partner != "scripted"
    return place.zone(
        "own_clue",
        own,
        verdict=clue.verdict,
        struck=clue.struck,
        why=_why(clue),
        may_appeal=may_appeal,
    )


def _why(clue: Clue) -> str:
    """What it was refused for."""
    return gettext(REASONS.get(clue.reason, UNNAMED)) if clue.reason else ""


def _slips(view: Guessing | Rating, place: Place) -> SafeString:
    return _joined(place.zone("slip", {"text": clue.text}) for clue in view.slips)


def _guesses(guesses: Iterable[Guess], place: Place, *, live: bool) -> SafeString:
    drawn = _joined(
        place.zone("guess", {"text": each.text}, verdict=each.verdict, struck=each.struck)
        for each in guesses
    )
    return place.zone("guesses", {"guesses": drawn}, some=bool(drawn), live=live)


def _joined(zones: Iterable[SafeString]) -> SafeString:
    return SafeString("".join(zones))


def _guessing(view: Guessing, place: Place) -> Iterator[str]:
    yield place.zone("slips", {"slips": _slips(view, place)}, spent=view.spent, most=view.most)
    yield _guesses(view.guesses, place, live=False)
    yield _act(
        place,
        f"guess:{view.turn}:{view.guesses[-1].number if view.guesses else 0}",
        "guess_fields",
        open=takes_text(view),
        left=view.guesses_left,
        more=view.more,
        fault=place.fault,
        own={"text": place.typed.get("text", "")},
        longest=LONGEST_TEXT,
    )


def _rating(view: Rating, place: Place) -> Iterator[str]:
    yield place.zone("rating", {"told": _told(view.told, place)})
    if view.told.mine:
        yield _act(place)
        return
    if view.slips:
        yield place.zone("heard", {"slips": _slips(view, place)})
    yield _act(
        place,
        f"rate:{view.turn}",
        "scales",
        accuracy=place.typed.get("accuracy", ""),
        quality=place.typed.get("quality", ""),
        open=takes_text(view),
        fault=place.fault,
    )


def _looking_back(view: LookingBack, place: Place) -> Iterator[str]:
    yield zones.passing(
        "looking_back",
        view=view,
        told=_told(view.next, place) if view.next else "",
        key=f"vet:{view.next.artifact}" if view.next else f"propose:{len(view.own)}",
        action=place.action,
        at=place.at,
        hidden=place.hidden,
        fault=place.fault,
        typed=place.typed,
        longest=LONGEST_TEXT,
    )


_ZONES: Mapping[type[View], Any] = {
    Gathering: _gathering,
    Giving: _giving,
    Guessing: _guessing,
    Rating: _rating,
    LookingBack: _looking_back,
}
