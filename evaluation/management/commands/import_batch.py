"""`import_batch`: read the files a provider made of a run's batch."""

import contextlib
from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from core.errors import CommonplaceError
from evaluation import selectors
from evaluation.batch import reading
from inference.endpoints import sync_endpoints


class Command(BaseCommand):
    help = "Store the replies and errors a provider's batch came back with"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("files", nargs="+", metavar="FILE", help="replies and errors alike")

    def work(self, run: int, files: list[str], **_: Any) -> dict[str, Any]:
        sync_endpoints()
        found = selectors.find_run(run)
        with contextlib.ExitStack() as opened:
            try:
                given = [(path, opened.enter_context(open(path, "rb"))) for path in files]
            except OSError as error:
                raise CommonplaceError(
                    "import.unreadable",
                    f"{error.filename} cannot be read: {error.strerror}. Check the path.",
                ) from error
            return reading.read(found, given, audit.COMMAND_LINE).as_dict()
