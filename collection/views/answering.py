"""What participants answer: parse, one call, the page or what follows.

The page's own script, and programs, ask for `application/json`: they get `{"next": address}` where
a browser is sent on, and `{"code"}` with an error's status where a browser gets its page.
"""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from collection import answers, documents, form_page, selectors, services
from collection.answers import Reading
from collection.form_page import Filled
from collection.selectors.answering import ANSWERING, Form, given, minutes_left
from collection.services.answering import Written
from studies import links
from studies.models import Participation
from studies.participation import Status
from studies.services import speak
from studies.taking_part import door
from studies.taking_part.reading import order, reader

UNSENT, CLASHED = 422, 409
JSON = "application/json"

Readings = Mapping[str, Reading]
NOTHING_SENT: Readings = {}
NOTHING_WRITTEN = Written()


@door.personal(at_any_time=True)  # what comes late is answered by a page that still holds it
def form(request: HttpRequest, row: Participation, number: int) -> HttpResponse:
    """The form to fill in; after it was sent, a page that says so and leads on."""
    here = selectors.form_of(row, number)
    if here is None:
        return redirect(_address(row, selectors.next_number(row)))
    if request.method == "POST":
        return _written(request, here)
    if here.writable:
        return _stopped(request, here) if "stopped" in request.GET else _shown(request, here)
    if row.status in (*ANSWERING, Status.SUBMITTED):
        return _page(request, here, "sent", address=_address(row, selectors.next_number(row)))
    return redirect(links.personal(row))


@door.personal(at_any_time=True, as_json=True)
def save(request: HttpRequest, row: Participation, number: int) -> HttpResponse:
    """Autosave: takes the fields of changed questions and says `{"saved": {key: revision}}`.

    409 `answer.conflict` comes with what is stored, 409 `answer.closed` with where to go, 422
    `answer.refused` with why an answer could not be kept; the others are saved all the same. Of
    what comes with 400 `form.not_text` or 413 `form.too_large` nothing is saved.
    """
    here = selectors.form_of(row, number)
    if here is None or request.method != "POST":
        return redirect(_address(row, selectors.next_number(row)))
    written = services.save(here, answers.read_form(here.document, request.POST.getlist))
    if written.closed:
        message = _("This form cannot be changed any more.")
        closed = {"code": "answer.closed", "message": message, "next": links.personal(row)}
        return JsonResponse(closed, status=CLASHED)
    return _saved(written)


def _saved(written: Written) -> JsonResponse:
    if written.conflicts:
        stored = {
            key: {"revision": row.revision, "value": row.value, "text": row.text}
            for key, row in written.conflicts.items()
            if row
        }
        body = {"code": "answer.conflict", "saved": written.saved, "stored": stored}
        return JsonResponse(body, status=CLASHED)
    if written.faults:
        refused = {key: form_page.sentence(fault) for key, fault in written.faults.items()}
        body = {"code": "answer.refused", "saved": written.saved, "refused": refused}
        return JsonResponse(body, status=UNSENT)
    return JsonResponse({"saved": written.saved})


def _written(request: HttpRequest, here: Form) -> HttpResponse:
    readings = answers.read_form(here.document, request.POST.getlist)
    sending = request.POST.get("action") == "send"
    written = (services.submit if sending else services.save)(here, readings)
    code = _refusal(written)
    if not code:
        return _follow(request, here, written)
    status = UNSENT if code == "answer.refused" else CLASHED
    if request.headers.get("Accept") == JSON:
        return JsonResponse({"code": code}, status=status)
    if code == "answer.refused":
        return _shown(request, here, readings, written, status=status)
    return _both(request, here, readings, written)


def _refusal(written: Written) -> str:
    if written.closed:
        return "answer.closed"
    if written.conflicts:
        return "answer.conflict"
    return "answer.refused" if written.faults else ""


def _follow(request: HttpRequest, here: Form, written: Written) -> HttpResponse:
    """Where the button that was pressed leads, once all is saved."""
    row, number = here.participation, here.submission.number
    address = request.get_full_path()
    if written.sent:
        address = _address(row, written.next_number)
    elif request.POST.get("action") == "stop":
        address = f"{request.path}?stopped"
    elif "language" in request.POST:
        speak(row.participant, request.POST["language"])
        address = _address(row, number)
    if request.headers.get("Accept") == JSON:
        return JsonResponse({"next": address})
    return door.see_other(address)


def _address(row: Participation, number: int | None) -> str:
    """A form of the participant, or their first page where no form waits."""
    if number is None:
        return links.personal(row)
    return reverse("collection:form", args=(links.token(row), number))


# --- pages --------------------------------------------------------------------------------------


def _shown(
    request: HttpRequest,
    here: Form,
    readings: Readings = NOTHING_SENT,
    written: Written = NOTHING_WRITTEN,
    status: int = 200,
) -> HttpResponse:
    """The form, filled with what was just sent where something was, else with what is stored."""
    questions, faulty = form_page.fill(here, _wanted(here), _rows(request), readings, written)
    return _page(request, here, "form", status, questions=questions, faulty=faulty, **_place(here))


def _place(here: Form) -> dict[str, Any]:
    """Where the participant is, and what the buttons lead to."""
    row, number, of = here.participation, here.submission.number, here.document["of"]
    first_time = row.status == Status.ACTIVE
    return {
        "of": of,
        "done": number - 1,
        "minutes": minutes_left(row.activity.minutes, number - 1, of) if first_time else None,
        "last": number == of or not first_time,
        "places": documents.places_shown(here.document, _wanted(here)),
        "save": reverse("collection:save", args=(links.token(row), number)),
    }


def _stopped(request: HttpRequest, here: Form) -> HttpResponse:
    row = here.participation
    link = request.build_absolute_uri(links.personal(row))
    return _page(request, here, "stopped", link=link, participation=row)


def _both(request: HttpRequest, here: Form, readings: Readings, written: Written) -> HttpResponse:
    """What is stored and what this page held, of every question where the two differ."""
    wanted = _wanted(here)
    pairs = []
    for question in here.document["questions"]:
        key = question["key"]
        if key in written.conflicts:
            row, reading = written.conflicts[key], readings[key]
            filled = Filled(reading.typed, reading.skipped, row.revision if row else 0)
            block = form_page.block(question, here.document, wanted, filled, rows=0)
            stored = form_page.words(question, given(row), wanted)
            pairs.append((block, stored, form_page.words(question, reading.given, wanted)))
    name = "closed" if written.closed else "conflict"
    home = links.personal(here.participation)
    return _page(request, here, name, CLASHED, pairs=pairs, home=home, **_place(here))


def _page(
    request: HttpRequest, here: Form, name: str, status: int = 200, **context: Any
) -> HttpResponse:
    row = here.participation
    context |= {
        "reader": reader(row.activity.study, row.participant.language, row),
        "number": here.submission.number,
        "asked_again": here.submission.asked_again if row.status == Status.REDO else "",
        "form_address": _address(row, here.submission.number),
    }
    return render(request, f"collection/{name}.html", context, status=status)


def _wanted(here: Form) -> tuple[str, ...]:
    row = here.participation
    return tuple(order(row.activity.study, row.participant.language))


def _rows(request: HttpRequest) -> int:
    asked = request.GET.get("rows", "")
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else form_page.ROWS
