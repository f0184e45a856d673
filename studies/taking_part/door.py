"""What every page of a participant shares: the language, the headers, and errors in their words.

No cookie is set or read, so that blocking them locks nobody out; the link is the proof.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from core import catalogue
from core.errors import CommonplaceError, NotFound
from studies import links, selectors
from studies.models import Participant, Participation, Study
from studies.participation import Action
from studies.services import moving
from studies.taking_part.reading import Reader, reader, stranger

View = Callable[..., HttpResponse]


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


def personal(*, at_any_time: bool = False) -> Callable[[View], View]:
    """A page behind a personal link; the view is given the participation in place of the token.

    A POST that comes after the deadline ends the participation, unless the page is there at any
    time. One that the status does not allow, or no longer, leads back to the screen there is.
    """

    def decorate(view: View) -> View:
        @public
        @wraps(view)
        def opened(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
            try:
                row = links.participation_of(token)
            except NotFound as error:
                return astray(request, error)
            with speaking(row.activity.study, row.participant.language):
                try:
                    if request.method == "POST" and not at_any_time:
                        refuse_too_late(row)
                    response = view(request, row, **kwargs)
                except CommonplaceError as error:
                    response = _refused(request, row, error)
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
def speaking(study: Study, language: str) -> Iterator[None]:
    """Words in the participant's language where they are translated into it, times in the
    study's time zone."""
    words = catalogue.interface(language)
    with translation.override(words), timezone.override(study.timezone):
        yield


def _refused(request: HttpRequest, row: Participation, error: CommonplaceError) -> HttpResponse:
    if error.code.startswith("participation."):
        return back(row)
    who = reader(row.activity.study, row.participant.language, row)
    return problem(request, who, error)


def refuse_too_late(row: Participation) -> None:
    """Raises `participation.ended` for who has withdrawn or whose time is up, which ends it."""
    late = selectors.time_is_up(row)
    if late:
        moving.move(row, Action.TIME_OUT)
    if late or row.participant.status == Participant.Status.WITHDRAWN:
        raise CommonplaceError("participation.ended", "This participation has ended.")
