"""What an endpoint's response means: a reply of the model, or a fault and what follows from it.

Pure. Only a 2xx body with a choice in it is a reply; an error body, a page of HTML or half a
body is a fault, whatever the status says.

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
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from core.text import storable

LONGEST_FINISH = 30
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
    finish: str  # the endpoint's finish_reason, "" if it gave none
    refusal: bool = False
    altered: bool = False  # held characters no database can store
    said: str = ""


@dataclass(frozen=True)
class Fault:
    """Why there is no reply. `said` is the endpoint's own text, which may hold anything."""

    code: str
    said: str = ""
    retry: bool = False
    pauses: bool = True
    parameter: str = ""


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
    status: int, body: bytes, sent: Collection[str] = ()
) -> tuple[Reply | Fault, Usage | None]:
    """The meaning of a response; `sent` are the parameters of the request (`temperature`, …)."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    usage = _usage(document)
    if not 200 <= status < 300:
        return _refusal(status, _complaint(document, body), document is not None, sent), usage
    if isinstance(document, dict) and document.get("error"):
        inner = document["error"].get("code") if isinstance(document["error"], dict) else None
        status = inner if isinstance(inner, int) and 400 <= inner < 600 else 500
        return _refusal(status, _complaint(document, body), True, sent), usage
    if document is None and body.lstrip()[:1] == b"<":
        return Fault("endpoint.not_an_api", retry=True), usage
    reply = _reply(document)
    return (reply or Fault("endpoint.unreadable", said=_start(body), retry=True)), usage


def retry_after(headers: Any, now: datetime) -> float | None:
    """Seconds the endpoint asks to wait (never negative), None if it does not say.

    `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3).
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _reply(document: Any) -> Reply | None:
    """The first choice of a chat completion; None where there is none to be read.

    Only `content` counts: reasoning beside it is no part of the answer.
    """
    try:
        choice = document["choices"][0]
        message = choice["message"]
        content, declined = message.get("content"), message.get("refusal")
        finish = choice.get("finish_reason")
    except (TypeError, LookupError, AttributeError):
        return None
    if isinstance(content, list):  # some servers send a list of parts
        content = "".join(
            str(p.get("text") or "") for p in content if isinstance(p, dict) and _is_text(p)
        )
    if content is not None and not isinstance(content, str):
        return None
    declined = declined if isinstance(declined, str) else ""
    text, altered = storable(content or declined)
    finish = storable(finish)[0][:LONGEST_FINISH] if isinstance(finish, str) else ""
    return Reply(text, finish, bool(declined) or finish == "content_filter", altered)


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") in {"text", "output_text"}


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
    if complaint.parameter.split(".")[0].split("[")[0] in names:
        return complaint.parameter
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
        return Complaint(said=_start(body))
    error = document.get("error") or document.get("detail") or document
    if isinstance(error, list):
        error = error[0] if error and isinstance(error[0], dict) else {"message": str(error)}
    if not isinstance(error, dict):
        return Complaint(said=storable(str(error))[0])
    place = error.get("loc")
    parameter = place[-1] if isinstance(place, list) and place else error.get("param")
    said = error.get("message") or error.get("msg") or json.dumps(error)
    return Complaint(
        code=_text(error.get("code")),
        kind=_text(error.get("type")) + _text(error.get("innererror") or error.get("metadata")),
        parameter=_text(parameter),
        said=storable(str(said))[0],
    )


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value)


def _start(body: bytes) -> str:
    return storable(body[:2000].decode("utf-8", "replace"))[0].strip()


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
