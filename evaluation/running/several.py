"""How many replies one request brings, as an endpoint shows it. Pure.

Endpoints that take `n` honour it, cap it, ignore it, refuse it, or answer with copies of one text.
Until that is seen, one request at a time goes out as a scout. Replies that all read alike prove
nothing: the same is then asked one at a time, and where those differ the endpoint copies. After
`DOUBTS` prompts whose replies are alike either way the model itself is so even, and `n` is used.
"""

import re
from collections.abc import Sequence

MOST = 128  # the largest n any known endpoint takes
ALIKE = 3  # as many equal replies raise a doubt
DOUBTS = 3

HONOURS, CAPS, IGNORES, COPIES, REFUSES = "honours", "caps", "ignores", "copies", "refuses"


class Several:
    def __init__(self, limit: int | None = None, why: str = "") -> None:
        """`limit` and `why` where they are known from before."""
        self.limit, self.why = limit or MOST, why
        self.scouting = 0  # requests outstanding while nothing is proven
        self._doubts: dict[str, str] = {}  # request key -> the text that came alike

    @property
    def proven(self) -> bool:
        return bool(self.why)

    def part(self, wanted: int, *, singly: bool = False) -> int:
        """How many of the `wanted` to ask for now; 0: wait for what is out."""
        if self.proven:
            return 1 if singly else min(wanted, self.limit)
        if singly or wanted == 1:
            return 1
        return 0 if self.scouting else min(wanted, self.limit)

    def learn(self, key: str, asked: int, texts: Sequence[str], *, even: bool = False) -> int:
        """How many of the replies to a request for `asked` to keep; `even` where the sampling
        itself allows one text only (temperature 0)."""
        if asked == 1:
            self._compare(key, texts)
            return len(texts)
        if self.proven and len(texts) >= min(asked, self.limit):
            return len(texts)
        if len(texts) < asked:
            self.limit = max(1, len(texts))
            if self.limit == 1:
                self.why = IGNORES
                return len(texts)
        alike = len(set(texts)) == 1 and len(texts) >= ALIKE and not even
        if alike and not self.proven:
            self._doubts[key] = texts[0]
            if len(self._doubts) <= DOUBTS:
                return 1
        self.why = self.why or (CAPS if self.limit < MOST else HONOURS)
        return len(texts)

    def refused(self, asked: int, said: str) -> bool:
        """The endpoint refused `n`; whether fewer at once may do."""
        if asked == 1:
            return False
        named = [int(number) for number in re.findall(r"\d+", said)]
        smaller = [number for number in named if 1 < number < asked]
        self.limit = max(smaller) if smaller and self.why != REFUSES else 1
        self.why = CAPS if self.limit > 1 else REFUSES
        return True

    def _compare(self, key: str, texts: Sequence[str]) -> None:
        alike = self._doubts.get(key)
        if alike is not None and self.why in ("", HONOURS) and any(t != alike for t in texts):
            self.limit, self.why = 1, COPIES
