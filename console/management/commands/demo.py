"""`demo`: a complete small study with simulated people and models."""

from typing import Any

from console.demo import making
from core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Make a complete small study with simulated people and models, to look around in"

    def work(self, **_: Any) -> dict[str, Any]:
        made = making.make(self.note)
        return {
            "study": made.study.slug,
            "release": made.release,
            "runs": [run.pk for run in made.runs],
            "url": made.url,
        }

    def show(self, result: dict[str, Any]) -> None:
        runs = " and ".join(map(str, result["runs"]))
        self.stdout.write(
            f"Everything in it is simulated: study {result['study']}, release "
            f"{result['release']}, runs {runs}. It begins at {result['url']}."
        )
