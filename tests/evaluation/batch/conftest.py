"""The stub as a provider of batch files: what is written goes to it, what it answers comes back."""

import io
import json
import random
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from django.core.management import call_command

from evaluation import reports
from evaluation.models import Run, Verdict
from inference.models import Completion
from tests.evaluation.conftest import run_it


def command(*arguments):
    """A command with `--json`: (exit, the object it prints)."""
    out, code = io.StringIO(), 0
    try:
        call_command(*map(str, arguments), "--json", stdout=out, stderr=io.StringIO())
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


@pytest.fixture
def start(release, tmp_path):
    """`start()` starts a run by batch; its result, and the requests as the provider gets them."""

    def go(*options, benchmark="ra_mcq", samples=2, limit=3):
        given = ("--samples", samples, "--limit", limit, *options)
        code, made = command(
            *("run_benchmark", benchmark, "--release", release.label, "--model", "stub/one"),
            *(*given, "--batch", tmp_path / "out"),
        )
        assert code == 0, made
        return made, requests_of(made)

    return go


def requests_of(made):
    return [
        json.loads(line)
        for file in made["files"]
        for line in Path(file["path"]).read_text().splitlines()
    ]


def answer(requests, settings, *, shuffled=7):
    """What a provider makes of requests, in an order of its own."""
    base = settings.ENDPOINTS["stub"]["base_url"]
    lines = [_answered(request, base) for request in requests]
    random.Random(shuffled).shuffle(lines)
    return lines


def _answered(request, base):
    assert request["method"] == "POST"
    assert len(request["custom_id"]) <= 64
    sent = urllib.request.Request(
        base.removesuffix("/v1") + request["url"],
        json.dumps(request["body"]).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(sent) as reply:
            status, body = reply.status, reply.read()
    except urllib.error.HTTPError as refused:
        status, body = refused.code, refused.read()
        refused.close()
    response = {"status_code": status, "request_id": "r", "body": json.loads(body)}
    return {"id": "b", "custom_id": request["custom_id"], "response": response, "error": None}


@pytest.fixture
def bring(tmp_path):
    """`bring(run, lines, …)` imports files of lines; the result of the command."""

    def go(run, *files, code=0):
        paths = []
        for number, lines in enumerate(files):
            paths.append(tmp_path / f"came-back-{number}.jsonl")
            written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
            paths[-1].write_text("\n".join(written))
        exit, result = command("import_batch", run, *paths)
        assert exit == code, result
        return result

    return go


def tables(run):
    """Everything stored of a run but how it came."""
    run = Run.objects.get(pk=run if isinstance(run, int) else run.pk)
    samples = run.samples.order_by("item__position", "variant", "repeat", "turn").values_list(
        *("item__key", "variant", "repeat", "turn", "choice", "shown", "request_key"),
        *("reply__text", "reply__finish", "reply__outcome", "reply__parsed"),
    )
    verdicts = Verdict.objects.filter(reply__run=run).order_by(
        *("reply__item", "reply__variant", "reply__sha", "judge")
    )
    return list(samples), list(verdicts.values_list("reply__sha", "outcome", "value", "text"))


def measured(run):
    made = reports.report(Run.objects.get(pk=run))
    return {key: value for key, value in made.items() if key not in ("run", "cost", "calls")}


def forget_replies():
    Completion.objects.all().delete()


@pytest.fixture
def live(release, stub):
    """A live run over the same items, whose replies are forgotten for the next."""

    def go(**changes):
        run = run_it(release, given={"samples": 2, "limit": 3}, **changes)
        assert run.status == "finished"
        forget_replies()
        return run

    return go
