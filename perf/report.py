"""How long a report of 48,900 judged samples takes, and a comparison of eight such runs.

A scratch SQLite database gets a release of 611 questions with 1,630 gold answers by region, and
eight RASA runs of 30 samples each, 8 distinct replies to a question and region, all judged by one
judge; everything is written in bulk. The report and the comparison are then made by processes of
their own, which say how long the making took without their start, and whose peak resident memory
is read from the kernel. As yardsticks: the same with start-up, as `report` at the command line.

Run from the root of the repository: `python -m perf.report [RUNS]`.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

REGIONS = ("Harbour", "Marsh", "Moor", "Forest", "Islands")
QUESTIONS, PAIRS, SAMPLES, DISTINCT, RUNS = 611, 1630, 30, 8, 8
LABELS = ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")
ANSWER = "Guests are given tea with something sweet, and nobody leaves before the second cup; "
MAKE = """
import time
from evaluation import figures, reports, selectors
runs = [selectors.find_run(run) for run in {runs}]
began, started = time.monotonic(), time.process_time()
made = [reports.report(run) for run in runs]
if len(runs) > 1:
    comparison = reports.compare(runs, made)
print(time.monotonic() - began, time.process_time() - started)
began = time.monotonic()
if len(runs) > 1:
    figures.compared(made, comparison), figures.compared_tables(made, comparison)
else:
    figures.of_report(made[0])
print(time.monotonic() - began)
"""


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory(prefix="commonplace-perf-") as folder:
        os.environ |= {
            "COMMONPLACE_DATA": folder,
            "COMMONPLACE_DOTENV": "0",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        os.environ.pop("DATABASE_URL", None)
        os.environ.pop("REDIS_URL", None)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        began = time.monotonic()
        made = build(Path(folder), runs)
        print(f"{runs} runs of {PAIRS * SAMPLES:,} samples in {time.monotonic() - began:.0f} s")
        measure("report of a run", made[:1])
        measure(f"comparison of {runs} runs", made)


def measure(name: str, runs: list[int]) -> None:
    (making, drawing), _, peak = child("-c", in_django(MAKE.format(runs=runs)))
    wall, cpu = map(float, making.split())
    _, whole, _ = child("manage.py", "report", *map(str, runs), "--format", "html")
    print(
        f"{name}: {wall:.2f} s ({cpu:.2f} s of CPU), its figures {float(drawing):.2f} s, "
        f"peak {peak:.0f} MB resident; `report --format html` with start-up {whole:.1f} s"
    )


def in_django(code: str) -> str:
    return f"import django; django.setup()\n{code}"


def child(*order: str) -> tuple[list[str], float, float]:
    """Lines printed, seconds, and peak memory in MB of a process that must succeed."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, *order], stdout=subprocess.PIPE, text=True)
    said = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{order} failed: {said}")
    return said.splitlines(), time.monotonic() - began, usage.ru_maxrss / 1024


def build(folder: Path, runs: int) -> list[int]:
    """The runs' numbers."""
    from evaluation.models import Judge
    from inference.models import Endpoint, LanguageModel

    release = questions(folder)
    endpoint = Endpoint.objects.create(name="scratch", base_url="http://127.0.0.1:9/v1")
    asked = LanguageModel.objects.create(endpoint=endpoint, name="judge", simulated=True)
    judge = Judge.objects.create(
        kind="model", label="scratch/judge", signal="correctness", model=asked, hash="0" * 64
    )
    chance = random.Random(1)
    return [fill(release, endpoint, judge, number, chance) for number in range(1, runs + 1)]


def questions(folder: Path) -> Any:
    from releases.services import import_release

    path = folder / "questions.json"
    path.write_text(json.dumps({"questions": [question(n) for n in range(QUESTIONS)]}))
    return import_release(path, "indica", "scratch", actor="perf", simulated=True).release


def question(n: int) -> dict[str, Any]:
    """A question with gold in two or three regions, so that there are PAIRS in all."""
    held = 3 if n < PAIRS - 2 * QUESTIONS else 2
    asked_in = {REGIONS[(n + step) % len(REGIONS)] for step in range(held)}
    return {
        "question_id": f"q{n}",
        "question_text": f"In your region, what is given to guests on occasion {n}?",
        "question_domain": f"Domain {n % 8}",
        "question_subcategory": "Visiting",
        "question_topic": "Guests",
        "pairwise_agreements": {
            f"{a}_{b}": {"agreement": False} for a, b in combinations(REGIONS, 2)
        },
        "universal_agreement": False,
        **{
            region: {"answer": [f"{ANSWER}{n}"] if region in asked_in else ["N/A"]}
            for region in REGIONS
        },
    }


def fill(release: Any, endpoint: Any, judge: Any, number: int, chance: random.Random) -> int:
    """One judged run; returns its number."""
    from django.db import transaction

    from core import clock
    from evaluation.models import Reply, Run, RunJudge, Sample, Verdict
    from inference.models import LanguageModel

    model = LanguageModel.objects.create(endpoint=endpoint, name=f"model-{number}", simulated=True)
    with transaction.atomic():
        run = Run.objects.create(
            benchmark="rasa",
            release=release,
            asked_release=release.label,
            model=model,
            model_label=str(model),
            settings={"samples": SAMPLES, "weight": 0.5, "resamples": 2000},
            status=Run.Status.FINISHED,
            samples_planned=PAIRS * SAMPLES,
            simulated=True,
            started_by="perf",
            created=clock.now(),
        )
        RunJudge.objects.create(run=run, judge=judge, number=1)
        replies = Reply.objects.bulk_create(
            (
                Reply(
                    run=run,
                    item=item,
                    variant=region,
                    sha=f"{item.pk}-{region}-{which}",
                    text=f"{ANSWER}{which}",
                    finish="stop",
                    outcome="ok",
                )
                for item, region in places(release)
                for which in range(DISTINCT)
            ),
            batch_size=5000,
        )
        Sample.objects.bulk_create(samples(run, replies), batch_size=5000)
        knows = 0.25 + 0.05 * number
        Verdict.objects.bulk_create(
            (
                Verdict(
                    judge=judge,
                    reply=reply,
                    outcome="ok",
                    value=chance.choices(LABELS, (knows, 0.2, 0.8 - knows))[0],
                    text='{"label": "CORRECT", "reasoning": "It says the same."}' * 4,
                )
                for reply in replies
            ),
            batch_size=5000,
        )
    return run.pk


def places(release: Any) -> Iterator[tuple[Any, str]]:
    for item in release.items.order_by("position"):
        for region in release.regions:
            if item.payload["gold"].get(region):
                yield item, region


def samples(run: Any, replies: list[Any]) -> Iterator[Any]:
    """Every reply of a question and region in turn, until each has its repeats."""
    from evaluation.models import Sample

    for first in range(0, len(replies), DISTINCT):
        for repeat in range(SAMPLES):
            reply = replies[first + repeat % DISTINCT]
            yield Sample(
                run=run,
                item_id=reply.item_id,
                variant=reply.variant,
                repeat=repeat + 1,
                reply=reply,
                request_key=reply.sha,
            )


if __name__ == "__main__":
    main()
