"""`list_runs`: every run there is, newest first."""

from typing import Any

from core.commands import Command as BaseCommand
from evaluation.models import Run


class Command(BaseCommand):
    help = "List the runs"

    def work(self, **_: Any) -> dict[str, Any]:
        runs = Run.objects.select_related("release")
        return {
            "runs": [
                {
                    "run": run.pk,
                    "benchmark": run.benchmark,
                    "release": run.release.label,
                    "model": run.model_label,
                    "status": run.status,
                    "simulated": run.simulated,
                }
                for run in runs
            ]
        }

    def show(self, result: dict[str, Any]) -> None:
        for run in result["runs"]:
            mark = "  simulated" if run["simulated"] else ""
            self.stdout.write(
                f"{run['run']:>5}  {run['status']:<9} {run['benchmark']:<8} "
                f"{run['release']}  {run['model']}{mark}"
            )
        if not result["runs"]:
            self.stdout.write("No runs yet. `run_benchmark` starts one.")
