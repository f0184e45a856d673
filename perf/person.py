"""A participant over HTTP, as their browser would: from the link to the next page."""

import asyncio
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import aiohttp

from perf.installation import QUESTIONS

BORN, UNTIL = "1990", "2020"
AT_ONCE = 20  # people on the way to their form
_DOCUMENT = re.compile(r'name="document" value="(\d+)"')


class Refused(Exception):
    """The server answered otherwise than it should have."""


@dataclass
class Person:
    """`link` is the personal one. `number` is the form they are at, None after the last.

    `revisions` and `kept` are what the server has acknowledged, by question.
    """

    code: str
    link: str
    http: aiohttp.ClientSession
    number: int | None = 1
    revisions: dict[str, int] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The questions of their form."""
        first = ((self.number or 1) - 1) * QUESTIONS + 1
        return [f"q{number}" for number in range(first, first + QUESTIONS)]

    @property
    def form(self) -> str:
        return f"{self.link}forms/{self.number}/"

    async def come_in(self) -> None:
        """Consent and screening, up to the first form."""
        page = await self._post(self.link, {}, to=self.link)
        document = _DOCUMENT.search(await self._read(page))
        if document is None:
            raise Refused(f"no consent document at {page}")
        agreed = {"document": document[1], "take_part": "on"}
        await self._post(f"{self.link}consent/", agreed, to=self.link)
        lived = {
            "rows": "1",
            "born": BORN,
            "stay-0-place": "Brassgate",
            "stay-0-from_year": BORN,
            "stay-0-to_year": UNTIL,
        }
        await self._post(f"{self.link}screening/", lived, to=self.link)

    async def open_form(self) -> None:
        page = await self._read(self.form)
        if f'name="answer-{self.keys[-1]}"' not in page:
            raise Refused(f"no form at {self.form}")

    async def save(self, key: str, text: str) -> None:
        """What the page's script sends a while after somebody typed."""
        fields = self._fields({key: text})
        async with self.http.post(f"{self.form}save/", data=fields) as response:
            said = await response.json()
            if response.status != 200:
                raise Refused(f"{response.status} {said}")
        self.revisions |= said["saved"]
        self.kept[key] = text

    async def send(self, texts: dict[str, str]) -> tuple[float, float]:
        """Send the form and read the page that follows: seconds to acceptance and to that page."""
        began = time.perf_counter()
        fields = self._fields(texts) | {"action": "send"}
        sent_from = self.form
        target = await self._post(sent_from, fields)
        accepted = time.perf_counter() - began
        if target == sent_from:
            raise Refused("the form came again")
        self.kept |= texts
        self.number = (self.number or 1) + 1 if "/forms/" in target else None
        await self._read(target)
        return accepted, time.perf_counter() - began

    def _fields(self, texts: dict[str, str]) -> dict[str, str]:
        fields = {}
        for key, text in texts.items():
            fields[f"answer-{key}"] = text
            fields[f"rev-{key}"] = str(self.revisions.get(key, 0))
            fields[f"pasted-{key}"] = "0"
        return fields

    async def _post(self, address: str, fields: dict[str, str], to: str = "") -> str:
        """The address it leads to."""
        async with self.http.post(address, data=fields, allow_redirects=False) as response:
            body = await response.text()
            if response.status != 303:
                raise Refused(f"{response.status} at {address}: {body[:300]}")
            target = str(response.url.join(aiohttp.client.URL(response.headers["Location"])))
            if to and target != to:
                raise Refused(f"{address} led to {target}")
            return target

    async def _read(self, address: str) -> str:
        async with self.http.get(address, allow_redirects=False) as response:
            page = await response.text()
            if response.status != 200:
                raise Refused(f"{response.status} at {address}")
            return page


async def come_in(people: Iterable[Person]) -> None:
    """All of them up to their first form, which is looked at."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(person: Person) -> None:
        async with places:
            await person.come_in()
            await person.open_form()

    await asyncio.gather(*map(one, people))
