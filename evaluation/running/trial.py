"""The canary: every judge is asked one question before a run spends anything on replies.

A judge whose key is refused, that does not exist, or whose verdicts cannot be read would otherwise
be noticed after the generation is paid for. The gold answer itself is what it judges.
"""

from dataclasses import replace

from django.conf import settings

from core import jobs
from core.errors import CommonplaceError
from core.jobs import JobLost, Work, WorkerStopping
from evaluation import benchmarks, selectors, services
from evaluation.judging.asking import request_of
from evaluation.models import Judge, Run
from evaluation.running.errands import Brought, Errand, Said
from evaluation.running.purse import Purse
from inference import cache
from inference.client import Finished, Session
from inference.endpoints import target
from inference.models import Call
from inference.requests import ChatRequest

PATIENCE = 0.5  # seconds between signs of life
LAST_REPLY = 5.0  # seconds a verdict is waited for by who has to stop


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
    use_cache = run.settings.get("use_cache", True)
    if not use_cache and _tried(run, request):
        return None
    kept: Said | None = cache.lookup([(request.key(), 1)]).get((request.key(), 1))
    if kept is None or not use_cache:
        answer = _ask(work, run, judge, request)
        services.let_go(work)
        if isinstance(answer, CommonplaceError):
            return answer
        kept = answer
    if judging.read(kept.text, kept.finish).outcome == "ok":
        return None
    return CommonplaceError(
        "judge.unreadable",
        f"Asked to judge the gold answer itself, the judge {judge} gave no verdict that can be "
        "read, so nothing was spent on replies. Choose another judge, or a prompt it follows. "
        f"It said: {kept.text[:300]}",
        judge=str(judge),
    )


def _tried(run: Run, request: ChatRequest) -> bool:
    """Whether this run has asked it before: once is enough; who resumes knows the answer."""
    before = Call.objects.filter(purpose=run.purpose, request_key=request.key(), choices__gt=0)
    return before.exists()


def _ask(work: Work, run: Run, judge: Judge, request: ChatRequest) -> Said | CommonplaceError:
    """Ask within the endpoint's places and the run's cap, and book what that cost."""
    endpoint = replace(target(judge.asked), base_url=judge.settings["base_url"])
    purse = Purse(run, work, endpoint)
    again = False
    with Session(endpoint) as session:
        for _ in range(settings.RETRY_ATTEMPTS):
            while not _place(work, run, judge, again=again):
                jobs.stopping.wait(PATIENCE)
            again = True
            cost = purse.take_out(request, 1)
            if cost is None:
                return purse.refusal()
            session.submit(0, request, paid_once=purse.capped)
            try:
                while not (found := session.collect(PATIENCE)):
                    _place(work, run, judge, in_flight=1, again=True)
            except (JobLost, WorkerStopping):
                # What was sent has to be paid, whoever has the run now.
                late = session.collect(LAST_REPLY)
                session.close()
                late += session.collect(0)
                services.book(run, [_brought(each, cost) for each in late], judge.asked)
                raise
            (one,) = found
            brought = _brought(one, cost)
            services.commit_trial(work, run, judge, brought)
            if not one.again:
                break
    return brought.error or brought.replies[0]


def _brought(one: Finished, cost: int) -> Brought:
    return Brought(Errand(one.request, (1,), None), one.replies, one, False, cost, (1,))


def _place(work: Work, run: Run, judge: Judge, *, in_flight: int = 0, again: bool) -> int:
    """Whether the endpoint has a place for the question, 1 or 0."""
    if jobs.stopping.is_set():
        raise WorkerStopping
    model = judge.asked
    return services.renew(work, run, model, most=1, in_flight=in_flight, again=again).places
