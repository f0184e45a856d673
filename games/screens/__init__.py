"""What a participant is shown of a game activity: one renderer for the page and for the socket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from core import clock
from games.machine import State
from games.models import Game, Seat, Ticket
from games.rules import Rules
from games.screens import drawing
from games.screens.drawing import Place, whole_minutes
from games.screens.reading import view_of
from games.screens.sentences import WHY_CHOOSING
from games.selectors import places, plans
from games.selectors.places import Kind, Standing
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.taking_part.door import speaking


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


def shown(
    participation: Participation, refusal: Refusal | None = None, seat: Seat | None = None
) -> Shown:
    """What the participant has before them now, in their language; reads, and never writes. `seat`
    is their newest with its game, where both have just been read."""
    with speaking(participation.activity.study, participation.participant.language):
        screen = _screen(participation, _place(participation, refusal), seat)
        html, waits = screen.draw()
    return Shown(screen.version, html, screen.tag, waits)


def glance(participation: Participation) -> tuple[int, str]:
    """Version and tag of what would be shown, of which nothing is drawn."""
    screen = _screen(participation, _place(participation, None), None)
    return screen.version, screen.tag


def address(participation: Participation) -> str:
    """The page of the game."""
    return _address(links.token(participation))


@lru_cache(maxsize=4096)
def _address(token: str) -> str:
    return reverse("games:play", args=(token,))


def rules_of(participation: Participation) -> Rules:
    return plans.rules(participation.activity)


def instructions(rules: Rules) -> dict[str, Any]:
    """The rules, and in minutes the times of theirs that the instructions name."""
    names = ("clue", "guess", "play", "wait")
    minutes = {f"{name}_minutes": ceil(getattr(rules, f"{name}_seconds") / 60) for name in names}
    return {"rules": rules, **minutes}


def _place(participation: Participation, refusal: Refusal | None) -> Place:
    return Place(
        action=address(participation),
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


def _screen(participation: Participation, place: Place, seat: Seat | None) -> _Screen:
    standing = places.standing(participation, seat)
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
            "recorded": "play_recorded" in places.options(participation, rules_of(participation)),
            "action": place.action,
            "fault": place.fault,
        }
        return render_to_string("games/waiting.html", context), True

    return _Screen(draw, f"{ticket.pk}.{expected}.{minutes}")


def _choosing(_participation: Participation, standing: Standing, place: Place) -> _Screen:
    def draw() -> tuple[str, bool]:
        context = {
            "reason": gettext(WHY_CHOOSING.get(standing.reason, WHY_CHOOSING[""])),
            "options": standing.options,
            "action": place.action,
            "fault": place.fault,
        }
        return render_to_string("games/choosing.html", context), False

    return _Screen(draw, f"{standing.reason}.{'.'.join(standing.options)}")


def _playing(_participation: Participation, standing: Standing, place: Place) -> _Screen:
    game, seat = _seated(standing)
    state = State.from_json(game.state)
    minutes = None if state.due is None else whole_minutes(max(0, state.due - place.now))

    def draw() -> tuple[str, bool]:
        view = view_of(game, state, seat)
        return drawing.draw(view, place), not drawing.takes_text(view)

    return _Screen(draw, f"{game.pk}.{game.version}.{minutes}", game.version)


def _done(participation: Participation, _standing: Standing, _place: Place) -> _Screen:
    home = {"home": links.personal(participation)}
    return _Screen(lambda: (render_to_string("games/done.html", home), False))


def _seated(standing: Standing) -> tuple[Game, int]:
    if standing.game is None or standing.seat is None:
        raise LookupError("who plays has a game and a seat")
    return standing.game, standing.seat.number


def _there(ticket: Ticket | None) -> Ticket:
    if ticket is None:
        raise LookupError("who waits has a ticket")
    return ticket


_SCREENS: Mapping[Kind, Callable[[Participation, Standing, Place], _Screen]] = {
    Kind.INSTRUCTIONS: _instructions,
    Kind.WAITING: _waiting,
    Kind.CHOOSING: _choosing,
    Kind.PLAYING: _playing,
    Kind.DONE: _done,
}
