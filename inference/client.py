"""Asks models: one session per job, every exchange recorded, retries in this one layer.

All requests of a process run on one loop thread, since an AsyncOpenAI client belongs to its loop.
A session is used from one ordinary thread: submit requests, collect what has finished. Each
request ends in exactly one `Finished`, whatever the endpoint does.
"""

import asyncio
import os
import queue
import random
import threading
from dataclasses import dataclass
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
    from inference.wire import Response

FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 60.0  # seconds of the product, doubled per attempt
SIMULATED_HEADER = "x-commonplace-simulated"


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


@dataclass(frozen=True)
class Finished:
    """How one request ended: with a text, or with an error (`pauses`: stop the run and say so)."""

    ticket: Any
    request: ChatRequest
    exchanges: tuple[Exchange, ...]
    text: str | None = None
    finish: str = ""
    refusal: bool = False
    altered: bool = False
    simulated: bool = False
    error: CommonplaceError | None = None
    pauses: bool = False


def load() -> None:
    """Import what takes a second, ahead of the first session."""
    import inference.wire  # noqa: F401


class Session:
    """A running job's connection to one model. Close it, or use it in a `with` statement."""

    def __init__(self, target: Target) -> None:
        """Raises `endpoint.key_missing`: the key is read here and held in memory only."""
        from inference.wire import Wire

        self.target = target
        self._key = read_key(target)
        self._finished: queue.SimpleQueue[Finished | BaseException] = queue.SimpleQueue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = _loop()
        self._gate = asyncio.run_coroutine_threadsafe(_gate(target), self._loop).result()
        self._wire = Wire(target, self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, ticket: Any, request: ChatRequest) -> None:
        """Ask; `ticket` comes back with the answer. The caller bounds how many are outstanding."""
        self._loop.call_soon_threadsafe(self._start, ticket, request)

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

    def close(self) -> None:
        """Cancel what is in flight and give the connections back. Closing again does nothing."""
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result()

    # --- On the loop thread ---

    def _start(self, ticket: Any, request: ChatRequest) -> None:
        task = self._loop.create_task(self._work(ticket, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _shut(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._wire.close()

    async def _work(self, ticket: Any, request: ChatRequest) -> None:
        try:
            self._finished.put(await self._ask(ticket, request))
        except Exception as bug:
            self._finished.put(bug)  # raised where results are collected

    async def _ask(self, ticket: Any, request: ChatRequest) -> Finished:
        """Ask until there is a reply, a fault that stays, or no attempt left."""
        exchanges: list[Exchange] = []
        while True:
            try:
                async with self._gate.passage():
                    at, began = now(), monotonic()
                    response = await self._wire.send(request.body())
            except StillClosed as closed:
                error = self._error(Fault("endpoint.rate_limited"), 429, closed.seconds)
                return Finished(ticket, request, tuple(exchanges), error=error, pauses=True)
            meaning, usage = self._meaning(response, request)
            ms = round(1000 * (monotonic() - began))
            exchanges.append(self._exchange(request, response.status, meaning, usage, at, ms))
            if isinstance(meaning, Reply):
                return Finished(
                    ticket,
                    request,
                    tuple(exchanges),
                    text=meaning.text,
                    finish=meaning.finish,
                    refusal=meaning.refusal,
                    altered=meaning.altered,
                    simulated=response.headers.get(SIMULATED_HEADER) == "1",
                )
            wait = responses.retry_after(response.headers, now()) if meaning.retry else None
            if wait:
                self._gate.shut(wait)
            last = len(exchanges) >= settings.RETRY_ATTEMPTS
            if last or not meaning.retry or (wait or 0) > settings.RETRY_LONGEST_WAIT:
                error = self._error(meaning, response.status, wait)
                pauses = meaning.pauses
                return Finished(ticket, request, tuple(exchanges), error=error, pauses=pauses)
            if not wait:
                await asyncio.sleep(scaled(_backoff(len(exchanges))))

    def _meaning(
        self, response: "Response", request: ChatRequest
    ) -> tuple[Reply | Fault, Usage | None]:
        if response.broken:
            fault = Fault("endpoint.unavailable", response.broken, retry=True)
            return responses.presentable(fault, self._key), None
        return responses.read(response.status, response.body, request.body().keys(), self._key)

    def _exchange(
        self,
        request: ChatRequest,
        status: int,
        meaning: Reply | Fault,
        usage: Usage | None,
        at: datetime,
        ms: int,
    ) -> Exchange:
        """A reply without usage is charged by estimate: under a cap it must not look free."""
        if usage is None and isinstance(meaning, Reply) and 200 <= status < 300:
            asked = sum(estimate_tokens(text) for _, text in request.messages)
            usage = Usage(asked, estimate_tokens(meaning.text))
        spent = usage or Usage(0, 0)
        error = None
        if isinstance(meaning, Fault):
            error = {"code": meaning.code, "said": meaning.said}
        elif meaning.said:
            error = {"code": "endpoint.text_withheld", "said": meaning.said}
        cost = self.target.cost(spent.input_tokens, spent.output_tokens)
        return Exchange(at, status, spent.input_tokens, spent.output_tokens, cost, ms, error)

    def _error(self, fault: Fault, status: int, wait: float | None) -> CommonplaceError:
        said = fault.said
        data: dict[str, Any] = {"endpoint": self.target.endpoint, "model": self.target.model}
        data |= {"status": status, "said": said}
        if fault.parameter:
            data["parameter"] = fault.parameter
        sentence = responses.SENTENCES[fault.code].format(
            endpoint=self.target.endpoint, parameter=fault.parameter, said=said
        )
        if wait is not None:
            data["retry_after"] = round(wait)
            sentence += f" It asks to wait {round(wait)} seconds."
        elif said and said not in sentence:
            sentence += f" It says: {said}"
        return CommonplaceError(fault.code, sentence, **data)


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
