"""The simulated model over HTTP: a small ASGI application without framework or database."""

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import uvicorn

from inference.requests import estimate_tokens
from inference.stub import replies
from inference.stub.behaviour import Behaviour, Canned

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

JSON, HTML = "application/json", "text/html; charset=utf-8"
PAGE = "<!doctype html><title>Gateway</title><h1>This page is no API</h1>"
MOST_CHOICES = 128


@dataclass
class Tally:
    """What was counted since the start or a reset; a request counts where it came in."""

    counts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    asked_at_once: Counter[int] = field(default_factory=Counter)  # requests, by their n
    attempts: Counter[str] = field(default_factory=Counter)  # requests seen, by prompt
    answers: Counter[str] = field(default_factory=Counter)  # replies given, by prompt
    in_flight: int = 0
    most_in_flight: int = 0


class Stub:
    """The application; `behaviour` may be exchanged while it runs.

    `latency_ms` is added to every completion; `fail_rate` is the share answered 429 or 500, half
    each, on top of the behaviour's own shares.
    """

    def __init__(
        self, behaviour: Behaviour | None = None, *, latency_ms: float = 0, fail_rate: float = 0
    ) -> None:
        self.behaviour = behaviour or Behaviour()
        if fail_rate:
            shares = Counter(self.behaviour.shares)
            shares.update({"rate_limited": fail_rate / 2, "server_error": fail_rate / 2})
            self.behaviour = replace(self.behaviour, shares=shares)
        self.latency = latency_ms / 1000
        self.reset()

    def reset(self) -> None:
        self.tally = Tally()

    def stats(self) -> dict[str, Any]:
        """Counts since the start or the last reset.

        A repeated prompt is a request answered with a reply although an equal one (model,
        seed) had been: retries after a fault do not count. Tokens are those of replies, as a
        provider bills them: also where the connection was cut.
        """
        tally, counts = self.tally, self.tally.counts
        return {
            "requests": counts["requests"],
            "by_n": {str(n): count for n, count in sorted(tally.asked_at_once.items())},
            "choices": counts["choices"],
            "judged": counts["judged"],
            "tokens_in": counts["tokens_in"],
            "tokens_out": counts["tokens_out"],
            "in_flight": tally.in_flight,
            "max_in_flight": tally.most_in_flight,
            "repeated_prompts": counts["repeated"],
            "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix("/v1").rstrip("/")
        body = await _read(receive)
        if path == "/chat/completions":
            await self._complete(scope, body, receive, send)
        elif path == "/stats":
            await _answer(send, 200, self.stats())
        elif path == "/reset":
            self.reset()
            await _answer(send, 200, self.stats())
        elif path == "/models":
            names = self.behaviour.models or ("stub",)
            data = [{"id": name, "object": "model"} for name in names]
            await _answer(send, 200, {"object": "list", "data": data})
        else:
            await _answer(send, 404, _error("There is nothing at this address.", "not_found"))

    async def _complete(self, scope: Scope, raw: bytes, receive: Receive, send: Send) -> None:
        tally = self.tally
        tally.counts["requests"] += 1
        tally.in_flight += 1
        tally.most_in_flight = max(tally.most_in_flight, tally.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            status = await self._serve(tally, scope, raw, receive, send)
            tally.statuses[status] += 1
        finally:
            tally.in_flight -= 1

    async def _serve(
        self, tally: Tally, scope: Scope, raw: bytes, receive: Receive, send: Send
    ) -> int:
        """Answer one completion request; returns the status, 0 where none was sent."""
        behaviour = self.behaviour
        try:
            body = _understood(behaviour, scope, raw)
            n = _wanted(body)
            tally.asked_at_once[n] += 1
            _accept(behaviour, n)
        except Refused as refused:
            return await _answer(send, refused.status, refused.document)
        prompt = replies.Prompt(body)
        attempt = tally.attempts[prompt.identity]
        tally.attempts[prompt.identity] += 1
        fault = replies.fault(behaviour, prompt.identity, attempt)
        if fault == "hang":
            while (await receive())["type"] != "http.disconnect":
                pass
            return 0
        if fault == "delayed":
            await asyncio.sleep(behaviour.delay_ms / 1000)
        elif fault == "cut":
            return await _cut(send, self._completion(tally, prompt, n))
        elif fault:
            return await _fail(send, behaviour, fault)
        return await _answer(send, 200, self._completion(tally, prompt, n))

    def _completion(self, tally: Tally, prompt: replies.Prompt, n: int) -> dict[str, Any]:
        before = tally.answers[prompt.identity]
        served = self.behaviour.served(min(n, MOST_CHOICES))
        said = replies.answer(self.behaviour, prompt, before, served)
        tally.answers[prompt.identity] += 1 if self.behaviour.n == "copy" else served
        asked = sum(estimate_tokens(text) + 4 for text in prompt.texts)
        written = sum(estimate_tokens(one.text or "") for one in said)
        tally.counts["repeated"] += before > 0
        tally.counts["choices"] += served
        tally.counts["judged"] += prompt.is_judges
        tally.counts["tokens_in"] += asked
        tally.counts["tokens_out"] += written
        return {
            "id": f"chatcmpl-{prompt.identity[:16]}-{before}",
            "object": "chat.completion",
            "created": 0,
            "model": prompt.body.get("model"),
            "choices": [
                {
                    "index": index,
                    "message": {"role": "assistant", "content": one.text},
                    "finish_reason": one.finish,
                }
                for index, one in enumerate(said)
            ],
            "usage": {
                "prompt_tokens": asked,
                "completion_tokens": written,
                "total_tokens": asked + written,
            },
        }


def listen(port: int, host: str = "127.0.0.1") -> socket.socket:
    """A listening socket; port 0 takes any free one."""
    listening = socket.create_server((host, port), backlog=2048)
    listening.setblocking(False)
    return listening


def address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{host}:{port}/v1"


def server(stub: Stub) -> uvicorn.Server:
    """A server for the stub, to be run with a socket from `listen`."""
    config = uvicorn.Config(
        stub,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        log_level="critical",  # faults are what it is for
        access_log=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


@contextmanager
def running(
    behaviour: Behaviour | None = None, *, latency_ms: float = 0, fail_rate: float = 0
) -> Iterator[tuple[str, Stub]]:
    """A stub on a free port in a thread of this process: (base URL, stub)."""
    stub = Stub(behaviour, latency_ms=latency_ms, fail_rate=fail_rate)
    with listen(0) as listening:
        serving = server(stub)
        thread = threading.Thread(target=serving.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield address(listening), stub
        finally:
            serving.should_exit = True
            thread.join()


class Refused(Exception):
    """What a real endpoint refuses before it asks any model."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        super().__init__(status)
        self.status, self.document = status, document


def _understood(behaviour: Behaviour, scope: Scope, raw: bytes) -> Mapping[str, Any]:
    """The request; raises `Refused`."""
    if behaviour.key:
        sent = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        if sent != f"Bearer {behaviour.key}":
            given = sent.removeprefix("Bearer ")
            raise Refused(401, _error(f"Incorrect API key provided: {given}", "invalid_api_key"))
    try:
        body = json.loads(raw)
        messages = body["messages"]
        usable = bool(messages) and all(isinstance(message["role"], str) for message in messages)
    except (ValueError, LookupError, TypeError):
        usable = False
    if not usable:
        said = "The body must be JSON with model and messages."
        raise Refused(400, _error(said, "invalid_request"))
    if behaviour.models and body.get("model") not in behaviour.models:
        said = f"The model {body.get('model')!r} does not exist"
        raise Refused(404, _error(said, "model_not_found"))
    return dict(body)


def _wanted(body: Mapping[str, Any]) -> int:
    """How many choices are asked for; raises `Refused`."""
    n = body.get("n")
    if n is None:
        return 1
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        said = f"Invalid 'n': expected a whole number >= 1, but got {json.dumps(n)} instead."
        raise Refused(400, _error(said, "invalid_value", "n"))
    return n


def _accept(behaviour: Behaviour, n: int) -> None:
    """Raises `Refused` where so many choices are not to be had."""
    most = behaviour.most
    if most is None or n <= most:
        return
    if most == 1:
        said = "Unsupported parameter: 'n' is not supported with this model."
        raise Refused(400, _error(said, "unsupported_parameter", "n"))
    said = f"Invalid 'n': integer above maximum value. Expected a value <= {most}, but got {n}"
    raise Refused(400, _error(f"{said} instead.", "integer_above_max_value", "n"))


async def _fail(send: Send, behaviour: Behaviour, fault: str | Canned) -> int:
    if isinstance(fault, Canned):
        return await _send(send, fault.status, fault.body.encode(), JSON, fault.headers)
    if fault == "malformed":
        return await _send(send, 200, b'{"id": "chatcmpl-1", "choices": [{"index"', JSON)
    if fault == "html":
        return await _send(send, 200, PAGE.encode(), HTML)
    if fault == "server_error":
        return await _answer(send, 500, _error("The simulated server has failed.", "server_error"))
    headers = {"Retry-After": behaviour.retry_after} if behaviour.retry_after else {}
    body = json.dumps(_error("The simulated rate limit is reached.", "rate_limit_exceeded"))
    return await _send(send, 429, body.encode(), JSON, headers)


async def _cut(send: Send, document: Any) -> int:
    """Half of a body: returning before its end makes the server close the connection."""
    raw = json.dumps(document).encode()
    headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": raw[: len(raw) // 2], "more_body": True})
    return 200


async def _answer(send: Send, status: int, document: Any) -> int:
    return await _send(send, status, json.dumps(document).encode(), JSON)


async def _send(
    send: Send, status: int, raw: bytes, content_type: str, extra: Mapping[str, str] | None = None
) -> int:
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(len(raw)).encode()),
        (b"x-commonplace-simulated", b"1"),
        *((name.lower().encode(), str(value).encode()) for name, value in (extra or {}).items()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})
    return status


async def _read(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _error(message: str, code: str, parameter: str | None = None) -> dict[str, Any]:
    kind = "invalid_request_error" if parameter else code
    return {"error": {"message": message, "type": kind, "code": code, "param": parameter}}
