"""`import_outputs`: score replies that were made elsewhere."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core import audit
from core.commands import Command as BaseCommand
from core.errors import CommonplaceError
from evaluation import services


class Command(BaseCommand):
    help = "Import a file of model outputs as a run and score it"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", metavar="B")
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--release", required=True, metavar="N")
        parser.add_argument("--preset", help="how items are made from questions")
        parser.add_argument("--model", metavar="NAME", help="default: the name in the file")

    def work(self, file: str, **options: Any) -> dict[str, Any]:
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise CommonplaceError(
                "import.unreadable", f"{file} cannot be read: {error.strerror}. Check the path."
            ) from error
        imported = services.import_outputs(
            options["benchmark"],
            options["release"],
            data,
            preset=options["preset"],
            model_label=options["model"],
            actor=audit.COMMAND_LINE,
        )
        return imported.as_dict()
