"""Error pages and the health check."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core import jobs


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """What is alive: 200 while the database answers; a missing worker is said, not an error."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database, worker = True, jobs.worker_is_alive()
    except DatabaseError:
        database, worker = False, False
    return JsonResponse({"database": database, "worker": worker}, status=200 if database else 503)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return render(request, "500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    return render(request, "403_csrf.html", status=403)
