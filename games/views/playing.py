"""The one page a participant has of the game: parse, one call, the page or what follows.

A page without script is sent on after every POST; programs, and the page's own script where it has
no socket, ask for `application/json`: they get `{"version", "html", "tag", "now"}`, `{"next"}`
where there is nothing to play any more, or `{"code", "message"}` with an error's status.
"""

import hashlib
from collections.abc import Mapping

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_sameorigin

from core import clock
from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from core.text import storable
from games import acting, practice, screens, telling, wire
from games.screens import Refusal, Shown
from games.services import presence
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.taking_part import door
from studies.taking_part.reading import reader
from studies.taking_part.screens import about

JSON = door.JSON
LOOK = "look"  # what a page asks that only wants to see, and to be seen
REFRESH = 5  # seconds at most until a page without script is loaded anew
CHANGED_SINCE = (404, 409, 422)  # refusals after which the page is shown with what was typed


@door.personal()
def play(request: HttpRequest, row: Participation) -> HttpResponse:
    """Whatever is before the participant: instructions, practice, the wait, the game, what next."""
    if not telling.plays(row):
        return door.back(row)
    if practice.FIELD in request.POST or "practice" in request.GET:
        return _practice(request, row)
    if request.method == "POST":
        return _followed(request, row)
    telling.tell(presence.seen(row))
    return _screen(request, row)


@csp_replace({"frame-ancestors": [SELF]})
@xframe_options_sameorigin
@door.personal(at_any_time=True)
def here(request: HttpRequest, row: Participation) -> HttpResponse:
    """What a page without script holds while somebody writes in it, which it must not be loaded
    anew for: it loads itself and so says that they are there."""
    if telling.plays(row):
        telling.tell(presence.seen(row))
    return render(request, "games/here.html", {"refresh": _refresh()})


def _followed(request: HttpRequest, row: Participation) -> HttpResponse:
    fields = {name: storable(str(value))[0] for name, value in request.POST.items()}
    try:
        if fields != request.POST.dict():
            raise _not_storable()
        _follow(row, fields)
    except CommonplaceError as error:
        if _asks_json(request) or error.http_status not in CHANGED_SINCE:
            raise
        return _screen(request, row, Refusal(gettext(error.message), fields), error.http_status)
    if not _asks_json(request):
        return door.see_other(screens.address(row))
    return _screen(request, links.participation_of(links.token(row)))


def _follow(row: Participation, fields: Mapping[str, str]) -> None:
    """Do what the page asks for, and tell everybody whose screen it changes."""
    if fields.get("do") == LOOK:
        telling.tell(presence.seen(row))
    else:
        done = acting.follow(row, fields, wire.nonce(fields) or _nonce(fields))
        telling.tell(done.changed, sitting=done.sitting)


def _not_storable() -> CommonplaceError:
    return CommonplaceError(
        "text.not_storable",
        _("A character in it cannot be saved; it is shown as �. Take it out, then send it again."),
        http_status=422,
    )


def _nonce(fields: Mapping[str, str]) -> str:
    """The same for the same form sent twice; empty for one that may well be sent again."""
    if "key" not in fields:
        return ""
    sent = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
    return hashlib.blake2b(sent.encode(), digest_size=16).hexdigest()


def _screen(
    request: HttpRequest, row: Participation, refusal: Refusal | None = None, status: int = 200
) -> HttpResponse:
    shown = screens.shown(row, refusal)
    if _asks_json(request):
        if request.method == "POST" and not telling.plays(row):
            return JsonResponse({"next": links.personal(row)})
        return _as_json(request, shown)
    context = {
        "reader": reader(row.activity.study, row.participant.language, row),
        "socket": f"/ws{request.path}",
        "shown": shown,
        "refresh": _refresh() if shown.waits and not refusal else None,
        "here": reverse("games:here", args=(links.token(row),)),
        **about(row.activity, row.participant.language),
    }
    return render(request, "games/play.html", context, status=status)


def _refresh() -> int:
    """Seconds after which a page without script is loaded anew: often enough that its reader is
    never taken for lost, but no more than once a second."""
    return max(1, min(REFRESH, int(clock.scaled(settings.GAME_IDLE_AFTER) / 3)))


def _as_json(request: HttpRequest, shown: Shown) -> HttpResponse:
    tag = f'"{hashlib.blake2b(shown.tag.encode(), digest_size=12).hexdigest()}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponseNotModified(headers={"ETag": tag})
    body = {
        "version": shown.version,
        "html": shown.html,
        "tag": shown.tag,
        "now": milliseconds(clock.now()),
    }
    return JsonResponse(body, headers={"ETag": tag})


def _asks_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == JSON


def _practice(request: HttpRequest, row: Participation) -> HttpResponse:
    rules = screens.rules_of(row)
    given = practice.follow(request.POST.dict(), row.participant.language, rules)
    context = {
        "reader": reader(row.activity.study, row.participant.language, row),
        "html": practice.drawn(given, screens.address(row), rules),
        "over": given.over,
        "action": screens.address(row),
    }
    return render(request, "games/practice.html", context, status=given.status)
