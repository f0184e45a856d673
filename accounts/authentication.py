"""Who calls the API and with which scopes. Apart from `accounts.api`, since the framework reads
this module before it has views."""

from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts import selectors, services, tokens
from accounts.models import ApiToken, User
from core.errors import CommonplaceError


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer cp_…`; without one, the next way to authenticate is tried."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        secret = tokens.bearer(request.headers.get("Authorization", ""))
        if secret is None:
            return None
        token = selectors.find_token(secret)
        services.note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Scoped(BasePermission):
    """Signed in, and with a token: one that carries the scope of the endpoint and method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user.is_authenticated:
            return False
        method = "GET" if request.method == "HEAD" else request.method
        needed = getattr(view, "scopes", {}).get(method)
        if isinstance(request.auth, ApiToken) and needed and needed not in request.auth.scopes:
            raise CommonplaceError(
                "token.scope_missing",
                f"This token lacks the scope {needed}. Make one that carries it.",
                http_status=403,
                needs=needed.value,
                scopes=request.auth.scopes,
            )
        return True


def limited_to(request: Request) -> list[str]:
    """The studies the request's token is limited to; empty: all its user can see."""
    return request.auth.studies if isinstance(request.auth, ApiToken) else []
