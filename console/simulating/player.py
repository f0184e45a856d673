"""How a simulated player plays: what they do about the page before them, by its buttons.

They know what things of their region are called, as people do, and say of each something that
nobody else says.
"""

import itertools
import re
import string
from collections.abc import Iterator, Sequence
from random import Random

Fields = dict[str, str]

GUESSES = 0.5  # how often they guess where they might ask for the next clue
_BUTTON = re.compile(r'name="do" value="(\w+)"')
_ABOUT = re.compile(r'name="(artifact|number)" value="(\d+)"')
_LEFT = re.compile(r'data-left="(\d+)"')


def tokens(rng: Random) -> Iterator[str]:
    """Words that nobody has said before (`line.TOKEN`)."""
    while True:
        yield "zq" + "".join(rng.choices(string.ascii_lowercase, k=8))


class Player:
    """`names` are what things of the region are called. `proposes` is how many things they still
    have in mind when they look back."""

    def __init__(self, names: Sequence[str], rng: Random, proposes: int = 1) -> None:
        self.names, self.rng, self.proposes = names, rng, proposes
        self._tokens = tokens(rng)
        self._numbers = itertools.count(1)

    def answer(self, html: str) -> Fields | None:
        """What they do about a page; None where they wait."""
        buttons = set(_BUTTON.findall(html))
        about = dict(_ABOUT.findall(html))
        if 'data-key="instructions"' in html:
            return {"do": "enter"}
        for do in ("ready", "keep_waiting"):
            if do in buttons:
                return {"do": do}
        if 'name="meant"' in html:
            return {"do": "confirm", "meant": self.rng.choice(("yes", "no"))}
        if "verify" in buttons:
            return {"do": "verify", "number": about["number"], "belongs": "yes"}
        if "clue" in buttons:
            return {"do": "clue", "text": f"Next to {next(self._tokens)} it is always there"}
        if "guess" in buttons:
            return self._guess()
        if "rate" in buttons:
            one, other = (str(self.rng.randint(1, 5)) for _scale in range(2))
            return {"do": "rate", "accuracy": one, "quality": other}
        if "vet" in buttons:
            return self._vet(about["artifact"])
        return self._last(buttons)

    def _guess(self) -> Fields:
        if self.rng.random() < GUESSES:
            return {"do": "guess", "text": self.rng.choice(self.names)}
        return {"do": "next"}

    def _vet(self, artifact: str) -> Fields:
        shared = self.rng.choice(("ours", "everywhere", "unsure"))
        return {"do": "vet", "artifact": artifact, "known": "yes", "shared": shared}

    def _last(self, buttons: set[str]) -> Fields | None:
        if "propose" in buttons and self.proposes:
            self.proposes -= 1
            token = next(self._tokens)
            name = f"{token.capitalize()} {next(self._numbers)}"
            return {"do": "propose", "name": name, "about": f"People meet where {token} is"}
        return {"do": "finish"} if "finish" in buttons else None


def time_left(html: str) -> float | None:
    """Seconds until the deadline that the page shows."""
    found = _LEFT.search(html)
    return int(found[1]) / 1000 if found else None
