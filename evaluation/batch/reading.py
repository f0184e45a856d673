"""Reads what a provider made of a run's batch files.

A line that comes back goes the way a reply goes that was asked for live: into the ledger with what
it cost, into the cache, and to the samples or verdicts that lack it. Which lines were read before
is told by the ledger.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import IO, Any

from core.errors import CommonplaceError
from evaluation import selectors, services
from evaluation.batch import openai_format
from evaluation.batch.openai_format import Refused, Result, Wanted
from evaluation.batch.writing import REPLIES_AT_ONCE, go_through_known
from evaluation.models import Run, RunJudge
from evaluation.running import stages
from evaluation.running.errands import Brought, Errand
from evaluation.running.several import ALIKE, COPIES, Several
from evaluation.running.stages import Stage
from evaluation.services import Fence
from inference.client import Finished, finished_elsewhere
from inference.endpoints import Target, read_key
from inference.requests import ChatRequest

Files = Sequence[tuple[str, IO[bytes]]]  # names for people, and what can be read twice


@dataclass
class Imported:
    """What became of the lines: every one was kept, failed, known from before, or refused."""

    run: Run
    read: int = 0
    kept: int = 0
    failed: int = 0
    known: int = 0
    failures: Counter[str] = field(default_factory=Counter)  # by code
    refused: list[Refused] = field(default_factory=list)
    missing: int = 0  # samples or verdicts that the run's stage still lacks

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": self.run.pk,
            "status": self.run.status,
            "read": self.read,
            "kept": self.kept,
            "failed": self.failed,
            "known": self.known,
            "failures": dict(self.failures),
            "refused": [each.as_dict() for each in self.refused],
            "missing": self.missing,
        }


def read(run: Run, files: Files, actor: str) -> Imported:
    """Store the replies of files that came back, and move a waiting run on where all are there.

    A line is refused for what `openai_format` finds, another run, an id the run asks nothing by, or
    an id whose reply came before in these files. Raises `run.active`.
    """
    reading = _Reading(run)
    reading.learn(files)
    for lines in _bundles(_all_lines(files)):
        with services.holding(run) as fence:
            reading.store(fence, lines)
    done = reading.done
    if done.kept or done.failed:
        services.record_import(run, actor, kept=done.kept, failed=done.failed)
    go_through_known(run)
    done.run = selectors.find_run(run.pk)
    if run.source == Run.Source.GENERATED or run.stage:
        done.missing = stages.current(done.run).missing()
    return done


def _all_lines(files: Files) -> Iterator[Result | Refused]:
    for name, file in files:
        yield from openai_format.read(name, file)


def _bundles(lines: Iterable[Result | Refused]) -> Iterator[list[Result | Refused]]:
    bundle: list[Result | Refused] = []
    replies = 0
    for line in lines:
        wanted = line.wanted.n if isinstance(line, Result) else 1
        if bundle and replies + wanted > REPLIES_AT_ONCE:
            yield bundle
            bundle, replies = [], 0
        bundle.append(line)
        replies += wanted
    if bundle:
        yield bundle


class _Reading:
    """What one reading of files has found so far."""

    def __init__(self, run: Run) -> None:
        self.run, self.done = run, Imported(run)
        self.several = Several(run.per_request, run.per_request_why)
        self.stages: dict[int, Stage | None] = {}
        self.answered: set[Wanted] = set()

    def stage(self, number: int) -> Stage | None:
        if number not in self.stages:
            self.stages[number] = None
            with suppress(RunJudge.DoesNotExist, LookupError):
                self.stages[number] = stages.numbered(self.run, number)
        return self.stages[number]

    def learn(self, files: Files) -> None:
        """See whether the endpoint brings several replies or copies of one.

        Live, replies that are all alike are asked for again one at a time. Files cannot ask: where
        no line brings two different replies, the first of each is kept and the others are left for
        the next files, which ask for them one at a time.
        """
        alike = False
        for line in [] if self.several.proven else _all_lines(files):
            texts = self._texts(line) if isinstance(line, Result) and line.wanted.n > 1 else []
            if len(set(texts)) > 1 and isinstance(line, Result):
                self._learn(line.wanted, texts, even=False)
                return
            alike = alike or len(texts) >= ALIKE
        if alike:
            self.several.limit, self.several.why = 1, COPIES
            self._remember()

    def _texts(self, line: Result) -> list[str]:
        stage = self._stage_of(line)
        if isinstance(stage, Refused) or stage.even:
            return []
        errands = stage.whole([line.wanted.place])
        if not errands or not _asks(errands[0], line.wanted):
            return []
        finished = _finished(stage.endpoint, errands[0].request, line)
        return [reply.text for reply in finished.replies]

    def _learn(self, wanted: Wanted, texts: Sequence[str], *, even: bool) -> int:
        """How many of the replies stand."""
        if self.several.why == COPIES:
            return min(1, len(texts))
        kept = self.several.learn(wanted.key, wanted.n, texts, even=even)
        self._remember()
        return kept

    def _remember(self) -> None:
        several = self.several
        if several.why and (several.limit, several.why) != (
            self.run.per_request,
            self.run.per_request_why,
        ):
            services.learn(self.run, several.limit, several.why)

    def store(self, fence: Fence, lines: Sequence[Result | Refused]) -> None:
        """Store a bundle of lines; the run is locked."""
        self.done.read += len(lines)
        refused_before = len(self.done.refused)
        by_stage: dict[int, tuple[Stage, list[Result]]] = {}
        for line in lines:
            found = line if isinstance(line, Refused) else self._stage_of(line)
            if isinstance(found, Refused):
                self.done.refused.append(found)
            elif isinstance(line, Result):
                by_stage.setdefault(found.number, (found, []))[1].append(line)
        for stage, results in by_stage.values():
            self._store(fence, stage, results)
        turn = {(line.file, line.line): number for number, line in enumerate(lines)}
        self.done.refused[refused_before:] = sorted(
            self.done.refused[refused_before:], key=lambda each: turn[each.file, each.line]
        )

    def _stage_of(self, line: Result) -> Stage | Refused:
        if line.wanted.run != self.run.pk:
            reason = f"belongs to run {line.wanted.run}, not to run {self.run.pk}"
            return Refused(line.file, line.line, "batch.other_run", reason)
        return self.stage(line.wanted.stage) or _unknown(line)

    def _store(self, fence: Fence, stage: Stage, lines: Sequence[Result]) -> None:
        places = sorted({line.wanted.place for line in lines})
        whole = {errand.place: errand for errand in stage.whole(places)}
        lacks = {errand.place: set(errand.repeats) for errand in stage.lacking(places)}
        booked = selectors.booked_by_batch(self.run, [e.request.key() for e in whole.values()])
        endpoint = stage.endpoint.by_batch()
        brought = []
        for line in lines:
            errand, wanted = whole.get(line.wanted.place), line.wanted
            if errand is None or not _asks(errand, wanted):
                self.done.refused.append(_unknown(line))
                continue
            if wanted in self.answered:
                reason = f"{wanted} was answered by an earlier line"
                self.done.refused.append(Refused(line.file, line.line, "batch.duplicate", reason))
                continue
            finished = _finished(endpoint, errand.request, line)
            if finished.replies:
                self.answered.add(wanted)
            missing = lacks.get(errand.place, set())
            one = self._bring(stage, errand, wanted, finished, missing)
            if not one.pauses:
                missing.difference_update(one.errand.repeats)
            entry = selectors.entry(errand.request.key(), wanted.first, finished.exchanges[0])
            if entry in booked:
                if one.pauses or not one.errand.repeats:
                    self.done.known += 1
                    continue
                one.finished = None  # what it cost is in the ledger
            booked.add(entry)
            brought.append(one)
            self._count(finished)
        if brought:
            stage.store(fence, brought)

    def _count(self, finished: Finished) -> None:
        if finished.error is None:
            self.done.kept += 1
        else:
            self.done.failed += 1
            self.done.failures[finished.error.code] += 1

    def _bring(
        self, stage: Stage, errand: Errand, wanted: Wanted, finished: Finished, lacks: set[int]
    ) -> Brought:
        """What a line brings to the repeats that lack a reply."""
        sent = wanted.repeats
        if finished.error is not None:
            self._learn_refusal(wanted, finished.error)
            failed = tuple(repeat for repeat in sent if repeat in lacks)
            return Brought(
                replace(errand, repeats=failed), (), finished, finished.pauses, sent=sent
            )
        texts = [reply.text for reply in finished.replies]
        stand = finished.replies[: self._learn(wanted, texts, even=stage.even)]
        wants = [(r, reply) for r, reply in zip(sent, stand, strict=False) if r in lacks]
        return Brought(
            replace(errand, repeats=tuple(repeat for repeat, _ in wants)),
            [reply for _, reply in wants],
            replace(finished, replies=stand),
            sent=sent,
        )

    def _learn_refusal(self, wanted: Wanted, error: CommonplaceError) -> None:
        said = str(error.data.get("said", ""))
        if error.data.get("parameter") == "n" and self.several.refused(wanted.n, said):
            self._remember()


def _asks(errand: Errand, wanted: Wanted) -> bool:
    """Whether the errand is for that request and those repeats."""
    return (
        errand.request.key().startswith(wanted.key)
        and wanted.first >= errand.repeats[0]
        and wanted.last <= errand.repeats[-1]
    )


def _unknown(line: Result) -> Refused:
    reason = f"run {line.wanted.run} asks nothing by {line.custom_id}"
    return Refused(line.file, line.line, "batch.unknown_id", reason)


def _finished(endpoint: Target, request: ChatRequest, line: Result) -> Finished:
    key = ""
    with suppress(CommonplaceError):  # who imports needs no key; a reply must not show one
        key = read_key(endpoint)
    return finished_elsewhere(endpoint, request, line.wanted.n, line.status, line.body, key)
