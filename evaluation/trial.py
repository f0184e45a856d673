"""The canary: every judge is asked one question before a run spends anything on replies.

A judge whose key is refused, that does not exist, or whose verdicts cannot be read would otherwise
be noticed after the generation is paid for. The gold answer itself is what it judges.
"""

from dataclasses import replace

from core.errors import CommonplaceError
from core.jobs import Work
from evaluation import benchmarks, selectors, services
from evaluation.errands import Brought, Errand
from evaluation.judging import request_of
from evaluation.models import Judge, Run
from evaluation.purse import cost_cap, most_it_costs
from inference import cache
from inference.client import Finished, Session
from inference.endpoints import target
from inference.requests import ChatRequest

PATIENCE = 0.5  # seconds between signs of life


def of_judges(work: Work, run: Run) -> CommonplaceError | None:
    """What is wrong with a judge the run still needs, None if all of them can be used."""
    ahead = run.run_judges.filter(number__gte=run.stage)
    for entry in ahead.select_related("judge__model__endpoint", "judge__prompt"):
        if error := _try(work, run, entry.judge):
            return error
    return None


def _try(work: Work, run: Run, judge: Judge) -> CommonplaceError | None:
    judging = services.judging_of(run)
    spots = benchmarks.find(run.benchmark).spots(run, list(selectors.items(run)[:1]))
    if not spots:
        return None
    item, variant = spots[0].item, spots[0].variant
    request = request_of(judge, judging, item, variant, judging.example(item, variant))
    kept = cache.lookup([(request.key(), 1)]).get((request.key(), 1))
    if kept is not None and not run.settings.get("use_cache", True):
        kept = None
    if kept is None:
        if error := _beyond_the_cap(run, judge, request):
            return error
        finished = _ask(work, judge, request)
        errand = Errand(request, (1,), None)
        services.commit_trial(work, run, judge, Brought(errand, finished=finished, sent=(1,)))
        if finished.error is not None:
            return finished.error
    text, finish = (kept.text, kept.finish) if kept else (finished.text or "", finished.finish)
    if judging.read(text, finish).outcome == "ok":
        return None
    return CommonplaceError(
        "judge.unreadable",
        f"Asked to judge the gold answer itself, the judge {judge} gave no verdict that can be "
        "read, so nothing was spent on replies. Choose another judge, or a prompt it follows. "
        f"It said: {text[:300]}",
        judge=str(judge),
    )


def _beyond_the_cap(run: Run, judge: Judge, request: ChatRequest) -> CommonplaceError | None:
    if run.budget is None:
        return None
    cost = most_it_costs(request, 1, target(judge.asked))
    left = run.budget.cap - run.budget.spent - run.budget.reserved
    return None if cost <= left else cost_cap(run.budget)


def _ask(work: Work, judge: Judge, request: ChatRequest) -> Finished:
    endpoint = replace(target(judge.asked), base_url=judge.settings["base_url"])
    with Session(endpoint) as session:
        session.submit(0, request)
        while not (found := session.collect(PATIENCE)):
            work.beat()
    return found[0]
