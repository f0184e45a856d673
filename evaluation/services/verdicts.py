"""What judges say, stored: one verdict of each judge on each distinct reply."""

import hashlib
import json
from collections.abc import Sequence

from django.db import transaction

from core.errors import CommonplaceError
from core.jobs import JobLost
from evaluation import benchmarks
from evaluation.benchmarks import Benchmark, Judging
from evaluation.models import Judge, Reply, Run, Verdict
from evaluation.running.errands import Brought
from evaluation.services.samples import Fence, book, mark_simulated, store_exchanges
from inference.endpoints import Target
from inference.models import LanguageModel, Prompt

TEMPERATURE = 0.0


def model_judge(model: LanguageModel, endpoint: Target, prompt: Prompt, judging: Judging) -> Judge:
    """The judge that asks this model with this prompt; made when it is named for the first time."""
    sent = {
        "base_url": endpoint.base_url,
        "model": model.name,
        "temperature": TEMPERATURE,
        "max_tokens": judging.max_tokens,
    }
    identity = [Judge.Kind.MODEL, str(model), judging.signal, prompt.sha256, sent]
    judge, _ = Judge.objects.get_or_create(
        hash=hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest(),
        defaults={
            "kind": Judge.Kind.MODEL,
            "label": str(model),
            "signal": judging.signal,
            "model": model,
            "prompt": prompt,
            "settings": sent,
        },
    )
    return judge


def commit(fence: Fence, run: Run, judge: Judge, batch: Sequence[Brought]) -> None:
    """Store a batch: every exchange, and a verdict on each reply that was judged.

    One transaction that begins with the fence. A reply whose judge could not be asked for a
    reason of its own has a failed verdict; one whose error pauses the run has none.
    """
    read = judging_of(run).read
    mark_simulated(run, batch)
    with transaction.atomic():
        fence.beat()
        calls = store_exchanges(fence, run, batch, judge.asked)
        rows = []
        for one in batch:
            if one.pauses or not one.errand.repeats:
                continue
            reply: Reply = one.errand.about
            key = one.errand.request.key()
            row = Verdict(judge=judge, reply=reply, request_key=key, outcome="failed")
            row.call_id = calls.get((key, 1))
            if one.replies:
                said = one.replies[0]
                judged = read(said.text, said.finish)
                row.outcome, row.value = judged.outcome, judged.value
                row.text, row.finish = said.text, said.finish
            rows.append(row)
        Verdict.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def commit_trial(fence: Fence, run: Run, judge: Judge, brought: Brought) -> None:
    """Book what trying a judge out cost, and keep what it said; also where the fence raises."""
    mark_simulated(run, [brought])
    try:
        with transaction.atomic():
            fence.beat()
            store_exchanges(fence, run, [brought], judge.asked)
    except JobLost:
        book(run, [brought], judge.asked)
        raise


def judging_of(run: Run) -> Judging:
    """Raises `benchmark.no_judges`."""
    return how_judged(benchmarks.find(run.benchmark))


def how_judged(benchmark: Benchmark) -> Judging:
    if benchmark.judging is None:
        raise CommonplaceError(
            "benchmark.no_judges",
            f"The replies of {benchmark.name} are read by rule, without a judge. Leave judges out.",
        )
    return benchmark.judging
