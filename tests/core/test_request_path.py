"""How a request gets from the socket to its view and its response back (`config.asgi`)."""

import asyncio
import itertools
import threading
from pathlib import Path

import pytest
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.db import connection, connections
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from config import urls
from config.asgi import Application
from core import downloads
from core.errors import CommonplaceError

pytestmark = pytest.mark.urls(__name__)
FEW = 2
seen = []  # what the views of this file saw, in order


def visit(view):
    return csrf_exempt(login_not_required(view))


@visit
def in_pairs(request: HttpRequest) -> HttpResponse:
    together.wait(timeout=20)
    seen.append(threading.current_thread())
    return HttpResponse("ok")


@visit
def keep(request: HttpRequest) -> HttpResponse:
    seen.append(request.POST["text"])
    return HttpResponse("kept")


@visit
def fail(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError


@visit
def refuse(request: HttpRequest) -> HttpResponse:
    raise CommonplaceError("test.refused", "Choose another number.")


@visit
def in_hindi(request: HttpRequest) -> HttpResponse:
    translation.activate("hi")
    return HttpResponse("ok")


@visit
def ask_database(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    seen.append(connection.connection)
    return HttpResponse("ok")


@visit
def endless(request: HttpRequest) -> HttpResponse:
    return downloads.file(request, rows(itertools.count()), "text/plain", "rows.txt")


@visit
def long(request: HttpRequest) -> HttpResponse:
    return downloads.file(request, rows(range(1000)), "text/plain", "rows.txt")


@visit
def broken(request: HttpRequest) -> HttpResponse:
    return downloads.file(request, (b"%d\n" % (6 // n) for n in (3, 2, 0)), "text/plain", "x.txt")


def rows(numbers):
    made_by = threading.current_thread()
    try:
        for number in numbers:
            seen.append(number)
            yield b"%d\n" % number
    finally:
        seen.append((made_by, threading.current_thread()))


handler400, handler500 = urls.handler400, urls.handler500
urlpatterns = [
    *urls.urlpatterns,
    *(
        path(f"{view.__name__}/", view)
        for view in (in_pairs, keep, fail, refuse, in_hindi, ask_database, endless, long, broken)
    ),
]
together = threading.Barrier(FEW)


class Visitor:
    """One request as a server would hand it over; `leave` is its connection breaking."""

    def __init__(self, name: str, *pieces: bytes, whole: bool = True, slash: str = "/"):
        self.scope = {
            "type": "http",
            "method": "POST" if pieces else "GET",
            "path": f"/{name}{slash}",
            "query_string": b"",
            "headers": [
                (b"host", b"localhost"),
                (b"content-type", b"application/x-www-form-urlencoded"),
                (b"content-length", str(sum(map(len, pieces))).encode()),
            ],
        }
        self.incoming = [
            {"type": "http.request", "body": piece, "more_body": True} for piece in pieces
        ]
        self.incoming += [{"type": "http.request"}] * whole
        self.left = asyncio.Event()
        self.status, self.body = None, b""

    async def receive(self):
        if self.incoming:
            return self.incoming.pop(0)
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.status = self.status or message["status"]
        self.body += message.get("body", b"")

    async def to(self, application):
        await application(self.scope, self.receive, self.send)
        return self


@pytest.fixture
def application(settings):
    settings.IN_FLIGHT = FEW
    seen.clear()
    application = Application()
    yield application
    application.threads.shutdown()


def answer(application, *visitors):
    async def all_of_them():
        return await asyncio.gather(*(visitor.to(application) for visitor in visitors))

    return asyncio.run(all_of_them())


def test_a_crowd_is_answered_by_a_fixed_number_of_threads(application):
    crowd = answer(application, *(Visitor("in_pairs") for _ in range(20)))
    assert [visitor.status for visitor in crowd] == [200] * 20
    assert len(seen) == 20
    assert len(set(seen)) == FEW


@pytest.mark.django_db(transaction=True)
def test_a_thread_keeps_its_database_connection(settings):
    """On PostgreSQL the pool does: it opens with one, and one more if asked before that is up."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()
    seen.clear()
    settings.IN_FLIGHT = 1
    application = Application()
    answer(application, *(Visitor("ask_database") for _ in range(6)))
    application.threads.submit(connections.close_all).result()
    application.threads.shutdown()
    assert len(seen) == 6
    assert len(set(seen)) <= (2 if connection.vendor == "postgresql" else 1)


def test_what_was_sent_in_pieces_arrives_whole(application):
    (visitor,) = answer(application, Visitor("keep", b"text=one", b"+two"))
    assert (visitor.body, seen) == (b"kept", ["one two"])


def test_a_connection_that_breaks_in_the_middle_of_a_form_reaches_no_view(application):
    visitor = Visitor("keep", b"text=half of", whole=False)
    visitor.left.set()
    answer(application, visitor)
    assert (visitor.status, seen) == (None, [])


def test_a_form_that_arrived_is_stored_even_if_its_sender_is_gone(application):
    visitor = Visitor("keep", b"text=all+of+it")
    visitor.left.set()
    answer(application, visitor)
    assert seen == ["all of it"]


def test_a_form_above_the_limit_is_refused(application, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    (visitor,) = answer(application, Visitor("keep", b"text=" + b"x" * 200))
    assert (visitor.status, seen) == (400, [])


def test_a_view_that_fails_gives_the_error_page_and_leaves_the_thread_in_order(application):
    failed, refused = answer(application, Visitor("fail"), Visitor("refuse"))
    assert failed.status == 500
    assert refused.status == 400
    assert b"Choose another number." in refused.body
    assert {
        visitor.status for visitor in answer(application, Visitor("in_hindi"), Visitor("in_hindi"))
    } == {200}


def test_the_language_of_one_request_does_not_stay_in_the_thread(application):
    answer(application, *(Visitor("in_hindi") for _ in range(2 * FEW)))
    languages = [application.threads.submit(translation.get_language) for _ in range(2 * FEW)]
    assert {language.result() for language in languages} == {"en"}


def test_a_download_leaves_while_it_is_made_and_holds_no_thread_of_the_pages(application):
    made_at_first_piece = []

    class Reader(Visitor):
        async def send(self, message):
            await super().send(message)
            if message.get("body") and not made_at_first_piece:
                made_at_first_piece.append(len(seen))
                for page in [Visitor("in_hindi") for _ in range(FEW)]:
                    assert (await page.to(application)).status == 200

    (reader,) = answer(application, Reader("long"))
    assert made_at_first_piece[0] < 1000
    assert reader.body == b"".join(b"%d\n" % number for number in range(1000))


def test_a_download_ends_in_the_thread_that_made_it_when_its_reader_leaves(application):
    class Reader(Visitor):
        async def send(self, message):
            await super().send(message)
            if message.get("body"):
                self.left.set()

    (reader,) = answer(application, Reader("endless"))
    assert reader.body.startswith(b"0\n")
    made_by, closed_by = seen[-1]
    assert made_by is closed_by is not threading.main_thread()


def test_a_download_that_breaks_is_not_ended_as_if_it_were_whole(application):
    visitor = Visitor("broken")
    with pytest.raises(ZeroDivisionError):
        answer(application, visitor)
    assert visitor.body == b"2\n3\n"


def test_a_static_file_comes_in_one_piece(application):
    (visitor,) = answer(application, Visitor("static/css/app.css", slash=""))
    assert visitor.status == 200
    assert visitor.body == Path(finders.find("css/app.css")).read_bytes()


def test_what_is_no_request_for_a_page_is_left_alone(application):
    async def connect():
        await application({"type": "something else"}, None, None)

    asyncio.run(connect())
