"""One exchange over HTTP through the openai package, which retries and interprets nothing here.

The package takes a second to import, so only a session that is opened imports this module.
"""

import asyncio
import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    Omit,
)

from core.clock import scaled
from inference.endpoints import Target

# Below this level they write headers, in which an endpoint may repeat the key.
for name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(name).setLevel(logging.WARNING)


@dataclass(frozen=True)
class Response:
    """What came back; `broken` says why nothing did."""

    status: int = 0
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    broken: str = ""


class Wire:
    """The connections of one session to its endpoint; used on the loop thread only."""

    def __init__(self, target: Target, key: str) -> None:
        self._timeout = target.timeout
        # Only the key comes from the environment, whatever variables of OpenAI's are set there.
        unset = ["OpenAI-Organization", "OpenAI-Project"] + ([] if key else ["Authorization"])
        self._options: Any = {
            "headers": {name: Omit() for name in unset},
            "follow_redirects": False,
        }
        self._client = AsyncOpenAI(
            api_key=key or "none",
            base_url=target.base_url,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(verify=_authorities()),
            timeout=None,  # `send` bounds the whole: a reply that trickles has to end too
        )

    async def send(self, body: dict[str, Any]) -> Response:
        try:
            async with asyncio.timeout(scaled(self._timeout)):
                response = await self._client.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body=body,
                    options=self._options,
                )
        except TimeoutError:
            return Response(broken=f"no reply within {self._timeout:g} s")
        except APIConnectionError as error:
            return Response(broken=str(error.__cause__ or error))
        except APIStatusError as error:
            response = error.response
        return Response(response.status_code, response.content, response.headers)

    async def close(self) -> None:
        await self._client.close()


@cache
def _authorities() -> ssl.SSLContext:
    """The certificate authorities, read once a process: 50 ms, several times a session's rest."""
    return httpx2.create_ssl_context()
