"""The rules of the game: commands in, events out, and no database.

`deciding.MOVES` is the table of who may do what, and when; `events` says what each event makes of
the state. Clock and chance are arguments.
"""

from games.machine.deciding import CLOCK, MODERATOR, By, decide, player
from games.machine.events import Event, Words, apply, fold
from games.machine.play import Play, Table
from games.machine.state import Away, Outcome, Phase, Player, State, Turn

__all__ = [
    "CLOCK",
    "MODERATOR",
    "Away",
    "By",
    "Event",
    "Outcome",
    "Phase",
    "Play",
    "Player",
    "State",
    "Table",
    "Turn",
    "Words",
    "apply",
    "decide",
    "fold",
    "player",
]
