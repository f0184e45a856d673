"""What an endpoint's response means: a reply of the model, or a fault and what follows from it.

Pure and total: whatever comes back has a meaning. Only a 2xx body with a choice in it is a reply;
an error body, a page of HTML or half a body is a fault, whatever the status says. No text that
leaves here holds the endpoint's key or what a database cannot store.

| fault                        | tried again | when it stays           |
|------------------------------|-------------|-------------------------|
| endpoint.rate_limited        | yes         | pauses the run          |
| endpoint.unavailable         | yes         | pauses                  |
| endpoint.not_an_api          | 2xx only    | pauses                  |
| endpoint.unreadable          | yes         | pauses                  |
| endpoint.quota_exhausted     | no          | pauses                  |
| endpoint.key_refused         | no          | pauses                  |
| endpoint.model_unknown       | no          | pauses                  |
| endpoint.parameter_refused   | no          | pauses                  |
| endpoint.request_refused     | no          | fails this sample only  |
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from core.text import storable

LONGEST_FINISH = 30  # characters, as in Completion.finish
LONGEST_REMARK = 600
SHORTEST_SECRET = 8  # dummy keys such as "none" are no secret and may stand in any text
MOST_TOKENS = 2**31 - 1

SENTENCES = {
    "endpoint.rate_limited": "The endpoint {endpoint} limits the rate of requests and stayed with "
    "it. Nothing is lost; resume later, or lower max_in_flight.",
    "endpoint.unavailable": "The endpoint {endpoint} does not answer. Nothing is lost; check that "
    "it runs and can be reached, then resume.",
    "endpoint.not_an_api": "What answers at the address of the endpoint {endpoint} is not an "
    "OpenAI-compatible API. Check its base_url (it often ends in /v1), then resume.",
    "endpoint.unreadable": "The endpoint {endpoint} answers, but not with replies that can be "
    "read. Nothing is scored; check what it serves, then resume.",
    "endpoint.quota_exhausted": "The account behind the endpoint {endpoint} has no credit left. "
    "Top it up or raise its limit, then resume.",
    "endpoint.key_refused": "The endpoint {endpoint} refuses the key. Check the environment "
    "variable that holds it and what the key may do, then resume.",
    "endpoint.model_unknown": "The endpoint {endpoint} does not know this model. Check the name "
    "of the model, then start a new run.",
    "endpoint.parameter_refused": "The endpoint {endpoint} refuses the parameter {parameter} for "
    "this model: {said} Change or leave out the parameter in a new run.",
    "endpoint.request_refused": "The endpoint {endpoint} refuses this request: {said}",
}

QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|insufficient[ _](balance|credit)"
    r"|credit balance is too low",
    re.IGNORECASE,
)
FILTERED = re.compile(
    r"content_filter|content_policy|ResponsibleAIPolicy|content management policy|flagged_input"
    r"|input was flagged",
    re.IGNORECASE,
)
TOO_LONG = re.compile(
    r"context_length|string_above_max|(context|maximum) (length|window|size)|too many tokens"
    r"|prompt is too long",
    re.IGNORECASE,
)
TRY_AGAIN = {408, 409, 425}


@dataclass(frozen=True)
class Usage:
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Reply:
    """What the model said. `said` is the endpoint's own remark where it withheld the text."""

    text: str
    finish: str  # the endpoint's finish_reason, "" if it gave none; at most LONGEST_FINISH
    refusal: bool = False
    altered: bool = False  # held characters no database can store
    said: str = ""
    further: tuple["Reply", ...] = ()  # the other choices of the same response

    @property
    def all(self) -> tuple["Reply", ...]:
        return (replace(self, further=()), *self.further)


@dataclass(frozen=True)
class Fault:
    """Why there is no reply. `said` is the endpoint's own text, at most LONGEST_REMARK."""

    code: str
    said: str = ""
    retry: bool = False
    pauses: bool = True
    parameter: str = ""  # a name that was sent


@dataclass(frozen=True)
class Complaint:
    """An error body of any dialect, in one shape."""

    code: str = ""
    kind: str = ""
    parameter: str = ""
    said: str = ""

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(f"{self.code} {self.kind} {self.said}"))


def read(
    status: int, body: bytes, sent: Collection[str] = (), key: str = ""
) -> tuple[Reply | Fault, Usage | None]:
    """The meaning of a response; `sent` are the parameters of the request (`temperature`, …).

    Never raises. An endpoint may repeat the `key` it was sent, in whatever place.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    return presentable(_meaning(status, document, body, sent), key), _usage(document)


def presentable(meaning: Reply | Fault, key: str) -> Reply | Fault:
    """The meaning as it may be stored and shown: without the key, storable, then cut to length."""
    if isinstance(meaning, Reply):
        return _presentable_reply(meaning, key)
    return replace(meaning, said=_presentable_remark(meaning.said, key))


def _presentable_remark(said: str, key: str) -> str:
    said, _ = storable(_without(said, key))
    return said if len(said) <= LONGEST_REMARK else said[: LONGEST_REMARK - 1] + "…"


def _presentable_reply(meaning: Reply, key: str) -> Reply:
    text, altered = storable(_without(meaning.text, key))
    finish = storable(_without(meaning.finish, key))[0][:LONGEST_FINISH]
    return Reply(
        text,
        finish,
        meaning.refusal,
        altered,
        _presentable_remark(meaning.said, key),
        tuple(_presentable_reply(each, key) for each in meaning.further),
    )


def retry_after(headers: Any, now: datetime) -> float | None:
    """Seconds the endpoint asks to wait (never negative), None if it does not say.

    `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3).
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _without(text: str, key: str) -> str:
    if len(key) < SHORTEST_SECRET:
        return text
    return text.replace(key, "[key]").replace(json.dumps(key)[1:-1], "[key]")


def _meaning(status: int, document: Any, body: bytes, sent: Collection[str]) -> Reply | Fault:
    if not 200 <= status < 300:
        return _refusal(status, _complaint(document, body), document is not None, sent)
    if isinstance(document, dict) and document.get("error"):
        inner = document["error"].get("code") if isinstance(document["error"], dict) else None
        status = inner if isinstance(inner, int) and 400 <= inner < 600 else 500
        return _refusal(status, _complaint(document, body), True, sent)
    if document is None and body.lstrip()[:1] == b"<":
        return Fault("endpoint.not_an_api", retry=True)
    return _reply(document) or Fault("endpoint.unreadable", said=_plain(body), retry=True)


def _reply(document: Any) -> Reply | None:
    """The choices of a chat completion; None where the first cannot be read."""
    try:
        first, *others = document["choices"]
    except (TypeError, LookupError, ValueError):
        return None
    reply = _choice(first)
    if reply is None or not others:
        return reply
    return replace(reply, further=tuple(one for each in others if (one := _choice(each))))


def _choice(choice: Any) -> Reply | None:
    """Only `content` counts: reasoning beside it is no part of the answer."""
    try:
        message = choice["message"]
        content, declined = message.get("content"), message.get("refusal")
        finish = choice.get("finish_reason")
    except (TypeError, LookupError, AttributeError):
        return None
    if isinstance(content, list):  # some servers send a list of parts
        content = "".join(_part(part) for part in content)
    if content is not None and not isinstance(content, str):
        return None
    declined = declined if isinstance(declined, str) else ""
    finish = finish if isinstance(finish, str) else ""
    return Reply(content or declined, finish, bool(declined) or finish == "content_filter")


def _part(part: Any) -> str:
    """The text of one part of a content, "" if it is of another kind (thinking, an image)."""
    if not isinstance(part, dict) or part.get("type") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _refusal(
    status: int, complaint: Complaint, is_json: bool, sent: Collection[str]
) -> Reply | Fault:
    """What a status outside 2xx, or an error inside a 2xx body, means."""
    said = complaint.said
    if status == 402 or complaint.mentions(QUOTA):
        return Fault("endpoint.quota_exhausted", said)
    if status in {400, 403} and complaint.mentions(FILTERED):
        return Reply("", "content_filter", refusal=True, said=said)
    if status in {401, 403}:
        return Fault("endpoint.key_refused", said)
    if status == 429:
        return Fault("endpoint.rate_limited", said, retry=True)
    if status >= 500 or status in TRY_AGAIN:
        return Fault("endpoint.unavailable", said, retry=True)
    if status in {400, 404, 422} and is_json and _names_the_model(status, complaint):
        return Fault("endpoint.model_unknown", said)
    if status in {400, 422}:
        if not complaint.mentions(TOO_LONG) and (name := _parameter(complaint, sent)):
            return Fault("endpoint.parameter_refused", said, parameter=name)
        return Fault("endpoint.request_refused", said, pauses=False)
    if status == 413:
        return Fault("endpoint.request_refused", said, pauses=False)
    return Fault("endpoint.not_an_api", said)


def _names_the_model(status: int, complaint: Complaint) -> bool:
    if status == 404:
        return "model" in f"{complaint.code} {complaint.said}".lower()
    return complaint.code == "model_not_found" or complaint.parameter == "model"


def _parameter(complaint: Complaint, sent: Collection[str]) -> str:
    """Which of the parameters sent the endpoint complains of, "" if none.

    The messages are no parameter: what is wrong with them is wrong with one sample.
    """
    names = [name for name in sent if name not in {"model", "messages"}]
    if (name := complaint.parameter.split(".")[0].split("[")[0]) in names:
        return name
    for name in names:
        if re.search(rf"(?<![A-Za-z_]){re.escape(name)}(?![A-Za-z_])", complaint.said):
            return name
    return ""


def _complaint(document: Any, body: bytes) -> Complaint:
    """OpenAI's {"error": {…}}, {"error": text}, {"message": …}, FastAPI's {"detail": …}, or a
    list of one of these."""
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        return Complaint(said=_plain(body))
    error = document.get("error") or document.get("detail") or document
    if isinstance(error, list):
        error = error[0] if isinstance(error[0], dict) else {"message": error}
    if not isinstance(error, dict):
        return Complaint(said=_text(error))
    place = error.get("loc")
    parameter = place[-1] if isinstance(place, list) and place else error.get("param")
    return Complaint(
        code=_text(error.get("code")),
        kind=_text(error.get("type")) + _text(error.get("innererror") or error.get("metadata")),
        parameter=_text(parameter),
        said=_text(error.get("message") or error.get("msg") or error),
    )


def _text(value: Any) -> str:
    """A string as it is, anything else as JSON; "" for None and for what nests too deep."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


def _plain(body: bytes) -> str:
    return body.decode("utf-8", "replace").strip()


def _usage(document: Any) -> Usage | None:
    usage = document.get("usage") if isinstance(document, dict) else None
    if not isinstance(usage, dict):
        return None
    counts = [
        min(count, MOST_TOKENS)
        for count in (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        if isinstance(count, int) and count >= 0
    ]
    return Usage(*counts) if len(counts) == 2 else None
