"""What was said in a game, turn by turn, and which games there are to read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from core.errors import NotFound
from games import in_words
from games.machine import Phase, Player, State
from games.machine.state import TURNING
from games.models import Game, Seat, Turn, Utterance, Vetting
from games.selectors.watching import code
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
    """Something said: `who` is the code of its player, `came` what became of it and `decided` by
    whom, in words; `strike`, `rule` and `judge` whether a moderator may do that now."""

    said: Utterance
    who: str
    came: str
    decided: str = ""
    strike: bool = False
    rule: bool = False
    judge: bool = False


@dataclass(frozen=True, slots=True)
class TurnRead:
    """`name` and `forbidden` are the artifact's, as the game was dealt them."""

    turn: Turn
    name: str
    forbidden: str
    giver: str
    guesser: str
    outcome: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Sitting:
    seat: Seat
    code: str
    presence: str
    removable: bool


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
    codes = {seat.number: code(seat) or "recorded clues" for seat in seats}
    said: dict[tuple[int, str], list[Line]] = {}
    for each in game.utterances.select_related("source").order_by("pk"):
        place = (each.turn, "" if each.turn else each.kind)
        said.setdefault(place, []).append(_line(each, codes))
    return Transcript(
        game,
        state,
        "paused by a moderator" if state.halted else in_words.of(in_words.PHASES, state.phase),
        in_words.of(in_words.ENDINGS, game.ended_reason) if game.ended_reason else "",
        not state.halted and state.phase in (*TURNING, Phase.PAUSED),
        [_player(game, seat, state) for seat in seats],
        [_turn(game, turn, codes, said.get((turn.number, ""), [])) for turn in game.turns.all()],
        said.get((0, Kind.PROPOSAL), []),
        said.get((0, Kind.WARNING), []),
        [(codes[each.seat], each, name_of(game, each.artifact_id)) for each in game.vettings.all()],
    )


def name_of(game: Game, artifact: int | None) -> str:
    """What an artifact was called when the game was dealt."""
    card = game.cards.get(str(artifact))
    return card["names"][0] if card else ""


def _player(game: Game, seat: Seat, state: State) -> Sitting:
    human = state.players[seat.number] is Player.HUMAN and not state.gone(seat.number)
    return Sitting(
        seat,
        code(seat),
        in_words.presence(state, seat.number, seat.left_reason),
        human and game.phase != Phase.ENDED,
    )


def _turn(game: Game, turn: Turn, codes: Mapping[int, str], lines: list[Line]) -> TurnRead:
    card = game.cards.get(str(turn.artifact_id), {"names": [""], "forbidden": []})
    return TurnRead(
        turn,
        card["names"][0],
        ", ".join((*card["names"][1:], *card["forbidden"])),
        codes[turn.giver],
        codes[1 - turn.giver],
        in_words.of(in_words.OUTCOMES, turn.outcome) if turn.outcome else "being played",
        lines,
    )


def _line(said: Utterance, codes: Mapping[int, str]) -> Line:
    words = in_words.PROPOSALS if said.kind == Kind.PROPOSAL else in_words.VERDICTS
    came = "" if said.kind == Kind.WARNING else in_words.of(words, said.verdict)
    if said.reason:
        came = f"{came} ({in_words.reason(said.reason)})"
    in_turn = said.kind in (Kind.CLUE, Kind.GUESS)
    stands = not said.struck and not said.removed
    return Line(
        said,
        codes[said.seat],
        came,
        _decided(said),
        strike=in_turn and stands,
        rule=said.verdict == Verdict.APPEALED and stands,
        judge=said.verdict == Verdict.DOUBTFUL and stands,
    )


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
