"""What a participant is shown of a game activity: one renderer for the page and for the socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from core import catalogue, clock
from games import endings
from games.models import Ticket
from games.rules import Rules
from games.screens import drawing
from games.screens.drawing import Place, whole_minutes
from games.screens.reading import view_of
from games.screens.sentences import WHY_CHOOSING
from games.selectors import places, plans
from games.selectors.places import Kind, Standing
from games.selectors.sittings import Person
from games.selectors.snapshots import Snapshot
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.taking_part.door import speaking

_AT_MOST, _TO_ACT = ("play", "wait"), ("clue", "guess")
LONG = 5 * 60  # seconds from which on a part of a minute matters little


@dataclass(frozen=True, slots=True)
class Shown:
    """`html` is what stands in the page's `#game`; `version` is the game's, which goes up with
    every change, and 0 outside one. `tag` differs wherever other words are shown than before, which
    minutes that pass are reason enough for; `waits` tells whether the reader has nothing to fill in
    while something else may come by itself."""

    version: int
    html: str
    tag: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why what was just sent was refused, in a sentence, and the fields as they came."""

    sentence: str
    typed: Mapping[str, str]


def shown(participation: Participation, refusal: Refusal | None = None) -> Shown:
    """What the participant has before them now, in their language; reads, and never writes."""
    with speaking(participation.activity.study.timezone, participation.participant.language):
        return _drawn(_screen(participation, _place(participation.code, refusal)))


def played(game: Snapshot, person: Person) -> Shown:
    """What somebody has before them who plays the game."""
    with translation.override(catalogue.interface(person.language)):
        return _drawn(_playing(game, person, _place(person.code)))


def plays(game: Snapshot, person: Person) -> bool:
    """Whether the game goes on for who sits there, so that it is what they are shown."""
    return person.takes_part and endings.of_seat(game, person) is None


def glance(participation: Participation) -> tuple[int, str]:
    """Version and tag of what would be shown, of which nothing is drawn."""
    screen = _screen(participation, _place(participation.code))
    return screen.version, screen.tag


def address(participation: Participation) -> str:
    """The page of the game."""
    return _address(participation.code)


@lru_cache(maxsize=4096)
def _address(code: str) -> str:
    return reverse("games:play", args=(links.token_of(code),))


def rules_of(participation: Participation) -> Rules:
    return plans.rules(participation.activity)


def instructions(rules: Rules) -> dict[str, Any]:
    """The rules, and the times of theirs that the instructions name: what lasts so long at most in
    begun minutes, what there is time for in whole ones, or in seconds where that would take away
    too much (None else)."""
    most = {f"{name}_minutes": ceil(getattr(rules, f"{name}_seconds") / 60) for name in _AT_MOST}
    spans = {name: getattr(rules, f"{name}_seconds") for name in _TO_ACT}
    minutes = {f"{name}_minutes": seconds // 60 for name, seconds in spans.items()}
    short = {f"{name}_seconds": _odd(seconds) for name, seconds in spans.items()}
    return {"rules": rules, **most, **minutes, **short}


def _odd(seconds: int) -> int | None:
    return seconds if seconds < LONG and seconds % 60 else None


def _place(code: str, refusal: Refusal | None = None) -> Place:
    return Place(
        action=_address(code),
        now=milliseconds(clock.now()),
        fault=refusal.sentence if refusal else "",
        typed=refusal.typed if refusal else {},
    )


@dataclass(frozen=True, slots=True)
class _Screen:
    """What a screen is to be drawn of; `draw` returns its HTML, and whether it `waits`."""

    draw: Callable[[], tuple[str, bool]]
    tag: str = ""
    version: int = 0


def _drawn(screen: _Screen) -> Shown:
    html, waits = screen.draw()
    return Shown(screen.version, html, screen.tag, waits)


def _screen(participation: Participation, place: Place) -> _Screen:
    standing = places.standing(participation)
    if standing.kind is Kind.PLAYING and standing.game and standing.seat:
        return _playing(standing.game, standing.seat, place)
    screen = _SCREENS[standing.kind](participation, standing, place)
    language = participation.participant.language
    return replace(screen, tag=f"{standing.kind}.{screen.tag}.{language}")


def _instructions(participation: Participation, _standing: Standing, place: Place) -> _Screen:
    def draw() -> tuple[str, bool]:
        context = instructions(rules_of(participation))
        context |= {"action": place.action, "fault": place.fault}
        return render_to_string("games/instructions.html", context), False

    return _Screen(draw)


def _waiting(participation: Participation, standing: Standing, place: Place) -> _Screen:
    ticket = _there(standing.ticket)
    whole = ticket.deadline - ticket.entered
    left = max(0, milliseconds(ticket.deadline) - place.now)
    minutes = whole_minutes(left) or 1
    seconds = places.expected_wait(ticket)
    expected = None if seconds is None else ceil(seconds / 60)

    def draw() -> tuple[str, bool]:
        context = {
            "left": left,
            "whole": int(whole.total_seconds() * 1000),
            "due": place.now + left,
            "minutes": minutes,
            "expected": expected,
            "reason": _why(standing.reason) if standing.reason else "",
            "recorded": "play_recorded" in places.options(participation, rules_of(participation)),
            "action": place.action,
            "fault": place.fault,
        }
        return render_to_string("games/waiting.html", context), True

    return _Screen(draw, f"{ticket.pk}.{expected}.{minutes}")


def _choosing(_participation: Participation, standing: Standing, place: Place) -> _Screen:
    def draw() -> tuple[str, bool]:
        context = {
            "reason": _why(standing.reason),
            "options": standing.options,
            "action": place.action,
            "fault": place.fault,
        }
        return render_to_string("games/choosing.html", context), False

    return _Screen(draw, f"{standing.reason}.{'.'.join(standing.options)}")


def _why(reason: str) -> str:
    return gettext(WHY_CHOOSING.get(reason, WHY_CHOOSING[""]))


def _playing(game: Snapshot, person: Person, place: Place) -> _Screen:
    due = game.state.due
    minutes = None if due is None else whole_minutes(max(0, due - place.now))

    def draw() -> tuple[str, bool]:
        view = view_of(game, person.number)
        at = replace(place, at=str(game.version))
        return drawing.draw(view, at), not drawing.takes_text(view)

    tag = f"{Kind.PLAYING}.{game.pk}.{game.version}.{minutes}.{person.language}"
    return _Screen(draw, tag, game.version)


def _done(participation: Participation, _standing: Standing, _place: Place) -> _Screen:
    home = {"home": links.personal(participation)}
    return _Screen(lambda: (render_to_string("games/done.html", home), False))


def _there(ticket: Ticket | None) -> Ticket:
    if ticket is None:
        raise LookupError("who waits has a ticket")
    return ticket


_SCREENS: Mapping[Kind, Callable[[Participation, Standing, Place], _Screen]] = {
    Kind.INSTRUCTIONS: _instructions,
    Kind.WAITING: _waiting,
    Kind.CHOOSING: _choosing,
    Kind.DONE: _done,
}
