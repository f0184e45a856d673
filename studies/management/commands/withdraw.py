"""Take somebody out of a study."""

from typing import Any

from django.core.management.base import CommandParser

from core import commands
from core.audit import COMMAND_LINE
from studies import services, withdrawal, withdrawn
from studies.models import Participant


class Command(commands.Command):
    help = "Withdraw a participant: what they wrote is removed, what they earned stays owed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "code",
            metavar="CODE",
            help="the participant's, or what their personal link begins with",
        )

    def work(self, **options: Any) -> dict[str, Any]:
        found = withdrawn.find_participant(options["code"])
        already = found.status == Participant.Status.WITHDRAWN
        participant = services.withdraw(found, COMMAND_LINE)
        return {
            "participant": participant.code,
            "study": participant.study.slug,
            "status": participant.status,
            "already": already,
            "handlers": list(withdrawal.handlers),
        }

    def show(self, result: dict[str, Any]) -> None:
        who = f"{result['participant']} of {result['study']}"
        if result["already"]:
            self.stdout.write(f"{who} had withdrawn already.")
        else:
            self.stdout.write(f"{who} has withdrawn; workers remove what they wrote.")
