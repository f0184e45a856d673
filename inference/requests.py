"""What is asked of a model, and what makes two requests the same one. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

FRAME = 8  # tokens that chat templates put around a message, about


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion. What is None is not sent, so the endpoint's own default holds."""

    base_url: str
    model: str
    messages: tuple[tuple[str, str], ...]  # (role, content) in order
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    response_format: Mapping[str, Any] | None = None
    seed: int | None = None

    def body(self) -> dict[str, Any]:
        """The JSON document that is sent."""
        asked = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in self.messages],
            "temperature": None if self.temperature is None else float(self.temperature),
            "top_p": None if self.top_p is None else float(self.top_p),
            "max_tokens": self.max_tokens,
            "response_format": self.response_format,
            "seed": self.seed,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def asking(self, n: int) -> dict[str, Any]:
        """The document that asks for `n` replies at once."""
        return self.body() if n == 1 else self.body() | {"n": n}

    @cached_property
    def _key(self) -> str:
        identity = {"base_url": self.base_url.rstrip("/"), **self.body()}
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

    def key(self) -> str:
        """SHA-256 (hexadecimal) of everything that changes the reply.

        With the repeat index it is the identity of a completion in the cache. The order of keys,
        a slash at the end of the base URL, and 1 instead of 1.0 make no difference; nor does how
        many replies are asked for at once.
        """
        return self._key

    def prompt_tokens(self) -> int:
        """Roughly the tokens that are sent, and rather too many: caps rely on it."""
        return sum(estimate_tokens(text) + FRAME for _, text in self.messages)

    def most_tokens(self, n: int = 1) -> int:
        """Roughly the tokens of the request and of all it may get back in `n` replies."""
        return self.prompt_tokens() + n * (self.max_tokens or 0)


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a text costs: four ASCII characters, or one of another script.

    For estimates before a run and for endpoints that report no usage; tends to be too many.
    """
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // 4) + len(text) - plain
