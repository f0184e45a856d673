"""A round of practice: the participant describes, then guesses.

It is played by `games.machine` on a state that the page carries; the partner's seat is a bot's.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core import signing
from django.utils.html import format_html
from django.utils.translation import gettext

from core.errors import CommonplaceError
from games import machine, orders
from games.machine import Event, Phase, Player, State, Table, Words
from games.machine.commands import Clue, Command, Confirm, Guess, Meant, Next, NoMore, Rate, Ready
from games.machine.state import Outcome, Turn
from games.practice.scripts import GIVEN, GUESSED, Script, script
from games.rules import Rules
from games.screens import drawing, view
from games.screens.view import Around, Told, View

FIELD = "practice"  # the field of the page that carries the round
SALT = "games.practice"
ME, PARTNER = 0, 1
ALLOWED = (Clue, NoMore, Guess, Next, Confirm, Rate)
KNOWS_AFTER = 3  # clues; after two, the partner guesses wrongly


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How far it has come. `outcomes` are of the turns that are over. `fault` says why what was
    just sent was refused, `typed` holds it, and `status` is the answer's of HTTP."""

    state: State
    language: str
    words: tuple[Words, ...] = ()
    outcomes: tuple[str, ...] = ()
    fault: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)
    status: int = 200

    @property
    def over(self) -> bool:
        return self.state.phase in (Phase.AFTER, Phase.ENDED)

    @property
    def script(self) -> Script:
        return script(self.language)

    @property
    def turn(self) -> Turn:
        if self.state.turn is None:
            raise LookupError("no turn is being played")
        return self.state.turn

    def said(self, kind: str) -> list[Words]:
        """What was written in the present turn."""
        return [each for each in self.words if (each.turn, each.kind) == (self.turn.number, kind)]


def follow(fields: Mapping[str, str], language: str, rules: Rules) -> Round:
    """The round after what was sent; a new one where nothing was, or what cannot be read."""
    here = _carried(fields.get(FIELD, "")) or _begun(language, rules)
    if FIELD not in fields or here.over:
        return here
    try:
        command = orders.read(fields)
        if not isinstance(command, ALLOWED):
            return here
        return _driven(_played(here, ME, command, rules), rules)
    except CommonplaceError as error:
        typed = {name: value for name, value in fields.items() if name != FIELD}
        return replace(here, fault=gettext(error.message), typed=typed, status=error.http_status)


def drawn(here: Round, action: str, rules: Rules) -> str:
    """The zones of the round as HTML; none once it is over."""
    if here.over:
        return ""
    hidden = format_html('<input type="hidden" name="{}" value="{}">', FIELD, carry(here))
    place = drawing.Place(action, hidden, fault=here.fault, typed=here.typed)
    return drawing.draw(replace(_view(here, rules), left=None), place)


def carry(here: Round) -> str:
    """The round as a signed text."""
    stored = {
        "state": here.state.as_json(),
        "language": here.language,
        "words": [asdict(each) for each in here.words],
        "outcomes": here.outcomes,
    }
    return signing.dumps(stored, salt=SALT, compress=True)


def _carried(text: str) -> Round | None:
    try:
        stored: dict[str, Any] = signing.loads(text, salt=SALT)
    except signing.BadSignature:
        return None
    return Round(
        state=State.from_json(stored["state"]),
        language=stored["language"],
        words=tuple(Words(**each) for each in stored["words"]),
        outcomes=tuple(stored["outcomes"]),
    )


def _begun(language: str, rules: Rules) -> Round:
    players = [Player.HUMAN.value, Player.BOT.value]
    dealt = Event("dealt", None, {"decks": [[GIVEN], [GUESSED]], "players": players, "deadline": 0})
    here = Round(state=machine.apply(State(), dealt), language=language)
    for seat in (ME, PARTNER):
        here = _played(here, seat, Ready(), rules)
    return here


def _played(here: Round, seat: int, command: Command, rules: Rules) -> Round:
    texts = [each.text for each in here.said("clue")] if here.state.turn else []
    table = Table(
        now=0, rules=rules, pace=rules.paced(1), cards=here.script.cards, said=tuple(texts)
    )
    play = machine.decide(here.state, machine.player(seat), command, table)
    words = (*here.words, *play.words)
    for event in play.events:
        if event.kind == "confirmed":
            words = tuple(_confirmed(each, event) for each in words)
    ended = [event.data["outcome"] for event in play.events if event.kind == "turn_ended"]
    return Round(
        state=play.state,
        language=here.language,
        words=words,
        outcomes=(*here.outcomes, *ended),
    )


def _confirmed(words: Words, event: Event) -> Words:
    of = ("guess", event.data["turn"], event.data["number"])
    return (
        replace(words, verdict="right") if (words.kind, words.turn, words.number) == of else words
    )


# --- the partner --------------------------------------------------------------------------------


def _driven(here: Round, rules: Rules) -> Round:
    """The round once the partner has done what is theirs to do."""
    while (command := _answer(here, rules)) is not None:
        here = _played(here, PARTNER, command, rules)
    return here


def _answer(here: Round, rules: Rules) -> Command | None:
    if here.over:
        return None
    phase, turn = here.state.phase, here.turn
    if turn.giver == PARTNER:
        if phase is Phase.CONFIRM:
            return Confirm(Meant.YES)
        clues = here.script.clues
        spent = turn.written
        if phase is not Phase.CLUE:
            return None
        return Clue(clues[spent]) if spent < len(clues) else NoMore()
    return _guess(here, rules) if phase is Phase.GUESS else None


def _guess(here: Round, rules: Rules) -> Command:
    turn = here.turn
    last = turn.closed or turn.spent >= rules.clues
    if last or turn.spent >= KNOWS_AFTER:
        return Guess(here.script.cards[GIVEN].name)
    if turn.spent == KNOWS_AFTER - 1 and not turn.guesses and rules.guesses > 1:
        return Guess(here.script.wrong)
    return Next()


# --- what is shown ------------------------------------------------------------------------------


def _view(here: Round, rules: Rules) -> View:
    turn = here.turn
    before = _told(here, 1) if turn.number > 1 and not turn.guesses else None
    around = Around(here.state, ME, rules, rules.paced(1), now=0, before=before)
    clues = [
        view.Clue(each.number, each.text, each.verdict, each.reason) for each in here.said("clue")
    ]
    guesses = [view.Guess(each.number, each.text, each.verdict) for each in here.said("guess")]
    if here.state.phase is Phase.RATE:
        return view.rating(around, _told(here, turn.number), clues)
    if turn.giver == ME:
        return view.giving(around, here.script.cards[turn.artifact], clues, guesses)
    return view.guessing(around, clues, guesses)


def _told(here: Round, number: int) -> Told:
    artifact = (GIVEN, GUESSED)[number - 1]
    card = here.script.cards[artifact]
    return Told(artifact, card.name, Outcome(here.outcomes[number - 1]), artifact == GIVEN)
