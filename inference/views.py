"""The page of models: which endpoints there are and what they have cost."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from inference.endpoints import EXAMPLE
from inference.selectors import endpoint_use


def models(request: HttpRequest) -> HttpResponse:
    context = {"endpoints": endpoint_use(), "example": EXAMPLE}
    return render(request, "inference/models.html", context)
