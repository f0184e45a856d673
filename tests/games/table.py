"""A game of two played on the machine alone: the clock and the rows beside it are kept by hand.

Whatever is done is checked as it happens: events fold to the state, both survive JSON, and no
event holds a word.
"""

import json
import re
from dataclasses import dataclass, field

from games import dealing, machine
from games.dealing import Known
from games.machine import CLOCK, MODERATOR, Event, Phase, State, player
from games.machine.commands import Rate, Ready, Tick
from games.rules import Rules

START = 1_700_000_000_000
NAMES = ("Lantern bread", "Salt herring", "Bell night", "Net blessing", "Reed boat", "Fog horn",
         "Tide table", "Harbour song", "Wax candle", "Gull feather")  # fmt: skip
CARDS = dealing.cards(
    dealing.stored(Known(number, (name,)) for number, name in enumerate(NAMES, start=1))
)
CODE = re.compile(r"[a-z][a-z0-9_.]*")


@dataclass
class Table:
    rules: Rules = field(default_factory=Rules)
    decks: tuple[tuple[int, ...], tuple[int, ...]] = ((1, 2, 3), (4, 5, 6))
    players: tuple[str, str] = ("human", "human")
    recorded: tuple[int, ...] = ()
    now: int = START
    state: State = field(default_factory=State)
    events: list[Event] = field(default_factory=list)
    said: dict[tuple[int, int], str] = field(default_factory=dict)
    verdicts: dict[tuple[str, int, int], str] = field(default_factory=dict)
    played: list[int] = field(default_factory=list)

    def __post_init__(self):
        dealt = {
            "decks": [list(deck) for deck in self.decks],
            "players": list(self.players),
            "deadline": self.now + self.pace.ready,
        }
        self._take([Event("dealt", None, dealt)], [])

    @property
    def pace(self):
        return self.rules.paced(1)

    @property
    def turn(self):
        return self.state.turn

    @property
    def giver(self):
        return self.state.turn.giver

    @property
    def guesser(self):
        return 1 - self.giver

    @property
    def word(self):
        return CARDS[self.turn.artifact].name

    def do(self, by, command):
        """The kinds of the events that follow from it, which are taken."""
        number = self.turn.number if self.turn else 0
        decided = machine.decide(self.state, by, command, machine.Table(
            now=self.now,
            rules=self.rules,
            pace=self.pace,
            cards=CARDS,
            said=tuple(self.said[number, each] for each in (self.turn.said if self.turn else ())),
            played=frozenset(self.played),
            written=frozenset(self.verdicts),
            pending=frozenset(k for k, v in self.verdicts.items() if v in ("appealed", "doubtful")),
            recorded=lambda: self.recorded,
        ))  # fmt: skip
        before = self.state
        self._take(decided.events, decided.words)
        assert self.state == decided.state
        assert (self.state == before) or decided.events
        return [event.kind for event in decided.events]

    def say(self, seat, command):
        return self.do(player(seat), command)

    def moderate(self, command):
        return self.do(MODERATOR, command)

    def wait(self, seconds):
        """Time passes, and the clock does what is due by then."""
        until = self.now + round(seconds * 1000)
        while self.state.due is not None and self.state.due <= until:
            self.tick()
        self.now = until

    def tick(self):
        """The clock at the next instant at which something is due."""
        self.now = max(self.now, self.state.due)
        kinds = self.do(CLOCK, Tick())
        assert kinds, "what was due is due still"
        assert self.state.due is None or self.state.due > self.now
        return kinds

    def begin(self):
        for seat in (0, 1):
            self.say(seat, Ready())
        return self

    def rate(self):
        return self.say(self.guesser, Rate(4, 5))

    def run_out(self, most=2000):
        """Only the clock moves, until the game has ended."""
        for _tick in range(most):
            if self.state.phase is Phase.ENDED:
                return self
            self.tick()
        raise AssertionError("the game does not end")

    def _take(self, events, words):
        for each in words:
            if each.kind == "clue":
                self.said[each.turn, each.number] = each.text
            if each.kind in ("clue", "guess"):
                self.verdicts[each.kind, each.turn, each.number] = each.verdict
        for event in events:
            assert_wordless(event.data)
            self.state = machine.apply(self.state, Event(**json.loads(json.dumps(vars_of(event)))))
            self._keep(event)
            self.events.append(event)
        assert State.from_json(json.loads(json.dumps(self.state.as_json()))) == self.state
        assert machine.fold(self.events) == self.state

    def _keep(self, event):
        data, turn = event.data, self.turn.number if self.turn else 0
        if event.kind == "turn_begun":
            self.played.append(data["artifact"])
        elif event.kind == "clue_said":
            self.verdicts["clue", turn, data["number"]] = "said"
        elif event.kind == "clue_appealed":
            self.verdicts["clue", turn, data["number"]] = "appealed"
        elif event.kind == "appeal_decided":
            self.verdicts["clue", data["turn"], data["number"]] = "decided"
        elif event.kind == "confirmed":
            verdict = {"yes": "right", "no": "wrong", "unsure": "doubtful"}[data["meant"]]
            self.verdicts["guess", data["turn"], data["number"]] = verdict
        elif event.kind == "judged":
            verdict = "right" if data["right"] else "wrong"
            self.verdicts["guess", data["turn"], data["number"]] = verdict


def vars_of(event):
    return {"kind": event.kind, "seat": event.seat, "data": event.data}


def assert_wordless(data):
    for value in data.values():
        for each in value if isinstance(value, list) else [value]:
            flat = each if isinstance(each, list) else [each]
            for plain in flat:
                assert plain is None or isinstance(plain, int) or CODE.fullmatch(plain), data
