"""The one page a participant has of the game: parse, one call, the page or what follows.

A page without script is sent on after every POST; programs, and the page's own script where it has
no socket, ask for `application/json`: they get `{"version", "html", "tag", "now"}`, `{"next"}`
where there is nothing to play any more, or `{"code", "message"}` with an error's status.
"""

import hashlib
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext

from core import clock
from core.errors import CommonplaceError
from games import orders, practice, screens, telling
from games.orders import Order
from games.screens import Refusal, Shown
from games.selectors import places
from games.services import lobby, moves, presence
from games.services.playing import milliseconds
from studies import links
from studies.models import Participation
from studies.taking_part import door
from studies.taking_part.reading import reader
from studies.taking_part.screens import about

JSON = door.JSON
ORDERS = {
    Order.ENTER: lobby.enter,
    Order.KEEP_WAITING: lobby.keep_waiting,
    Order.PLAY_RECORDED: lobby.play_recorded,
    Order.STOP: lobby.stop,
}
LOOK = "look"  # what a page asks that only wants to see, and to be seen
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
    return _screen(request, row)


def _followed(request: HttpRequest, row: Participation) -> HttpResponse:
    fields = request.POST.dict()
    try:
        _follow(row, fields)
    except CommonplaceError as error:
        if _asks_json(request) or error.http_status not in CHANGED_SINCE:
            raise
        return _screen(request, row, error)
    if not _asks_json(request):
        return door.see_other(screens.address(row))
    return _screen(request, links.participation_of(links.token(row)))


def _follow(row: Participation, fields: Mapping[str, str]) -> None:
    """Do what the page asks for, and tell everybody whose screen it changes."""
    order = None if fields.get("do") == LOOK else orders.read(fields)
    changed = presence.seen(row)
    if order is None:
        pass
    elif isinstance(order, Order):
        changed |= ORDERS[order](row)
    else:
        played = moves.move(row, order, fields.get("nonce") or _nonce(fields))
        changed |= set(places.players(played.game))
    telling.tell(changed)


def _nonce(fields: Mapping[str, str]) -> str:
    """The same for the same form sent twice; empty for one that may well be sent again."""
    if "key" not in fields:
        return ""
    sent = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
    return hashlib.blake2b(sent.encode(), digest_size=16).hexdigest()


def _screen(
    request: HttpRequest, row: Participation, error: CommonplaceError | None = None
) -> HttpResponse:
    refusal = Refusal(gettext(error.message), request.POST.dict()) if error else None
    shown = screens.shown(row, refusal)
    if _asks_json(request):
        if request.method == "POST" and not telling.plays(row):
            return JsonResponse({"next": links.personal(row)})
        return _as_json(request, shown)
    context = {
        "reader": reader(row.activity.study, row.participant.language, row),
        "socket": f"/ws{request.path}",
        "shown": shown,
        "refresh": REFRESH if shown.waits and not refusal else None,
        **about(row.activity, row.participant.language),
    }
    status = error.http_status if error else 200
    return render(request, "games/play.html", context, status=status)


REFRESH = 5  # seconds after which a page without script is loaded anew while nothing is typed


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
