"""One exchange over HTTP, which retries and interprets nothing here.

aiohttp, since a request of it takes a quarter of the processor time that a vendor's package does
(docs/performance.md). It takes a while to import, so only a session that is opened imports this.
"""

import asyncio
import ssl
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from core.clock import scaled
from inference.endpoints import Target

IDLE = 15.0  # seconds an unused connection is kept: shorter than servers keep theirs


@dataclass(frozen=True)
class Response:
    """What came back; `broken` says why nothing did, or with a status why it broke off."""

    status: int = 0
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    broken: str = ""


class Wire:
    """The connections of one session to its endpoint; made and used on the loop thread only."""

    def __init__(self, target: Target, key: str) -> None:
        self._timeout = target.timeout
        self._address = target.base_url.rstrip("/") + "/chat/completions"
        self._proxy = _proxy(self._address)
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # `Gate` is the limit
                ssl=_authorities(),
                keepalive_timeout=IDLE,
            ),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),  # `send` bounds the whole
        )

    async def send(self, body: Mapping[str, Any]) -> Response:
        status = 0
        try:
            async with (
                asyncio.timeout(scaled(self._timeout)),
                self._http.post(
                    self._address, json=body, proxy=self._proxy, allow_redirects=False
                ) as response,
            ):
                status = response.status
                return Response(status, await response.read(), _lower(response.headers))
        except TimeoutError:
            return Response(status, broken=f"no reply within {self._timeout:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Response(status, broken=str(error) or type(error).__name__)

    async def close(self) -> None:
        await self._http.close()


def _proxy(address: str) -> str | None:
    """The proxy the environment names for the address, looked up once a session.

    aiohttp itself would look for each request, in a thread, and for a password in `.netrc` too,
    which it then refuses beside a key.
    """
    named = urlsplit(address)
    if not named.hostname or urllib.request.proxy_bypass(named.hostname):
        return None
    return urllib.request.getproxies().get(named.scheme)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@cache
def _authorities() -> ssl.SSLContext:
    """The certificate authorities of the system, read once a process."""
    return ssl.create_default_context()
