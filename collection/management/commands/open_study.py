"""Open a study for answers."""

from typing import Any

from django.core.management.base import CommandParser

from collection import selectors
from core import commands
from core.audit import COMMAND_LINE
from studies import services
from studies.selectors import find_study


class Command(commands.Command):
    help = "Freeze the forms of a study that is set up, and let participants in."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="its short name")

    def work(self, **options: Any) -> dict[str, Any]:
        study = services.open_study(find_study(options["study"]), COMMAND_LINE)
        return {
            "study": study.slug,
            "status": study.status,
            "forms": {
                survey.slug: len(selectors.current_forms(survey))
                for survey in selectors.surveys(study)
            },
        }

    def show(self, result: dict[str, Any]) -> None:
        forms = ", ".join(f"{name}: {count} forms" for name, count in result["forms"].items())
        self.stdout.write(f"{result['study']} is open ({forms}).")
