"""What every page of a participant shares: the language, the headers, and errors in their words.

No cookie is set or read, so that blocking them locks nobody out; the link is the proof.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from urllib.parse import unquote_to_bytes

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from core import catalogue
from core.errors import CommonplaceError, NotFound
from studies import links, selectors
from studies.models import Participant, Participation
from studies.participation import Action
from studies.services import moving
from studies.taking_part.reading import Reader, reader, stranger

View = Callable[..., HttpResponse]
JSON = "application/json"


def public(view: View) -> View:
    """A page for people who have not signed in and never will."""

    @login_not_required
    @csrf_exempt
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-cache"
        response["X-Robots-Tag"] = "noindex"
        return response

    return opened


def personal(*, at_any_time: bool = False, as_json: bool = False) -> Callable[[View], View]:
    """A page behind a personal link; the view is given the participation in place of the token.

    A POST that comes after the deadline ends the participation, unless the page is there at any
    time. One that the status does not allow, or no longer, leads back to the screen there is. What
    is refused otherwise is said by a page, or as `{"code", "message"}` where a program asks.
    """

    def decorate(view: View) -> View:
        @public
        @wraps(view)
        def opened(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
            try:
                row = links.participation_of(token)
            except NotFound as error:
                return astray(request, error)
            with speaking(row.activity.study.timezone, row.participant.language):
                try:
                    refuse_unreadable(request)
                    if request.method == "POST" and not at_any_time:
                        refuse_too_late(row)
                    response = view(request, row, **kwargs)
                except CommonplaceError as error:
                    program = as_json or request.headers.get("Accept") == JSON
                    response = _refused(request, row, error, program=program)
            response["Content-Language"] = row.participant.language
            return response

        return opened

    return decorate


def back(row: Participation) -> HttpResponse:
    return see_other(links.personal(row))


def see_other(address: str) -> HttpResponse:
    return HttpResponseRedirect(address, status=303)


def problem(request: HttpRequest, who: Reader, error: CommonplaceError) -> HttpResponse:
    context = {"reader": who, "error": error, "message": _(error.message)}
    return render(request, "taking_part/problem.html", context, status=error.http_status)


def astray(request: HttpRequest, error: CommonplaceError) -> HttpResponse:
    """An address that says nothing of a study: the browser says which language is read."""
    language = catalogue.preferred(request.headers.get("Accept-Language", ""))
    with translation.override(language):
        response = problem(request, stranger(language), error)
    response["Content-Language"] = language
    return response


@contextmanager
def speaking(zone: str, language: str) -> Iterator[None]:
    """Words in the participant's language where they are translated into it, times in the time
    zone of their study."""
    words = catalogue.interface(language)
    with translation.override(words), timezone.override(zone):
        yield


def _refused(
    request: HttpRequest, row: Participation, error: CommonplaceError, *, program: bool
) -> HttpResponse:
    if error.code.startswith("participation."):
        return back(row)
    if program:
        said = {"code": error.code, "message": _(error.message)}
        return JsonResponse(said, status=error.http_status)
    who = reader(row.activity.study, row.participant.language, row)
    return problem(request, who, error)


REPLACED = "\N{REPLACEMENT CHARACTER}"  # what decoding puts where bytes are no text


def refuse_unreadable(request: HttpRequest) -> None:
    """Raises `form.too_large` (413), and `form.not_text` (400) for what is not UTF-8, which would
    else be stored with its characters replaced."""
    if request.method != "POST":
        return
    try:
        body, fields = request.body, request.POST  # read here, where a refusal has its page
    except (RequestDataTooBig, TooManyFieldsSent):
        raise CommonplaceError(
            "form.too_large",
            gettext_noop(
                "This is more than can be sent at once. Go back with the Back button of your "
                "browser: what you wrote is still there. Make it shorter, then send it again."
            ),
            http_status=413,
        ) from None
    except (BadRequest, MultiPartParserError):
        raise _not_text() from None
    coded = request.content_type == "application/x-www-form-urlencoded"
    read = (text for name, values in fields.lists() for text in (name, *values))
    if coded and body.isascii() and not any(REPLACED in text for text in read):
        return  # as browsers send it; looking at every byte would take longer than the rest
    try:
        (unquote_to_bytes(body) if coded else body).decode()
    except UnicodeDecodeError:
        raise _not_text() from None


def _not_text() -> CommonplaceError:
    return CommonplaceError(
        "form.not_text",
        gettext_noop(
            "What was sent could not be read as text. Go back with the Back button of your "
            "browser: what you wrote is still there. Then send it again."
        ),
    )


def refuse_too_late(row: Participation) -> None:
    """Raises `participation.ended` for who has withdrawn or whose time is up, which ends it."""
    late = selectors.time_is_up(row)
    if late:
        moving.move(row, Action.TIME_OUT)
    if late or row.participant.status == Participant.Status.WITHDRAWN:
        raise CommonplaceError("participation.ended", "This participation has ended.")
