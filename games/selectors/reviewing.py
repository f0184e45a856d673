"""Who has played and waits for a decision, and what it can rest on."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from statistics import median

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from core.errors import NotFound
from games import in_words
from games.machine import Outcome
from games.models import Game, Seat, Turn, Utterance
from games.selectors import between, transcripts, watching
from games.selectors.transcripts import Transcript
from studies.models import Activity, Participation, Study
from studies.participation import Status
from studies.setup import ActivityKind

# What there is to review, in the order of who waits for it.
STATUSES = (Status.SUBMITTED, Status.ACCEPTED, Status.REJECTED, Status.TIMED_OUT)
FINISHED = (Status.SUBMITTED, Status.ACCEPTED, Status.REJECTED)
PLAYED = (Outcome.GUESSED, Outcome.MISSED, Outcome.PASSED)
ALL = "all"


@dataclass(frozen=True)
class Filters:
    """From the address: `status` is one of STATUSES or ALL, the others a slug or empty."""

    status: str = Status.SUBMITTED
    region: str = ""
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A participation in the list: of `turns` that were played to their end with a person guessing
    `guessed` were right, whoever described. `endings` say how each of its games ended. `warned` and
    `struck` count messages of a moderator to the person, and words of theirs that were struck."""

    row: Participation
    region: str
    time: str
    turns: int
    guessed: int
    endings: list[str]
    warned: int
    struck: int

    @property
    def acceptable(self) -> bool:
        """Whether it may be accepted without being opened."""
        return self.row.status == Status.SUBMITTED and not self.warned and not self.struck


@dataclass(frozen=True, slots=True)
class Sheet:
    """One participation: its games in the order they were played, the newest last. `usual` is the
    median time of the `n` who have finished the activity, empty where nobody has."""

    line: Line
    games: list[Transcript]
    usual: str
    n: int


def access_participation(study: Study, code: str) -> Participation:
    """A participation of a study already accessed that there is something to review of.

    Raises `review.unknown` (404)."""
    row = _participations(study).filter(code=code, status__in=STATUSES).first()
    if row is None:
        raise NotFound(
            "review.unknown",
            "There is nothing to review here: the game is not over, the person has withdrawn, or "
            "the address is wrong. Choose somebody from the list.",
        )
    return row


def queue(study: Study, filters: Filters) -> QuerySet[Participation]:
    """Those longest waiting first."""
    wanted = STATUSES if filters.status == ALL else (filters.status,)
    rows = _participations(study).filter(status__in=set(wanted) & set(STATUSES))
    if filters.region:
        rows = rows.filter(participant__region__slug=filters.region)
    if filters.activity:
        rows = rows.filter(activity__slug=filters.activity)
    turns = [When(status=status, then=Value(turn)) for turn, status in enumerate(STATUSES)]
    turn = Case(*turns, output_field=IntegerField())
    return rows.annotate(turn=turn).order_by("turn", "last_seen", "pk")


def status_counts(study: Study) -> dict[str, int]:
    """How many participations there are of each of STATUSES."""
    rows = _participations(study).filter(status__in=STATUSES).order_by()
    found = dict(rows.values_list("status").annotate(n=Count("pk")))
    return {str(status): found.get(status, 0) for status in STATUSES}


def waiting(studies: Collection[int]) -> dict[int, int]:
    """How many wait to be decided on, by the ids of the studies that have some."""
    rows = Participation.objects.filter(
        activity__study__in=studies, activity__kind=ActivityKind.GAME, status=Status.SUBMITTED
    )
    return dict(rows.order_by().values_list("activity__study").annotate(n=Count("pk")))


def next_waiting(study: Study, but: Participation) -> Participation | None:
    return queue(study, Filters()).exclude(pk=but.pk).first()


def chosen(study: Study, codes: Collection[str]) -> list[Participation]:
    return list(_participations(study).filter(code__in=[code for code in codes if code.isalnum()]))


def marked(rows: Iterable[Participation]) -> set[int]:
    """The keys of those that somebody should look at before they are accepted."""
    return {line.row.pk for line in lines(rows) if line.warned or line.struck}


def lines(rows: Iterable[Participation]) -> list[Line]:
    """Everything the list shows of participations, in a fixed number of queries."""
    rows = list(rows)
    seats: dict[int, list[Seat]] = defaultdict(list)
    sat = Seat.objects.filter(participation__in=rows).select_related("game")
    for seat in sat.defer("game__cards", "game__rules").order_by("pk"):
        seats[seat.participation_id or 0].append(seat)
    games = {seat.game_id for each in seats.values() for seat in each}
    turns, words = _turns(games), _words(games)
    regions = watching.names(rows[0].activity.study) if rows else {}
    return [_line(row, seats[row.pk], turns, words, regions) for row in rows]


def sheet(row: Participation) -> Sheet:
    games = Game.objects.filter(seats__participation=row).select_related("activity__study")
    times = _times(row.activity)
    return Sheet(
        lines([row])[0],
        [transcripts.transcript(game) for game in games.order_by("pk")],
        _minutes(median(times)) if times else "",
        len(times),
    )


def _times(activity: Activity) -> list[int]:
    rows = Participation.objects.filter(activity=activity, status__in=FINISHED).order_by()
    return list(rows.values_list("worked_ms", flat=True))


def _line(
    row: Participation,
    seats: list[Seat],
    turns: dict[int, Counter[bool]],
    words: Counter[tuple[int, int, bool]],
    regions: dict[int, str],
) -> Line:
    played: Counter[bool] = Counter()
    for seat in seats:
        played += turns.get(seat.game_id, Counter())
    return Line(
        row,
        regions.get(row.participant.region_id or 0, "not yet known"),
        _minutes(row.worked_ms),
        played.total(),
        played[True],
        [_ending(seat) for seat in seats],
        sum(words[seat.game_id, seat.number, True] for seat in seats),
        sum(words[seat.game_id, seat.number, False] for seat in seats),
    )


def _ending(seat: Seat) -> str:
    if seat.left_reason:
        return in_words.of(in_words.LEFT, seat.left_reason)
    if not seat.game.ended_reason:
        return "the partner still looks back"
    return in_words.of(in_words.ENDINGS, seat.game.ended_reason)


def _turns(games: Collection[int]) -> dict[int, Counter[bool]]:
    """How many turns of each game a person could guess in that were played to their end, by whether
    they were guessed."""
    found: dict[int, Counter[bool]] = defaultdict(Counter)
    rows = between.guessed(Turn.objects.filter(game__in=games, outcome__in=PLAYED))
    for game, outcome in rows.values_list("game", "outcome"):
        found[game][outcome == Outcome.GUESSED] += 1
    return found


def _words(games: Collection[int]) -> Counter[tuple[int, int, bool]]:
    """How often a player (game, seat) was written to, and how many of their words were struck:
    (game, seat, whether it is a message)."""
    warning = Utterance.Kind.WARNING
    rows = Utterance.objects.filter(Q(struck=True) | Q(kind=warning), game__in=games)
    columns = ("game", "seat", "kind")
    return Counter((game, seat, kind == warning) for game, seat, kind in rows.values_list(*columns))


def _minutes(ms: float) -> str:
    return in_words.minutes(ms / 1000)


def _participations(study: Study) -> QuerySet[Participation]:
    rows = Participation.objects.filter(activity__study=study, activity__kind=ActivityKind.GAME)
    return rows.select_related("activity__study", "participant__region")
