"""What a stage of a run sends for, and what came of it.

An errand is one request and the repeats it is wanted for. Where an endpoint brings several replies
at once, one request serves many repeats; the first reply is that of the first repeat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from core.errors import CommonplaceError
from inference.client import Finished
from inference.requests import ChatRequest


class Said(Protocol):
    """A reply, new or kept."""

    @property
    def text(self) -> str: ...
    @property
    def finish(self) -> str: ...
    @property
    def refusal(self) -> bool: ...
    @property
    def altered(self) -> bool: ...


@dataclass(frozen=True)
class Errand:
    request: ChatRequest
    repeats: tuple[int, ...]
    about: Any  # what the stage needs to store the replies
    singly: bool = False  # to be asked one at a time, to see whether the endpoint copies
    place: int = 0  # where its stage finds it again
    tried: int = 0  # exchanges that came to nothing and were paid for

    def first(self, n: int) -> "Errand":
        if n == len(self.repeats):
            return self
        return replace(self, repeats=self.repeats[:n])

    def rest(self, n: int, *, singly: bool = False) -> "Errand | None":
        """What is left after `n` repeats, None if nothing."""
        left = self.repeats[n:]
        return replace(self, repeats=left, singly=singly) if left else None


@dataclass
class Brought:
    """What became of an errand: replies for its repeats, new or kept, or an error for them."""

    errand: Errand
    replies: Sequence[Said] = ()
    finished: Finished | None = None  # None: nothing was sent
    pauses: bool = False
    reserved: int = 0  # micro-USD that were set aside for it
    sent: tuple[int, ...] = field(default=())  # the repeats the request was for

    @property
    def error(self) -> CommonplaceError | None:
        return self.finished.error if self.finished else None

    @property
    def cost(self) -> int:
        """Micro-USD of all its exchanges, failed ones too."""
        exchanges = self.finished.exchanges if self.finished else ()
        return sum(exchange.cost_micro or 0 for exchange in exchanges)
