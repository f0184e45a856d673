"""A participant over HTTP, as their browser would without script: from the link to the code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape

import aiohttp

_DOCUMENT = re.compile(r'name="document" value="(\d+)"')
_QUESTION = re.compile(r'name="answer-(\w+)"')
_REVISION = re.compile(r'name="rev-(\w+)" value="(\d+)"')
_CODE = re.compile(r'id="completion-code"[^>]*>\s*([^\s<]+)\s*<')


class Refused(Exception):
    """The server answered otherwise than it should have; `status` is that of HTTP."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"{status}: {said}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Invited:
    """`link` is the personal one; `screening` is what they will say about where they belong."""

    link: str
    screening: Mapping[str, str]


@dataclass(slots=True)
class Person:
    invited: Invited
    http: aiohttp.ClientSession
    code: str = ""  # the completion code, once they have it
    revisions: dict[str, int] = field(default_factory=dict)  # of answers, as acknowledged

    @property
    def link(self) -> str:
        return self.invited.link

    async def come_in(self) -> str:
        """Consent and screening; the address of what they are asked to do. Raises `Refused`."""
        await self.send(self.link, {})
        document = _DOCUMENT.search(await self.read(self.link))
        if document is None:
            raise Refused(200, "no consent document is shown")
        agreed = {"document": document[1], "take_part": "on", "publish": "on"}
        await self.send(f"{self.link}consent/", agreed)
        return await self.send(f"{self.link}screening/", self.invited.screening)

    async def questions(self, form: str) -> list[str]:
        """The keys of the questions on a form, whose drafts are read along."""
        page = await self.read(form)
        self.revisions |= {key: int(number) for key, number in _REVISION.findall(page)}
        return list(dict.fromkeys(_QUESTION.findall(page)))

    async def save(self, form: str, texts: Mapping[str, str]) -> None:
        """What the page's script sends a while after somebody typed. Raises `Refused`."""
        async with self.http.post(f"{form}save/", data=self._fields(texts)) as response:
            if response.status != 200:
                raise Refused(response.status, await response.text())
            self.revisions |= (await response.json())["saved"]

    async def hand_in(self, form: str, texts: Mapping[str, str]) -> str:
        """Send a form; the address that follows. Raises `Refused`."""
        after = await self.send(form, self._fields(texts) | {"action": "send"})
        if after == form:
            raise Refused(200, "the form came again")
        return after

    async def look_for_code(self) -> bool:
        """Whether their page has a completion code by now."""
        found = _CODE.search(await self.read(self.link))
        self.code = unescape(found[1]) if found else ""
        return bool(found)

    async def send(self, address: str, fields: Mapping[str, str]) -> str:
        """The address it leads to. Raises `Refused`."""
        async with self.http.post(address, data=fields, allow_redirects=False) as response:
            said = await response.text()
            if response.status != 303:
                raise Refused(response.status, said[:200])
            return str(response.url.join(aiohttp.client.URL(response.headers["Location"])))

    async def read(self, address: str) -> str:
        """The page at an address. Raises `Refused`."""
        async with self.http.get(address) as response:
            page = await response.text()
            if response.status != 200:
                raise Refused(response.status, page[:200])
            return page

    def _fields(self, texts: Mapping[str, str]) -> dict[str, str]:
        fields = {f"answer-{key}": text for key, text in texts.items()}
        return fields | {f"rev-{key}": str(self.revisions.get(key, 0)) for key in texts}


def sessions() -> aiohttp.ClientSession:
    """One for all of a crowd: nobody keeps a cookie, and each connection is somebody's own."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=60),
        cookie_jar=aiohttp.DummyCookieJar(),
    )
