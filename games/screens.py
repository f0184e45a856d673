"""What a player is shown of their game: one renderer for the page and for the socket."""

from dataclasses import dataclass

from studies.models import Participation


@dataclass(frozen=True, slots=True)
class Shown:
    """`version` goes up with every change of what is shown; `html` is what stands in the page's
    `#game`."""

    version: int
    html: str


def shown(participation: Participation) -> Shown:
    """What the participant has before them now; reads, and never writes."""
    return Shown(0, "")
