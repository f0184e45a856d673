"""Tables and files that leave the product over HTTP, in pieces, under either kind of server."""

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

from core import tables
from core.errors import NotFound

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "csv-safe": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
ENDINGS = {  # how an address ends -> the format of `core.tables` and its name for people
    "csv": ("csv", "CSV"),
    "safe.csv": ("csv-safe", "CSV for spreadsheets"),
    "xlsx": ("xlsx", "XLSX"),
    "jsonl": ("jsonl", "JSON lines"),
}


def links(address: Callable[[str], str]) -> list[tuple[str, str]]:
    """(name for people, address) of a table in every format; `address` takes the ending."""
    return [(label, address(ending)) for ending, (_, label) in ENDINGS.items()]


def table(
    request: HttpRequest, table: tables.Table, name: str, ending: str
) -> StreamingHttpResponse:
    """A table as the attachment `name.ending`; its rows are read while they are sent.

    Raises `download.unknown`.
    """
    if ending not in ENDINGS:
        raise NotFound(
            "download.unknown", f"There is no such download. Use one of: {', '.join(ENDINGS)}."
        )
    format, _ = ENDINGS[ending]
    return file(request, tables.stream(table, format), TYPES[format], f"{name}.{ending}")


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

    @sync_to_async
    def end() -> None:
        """A cursor is closed where it was opened, also when the reader leaves early."""
        if isinstance(chunks, Generator):
            chunks.close()

    try:
        while (chunk := await another()) is not None:
            yield chunk
    finally:
        await end()
