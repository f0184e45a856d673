"""Who asks, which run, and where its page stands."""

from typing import cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from evaluation import selectors
from evaluation.models import Run
from evaluation.validation import draws

Crumb = tuple[str, str | None]


def user(request: HttpRequest) -> User:
    return cast(User, request.user)


def email(request: HttpRequest) -> str:
    return user(request).email


def run_seen(request: HttpRequest, run: int) -> Run:
    """Raises `run.unknown`."""
    return selectors.access_run(user(request), run)


def samples_seen(request: HttpRequest, run: int) -> Run:
    """A run whose samples may be seen. Raises `run.unknown` and `run.to_be_judged`."""
    found = run_seen(request, run)
    draws.refuse_who_may_judge(user(request), found)
    return found


def run_led(request: HttpRequest, run: int) -> Run:
    """A run that whoever asks may change. Raises `run.not_allowed` and `run.unknown`."""
    selectors.refuse_unless_may_run(user(request))
    return run_seen(request, run)


def crumbs(run: Run, *more: Crumb) -> list[Crumb]:
    here = (_("Run %d") % run.pk, reverse("evaluation:detail", args=[run.pk]))
    return [(_("Runs"), reverse("evaluation:list")), here, *more]
