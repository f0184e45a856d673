"""What every endpoint shares: the scopes it needs, the query parameters it knows, and answering a
repeated request once.

What an endpoint shows is had through the same doors as the pages, as the token's user.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from accounts import services
from accounts.tokens import Scope
from core.api import pages
from core.api.reading import refuse_unknown
from core.errors import CommonplaceError

LONGEST_KEY = 200


class Endpoint(APIView):
    """`scopes` by method; `filters`, a serializer of the query parameters it knows, whose values
    are in `self.asked`."""

    scopes: ClassVar[Mapping[str, Scope]] = {}
    filters: ClassVar[type[Serializer] | None] = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        known = [*(self.filters().fields if self.filters else ())]
        if hasattr(self, "paginator"):
            known += pages.PARAMETERS
        refuse_unknown(request.query_params, known, "api.unknown_parameter", "parameter")
        self.asked: dict[str, Any] = {}
        if self.filters:
            given = self.filters(data=request.query_params.dict())
            given.is_valid(raise_exception=True)
            self.asked = given.validated_data


def once(request: Request, act: Callable[[str | None], Response]) -> Response:
    """Answer a request that creates something, under its `Idempotency-Key` at most once.

    `act` gets a nonce for services that take one: it stays the same when a request is taken up
    again after a crash. A refusal keeps nothing, so the corrected request may use the key again.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return act(None)
    row = services.claim_request(request.user, _checked(key), _asked(request))
    if row.status is not None:
        return Response(row.response, row.status, headers={"Idempotent-Replay": "true"})
    try:
        response = act(row.nonce)
    except (CommonplaceError, APIException):  # after anything else nobody knows what was done
        services.release_request(row)
        raise
    kept = json.loads(JSONRenderer().render(response.data))
    services.answer_request(row, response.status_code, kept)
    return response


def _checked(key: str) -> str:
    if not (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise CommonplaceError(
            "api.key_invalid",
            f"An Idempotency-Key is 1 to {LONGEST_KEY} printable ASCII characters, a UUID say.",
        )
    return key


def _asked(request: Request) -> str:
    """What makes two requests the same: method, path, and the values of the body."""
    asked = json.dumps([request.method, request.path, request.data], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()
