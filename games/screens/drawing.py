"""A view as HTML, in the language that is active: zones, each an element with `data-zone`.

The zone with the fields to fill in is a form whose `data-key` changes when it is about something
else, so that a page which is shown anew keeps what somebody is writing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.template.loader import get_template
from django.utils.translation import gettext

from core.catalogue import gettext_noop as _
from games.clues import REASONS
from games.machine.deciding import LONGEST_TEXT
from games.machine.state import Phase
from games.screens.view import Clue, Gathering, Giving, Guessing, LookingBack, Rating, View

MINUTE = 60_000  # milliseconds
UNNAMED = _("This is against the rules of the game.")

TEMPLATES: Mapping[type[View], str] = {
    Gathering: "games/gathering.html",
    Giving: "games/giving.html",
    Guessing: "games/guessing.html",
    Rating: "games/rating.html",
    LookingBack: "games/looking_back.html",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the forms go, which further fields they carry (as HTML), and the time now in
    milliseconds. After a refusal, `fault` is its sentence and `typed` are the fields of the form
    it was about."""

    action: str
    hidden: str = ""
    now: int = 0
    fault: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


def draw(view: View, place: Place) -> str:
    """The zones of a game."""
    template = get_template(TEMPLATES[type(view)])
    context = {
        "view": view,
        "action": place.action,
        "hidden": place.hidden,
        "fault": place.fault,
        "typed": place.typed,
        "longest": LONGEST_TEXT,
        "minutes": None if view.left is None else whole_minutes(view.left),
        "time": None if view.left is None else _time(view.left, view.whole, place.now),
        "longest_wait": view.pause and whole_minutes(view.pause.longest),
        **_DETAILS[type(view)](view, place),
    }
    return str(template.render(context))


def _time(left: int, whole: int, now: int) -> dict[str, str]:
    """For the page's script, which reads them as they are in every language."""
    return {"left": str(left), "whole": str(whole), "due": str(now + left)}


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


def _giving(view: Giving, place: Place) -> dict[str, Any]:
    clues = [_own_clue(view, clue) for clue in view.clues]
    key = f"clue:{view.turn}:{view.written}"
    if view.phase is Phase.CONFIRM and view.near:
        key = f"confirm:{view.turn}:{view.near.number}"
    return {
        "key": key,
        "open": takes_text(view),
        "may_draft": view.spent < view.most,
        "next_clue": view.spent + 1,
        "clues": clues,
        "typed": place.typed or {"text": view.refused},
        "fault": place.fault or (clues[-1].why if view.refused else ""),
    }


@dataclass(frozen=True, slots=True)
class _OwnClue:
    """A clue as its giver sees it; `why` is the sentence of what it was refused for."""

    number: int
    text: str
    verdict: str
    struck: bool
    why: str
    may_appeal: bool


def _own_clue(view: Giving, clue: Clue) -> _OwnClue:
    why = gettext(REASONS.get(clue.reason, UNNAMED)) if clue.reason else ""
    may_appeal = view.playing and view.partner != "scripted"
    return _OwnClue(clue.number, clue.text, clue.verdict, clue.struck, why, may_appeal)


def _guessing(view: Guessing, _place: Place) -> dict[str, Any]:
    return {
        "key": f"guess:{view.turn}:{view.guesses[-1].number if view.guesses else 0}",
        "open": takes_text(view),
        "next_clue": view.spent + 1,
    }


def _rating(view: Rating, _place: Place) -> dict[str, Any]:
    return {"key": f"rate:{view.turn}", "open": takes_text(view)}


def _looking_back(view: LookingBack, _place: Place) -> dict[str, Any]:
    key = f"vet:{view.next.artifact}" if view.next else f"propose:{len(view.own)}"
    return {"key": key, "vetting": view.vetted + 1}


def _gathering(_view: Gathering, _place: Place) -> dict[str, Any]:
    return {}


_DETAILS: Mapping[type[View], Any] = {
    Gathering: _gathering,
    Giving: _giving,
    Guessing: _guessing,
    Rating: _rating,
    LookingBack: _looking_back,
}
