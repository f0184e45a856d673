"""`create_token USER --scopes …`: an API token, whose secret is printed this once."""

from typing import Any

from django.core.management.base import CommandParser

from accounts import services, tokens
from accounts.selectors import find_account
from core import audit, clock
from core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Make an API token for an account and print it; it cannot be shown again"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="the e-mail address of the account")
        parser.add_argument(
            "--scopes", nargs="+", required=True, metavar="SCOPE", help=", ".join(tokens.Scope)
        )
        parser.add_argument(
            "--studies", nargs="+", default=[], metavar="STUDY", help="these studies only"
        )
        parser.add_argument("--days", type=int, default=tokens.DAYS, metavar="N")
        parser.add_argument("--name", default="made on the command line", metavar="TEXT")

    def work(
        self, user: str, scopes: list[str], studies: list[str], days: int, name: str, **_: Any
    ) -> dict[str, Any]:
        token, secret = services.create_token(
            find_account(user),
            name,
            separated(scopes),
            audit.COMMAND_LINE,
            studies=separated(studies),
            days=days,
        )
        return {
            "token": secret,
            "scopes": token.scopes,
            "studies": token.studies,
            "expires": clock.isoformat(token.expires),
        }


def separated(given: list[str]) -> list[str]:
    """Values written apart or joined by commas."""
    return [value for text in given for value in text.split(",") if value]
