"""Pages by cursor."""

import base64
import binascii
from typing import Any

from django.db.models import Model, QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from core.errors import CommonplaceError

PAGE_SIZE = 100
LARGEST_PAGE = 1000
PARAMETERS = ("cursor", "page_size")
LARGEST_ROW = 2**63 - 1


class Pages(BasePagination):
    """Pages in the order rows came to be. A cursor names the last row of the page before, so
    rows that arrive meanwhile move nothing and come at the end.

    `{"results": [...], "next": address or null}`
    """

    def paginate_queryset(
        self, queryset: QuerySet[Model], request: Request, view: Any = None
    ) -> list[Any]:
        size, after = _page_size(request), request.query_params.get("cursor")
        rows = queryset.order_by("pk")
        if after is not None:
            rows = rows.filter(pk__gt=_row_after(after))
        found = list(rows[: size + 1])
        page = found[:size]
        self.next = _address_after(request, page[-1]) if len(found) > size else None
        return page

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.next})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        address = {"type": ["string", "null"], "format": "uri", "description": "The next page."}
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": address},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        size = {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": PAGE_SIZE}
        return [
            _parameter("cursor", {"type": "string"}, "Where to go on, as `next` gave it."),
            _parameter("page_size", size, "Rows of a page at most."),
        ]


def _parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema, "description": description}


def _page_size(request: Request) -> int:
    text = request.query_params.get("page_size", str(PAGE_SIZE))
    short = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_PAGE))
    if not (short and 1 <= int(text) <= LARGEST_PAGE):
        raise CommonplaceError(
            "api.page_size", f"page_size is a whole number from 1 to {LARGEST_PAGE}.", value=text
        )
    return int(text)


def _address_after(request: Request, row: Model) -> str:
    cursor = base64.urlsafe_b64encode(str(row.pk).encode()).decode().rstrip("=")
    return replace_query_param(request.build_absolute_uri(), "cursor", cursor)


def _row_after(cursor: str) -> int:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        row = int(text)
    except (ValueError, binascii.Error):
        row = -1
    if not 0 <= row <= LARGEST_ROW:
        raise CommonplaceError(
            "api.bad_cursor",
            "This cursor is not one of ours. Follow `next` as it came, or begin without a cursor.",
        )
    return row
