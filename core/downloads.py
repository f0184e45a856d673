"""Tables and files that leave the product over HTTP, in pieces, under either kind of server."""

from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

from core import tables

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "csv-safe": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def table(
    request: HttpRequest, table: tables.Table, format: str, file_name: str
) -> StreamingHttpResponse:
    """A table as an attachment; its rows are read while they are sent."""
    return file(request, tables.stream(table, format), TYPES[format], file_name)


def file(
    request: HttpRequest, chunks: Iterable[bytes], content_type: str, file_name: str
) -> StreamingHttpResponse:
    pieces: Iterable[bytes] | AsyncIterator[bytes] = chunks
    if isinstance(request, ASGIRequest):
        # Django would gather a synchronous iterator in memory before it sent the first byte.
        pieces = _in_thread(iter(chunks))
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, file_name)
    return response


async def _in_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    @sync_to_async
    def another() -> bytes | None:
        return next(chunks, None)

    while (chunk := await another()) is not None:
        yield chunk
