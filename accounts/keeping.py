"""What somebody sends after their session has ended is carried through the sign-in.

Django sends an unknown sender to the sign-in page by a redirect, which loses what was posted. A
view that people write long texts for carries it instead: the sign-in page holds the fields, and
the page after it leads back to the view with all of them, but without the button that was pressed
(`action`). The view shows such a post again, and who wrote it sends it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render

PREFIX = "sent-"  # of carried fields, so that none is taken for one of the sign-in's own
LEFT_OUT = ("csrfmiddlewaretoken", "action")
SIGNED_OUT = {
    "code": "account.signed_out",
    "message": "You were signed out. What you wrote stays here; send it, sign in, and go on.",
    "data": {},
}

View = Callable[..., HttpResponse]


def keeps_what_was_sent(view: View) -> View:
    @login_not_required
    @wraps(view)
    def guarded(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *arguments, **named)
        if request.method != "POST":
            return redirect_to_login(request.get_full_path())
        return _sign_in(request)

    return guarded


def carried(post: QueryDict) -> list[tuple[str, str]]:
    """The fields that a sign-in carries, by their own names."""
    return [
        (name.removeprefix(PREFIX), value)
        for name, values in post.lists()
        for value in values
        if name.startswith(PREFIX)
    ]


def _sign_in(request: HttpRequest) -> HttpResponse:
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse(SIGNED_OUT, status=403)
    sent = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in LEFT_OUT
    ]
    context = {"form": AuthenticationForm(request), "next": request.get_full_path(), "sent": sent}
    return render(request, "accounts/sign_in.html", context, status=403)
