"""What players, moderators and the clock may ask of a game."""

from dataclasses import dataclass
from enum import StrEnum


class Who(StrEnum):
    PLAYER = "player"
    MODERATOR = "moderator"
    SYSTEM = "system"  # the clock, presence, and a person's leaving the study


@dataclass(frozen=True, slots=True)
class Ready:
    """The player wants to begin."""


@dataclass(frozen=True, slots=True)
class Clue:
    text: str


@dataclass(frozen=True, slots=True)
class NoMore:
    """The giver has no further clue for this artifact."""


@dataclass(frozen=True, slots=True)
class Guess:
    text: str


@dataclass(frozen=True, slots=True)
class Next:
    """The guesser asks for the next clue; where none is left, they pass."""


class Meant(StrEnum):
    YES = "yes"
    NO = "no"
    UNSURE = "unsure"  # a moderator shall say


@dataclass(frozen=True, slots=True)
class Confirm:
    meant: Meant


@dataclass(frozen=True, slots=True)
class Rate:
    """1 to 5 each."""

    accuracy: int
    quality: int


@dataclass(frozen=True, slots=True)
class Appeal:
    """The giver asks a moderator to let a refused clue pass; `clue` is its number in the turn."""

    clue: int


class Shared(StrEnum):
    """How far an artifact is known, in a player's eyes."""

    OURS = "ours"
    EVERYWHERE = "everywhere"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Vet:
    artifact: int
    known: bool
    shared: Shared


@dataclass(frozen=True, slots=True)
class Propose:
    """A further artifact of the region, and how the player would describe it."""

    name: str
    about: str


@dataclass(frozen=True, slots=True)
class Verify:
    """What a player says of the partner's proposal."""

    number: int
    belongs: bool


@dataclass(frozen=True, slots=True)
class Finish:
    """The player is done with looking back."""


@dataclass(frozen=True, slots=True)
class Here:
    """Who was counted as absent is back."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The player goes for good: `reason` is a code such as left, withdrawn, removed."""

    reason: str = "left"


@dataclass(frozen=True, slots=True)
class Drop:
    """Nothing is heard from a player's device any more."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The clock: does what is due, and nothing if nothing is."""


@dataclass(frozen=True, slots=True)
class Halt:
    """A moderator pauses the game."""


@dataclass(frozen=True, slots=True)
class Resume:
    """A moderator lets it go on."""


@dataclass(frozen=True, slots=True)
class End:
    reason: str = "moderator"


@dataclass(frozen=True, slots=True)
class Warn:
    """`text` is what the moderator tells a player, who alone reads it."""

    text: str


@dataclass(frozen=True, slots=True)
class Strike:
    """Take back a clue or guess that offends; its words are shown to nobody any more."""

    turn: int
    kind: str  # clue | guess
    number: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A moderator's word on an appealed clue: may it be said after all?"""

    turn: int
    clue: int
    allowed: bool


@dataclass(frozen=True, slots=True)
class Judge:
    """A moderator's word on a doubtful guess."""

    turn: int
    guess: int
    right: bool


PLAYERS = (Ready, Clue, NoMore, Guess, Next, Confirm, Rate, Appeal, Vet, Propose, Verify, Finish)
PLAYERS_ANYTIME = (Here, Leave)
MODERATORS = (Halt, Resume, End, Warn, Strike, Rule, Judge)
SYSTEMS = (Tick, Drop)
EVERY = (*PLAYERS, *PLAYERS_ANYTIME, *MODERATORS, *SYSTEMS)

Command = (
    Ready | Clue | NoMore | Guess | Next | Confirm | Rate | Appeal | Vet | Propose | Verify
    | Finish | Here | Leave | Drop | Tick | Halt | Resume | End | Warn | Strike | Rule | Judge
)  # fmt: skip
