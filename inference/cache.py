"""The ledger of calls, and the cache of replies.

A completion is found by what was asked and the repeat index, whatever run asked first: thirty
repeats are thirty rows, and a second run of the same costs nothing.
"""

from collections.abc import Iterable, Sequence

from inference.client import Exchange, Finished
from inference.models import Call, Completion, LanguageModel

Identity = tuple[str, int]  # (ChatRequest.key(), repeat)
KEYS_PER_QUERY = 500


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
    results: Sequence[tuple[int, Finished]],
    *,
    purpose: str,
    job_id: int | None = None,
) -> dict[Identity, Call]:
    """Write every exchange and every reply of `results`, pairs of repeat and what finished.

    Runs in the caller's transaction, after the HTTP is over. The same identity a second time
    keeps the first text, and its calls are counted all the same. A model that showed itself as
    simulated is marked so for good. Returns the last call of each identity that made one.
    """
    calls = [
        _call(model, repeat, finished, exchange, purpose, job_id)
        for repeat, finished in results
        for exchange in finished.exchanges
    ]
    last = {(call.request_key, call.repeat): call for call in Call.objects.bulk_create(calls)}
    Completion.objects.bulk_create(
        [
            Completion(
                request_key=(key := finished.request.key()),
                repeat=repeat,
                text=finished.text,
                finish=finished.finish,
                refusal=finished.refusal,
                altered=finished.altered,
                call=last.get((key, repeat)),
            )
            for repeat, finished in results
            if finished.text is not None
        ],
        ignore_conflicts=True,
    )
    if not model.simulated and any(finished.simulated for _, finished in results):
        LanguageModel.objects.filter(pk=model.pk).update(simulated=True)
        model.simulated = True
    return last


def _call(
    model: LanguageModel,
    repeat: int,
    finished: Finished,
    exchange: Exchange,
    purpose: str,
    job_id: int | None,
) -> Call:
    return Call(
        model=model,
        job_id=job_id,
        purpose=purpose,
        request_key=finished.request.key(),
        repeat=repeat,
        at=exchange.at,
        status=exchange.status,
        input_tokens=exchange.input_tokens,
        output_tokens=exchange.output_tokens,
        cost_micro=exchange.cost_micro,
        ms=exchange.ms,
        error=exchange.error,
    )
