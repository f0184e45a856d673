"""Downloads go out in pieces, so that a million rows need the memory of one."""

import asyncio

from django.test import AsyncRequestFactory, RequestFactory

from core import downloads
from core.tables import Table


def numbered(made):
    for number in range(50_000):
        made.append(number)
        yield (number, "x" * 20)


def test_under_asgi_the_first_bytes_leave_before_the_last_row_is_read():
    made = []
    response = downloads.table(
        AsyncRequestFactory().get("/"), Table("t", ("n", "text"), numbered(made)), "t", "csv"
    )

    async def read():
        pieces = response.streaming_content.__aiter__()
        first = await pieces.__anext__()
        early = len(made)
        rest = [piece async for piece in pieces]
        return early, first + b"".join(rest)

    early, whole = asyncio.run(read())
    assert early < 50_000 == len(made)
    assert whole.count(b"\r\n") == 50_001


def test_a_name_in_any_script_is_a_valid_header_and_the_bytes_are_the_same_without_asgi():
    response = downloads.table(
        RequestFactory().get("/"),
        Table("t", ("n",), [(1,)]),
        "\u0989\u09a4\u09cd\u09a4\u09b0",
        "csv",
    )
    assert response["Content-Disposition"].startswith("attachment; filename*=utf-8")
    assert b"".join(response.streaming_content) == b"n\r\n1\r\n"
