"""Build a release of items from a release of questions."""

from typing import Any

from django.core.management.base import CommandParser

from core import commands
from core.audit import COMMAND_LINE
from releases import choices, selectors, services
from releases.statistics import SAMPLES_EXPECTED

APPLIES = ("release", "items", "by_options", "by_domain", "keys", "expected")


class Command(commands.Command):
    help = "Build multiple-choice items from the questions of a release."

    def arguments(self, parser: CommandParser) -> None:
        kinds = ", ".join(services.KINDS)
        parser.add_argument("kind", metavar="KIND", help=f"one of: {kinds}")
        parser.add_argument("--from", dest="source", metavar="N", required=True)
        parser.add_argument("--name", metavar="M", required=True, help="name of the new release")
        presets = ", ".join(choices.PRESETS)
        parser.add_argument("--preset", metavar="P", help=f"{presets} (default: the first)")
        parser.add_argument("--seed", metavar="S", type=int, help="kept in the recipe")

    def work(self, **options: Any) -> dict[str, Any]:
        built = services.build_items(
            options["kind"],
            selectors.find_release(options["source"]),
            options["name"],
            options["preset"],
            options["seed"],
            actor=COMMAND_LINE,
        )
        described = selectors.describe(built)
        return {key: described[key] for key in APPLIES}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['release']}: {result['items']} items")
        for options, count in result["by_options"].items():
            self.stdout.write(f"  {count} with {options} options")
        self.stdout.write(f"expected by chance, {SAMPLES_EXPECTED} samples of each item")
        for region, count in result["expected"].items():
            self.stdout.write(f"  {region:<24} {count:.2f}")
