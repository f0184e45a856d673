"""Whether a page that opens a socket is one of ours. Browsers let any page open a socket to any
host, so it is the server that has to look."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

SECURE = ("https", "wss")


def is_own(scope: Mapping[str, Any]) -> bool:
    """Whether scheme, host and port of the page are those the socket itself was opened at, and the
    host is one of this installation. A program without an `Origin` is not."""
    origins, hosts = _headers(scope, b"origin"), _headers(scope, b"host")
    if len(origins) != 1 or len(hosts) != 1:
        return False
    domain, _port = split_domain_port(hosts[0])
    scheme = "https" if _secure(scope) else "http"
    own = f"{scheme}://{hosts[0]}".lower()
    return validate_host(domain, settings.ALLOWED_HOSTS) and origins[0].lower() == own


def _secure(scope: Mapping[str, Any]) -> bool:
    """As Django tells it of a request, which a proxy may have taken out of its TLS."""
    said = _headers(scope, b"x-forwarded-proto") if settings.SECURE_PROXY_SSL_HEADER else []
    return scope.get("scheme") in SECURE or any(
        each.partition(",")[0].strip() in SECURE for each in said
    )


def _headers(scope: Mapping[str, Any], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
