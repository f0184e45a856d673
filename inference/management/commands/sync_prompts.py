"""`sync_prompts`: gives every prompt in the code its row; migrating does the same."""

from typing import Any

from core.commands import Command as BaseCommand
from inference.prompts import shipped, sync_prompts


class Command(BaseCommand):
    help = "Record the shipped prompts in the database"

    def work(self, **_: Any) -> dict[str, Any]:
        new = sync_prompts()
        return {"prompts": len(shipped()), "new": len(new)}
