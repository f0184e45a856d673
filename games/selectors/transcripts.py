"""What was said in a game, turn by turn, and which games there are to read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from core.errors import NotFound
from games import in_words
from games.machine import Outcome, Phase, Player, State
from games.machine.state import TURNING
from games.models import Game, Seat, Turn, Utterance, Vetting
from games.selectors.watching import code
from studies import languages
from studies.models import Study

Kind, Verdict = Utterance.Kind, Utterance.Verdict


@dataclass(frozen=True)
class Filters:
    """What to show of the games that have ended; all of it stands in the address."""

    activity: str = ""
    region: str = ""
    reason: str = ""
    phase: str = ""  # pilot | main
    play: str = ""  # people | recorded


@dataclass(frozen=True, slots=True)
class Line:
    """Something said: `who` is the code of its player, empty of a recorded one; `came` what became
    of it and `decided` by whom, in words; `strike`, `rule` and `judge` whether a moderator may do
    that now."""

    said: Utterance
    who: str
    came: str
    decided: str = ""
    strike: bool = False
    rule: bool = False
    judge: bool = False


@dataclass(frozen=True, slots=True)
class TurnRead:
    """`name` and `forbidden` are the artifact's, as the game was dealt them. `giver` and `guesser`
    are codes, empty where nobody sat there."""

    turn: Turn
    name: str
    forbidden: str
    giver: str
    guesser: str
    outcome: str
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sitting:
    """`reads` is their language, in English."""

    seat: Seat
    code: str
    presence: str
    removable: bool
    reads: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """`haltable` is whether a moderator can pause the game now."""

    game: Game
    state: State
    phase: str
    ended: str
    haltable: bool
    players: list[Sitting]
    turns: list[TurnRead]
    proposals: list[Line] = field(default_factory=list)
    warnings: list[Line] = field(default_factory=list)
    vettings: list[tuple[str, Vetting, str]] = field(default_factory=list)


def access_game(study: Study, code: str) -> Game:
    """A game of a study already accessed; raises `game.unknown`."""
    game = (
        Game.objects.filter(activity__study=study, code=code)
        .select_related("activity__study", "region")
        .first()
    )
    if game is None:
        raise NotFound(
            "game.unknown",
            f"This study has no game “{code}”. Choose one from its list of games.",
            game=code,
        )
    return game


def ended(study: Study, filters: Filters) -> QuerySet[Game]:
    """The games that have ended and fit, the newest first."""
    recorded = Seat.objects.filter(game=OuterRef("pk"), player=Player.RECORDED)
    games = Game.objects.filter(activity__study=study, phase=Phase.ENDED)
    games = games.annotate(recorded=Exists(recorded))
    wanted = {
        "activity__slug": filters.activity,
        "region__slug": filters.region,
        "ended_reason": filters.reason,
        "activity__phase": filters.phase,
    }
    games = games.filter(**{key: value for key, value in wanted.items() if value})
    if filters.play in ("people", "recorded"):
        games = games.filter(recorded=filters.play == "recorded")
    return games.select_related("activity").defer("cards", "rules").order_by("-ended", "-pk")


def reasons(study: Study) -> list[tuple[str, str]]:
    """How games of the study have ended so far: (code, words)."""
    codes = Game.objects.filter(activity__study=study, phase=Phase.ENDED).order_by()
    found = sorted(codes.values_list("ended_reason", flat=True).distinct())
    return [(each, in_words.of(in_words.ENDINGS, each)) for each in found]


def transcript(game: Game) -> Transcript:
    """Everything that was said and done in a game, whether it goes on or not."""
    state = State.from_json(game.state)
    seats = list(game.seats.select_related("participation__participant"))
    codes = {seat.number: code(seat) for seat in seats}
    sat = _sat(game, seats)
    turns = {turn.number: _turn(game, turn, sat) for turn in game.turns.all()}
    beside: dict[str, list[Line]] = {}
    for said in game.utterances.order_by("pk"):
        if said.turn:
            turns[said.turn].lines.append(_line_of_turn(said, turns[said.turn]))
        else:
            line = _line_beside(said, codes[said.seat], Player.RECORDED in state.players)
            beside.setdefault(said.kind, []).append(line)
    return Transcript(
        game,
        state,
        "paused by a moderator" if state.halted else in_words.of(in_words.PHASES, state.phase),
        in_words.of(in_words.ENDINGS, game.ended_reason) if game.ended_reason else "",
        not state.halted and state.phase in (*TURNING, Phase.PAUSED),
        [_player(game, seat, state) for seat in seats],
        list(turns.values()),
        beside.get(Kind.PROPOSAL, []),
        beside.get(Kind.WARNING, []),
        [(codes[each.seat], each, name_of(game, each.artifact_id)) for each in game.vettings.all()],
    )


def verdict(game: Game, kind: str, turn: int, number: int) -> str:
    """Of something that was said in a turn, as it stands."""
    said = Utterance.objects.filter(game=game, kind=kind, turn=turn, number=number)
    return said.values_list("verdict", flat=True).first() or ""


def name_of(game: Game, artifact: int | None) -> str:
    """What an artifact was called when the game was dealt."""
    card = game.cards.get(str(artifact))
    return card["names"][0] if card else ""


def _player(game: Game, seat: Seat, state: State) -> Sitting:
    human = state.players[seat.number] is Player.HUMAN and not state.gone(seat.number)
    person = seat.participation.participant if seat.participation else None
    return Sitting(
        seat,
        code(seat),
        in_words.presence(state, seat.number, seat.left_reason),
        human and game.phase != Phase.ENDED,
        languages.in_english(person.language) if person else "",
    )


def _sat(game: Game, seats: Sequence[Seat]) -> Callable[[int, Turn], str]:
    """Who sat at a seat in a turn, by code; empty where a recorded player did."""
    by_number = {seat.number: seat for seat in seats}
    replaced: dict[int | None, datetime] = {}
    if any(seat.player == Player.RECORDED for seat in seats):
        replaced = dict(game.events.filter(kind="replaced").values_list("seat", "at"))

    def sat(number: int, turn: Turn) -> str:
        seat = by_number[number]
        if seat.player != Player.RECORDED:
            return code(seat) or "a bot"
        until = replaced.get(number)
        return code(seat) if until and turn.begun < until else ""

    return sat


def _turn(game: Game, turn: Turn, sat: Callable[[int, Turn], str]) -> TurnRead:
    card = game.cards.get(str(turn.artifact_id), {"names": [""], "forbidden": []})
    guesser = sat(1 - turn.giver, turn)
    outcome = in_words.of(in_words.OUTCOMES, turn.outcome) if turn.outcome else "being played"
    if turn.outcome == Outcome.PASSED and not guesser:
        outcome = in_words.DESCRIBED
    return TurnRead(
        turn,
        card["names"][0],
        ", ".join((*card["names"][1:], *card["forbidden"])),
        sat(turn.giver, turn),
        guesser,
        outcome,
    )


def _line_of_turn(said: Utterance, turn: TurnRead) -> Line:
    stands = not said.struck and not said.removed
    return Line(
        said,
        turn.giver if said.seat == turn.turn.giver else turn.guesser,
        _came(said, turn),
        _decided(said),
        strike=stands,
        rule=said.verdict == Verdict.APPEALED and stands,
        judge=said.verdict == Verdict.DOUBTFUL and stands,
    )


def _came(said: Utterance, turn: TurnRead) -> str:
    """What became of it; why it was kept back only while it is."""
    if said.verdict == Verdict.SAID:
        return in_words.VERDICTS[said.verdict] if turn.guesser else in_words.UNHEARD
    came = in_words.of(in_words.VERDICTS, said.verdict)
    return f"{came}: {in_words.reason(said.reason)}" if said.reason else came


def _line_beside(said: Utterance, who: str, alone: bool) -> Line:
    """A message or a proposal; `alone` is whether there was no partner to confirm one."""
    if said.kind == Kind.WARNING:
        return Line(said, who, "", _decided(said))
    came = in_words.of(in_words.PROPOSALS, said.verdict)
    if said.verdict == Verdict.PROPOSED and alone:
        came = in_words.ALONE
    return Line(said, who, came, _decided(said))


def _decided(said: Utterance) -> str:
    """By whom, where that is not plain from the verdict."""
    by = in_words.decided_by(said.decided_by)
    if said.struck:
        return f"struck {by}"
    told = {
        Kind.CLUE: (Verdict.ALLOWED, Verdict.REFUSED),
        Kind.GUESS: (Verdict.RIGHT, Verdict.WRONG),
        Kind.PROPOSAL: (Verdict.ALLOWED, Verdict.REFUSED),
    }
    return by if said.verdict in told.get(Kind(said.kind), ()) else ""
