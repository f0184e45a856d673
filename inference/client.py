"""Asks models: one session per job, every exchange recorded, retries in this one layer.

All requests of a process run on one loop thread, since connections belong to their loop.
A session is used from one ordinary thread: submit requests, collect what has finished. Each
request ends in exactly one `Finished`, whatever the endpoint does.
"""

import asyncio
import os
import queue
import random
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from django.conf import settings

from core.clock import monotonic, now, scaled
from core.errors import CommonplaceError
from inference import responses
from inference.endpoints import Target, read_key
from inference.gate import Gate, StillClosed
from inference.requests import ChatRequest, estimate_tokens
from inference.responses import Fault, Reply, Usage

if TYPE_CHECKING:
    from inference.wire import Response, Wire

FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 60.0  # seconds of the product, doubled per attempt
SIMULATED_HEADER = "x-commonplace-simulated"
GIVEN_UP = "given up here before it answered"
UNTIMED = 0  # ms of an exchange that nobody here waited for


@dataclass(frozen=True)
class Exchange:
    """One HTTP exchange, good or bad."""

    at: datetime
    status: int  # 0: no response came back
    input_tokens: int
    output_tokens: int
    cost_micro: int | None  # None: the endpoint has no price
    ms: int
    error: dict[str, Any] | None  # {"code", "said"}
    choices: int = 0  # replies it brought


@dataclass(frozen=True)
class Finished:
    """How one request ended: with replies, or with an error (`pauses`: stop the run and say so).

    An endpoint may bring fewer replies than it was asked for, never more.
    """

    ticket: Any
    request: ChatRequest
    exchanges: tuple[Exchange, ...]
    replies: tuple[Reply, ...] = ()
    simulated: bool = False
    error: CommonplaceError | None = None
    pauses: bool = False
    again: bool = False  # worth another attempt, which the caller has to pay for first

    @property
    def text(self) -> str | None:
        """Of the first reply, None where there is none."""
        return self.replies[0].text if self.replies else None

    @property
    def finish(self) -> str:
        return self.replies[0].finish if self.replies else ""

    @property
    def refusal(self) -> bool:
        return bool(self.replies) and self.replies[0].refusal


def load() -> None:
    """Import what takes a second, ahead of the first session."""
    import inference.wire  # noqa: F401


class Session:
    """A running job's connection to one model. Close it, or use it in a `with` statement."""

    def __init__(self, target: Target) -> None:
        """Raises `endpoint.key_missing`: the key is read here and held in memory only."""
        self.target = target
        self._key = read_key(target)
        self._finished: queue.SimpleQueue[Finished | BaseException] = queue.SimpleQueue()
        self._outbox: deque[tuple[Any, ChatRequest, int, bool]] = deque()
        self._waking = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = _loop()
        self._gate = asyncio.run_coroutine_threadsafe(_gate(target), self._loop).result()
        self._wire = asyncio.run_coroutine_threadsafe(_wire(target, self._key), self._loop).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(
        self, ticket: Any, request: ChatRequest, n: int = 1, *, paid_once: bool = False
    ) -> None:
        """Ask for `n` replies at once; `ticket` comes back with the answer. The caller bounds how
        many requests are outstanding. With `paid_once` a charged attempt is the last one: the
        caller has money to set aside before there is another."""
        self._outbox.append((ticket, request, n, paid_once))
        if not self._waking:  # one call to the loop for all that is submitted in one go
            self._waking = True
            self._loop.call_soon_threadsafe(self._start)

    def pace(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        """This process's share of the endpoint's rate limits, from now on."""
        self._loop.call_soon_threadsafe(self._gate.pace, requests_per_minute, tokens_per_minute)

    def collect(self, timeout: float) -> list[Finished]:
        """All that has finished, waiting up to `timeout` real seconds for the first."""
        found = []
        try:
            found.append(self._finished.get(timeout=timeout))
            while True:
                found.append(self._finished.get_nowait())
        except queue.Empty:
            pass
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return [one for one in found if isinstance(one, Finished)]

    def has_news(self) -> bool:
        """Whether `collect` would bring something at once."""
        return not self._finished.empty()

    def close(self) -> None:
        """Cancel what is in flight and give the connections back. Closing again does nothing.

        What was asked for by then and had no end ends in an error that pauses; `collect` still
        brings it, so that its exchanges can be booked.
        """
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()

    # --- On the loop thread ---

    def _start(self) -> None:
        self._waking = False
        while self._outbox:
            task = self._loop.create_task(self._work(*self._outbox.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _shut(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._wire.close()

    async def _work(self, ticket: Any, request: ChatRequest, n: int, paid_once: bool) -> None:
        exchanges: list[Exchange] = []
        try:
            self._finished.put(await self._ask(ticket, request, n, paid_once, exchanges))
        except asyncio.CancelledError:
            if exchanges:
                error = refusal(self.target, Fault("endpoint.unavailable", GIVEN_UP), 0)
                made = tuple(exchanges)
                self._finished.put(Finished(ticket, request, made, error=error, pauses=True))
            raise
        except Exception as bug:
            self._finished.put(bug)  # raised where results are collected

    async def _ask(
        self,
        ticket: Any,
        request: ChatRequest,
        n: int,
        paid_once: bool,
        exchanges: list[Exchange],
    ) -> Finished:
        """Ask until there is a reply, a fault that stays, or no attempt left; `exchanges` holds
        every attempt as it ends."""
        body = request.asking(n)
        tokens = request.most_tokens(n)
        while True:
            try:
                async with self._gate.passage(tokens):
                    at, began = now(), monotonic()
                    try:
                        response = await self._wire.send(body)
                    except asyncio.CancelledError:
                        cut = Fault("endpoint.unavailable", GIVEN_UP)
                        ms = round(1000 * (monotonic() - began))
                        exchanges.append(exchange(self.target, request, n, 0, cut, None, at, ms))
                        raise
            except StillClosed as closed:
                fault = Fault("endpoint.rate_limited")
                error = refusal(self.target, fault, 429, closed.seconds)
                return Finished(ticket, request, tuple(exchanges), error=error, pauses=True)
            meaning, usage = self._meaning(response, body, n)
            ms = round(1000 * (monotonic() - began))
            exchanges.append(
                exchange(self.target, request, n, response.status, meaning, usage, at, ms)
            )
            if isinstance(meaning, Reply):
                return Finished(
                    ticket,
                    request,
                    tuple(exchanges),
                    replies=meaning.all,
                    simulated=response.headers.get(SIMULATED_HEADER) == "1",
                )
            wait = responses.retry_after(response.headers, now()) if meaning.retry else None
            if wait:
                self._gate.shut(wait)
            again = meaning.retry and paid_once and any(each.cost_micro for each in exchanges)
            last = again or len(exchanges) >= settings.RETRY_ATTEMPTS
            if last or not meaning.retry or (wait or 0) > settings.RETRY_LONGEST_WAIT:
                error = refusal(self.target, meaning, response.status, wait)
                return Finished(
                    ticket,
                    request,
                    tuple(exchanges),
                    error=error,
                    pauses=meaning.pauses,
                    again=again,
                )
            if not wait:
                await asyncio.sleep(scaled(_backoff(len(exchanges))))

    def _meaning(
        self, response: "Response", body: Mapping[str, Any], n: int
    ) -> tuple[Reply | Fault, Usage | None]:
        if response.broken:
            fault = Fault("endpoint.unavailable", response.broken, retry=True)
            return responses.presentable(fault, self._key), None
        return meaning_of(response.status, response.body, body, n, self._key)


# --- What a response comes to, whichever way it came ---------------------------------------------


def meaning_of(
    status: int, body: bytes, sent: Mapping[str, Any], n: int, key: str = ""
) -> tuple[Reply | Fault, Usage | None]:
    """What came back for a request for `n` replies: never more of them, and what they used."""
    meaning, usage = responses.read(status, body, sent.keys(), key)
    if isinstance(meaning, Reply) and len(meaning.further) >= n:
        meaning = replace(meaning, further=meaning.further[: n - 1])
    return meaning, usage


def exchange(
    target: Target,
    request: ChatRequest,
    n: int,
    status: int,
    meaning: Reply | Fault,
    usage: Usage | None,
    at: datetime,
    ms: int,
) -> Exchange:
    """A reply without usage is charged by estimate: under a cap it must not look free. Nor must
    one that was cut off, which is charged as the longest it may have been."""
    said = meaning.all if isinstance(meaning, Reply) else ()
    if usage is None and 200 <= status < 300:
        if said:
            usage = Usage(request.prompt_tokens(), sum(estimate_tokens(one.text) for one in said))
        elif isinstance(meaning, Fault) and meaning.code == "endpoint.unavailable":
            usage = Usage(request.prompt_tokens(), n * (request.max_tokens or 0))
    spent = usage or Usage(0, 0)
    error = None
    if isinstance(meaning, Fault):
        error = {"code": meaning.code, "said": meaning.said}
    elif meaning.said:
        error = {"code": "endpoint.text_withheld", "said": meaning.said}
    cost = target.cost(spent.input_tokens, spent.output_tokens)
    return Exchange(at, status, spent.input_tokens, spent.output_tokens, cost, ms, error, len(said))


def refusal(
    target: Target, fault: Fault, status: int, wait: float | None = None
) -> CommonplaceError:
    said = fault.said
    data: dict[str, Any] = {"endpoint": target.endpoint, "model": target.model}
    data |= {"status": status, "said": said}
    if fault.parameter:
        data["parameter"] = fault.parameter
    sentence = responses.SENTENCES[fault.code].format(
        endpoint=target.endpoint, parameter=fault.parameter, said=said
    )
    if wait is not None:
        data["retry_after"] = round(wait)
        sentence += f" It asks to wait {round(wait)} seconds."
    elif said and said not in sentence:
        sentence += f" It says: {said}"
    return CommonplaceError(fault.code, sentence, **data)


def finished_elsewhere(
    target: Target, request: ChatRequest, n: int, status: int, body: bytes, key: str = ""
) -> Finished:
    """A response somebody else obtained to a request for `n` replies, as if asked for here once.

    `status` 0: nothing came back, and `body` says why. How long it took is not known.
    """
    if status:
        meaning, usage = meaning_of(status, body, request.asking(n), n, key)
    else:
        fault = Fault("endpoint.unavailable", body.decode("utf-8", "replace"), retry=True)
        meaning, usage = responses.presentable(fault, key), None
    one = exchange(target, request, n, status, meaning, usage, now(), UNTIMED)
    if isinstance(meaning, Reply):
        return Finished(None, request, (one,), replies=meaning.all)
    error = refusal(target, meaning, status)
    return Finished(None, request, (one,), error=error, pauses=meaning.pauses)


def _backoff(attempts: int) -> float:
    """Seconds of the product before the next attempt: exponential, and never in step."""
    longest = min(FIRST_BACKOFF * 2 ** (attempts - 1), LONGEST_BACKOFF)
    return longest * random.uniform(0.5, 1)  # noqa: S311  spreads load, protects nothing


# --- The loop thread of this process, and the gates that live on it -----------------------------

_lock = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None
_gates: dict[tuple[str, str], Gate] = {}


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _lock:
        if _running is None:
            _running = asyncio.new_event_loop()
            threading.Thread(target=_running.run_forever, name="models", daemon=True).start()
        return _running


async def _wire(target: Target, key: str) -> "Wire":
    """Connections belong to the loop they are made on."""
    from inference.wire import Wire

    return Wire(target, key)


async def _gate(target: Target) -> Gate:
    """The endpoint's gate; the newest session says how wide it is."""
    gate = _gates.setdefault((target.endpoint, target.base_url), Gate(target.max_in_flight))
    await gate.resize(target.max_in_flight)
    return gate


def _forget_the_parent() -> None:
    """A forked child has no loop thread: threads are not inherited."""
    global _running, _lock
    _lock, _running = threading.Lock(), None
    _gates.clear()


os.register_at_fork(after_in_child=_forget_the_parent)
