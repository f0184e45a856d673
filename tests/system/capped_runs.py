"""Runs as they were before caps became budgets; run by `manage.py shell -c`."""

import json
from datetime import UTC, datetime
from typing import Any

BEFORE, NOW = "0002_judges_and_stages", "0005_people_judge_a_sample"
AT = datetime(2026, 11, 30, tzinfo=UTC)


def migrate(runs: dict[int, tuple[int | None, list[int | None]]]) -> None:
    """Go back, make `runs` (number: its cap and what its calls cost, in micro-USD), and go forward,
    back and forward. Prints what each run has of it at every stop: its budget, its cap, and its
    budget again."""
    apps = _to(BEFORE)
    _make(apps, runs)
    print(json.dumps([_budgets(_to(NOW)), _caps(_to(BEFORE)), _budgets(_to(NOW))]), flush=True)


def _to(name: str) -> Any:
    """The models as they are after the migration of that name."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    return MigrationExecutor(connection).migrate([("evaluation", name)]).apps


def _make(apps: Any, runs: dict[int, tuple[int | None, list[int | None]]]) -> None:
    Endpoint = apps.get_model("inference", "Endpoint")
    endpoint = Endpoint.objects.create(name="old", base_url="http://127.0.0.1:9/v1")
    model = apps.get_model("inference", "LanguageModel").objects.create(endpoint=endpoint, name="m")
    release = apps.get_model("releases", "Release").objects.first()
    for number, (cap, costs) in runs.items():
        run = apps.get_model("evaluation", "Run").objects.create(
            pk=number,
            benchmark="ra_mcq",
            release=release,
            asked_release="indica@1",
            model=model,
            settings={},
            created=AT,
            cap_micro=cap,
        )
        for cost in costs:
            apps.get_model("inference", "Call").objects.create(
                model=model, purpose=f"run {run.pk}", repeat=1, at=AT, ms=9, cost_micro=cost
            )


def _budgets(apps: Any) -> list[Any]:
    """[run, cap, spent, reserved] each, of a run without one [run, null, null, null]; then how
    many budgets there are."""
    fields = ("pk", "budget__cap", "budget__spent", "budget__reserved")
    runs = apps.get_model("evaluation", "Run").objects.order_by("pk")
    budgets = apps.get_model("inference", "Budget").objects
    return [*map(list, runs.values_list(*fields)), budgets.count()]


def _caps(apps: Any) -> list[Any]:
    """[run, cap] each."""
    runs = apps.get_model("evaluation", "Run").objects.order_by("pk")
    return [list(row) for row in runs.values_list("pk", "cap_micro")]
