"""`sign_in_link EMAIL`: a one-time link with which somebody sets a (new) password."""

from typing import Any

from django.core.management.base import CommandParser

from accounts import services
from accounts.selectors import find_account
from core import audit
from core.commands import Command as BaseCommand


class Command(BaseCommand):
    help = "Print a one-time link where the owner of an account sets a password"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--new", action="store_true", help="make the account if there is none")
        parser.add_argument("--superuser", action="store_true", help="who may run and import")

    def work(self, email: str, new: bool, superuser: bool, **_: Any) -> dict[str, Any]:
        if new:
            services.create_account(email, superuser=superuser, actor=audit.COMMAND_LINE)
        return {"path": services.one_time_path(find_account(email))}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"Put this after the address of the server: {result['path']}")
