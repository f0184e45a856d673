"""Pages that span the apps."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from console import selectors


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "console/home.html", selectors.overview(cast(User, request.user)))
