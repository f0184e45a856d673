"""What a run was made of, for whoever repeats it: hashes, versions, parameters as sent."""

import platform
from importlib.metadata import version
from typing import Any

from evaluation.models import Run

LIBRARIES = ("django", "aiohttp", "celery", "numpy", "scipy")


def of(run: Run) -> dict[str, Any]:
    """The manifest of a run, as JSON values. Keys and their values hold no secret."""
    made = run.settings
    return {
        "run": run.pk,
        "benchmark": run.benchmark,
        "asked_release": run.asked_release,
        "release": {"label": run.release.label, "sha256": run.release.sha256},
        "model": run.model_label,
        "simulated": run.simulated,
        "seed": run.seed,
        "settings": made,
        "sent": _sent(run),
        "several_at_once": {"limit": run.per_request, "why": run.per_request_why or None},
        "prompts": [
            {"name": prompt.name, "language": prompt.language, "sha256": prompt.sha256}
            for prompt in run.prompts.order_by("name", "language")
        ],
        "judges": [_judge(each.judge) for each in run.run_judges.select_related("judge__prompt")],
        "samples": {
            "planned": run.samples_planned,
            "stored": run.samples.count(),
            "from_cache": run.samples.filter(call=None, reply__isnull=False).count(),
            "distinct_replies": run.replies.count(),
        },
        "versions": {name: version(name) for name in LIBRARIES}
        | {"python": platform.python_version()},
        "started": run.created.isoformat(),
        "finished": run.finished.isoformat() if run.finished else None,
    }


def _sent(run: Run) -> dict[str, Any]:
    """The parameters of the run's requests beside their messages; a seed differs in each."""
    from evaluation import selectors

    asked = run.source == Run.Source.GENERATED
    first = next(iter(selectors.plan(run)), None) if asked else None
    if first is None:
        return {}
    body = first.request.body()
    body.pop("messages")
    if "seed" in body:
        body["seed"] = "one of its own for every request"
    return {"base_url": first.request.base_url, **body}


def _judge(judge: Any) -> dict[str, Any]:
    return {
        "judge": judge.label,
        "kind": judge.kind,
        "signal": judge.signal,
        "hash": judge.hash,
        "sent": judge.settings,
        "prompt": judge.prompt and {"name": judge.prompt.name, "sha256": judge.prompt.sha256},
    }
