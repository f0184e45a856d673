"""Invite people to a study by personal links."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from config import env
from core import commands
from core.audit import COMMAND_LINE
from core.errors import CommonplaceError
from studies import links, selectors, services
from studies.models import Activity, Study


class Command(commands.Command):
    help = "Invite people to a study: one personal link each."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name")
        parser.add_argument("--count", type=int, default=1, metavar="N")
        parser.add_argument("--activity", metavar="NAME", help="needed where there are several")
        parser.add_argument(
            "--origin",
            metavar="URL",
            default=next(iter(settings.CSRF_TRUSTED_ORIGINS), _served()),
            help="what stands before the path of a link (default: %(default)s)",
        )

    def work(self, **options: Any) -> dict[str, Any]:
        study = selectors.find_study(options["study"])
        activity = _activity(study, options["activity"])
        rows = services.make_links(activity, options["count"], COMMAND_LINE)
        origin = options["origin"].rstrip("/")
        return {
            "study": study.slug,
            "activity": activity.slug,
            "links": [
                {"participant": row.participant.code, "url": f"{origin}{links.personal(row)}"}
                for row in rows
            ],
            "not_ready": selectors.not_ready(activity),
        }

    def show(self, result: dict[str, Any]) -> None:
        for link in result["links"]:
            self.stdout.write(f"{link['participant']}  {link['url']}")
        if result["not_ready"]:
            self.stderr.write(result["not_ready"])


def _served() -> str:
    """Where `serve` answers unless it is told otherwise."""
    return f"http://127.0.0.1:{env.whole('PORT', 8000, least=1)}"


def _activity(study: Study, slug: str | None) -> Activity:
    """Raises `activity.unknown`, and `activity.not_named` unless there is exactly one to mean."""
    if slug is not None:
        return selectors.access_activity(study, slug)
    rows = list(study.activities.all())
    if len(rows) != 1:
        names = ", ".join(row.slug for row in rows) or "none yet"
        raise CommonplaceError(
            "activity.not_named",
            f"Say with --activity which activity people are invited to. There are: {names}.",
            study=study.slug,
            activities=[row.slug for row in rows],
        )
    return rows[0]
