"""Turns an error we foresaw into its page, whatever view it came from, and refuses addresses
with a NUL, which PostgreSQL cannot look for."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from core.errors import CommonplaceError

NOT_AN_ADDRESS = CommonplaceError(
    "address.not_text", "This address holds a character that no text has. Check the link."
)


class ErrorPages:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return self.page(request, NOT_AN_ADDRESS)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return self.page(request, error) if isinstance(error, CommonplaceError) else None

    def page(self, request: HttpRequest, error: CommonplaceError) -> HttpResponse:
        if request.path.startswith("/api/"):
            return JsonResponse({"error": error.as_dict()}, status=error.http_status)
        return render(request, "error.html", {"error": error}, status=error.http_status)
