"""How a simulated model behaves: the behaviour document, checked (docs/stub.md)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from core.errors import CommonplaceError
from inference.stub import judging, suggesting
from inference.stub.items import Items, load_items
from inference.stub.judging import LABELS

STYLES = ("letter", "sentence", "json", "markdown")
FAULTS = ("malformed", "delayed", "rate_limited", "server_error", "hang", "cut", "html")
REPLIES = ("refused", "truncated", "empty", "think")
COUNTS = re.compile(r"honour|ignore|copy|refuse|(?:cap|refuse):[1-9][0-9]{0,5}")
CONFUSION = {
    "CORRECT": {"CORRECT": 0.9, "PARTIALLY_CORRECT": 0.08, "INCORRECT": 0.02},
    "PARTIALLY_CORRECT": {"CORRECT": 0.1, "PARTIALLY_CORRECT": 0.8, "INCORRECT": 0.1},
    "INCORRECT": {"CORRECT": 0.02, "PARTIALLY_CORRECT": 0.08, "INCORRECT": 0.9},
}


@dataclass(frozen=True)
class Choice:
    """Multiple choice: weight per region (1 where none is given), and tastes per question."""

    weights: Mapping[str, float] = field(default_factory=dict)
    spread: float = 0.0  # standard deviation of the log of a taste; 0: no tastes
    taste_seed: int = 0
    style: str = "letter"  # one of STYLES, or mixed
    items: Items | None = None


@dataclass(frozen=True)
class Short:
    """Short answers: shares of right and partly right ones, and how many texts there are."""

    accuracy: float = 0.7
    partial: float = 0.0
    distinct: int = 8
    regions: Mapping[str, float] = field(default_factory=dict)  # accuracy where one is named


@dataclass(frozen=True)
class Suggest:
    """Suggestions to annotators: one of `suggesting.STYLES`; below `from_tokens` tokens of room
    they are cut in half."""

    style: str = "right"
    from_tokens: int = 0


@dataclass(frozen=True)
class Judge:
    """Verdicts: per true label how often which is said, in one of `judging.STYLES` or mixed, and
    the share that nobody can read."""

    confusion: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: CONFUSION)
    style: str = "json"
    malformed: float = 0.0


@dataclass(frozen=True)
class Canned:
    """A response written out in full, for a share of requests."""

    share: float
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Behaviour:
    seed: int = 0
    models: tuple[str, ...] = ()  # empty: every name is served
    key: str = ""  # empty: none is asked for
    n: str = "honour"  # honour, ignore, cap:N, copy, refuse, or refuse:N
    choice: Choice = Choice()
    short: Short = Short()
    suggest: Suggest = Suggest()
    judge: Judge = Judge()
    shares: Mapping[str, float] = field(default_factory=dict)
    delay_ms: float = 1000.0
    retry_after: str = ""  # seconds or an HTTP date; empty: no such header
    canned: tuple[Canned, ...] = ()

    def served(self, n: int) -> int:
        """How many choices a request for `n` gets."""
        mode, _, limit = self.n.partition(":")
        if mode == "ignore":
            return 1
        return min(n, int(limit)) if mode == "cap" else n

    @property
    def most(self) -> int | None:
        """The highest `n` that is not refused; None where none is."""
        mode, _, limit = self.n.partition(":")
        return int(limit or 1) if mode == "refuse" else None


def load(path: Path) -> Behaviour:
    """The behaviour of a file; a relative `items` path starts at the file's folder."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CommonplaceError(
            "stub.behaviour_unreadable",
            f"The behaviour file {path} cannot be read as JSON ({error}). Correct it and start "
            "again.",
            file=str(path),
        ) from error
    return parse(document, path.parent)


def parse(document: Any, folder: Path = Path()) -> Behaviour:
    """Raises `stub.behaviour_invalid`; `data["key"]` names the part at fault."""
    known = {"seed", "models", "key", "n", "choice", "short", "judge", "suggest"}
    known |= {"shares", "delay_ms", "retry_after", "canned"}
    document = _object("", document, known)
    shares = _fractions(
        "shares", _object("shares", document.get("shares", {}), {*FAULTS, *REPLIES})
    )
    canned = tuple(_canned(entry) for entry in document.get("canned", []))
    for kinds in (FAULTS, REPLIES):
        extra = sum(entry.share for entry in canned) if kinds is FAULTS else 0
        if sum(shares.get(kind, 0) for kind in kinds) + extra > 1 + 1e-9:
            _refuse("shares", f"of {', '.join(kinds)} must not sum to more than 1")
    n = str(document.get("n", "honour"))
    if not COUNTS.fullmatch(n):
        _refuse("n", "must be honour, ignore, cap:N, copy, refuse or refuse:N")
    return Behaviour(
        seed=int(_number("seed", document.get("seed", 0))),
        models=tuple(str(name) for name in document.get("models", [])),
        key=str(document.get("key", "")),
        n=n,
        choice=_choice(document.get("choice", {}), folder),
        short=_short(document.get("short", {})),
        suggest=_suggest(document.get("suggest", {})),
        judge=_judge(document.get("judge", {})),
        shares=shares,
        delay_ms=_number("delay_ms", document.get("delay_ms", 1000)),
        retry_after=str(document.get("retry_after", "")),
        canned=canned,
    )


def _choice(document: Any, folder: Path) -> Choice:
    document = _object("choice", document, {"weights", "preferences", "style", "items"})
    tastes = _object("preferences", document.get("preferences") or {}, {"spread", "seed"})
    style = document.get("style", "letter")
    if style not in (*STYLES, "mixed"):
        _refuse("style", f"must be one of {', '.join(STYLES)} or mixed")
    weights = _object("weights", document.get("weights", {}), None)
    items = document.get("items")
    return Choice(
        weights={region: _number("weights", weight) for region, weight in weights.items()},
        spread=_number("spread", tastes.get("spread", 0)),
        taste_seed=int(_number("seed", tastes.get("seed", 0))),
        style=style,
        items=load_items(folder / items) if items else None,
    )


def _short(document: Any) -> Short:
    document = _object("short", document, {"accuracy", "partial", "distinct", "regions"})
    shares = _fractions("short", {k: document[k] for k in ("accuracy", "partial") if k in document})
    regions = _object("regions", document.get("regions", {}), None)
    short = Short(
        **shares,
        distinct=int(_number("distinct", document.get("distinct", Short.distinct))),
        regions=_fractions("regions", regions),
    )
    best = max((short.accuracy, *short.regions.values()))
    if short.distinct < 1 or best + short.partial > 1 or "" in short.regions:
        _refuse("short", "needs distinct ≥ 1, and accuracy + partial ≤ 1 in every named region")
    return short


def _suggest(document: Any) -> Suggest:
    document = _object("suggest", document, {"style", "from_tokens"})
    style = document.get("style", Suggest.style)
    if style not in suggesting.STYLES:
        _refuse("style", f"must be one of {', '.join(suggesting.STYLES)}")
    return Suggest(style, int(_number("from_tokens", document.get("from_tokens", 0))))


def _judge(document: Any) -> Judge:
    document = _object("judge", document, {"confusion", "style", "malformed"})
    style = document.get("style", Judge.style)
    if style not in (*judging.STYLES, "mixed"):
        _refuse("style", f"must be one of {', '.join(judging.STYLES)} or mixed")
    malformed = _fractions("malformed", {"malformed": document.get("malformed", 0)})["malformed"]
    return Judge(_confusion(document.get("confusion", {})), style, malformed)


def _confusion(document: Any) -> Mapping[str, Mapping[str, float]]:
    """Rows are the truth, columns the label said; a row is scaled to sum to 1."""
    given = _object("confusion", document, set(LABELS))
    table = dict(CONFUSION)
    for truth, row in given.items():
        row = _object("confusion", row, set(LABELS))
        shares = {label: _number(label, share) for label, share in row.items()}
        if not (total := sum(shares.values())):
            _refuse("confusion", f"of {truth} must not be all zero")
        table[truth] = {label: share / total for label, share in shares.items()}
    return table


def _canned(document: Any) -> Canned:
    document = _object("canned", document, {"share", "status", "headers", "body"})
    body = document.get("body", "")
    return Canned(
        share=_fractions("canned", {"share": document.get("share", 1)})["share"],
        status=int(_number("status", document.get("status", 200))),
        headers=_object("headers", document.get("headers", {}), None),
        body=body if isinstance(body, str) else json.dumps(body),
    )


def _object(key: str, value: Any, known: set[str] | None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        _refuse(key, "must be an object")
    if known is not None and (unknown := sorted(set(value) - known)):
        _refuse(unknown[0], f"is not known here; known are {', '.join(sorted(known))}")
    return value


def _fractions(key: str, values: Mapping[str, Any]) -> dict[str, float]:
    numbers = {name: _number(name, value) for name, value in values.items()}
    if any(number > 1 for number in numbers.values()):
        _refuse(key, "must be shares from 0 to 1")
    return numbers


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        _refuse(key, "must be a number, 0 or more")
    return float(value)


def _refuse(key: str, reason: str) -> NoReturn:
    raise CommonplaceError(
        "stub.behaviour_invalid",
        f"The behaviour document: {key or 'the whole'!r} {reason} (docs/stub.md).",
        key=key,
    )
