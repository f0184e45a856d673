"""The ledger of calls, and the cache of replies.

A completion is found by what was asked and the repeat index, whatever run asked first: thirty
repeats are thirty rows, and a second run of the same costs nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from core.inserting import Rows
from inference.client import Finished
from inference.models import Call, Completion, LanguageModel

Identity = tuple[str, int]  # (ChatRequest.key(), repeat)
KEYS_PER_QUERY = 500
_calls = Rows(
    Call,
    *("model", "job", "purpose", "request_key", "repeat", "at", "status", "choices"),
    *("input_tokens", "output_tokens", "cost_micro", "ms", "error"),
)
_completions = Rows(
    Completion, "request_key", "repeat", "text", "finish", "refusal", "altered", "call"
)


def lookup(identities: Iterable[Identity]) -> dict[Identity, Completion]:
    """The completions that are known already; those that are not are absent."""
    wanted = set(identities)
    keys = sorted({key for key, _ in wanted})
    found: dict[Identity, Completion] = {}
    for start in range(0, len(keys), KEYS_PER_QUERY):
        chunk = keys[start : start + KEYS_PER_QUERY]
        for row in Completion.objects.filter(request_key__in=chunk):
            if (row.request_key, row.repeat) in wanted:
                found[row.request_key, row.repeat] = row
    return found


def store(
    model: LanguageModel,
    results: Sequence[tuple[Sequence[int], Finished]],
    *,
    purpose: str,
    job_id: int | None = None,
) -> dict[Identity, int]:
    """Write every exchange and every reply of `results`, pairs of the repeats that were asked for
    and what finished; the first reply is that of the first repeat, and so on.

    Runs in the caller's transaction, after the HTTP is over. The same identity a second time
    keeps the first text, and its calls are counted all the same. A model that showed itself as
    simulated is marked so for good. Returns the number of the last call of each identity that made
    one.
    """
    calls = [
        (
            *(model.pk, job_id, purpose, finished.request.key(), repeats[0], each.at, each.status),
            *(each.choices, each.input_tokens, each.output_tokens, each.cost_micro, each.ms),
            each.error,
        )
        for repeats, finished in results
        for each in finished.exchanges
    ]
    numbers = iter(_calls.insert_new(calls))
    by_identity: dict[Identity, int] = {}
    completions: list[tuple[Any, ...]] = []
    for repeats, finished in results:
        key = finished.request.key()
        call = None
        for _ in finished.exchanges:
            call = next(numbers)
        if call is not None:
            by_identity.update(((key, repeat), call) for repeat in repeats)
        for repeat, reply in zip(repeats, finished.replies, strict=False):
            said = (reply.text, reply.finish, reply.refusal, reply.altered)
            completions.append((key, repeat, *said, call))
    _completions.insert(completions)
    if not model.simulated and any(finished.simulated for _, finished in results):
        LanguageModel.objects.filter(pk=model.pk).update(simulated=True)
        model.simulated = True
    return by_identity
