"""What games tell: how well people guessed, how artifacts were vetted and described.

A turn is one of two people where both seats were people's when it was played: a seat that a
recorded player took over later was its player's until then. Turns in which a recorded player gave
the clues are recorded play, and those of a bot are neither.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Exists, Min, OuterRef, QuerySet

from core.stats import Statistic
from games import saturation, scores
from games.machine import Outcome, Player
from games.machine.commands import Shared
from games.models import Game, GameEvent, Seat, Turn, Utterance, Vetting
from games.rules import LEAST_DESCRIPTIONS, Rules
from games.saturation import Step
from games.scores import Accuracy, Guessed
from games.selectors import between, plans, watching
from studies.models import Artifact, ArtifactName, Study

Verdict = Utterance.Verdict
PHASES = ("main", "pilot")
ORIGINS = tuple(Artifact.Origin.values)
GUESSES = 2  # of the definitions; games with a single guess a turn are in no rate
DESCRIBED = (*scores.PLAYED_OUT, Outcome.TIME_UP)  # outcomes after which an artifact is described
BY_PEOPLE, RECORDED = "people", "recorded"


@dataclass(frozen=True, slots=True)
class Cell:
    region: str
    origin: str
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class Vetted:
    """Of a region's artifacts after games: shares of the votes, with intervals by artifact."""

    region: str
    known: Statistic
    shared: dict[str, Statistic]


@dataclass(frozen=True, slots=True)
class Results:
    """`waiting` are guesses that a moderator has not judged yet and that count as wrong until then;
    `left_out` games with a single guess a turn."""

    cells: list[Cell]
    recorded: list[Cell]
    vetted: list[Vetted]
    games: int
    waiting: int
    left_out: int
    simulated: bool

    @property
    def some_recorded(self) -> bool:
        return any(cell.accuracy.turns for cell in self.recorded)


@dataclass(frozen=True, slots=True)
class Described:
    """One artifact of the list: `games` that described it, `wanted` by the rules, `steps` what each
    of those games added; ratings as (mean, how many)."""

    artifact: Artifact
    name: str
    games: int
    wanted: int
    clues: int
    outcomes: dict[str, int]
    accuracy: tuple[float | None, int]
    quality: tuple[float | None, int]
    steps: list[Step] = field(default_factory=list)

    @property
    def short(self) -> bool:
        return self.games < self.wanted


def results(study: Study, phase: str = "main") -> Results:
    """Region by region and origin, of the games of one phase that have ended or go on. One that
    somebody left before its first turn is none."""
    every, games = _turns(study, phase)
    regions = watching.names(study)
    single = {pk for pk, rules in games.items() if rules["guesses"] < GUESSES}
    counted = [(play, turn) for play, turn in every if turn.game not in single]
    people = [turn for play, turn in counted if play == BY_PEOPLE]
    repeated = [turn for play, turn in counted if play == RECORDED]
    waiting = Utterance.objects.filter(
        game__in=games, kind="guess", verdict=Verdict.DOUBTFUL, removed=False, struck=False
    )
    return Results(
        cells(people, regions),
        cells(repeated, regions),
        _vetted(study, phase, regions),
        len(games),
        waiting.count(),
        len(single),
        simulated(study, phase),
    )


def described(study: Study, phase: str = "main") -> dict[str, list[Described]]:
    """The listed artifacts by region, in the regions' order; in each those that too few games have
    described first, then by name."""
    turns: dict[int, list[Guessed]] = defaultdict(list)
    for play, turn in _turns(study, phase)[0]:
        if play == BY_PEOPLE:
            turns[turn.artifact].append(turn)
    said = _clues(study, phase)
    wanted = _wanted(study, phase)
    rows = list(study.artifacts.filter(status=Artifact.Status.LISTED))
    called = _names(rows)
    found: dict[int, list[Described]] = defaultdict(list)
    for row in rows:
        one = _described(row, called.get(row.pk, ""), turns[row.pk], said[row.pk], wanted)
        found[row.region_id].append(one)
    return {
        name: sorted(found[region], key=lambda each: (not each.short, each.games, each.name))
        for region, name in watching.names(study).items()
    }


def played_games(study: Study, phase: str) -> QuerySet[Game]:
    begun = Exists(Turn.objects.filter(game=OuterRef("pk")))
    return Game.objects.filter(begun, activity__study=study, activity__phase=phase)


# --- turns --------------------------------------------------------------------------------------


def _turns(study: Study, phase: str) -> tuple[list[tuple[str, Guessed]], dict[int, dict[str, int]]]:
    """Every turn that has ended as (by whom it was played, what came of it), and the rules of the
    games."""
    games = dict(played_games(study, phase).values_list("pk", "rules"))
    right = _first_right(study, phase)
    by = _players(study, phase)
    repeats = Utterance.objects.filter(
        game=OuterRef("game"), turn=OuterRef("number"), kind="clue", source__isnull=False
    )
    rows = Turn.objects.filter(game__activity__study=study, game__activity__phase=phase)
    rows = rows.exclude(outcome="").annotate(repeated=Exists(repeats))
    stands = _survivors(study)
    found = []
    for row in rows.select_related("artifact"):
        play = RECORDED if row.repeated else by(row)
        artifact = stands.get(row.artifact_id, row.artifact)
        turn = Guessed(
            row.game_id,
            artifact.pk,
            artifact.region_id,
            artifact.origin,
            row.outcome,
            right.get((row.game_id, row.number), 0),
            row.accuracy,
            row.quality,
        )
        found.append((play, turn))
    return found, games


def _first_right(study: Study, phase: str) -> dict[tuple[int, int], int]:
    """The number of the first right guess of each turn that has one."""
    rows = Utterance.objects.filter(
        game__activity__study=study,
        game__activity__phase=phase,
        kind="guess",
        verdict=Verdict.RIGHT,
    )
    first = rows.order_by().values_list("game", "turn").annotate(first=Min("number"))
    return {(game, turn): number for game, turn, number in first}


def _players(study: Study, phase: str) -> Callable[[Turn], str]:
    """By whom a turn without recorded clues was played; "" for bots, and for a person who gave
    clues to a recorded player."""
    seats = Seat.objects.filter(game__activity__study=study, game__activity__phase=phase)
    others = dict(seats.exclude(player=Player.HUMAN).values_list("game", "player"))
    replaced = GameEvent.objects.filter(game__in=others, kind="replaced").order_by()
    taken_over = dict(replaced.values_list("game").annotate(at=Min("at")))

    def by(turn: Turn) -> str:
        if turn.game_id not in others:
            return BY_PEOPLE
        over = taken_over.get(turn.game_id)
        return BY_PEOPLE if over and turn.begun < over else ""

    return by


def _survivors(study: Study) -> dict[int, Artifact]:
    """What stands for each artifact that was merged."""
    merged = {row.pk: row for row in study.artifacts.filter(status=Artifact.Status.MERGED)}
    ends = study.artifacts.filter(merged__isnull=False).exclude(status=Artifact.Status.MERGED)
    standing = {row.pk: row for row in ends}
    found = {}
    for pk, row in merged.items():
        at = row.merged_into_id
        while at in merged:
            at = merged[at].merged_into_id
        if at in standing:
            found[pk] = standing[at]
    return found


# --- results ------------------------------------------------------------------------------------


def cells(turns: Iterable[Guessed], regions: Mapping[int, str]) -> list[Cell]:
    """Every region with every origin, also where nothing was played; `regions` are the names of
    those that turns have by number."""
    found: dict[tuple[int, str], list[Guessed]] = defaultdict(list)
    for turn in turns:
        found[turn.region, turn.origin].append(turn)
    return [
        Cell(name, origin, scores.accuracy(found[region, origin]))
        for region, name in regions.items()
        for origin in ORIGINS
    ]


def _vetted(study: Study, phase: str, regions: dict[int, str]) -> list[Vetted]:
    rows = Vetting.objects.filter(game__activity__study=study, game__activity__phase=phase)
    stands = _survivors(study)
    found: dict[int, list[tuple[int, bool, str]]] = defaultdict(list)
    votes = rows.values_list("artifact__region", "artifact", "known", "shared")
    for region, artifact, known, shared in votes:
        standing = stands[artifact].pk if artifact in stands else artifact
        found[region].append((standing, known, shared))
    return [_votes(name, found[region]) for region, name in regions.items()]


def _votes(region: str, votes: list[tuple[int, bool, str]]) -> Vetted:
    known = scores.shares((artifact, known) for artifact, known, _shared in votes)
    shared = {
        each.value: scores.shares((artifact, shared == each) for artifact, _k, shared in votes)
        for each in Shared
    }
    return Vetted(region, known, shared)


def simulated(study: Study, phase: str) -> bool:
    seats = Seat.objects.filter(game__in=played_games(study, phase))
    return study.simulated or seats.filter(participation__participant__simulated=True).exists()


# --- artifacts ----------------------------------------------------------------------------------


def _described(
    row: Artifact, name: str, turns: list[Guessed], said: list[list[str]], wanted: int
) -> Described:
    steps = saturation.over(said)
    return Described(
        row,
        name,
        len({turn.game for turn in turns if turn.outcome in DESCRIBED}),
        wanted,
        sum(len(clues) for clues in said),
        scores.outcomes(turns),
        scores.mean(turn.accuracy for turn in turns),
        scores.mean(turn.quality for turn in turns),
        steps,
    )


def _clues(study: Study, phase: str) -> dict[int, list[list[str]]]:
    """By artifact the clues that people gave, a partner read and nobody struck: a list for each
    game in the order in which they were played."""
    turns = Turn.objects.filter(game=OuterRef("game"), number=OuterRef("turn"))
    clues = Utterance.objects.filter(
        Exists(between.people(turns)),
        game__activity__study=study,
        game__activity__phase=phase,
        kind="clue",
        verdict=Verdict.SAID,
        struck=False,
        removed=False,
        source=None,
    )
    stands = _survivors(study)
    found: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for artifact, game, text in clues.order_by("pk").values_list("artifact", "game", "text"):
        standing = stands[artifact].pk if artifact in stands else artifact
        found[standing][game].append(text)
    return defaultdict(list, {each: list(games.values()) for each, games in found.items()})


def _wanted(study: Study, phase: str) -> int:
    """Games wanted for each artifact: the most that a game activity of the phase asks for."""
    activities = study.activities.filter(kind="game", phase=phase)
    rules: list[Rules] = [plans.rules(activity) for activity in activities]
    return max((each.descriptions for each in rules), default=LEAST_DESCRIPTIONS)


def _names(rows: list[Artifact]) -> dict[int, str]:
    names = ArtifactName.objects.filter(artifact__in=rows, kind=ArtifactName.Kind.NAME)
    return dict(names.values_list("artifact", "text"))
