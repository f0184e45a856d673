"""Games as a moderator sees them: parse, one call, render.

What refreshes carries no form: its buttons belong to one that stands still beside it, so that
nothing half-written is lost, and it is sent again only where it has changed.
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.errors import CommonplaceError
from games.models import Game, Utterance
from games.selectors import transcripts, watching
from games.services import expanding, moderating
from studies import pages, selectors
from studies.models import Study
from studies.permissions import Capability
from studies.setup import ActivityKind

ABOVE = [("Games", "games:watch")]
LONGEST_NONCE = 40


@require_safe
def watch(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    context = _refreshed(request, "games/_watch_live.html", _live(found))
    context["address"] = reverse("games:watch_part", args=(study,))
    return pages.page(request, "games/watch.html", found, context, here="Games")


@require_safe
def watch_part(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    return _part(request, "games/_watch_live.html", _live(found))


@require_safe
def game(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    return _page(request, found, transcripts.access_game(found, code))


@require_safe
def game_part(request: HttpRequest, study: str, code: str) -> HttpResponse:
    found = _access(request, study)
    row = transcripts.access_game(found, code)
    return _part(request, "games/_watch_transcript.html", _transcript(found, row))


@require_POST
def act(request: HttpRequest, study: str, code: str) -> HttpResponse:
    """One of the buttons of a game: `do` is its name with what it is about, `judge 3 1 yes`."""
    found = _access(request, study)
    row = transcripts.access_game(found, code)
    try:
        said = _follow(row, request.POST, request.user.get_username())
    except CommonplaceError as fault:
        return _page(request, found, row, fault=fault, text=request.POST.get("text", ""))
    messages.success(request, said)
    return redirect("games:watch_game", study, code)


@require_safe
def proposals(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    names = watching.names(found)
    shown = [(row, names[row.game.region_id]) for row in watching.proposals(found)]
    context = {
        "open": [each for each in shown if each[0].verdict in expanding.OPEN],
        "decided": [each for each in shown if each[0].verdict not in expanding.OPEN],
    }
    return pages.page(request, "games/watch_proposals.html", found, context, "Proposals", ABOVE)


@require_POST
def propose(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    row = watching.access_proposal(found, request.POST.get("proposal", ""))
    try:
        decide, said = _DECISIONS[request.POST.get("do", "")]
        decide(row, request.user.get_username())
        messages.success(request, said)
    except KeyError:
        messages.warning(request, _no_order().message)
    except CommonplaceError as fault:
        messages.warning(request, fault.message)
    return redirect("games:proposals", study)


_DECISIONS: Mapping[str, tuple[Callable[[Utterance, str], object], str]] = {
    "accept": (expanding.accept, "The proposal is on the list."),
    "dismiss": (expanding.dismiss, "The proposal is left."),
    "undo": (expanding.undo, "The proposal waits for a decision again."),
}


# --- what the buttons say -----------------------------------------------------------------------

_YES = {"yes": True, "no": False}
_SEATS = {"0": 0, "1": 1}
_KINDS = ("clue", "guess")
_WARNING = "warn "  # before the number of a page's form, which no player can send


def _follow(row: Game, fields: Mapping[str, str], actor: str) -> str:
    """What has come of it, in a sentence. Raises what the service raises, and `game.order` for what
    no button says."""
    match fields.get("do", "").split():
        case ["halt"]:
            moderating.halt(row, actor)
            return "The game is paused."
        case ["resume"]:
            moderating.resume(row, actor)
            return "The pause is over."
        case ["end"]:
            moderating.end(row, actor)
            return "The game has ended."
        case ["warn", seat] if seat in _SEATS:
            number = fields.get("nonce", "")[: LONGEST_NONCE - len(_WARNING)]
            nonce = f"{_WARNING}{number}" if number else ""
            moderating.warn(row, _SEATS[seat], fields.get("text", ""), actor, nonce=nonce)
            return "The message is sent."
        case ["remove", seat] if seat in _SEATS:
            moderating.remove(row, _SEATS[seat], actor)
            return "The player is out of the game. Their time is paid."
        case ["strike", kind, turn, number] if kind in _KINDS and _numbers(turn, number):
            moderating.strike(row, kind, int(turn), int(number), actor)
            return f"The {kind} is struck: players do not read it any more."
        case ["rule", turn, clue, so] if so in _YES and _numbers(turn, clue):
            moderating.rule(row, int(turn), int(clue), _YES[so], actor)
            return _RULED[transcripts.verdict(row, "clue", int(turn), int(clue))]
        case ["judge", turn, guess, so] if so in _YES and _numbers(turn, guess):
            moderating.judge(row, int(turn), int(guess), _YES[so], actor)
            return f"The guess counts as {'right' if _YES[so] else 'wrong'} now."
        case _:
            raise _no_order()


_RULED: Mapping[str, str] = {
    Utterance.Verdict.SAID: "The clue is read by the partner now.",
    Utterance.Verdict.ALLOWED: "The clue was allowed, but its turn takes no more: nobody reads it.",
    Utterance.Verdict.REFUSED: "The clue is kept back.",
}


def _numbers(*given: str) -> bool:
    return all(each.isascii() and each.isdigit() and len(each) < 5 for each in given)


def _no_order() -> CommonplaceError:
    return CommonplaceError(
        "game.order", "This page has no such button. Load it again and choose one of its own."
    )


# --- what is shown ------------------------------------------------------------------------------


def _access(request: HttpRequest, study: str) -> Study:
    return selectors.access_study(request.user, study, Capability.MODERATE)


def _live(study: Study) -> dict[str, Any]:
    return {
        "study": study,
        "asked": watching.asked(study),
        "proposed": watching.proposed(study),
        "queues": watching.queues(study),
        "not_ready": selectors.not_ready_of(study, ActivityKind.GAME),
        "games": watching.playing(study),
    }


def _transcript(study: Study, game: Game) -> dict[str, Any]:
    return {"study": study, "read": transcripts.transcript(game)}


def _page(
    request: HttpRequest,
    study: Study,
    game: Game,
    fault: CommonplaceError | None = None,
    text: str = "",
) -> HttpResponse:
    if fault:
        game = transcripts.access_game(study, game.code)
    context = _transcript(study, game)
    context |= _refreshed(request, "games/_watch_transcript.html", context)
    context |= {
        "address": reverse("games:watch_game_part", args=(study.slug, game.code)),
        "nonce": secrets.token_hex(8),
        "fault": fault,
        "text": text,
        "region": watching.names(study)[game.region_id],
    }
    response = pages.page(request, "games/watch_game.html", study, context, game.code, ABOVE)
    response.status_code = fault.http_status if fault else response.status_code
    return response


def _refreshed(request: HttpRequest, template: str, context: dict[str, Any]) -> dict[str, Any]:
    """A part that refreshes, and the digest by which it is told whether it has changed."""
    part = render_to_string(template, context, request)
    return {"part": part, "digest": hashlib.sha256(part.encode()).hexdigest()[:16]}


def _part(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The part alone, or nothing (204) where the reader's `seen` is still what there is."""
    context = _refreshed(request, template, context) | {"address": request.path}
    if request.GET.get("seen") == context["digest"]:
        return HttpResponse(status=204)
    response = render(request, "games/_watch_refreshed.html", context)
    response["Cache-Control"] = "private, no-cache"
    return response
