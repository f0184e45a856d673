"""Reading what programs send: strict JSON, and no name that nobody knows."""

import json
import math
from collections.abc import Iterable
from typing import Any

from rest_framework import exceptions, serializers
from rest_framework.parsers import BaseParser

from core import clock
from core.errors import CommonplaceError
from core.text import clean

LARGEST = 2**53  # the largest whole number every JSON reader keeps


class JsonParser(BaseParser):
    """Reads JSON and refuses what later steps could not hold: text no database keeps, numbers
    beyond what every reader keeps, bodies beyond `DATA_UPLOAD_MAX_MEMORY_SIZE`."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        body: bytes = stream.body if hasattr(stream, "body") else stream.read()
        try:
            value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
            _check(value)
        except (ValueError, RecursionError) as error:
            raise exceptions.ParseError from error
        return value


def _no_number(name: str) -> None:
    raise ValueError(name)


def _check(value: Any) -> None:
    if isinstance(value, str):
        clean(value)
    elif isinstance(value, int | float):
        if not math.isfinite(value) or abs(value) > LARGEST:
            raise ValueError(value)
    elif isinstance(value, dict):
        for name, each in value.items():
            clean(name)
            _check(each)
    elif isinstance(value, list):
        for each in value:
            _check(each)


class Instant(serializers.DateTimeField):
    """An instant as the whole product writes it: UTC with its offset, to the second."""

    def to_representation(self, value: Any) -> str | None:
        return clock.isoformat(value) if value else None


class Strict(serializers.Serializer):
    """A body in which a name nobody knows is refused, not passed over."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            refuse_unknown(data, self.fields, "api.unknown_field", "field")
        return super().to_internal_value(data)


def refuse_unknown(given: Iterable[str], known: Iterable[str], code: str, what: str) -> None:
    """Raise `code` for the first given name that is not known."""
    known = list(known)
    for name in given:
        if name not in known:
            advice = f"Known are: {', '.join(known)}." if known else f"Send no {what} here."
            raise CommonplaceError(
                code, f"There is no {what} “{name}” here. {advice}", name=name, known=known
            )
