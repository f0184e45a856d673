"""What a participant is shown of a game activity: one renderer for the page and for the socket."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from core import clock
from games.models import Game, Ticket
from games.rules import Rules
from games.screens import drawing
from games.screens.drawing import Place, draw, whole_minutes
from games.screens.reading import view_of
from games.screens.sentences import WHY_CHOOSING
from games.screens.view import View
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


def shown(participation: Participation, refusal: Refusal | None = None) -> Shown:
    """What the participant has before them now, in their language; reads, and never writes."""
    language = participation.participant.language
    with speaking(participation.activity.study, language):
        standing = places.standing(participation)
        drawn = _DRAWN[standing.kind](participation, standing, _place(participation, refusal))
    return Shown(drawn.version, drawn.html, f"{standing.kind}.{drawn.tag}.{language}", drawn.waits)


def address(participation: Participation) -> str:
    """The page of the game."""
    return reverse("games:play", args=(links.token(participation),))


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


def _instructions(participation: Participation, _standing: Standing, place: Place) -> Shown:
    context = instructions(rules_of(participation)) | {"action": place.action, "fault": place.fault}
    return Shown(0, render_to_string("games/instructions.html", context))


def _waiting(participation: Participation, standing: Standing, place: Place) -> Shown:
    ticket = _there(standing.ticket)
    whole = ticket.deadline - ticket.entered
    left = max(0, milliseconds(ticket.deadline) - place.now)
    seconds = places.expected_wait(ticket)
    expected = None if seconds is None else ceil(seconds / 60)
    context = {
        "left": left,
        "whole": int(whole.total_seconds() * 1000),
        "due": place.now + left,
        "minutes": whole_minutes(left) or 1,
        "expected": expected,
        "recorded": "play_recorded" in places.options(participation, rules_of(participation)),
        "action": place.action,
        "fault": place.fault,
    }
    tag = f"{ticket.pk}.{expected}.{context['minutes']}"
    return Shown(0, render_to_string("games/waiting.html", context), tag, waits=True)


def _choosing(_participation: Participation, standing: Standing, place: Place) -> Shown:
    context = {
        "reason": gettext(WHY_CHOOSING.get(standing.reason, WHY_CHOOSING[""])),
        "options": standing.options,
        "action": place.action,
        "fault": place.fault,
    }
    tag = f"{standing.reason}.{'.'.join(standing.options)}"
    return Shown(0, render_to_string("games/choosing.html", context), tag)


def _playing(_participation: Participation, standing: Standing, place: Place) -> Shown:
    game, seat = _seated(standing)
    view: View = view_of(game, seat)
    minutes = None if view.left is None else whole_minutes(view.left)
    tag = f"{game.pk}.{game.version}.{minutes}"
    return Shown(game.version, draw(view, place), tag, not drawing.takes_text(view))


def _done(participation: Participation, _standing: Standing, _place: Place) -> Shown:
    return Shown(0, render_to_string("games/done.html", {"home": links.personal(participation)}))


def _seated(standing: Standing) -> tuple[Game, int]:
    if standing.game is None or standing.seat is None:
        raise LookupError("who plays has a game and a seat")
    return standing.game, standing.seat.number


def _there(ticket: Ticket | None) -> Ticket:
    if ticket is None:
        raise LookupError("who waits has a ticket")
    return ticket


_DRAWN = {
    Kind.INSTRUCTIONS: _instructions,
    Kind.WAITING: _waiting,
    Kind.CHOOSING: _choosing,
    Kind.PLAYING: _playing,
    Kind.DONE: _done,
}
