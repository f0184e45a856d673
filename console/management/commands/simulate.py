"""`simulate`: simulated people put a load on a served installation."""

import asyncio
from dataclasses import replace
from typing import Any

import aiohttp
from django.core.management.base import CommandParser

from console.simulating import setting
from console.simulating.crowd import Crowd, come
from console.simulating.person import Invited, Refused
from console.simulating.tally import Tally
from core import commands
from core.errors import CommonplaceError

MOST_PEOPLE, LONGEST = 5000, 3600
PATIENCE = aiohttp.ClientTimeout(total=10)


class Command(commands.Command):
    help = (
        "Let simulated people answer and play in pairs on a served installation, and count what "
        "was acknowledged and is lost. It makes a simulated study in the database of this "
        "installation, which has to be the one that is served at URL."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", required=True, help="where the installation is served")
        parser.add_argument("--participants", type=int, required=True, help="who answer")
        parser.add_argument("--pairs", type=int, required=True, help="pairs who play")
        parser.add_argument(
            "--drop", type=float, default=0.0, help="share who lose their connection, 0 to 1"
        )
        parser.add_argument("--seconds", type=float, default=60.0, help="how long it lasts")

    def work(
        self, url: str, participants: int, pairs: int, drop: float, seconds: float, **_: Any
    ) -> dict[str, Any]:
        refuse_numbers(participants, pairs, drop, seconds)
        url = url.rstrip("/")
        asyncio.run(look_for(url))
        study = setting.prepare()
        answering, playing = setting.invite(study, participants, pairs)
        crowd = Crowd(_at(url, answering), _at(url, playing), setting.THINGS, drop, seconds)
        self.note(f"{participants} people answer and {pairs} pairs play for {seconds:g} s.")
        try:
            tally = asyncio.run(come(crowd))
        except Refused as error:
            raise CommonplaceError(
                "simulate.other_installation",
                f"The server at {url} does not know the people invited here. Run the command with "
                "the settings of the installation that is served there.",
                url=url,
            ) from error
        self._tell(tally, participants + 2 * pairs)
        return tally.result(setting.stored([*crowd.people, *crowd.players]))

    def failed(self, result: dict[str, Any]) -> bool:
        return bool(result["lost"])

    def _tell(self, tally: Tally, came: int) -> None:
        self.note(f"{tally.codes} of {came} have their completion code.")
        for code, count in tally.refusals().most_common():
            self.note(f"{count} × {code}")


def refuse_numbers(participants: int, pairs: int, drop: float, seconds: float) -> None:
    """Raises `simulate.numbers`."""
    right = (
        participants >= 0
        and pairs >= 0
        and 1 <= participants + 2 * pairs <= MOST_PEOPLE
        and 0 <= drop <= 1
        and 1 <= seconds <= LONGEST
    )
    if not right:
        raise CommonplaceError(
            "simulate.numbers",
            f"Let 1 to {MOST_PEOPLE:,} people come in all, a share of 0 to 1 of them lose their "
            f"connection, and the load last 1 to {LONGEST:,} seconds.",
        )


async def look_for(url: str) -> None:
    """Raises `simulate.no_server` where nothing of ours answers."""
    try:
        async with (
            aiohttp.ClientSession(timeout=PATIENCE) as http,
            http.get(f"{url}/healthz") as response,
        ):
            response.raise_for_status()
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
        raise CommonplaceError(
            "simulate.no_server",
            f"No installation answers at {url}. Start it with `script/server` or `python manage.py "
            "serve`, then give the address it says.",
            url=url,
        ) from error


def _at(url: str, invited: list[Invited]) -> list[Invited]:
    return [replace(each, link=f"{url}{each.link}") for each in invited]
