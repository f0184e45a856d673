"""Count what a release holds and list where it contradicts itself."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from core import commands
from releases import selectors


class Command(commands.Command):
    help = "Show the statistics and findings of a release."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="N", help="name or name@version")

    def work(self, **options: Any) -> dict[str, Any]:
        return selectors.describe(selectors.find_release(options["release"]))

    def show(self, result: dict[str, Any]) -> None:
        write = self.stdout.write
        write(f"{result['release']}  {result['sha256']}")
        write(f"{result['items']} items, regions: {', '.join(result['regions'])}")
        if "pairs" in result:
            self._show_questions(result)
        for row in result.get("artifacts", ()):
            counts = f"{row['original']} original, {row['expanded']} expanded artifacts"
            write(f"  {row['region']:<24} {counts}, {result['clues'][row['region']]} clues")
        if "by_options" in result:
            write("by number of options: " + _counts(result["by_options"]))
            write("by domain: " + _counts(result["by_domain"]))
        write("findings: " + (_counts(Counter(f["code"] for f in result["findings"])) or "none"))

    def _show_questions(self, result: dict[str, Any]) -> None:
        write, universal = self.stdout.write, result["universal"]
        write(f"{result['pairs']} question–region pairs with a gold answer")
        for region, count in result["coverage"].items():
            write(f"  {region:<24} {_share(count['answered'], count['of'])} answered")
        write("agreeing, of the questions both regions answered")
        for pair in result["pairwise"]:
            names = f"{pair['a']} – {pair['b']}"
            write(f"  {names:<24} {_share(pair['agree'], pair['both'])}")
        write(f"universal: {_share(universal['agree'], universal['all_valid'])} answered by all")
        write(f"all pairs agree: {result['all_pairs_agree']}")
        write("universal, of all questions of the domain")
        for row in result["domains"]:
            write(f"  {row['domain']:<32} {_share(row['universal'], row['questions'])}")


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.1%})" if whole else "")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
