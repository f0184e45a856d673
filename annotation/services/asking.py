"""The job that makes suggestions: asks one model about every task that still wants one."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from annotation import kinds
from annotation.models import Project, Suggestion, Task
from annotation.selectors import suggestions as selectors
from annotation.selectors.suggestions import RULE
from annotation.services.suggesting import hold, keep, pinned
from annotation.suggesting import About, Said, Suggester, Unreadable, ladder
from core import clock, jobs
from core.errors import CommonplaceError
from core.jobs import Work, WorkerStopping
from inference import cache, prompts
from inference.client import Finished, Session
from inference.endpoints import target
from inference.models import LanguageModel, Prompt
from inference.requests import ChatRequest

SPELLING = "spelling 1"  # the rule, in its version
WAIT = 0.5  # seconds between signs of life while nothing arrives
LAST_REPLIES = 5.0  # seconds a worker that is stopping waits for what is in flight
Outcome = Suggestion.Outcome


def make(work: Work) -> None:
    project = Project.objects.select_related("study").get(pk=work.args["project"])
    if work.args["model"] is None:
        _by_rule(work, project)
        return
    model = LanguageModel.objects.select_related("endpoint").get(pk=work.args["model"])
    prompt = Prompt.objects.get(pk=work.args["prompt"])
    endpoint = target(model)
    with Session(endpoint) as session:
        _Asking(work, project, model, prompt, session, endpoint.max_in_flight).to_the_end()


def _by_rule(work: Work, project: Project) -> None:
    suggester = kinds.suggester_of(project.kind)
    total = selectors.wanting(project).count()
    for done, task in enumerate(selectors.in_turn(project), start=1):
        made_of = pinned(RULE, SPELLING, task)
        if not task.suggestions.filter(pinned=made_of).exists():
            about = suggester.about(task, False)
            value = suggester.by_rule(about.context) if about.enough else None
            if value is not None:
                keep(task, made_of, about, Said(value), by=RULE)
        if done % 50 == 0:
            work.beat(done, total)


@dataclass
class _Case:
    """A task on its way up the ladder."""

    task: Task
    about: About
    made_of: str
    attempts: list[dict[str, Any]] = field(default_factory=list)  # {"tokens", "why"}


class _Asking:
    """One execution of an order: which cases are out, and what comes of them."""

    def __init__(
        self,
        work: Work,
        project: Project,
        model: LanguageModel,
        prompt: Prompt,
        session: Session,
        places: int,
    ) -> None:
        self.work, self.project, self.model, self.prompt = work, project, model, prompt
        self.session, self.places = session, places
        self.suggester: Suggester = kinds.suggester_of(project.kind)
        self.rungs = ladder.rungs(self.suggester.tokens)
        self.endpoint = target(model)
        self.out: dict[int, _Case] = {}
        self.done, self.total = 0, selectors.wanting(project).count()
        self.stop: CommonplaceError | WorkerStopping | None = None  # nothing more is sent

    def to_the_end(self) -> None:
        """Raises the error of the endpoint where it refuses to go on; what was made is kept."""
        cases = self._cases()
        more = True
        while self.stop is None and (more or self.out):
            while more and len(self.out) < self.places:
                case = next(cases, None)
                if case is None:
                    more = False
                else:
                    self._ask(case)
            for finished in self.session.collect(WAIT) if self.out else ():
                self._take(self.out.pop(finished.ticket), finished)
            self.work.beat(self.done, self.total)
            if jobs.stopping.is_set():
                self.stop = self.stop or WorkerStopping()
        if self.stop is not None:
            self._drain()
            raise self.stop

    def _cases(self) -> Iterator[_Case]:
        for task in selectors.in_turn(self.project):
            made_of = pinned(str(self.model), self.prompt.sha256, task)
            made = task.suggestions.filter(pinned=made_of)
            made.filter(outcome=Outcome.NO_CONSENT).delete()  # more may have agreed since
            if made.exists():
                self.done += 1
                continue
            case = _Case(task, self.suggester.about(task, True), made_of)
            if case.about.enough:
                yield case
            else:
                self._end(case, Outcome.NO_CONSENT)

    def _ask(self, case: _Case) -> None:
        """Ask at the next rung, or read what is known already."""
        limit, before = self.rungs[len(case.attempts)]
        request = self._request(case, limit)
        kept = cache.lookup([(request.key(), before)]).get((request.key(), before))
        if kept is None and self.stop is not None:
            return
        if kept is None:
            self.out[case.task.pk] = case
            self.session.submit(case.task.pk, request)
        elif not self._read(case, kept.text, kept.refusal):
            self._ask(case)

    def _request(self, case: _Case, limit: int) -> ChatRequest:
        text = prompts.render(self.prompt.text, **case.about.fills)
        return ChatRequest(
            base_url=self.endpoint.base_url,
            model=self.endpoint.model,
            messages=(("user", text),),
            temperature=ladder.TEMPERATURE,
            max_tokens=limit,
        )

    def _take(self, case: _Case, finished: Finished) -> None:
        """Store what came, unless somebody whose words were sent has withdrawn meanwhile: then
        only what it cost."""
        _, before = self.rungs[len(case.attempts)]
        with transaction.atomic():
            self.work.beat()
            stays = hold(case.about.answers)
            kept = _without_words(finished, keep_text=stays)
            cache.store(
                self.model,
                [([before], kept)],
                purpose=selectors.purpose(self.project),
                job_id=self.work.job_id,
            )
        if not stays:
            self.done += 1
        elif finished.error is not None:
            if finished.pauses:
                self.stop = _discreet(finished.error)
            else:
                self._end(case, Outcome.REFUSED, code=finished.error.code)
        elif not self._read(case, finished.text or "", finished.refusal):
            self._ask(case)

    def _read(self, case: _Case, text: str, refusal: bool) -> bool:
        """Whether the case has come to an end; if not it goes one rung up."""
        if refusal:
            self._end(case, Outcome.REFUSED)
            return True
        limit, _ = self.rungs[len(case.attempts)]
        try:
            said = ladder.read(self.suggester, text, case.about.context)
        except Unreadable as why:
            case.attempts.append({"tokens": limit, "why": why.code})
            if len(case.attempts) < len(self.rungs):
                return False
            self._end(case, Outcome.UNREADABLE)
        else:
            outcome = Outcome.USABLE if said.value else Outcome.UNSUPPORTED
            self._end(case, outcome, said)
        return True

    def _end(self, case: _Case, outcome: str, said: Said | None = None, **checks: Any) -> None:
        checks = {"withheld": case.about.withheld, "retried": case.attempts, **checks}
        said = said or Said(None)
        said = replace(said, checks=checks | said.checks)
        self.work.beat()
        keep(
            case.task,
            case.made_of,
            case.about,
            said,
            by=str(self.model),
            outcome=outcome,
            model=self.model,
            prompt=self.prompt,
        )
        self.done += 1

    def _drain(self) -> None:
        """Keep what is about to arrive."""
        until = clock.monotonic() + LAST_REPLIES
        while self.out and clock.monotonic() < until:
            for finished in self.session.collect(WAIT):
                self._take(self.out.pop(finished.ticket), finished)


def _without_words(finished: Finished, *, keep_text: bool) -> Finished:
    """What is stored of a reply: an endpoint may repeat in its error what it was sent, which are
    participants' words."""
    exchanges = tuple(
        replace(each, error={"code": each.error["code"], "said": ""}) if each.error else each
        for each in finished.exchanges
    )
    return replace(finished, exchanges=exchanges, replies=finished.replies if keep_text else ())


def _discreet(error: CommonplaceError) -> CommonplaceError:
    """The same without what the endpoint said."""
    said = str(error.data.get("said", ""))
    message = error.message.replace(said, "…") if said else error.message
    return CommonplaceError(error.code, message, **{**error.data, "said": ""})
