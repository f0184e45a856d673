"""The reads of a command in a game: one small query each, compiled once where it is often made."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.prepared import Prepared
from games.models import Game, GameEvent, Seat, Turn, Utterance
from games.selectors import artifacts, between
from studies import setup
from studies.models import Participant
from studies.participation import Status

_said: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(game=game, turn=turn, kind="clue", verdict="said")
        .order_by("number")
        .values_list("text")
    ),
    int,
    int,
)
PENDING = (Utterance.Verdict.APPEALED, Utterance.Verdict.DOUBTFUL)


def followed(game: int, seat: int | None, nonce: str) -> bool:
    """Whether a command of this number was followed already."""
    return GameEvent.objects.filter(game=game, seat=seat, nonce=nonce).exists()


def said(game: int, turn: int) -> tuple[str, ...]:
    """The clues of a turn that its guesser has read."""
    return tuple(text for (text,) in _said.rows(game, turn))


def played(game: int) -> frozenset[int]:
    """The artifacts whose turn has ended."""
    turns = Turn.objects.filter(game=game).exclude(outcome="")
    return frozenset(turns.values_list("artifact", flat=True))


def written(game: int) -> frozenset[tuple[str, int, int]]:
    """(kind, turn, number) of all that was said in turns."""
    rows = Utterance.objects.filter(game=game, kind__in=("clue", "guess"))
    return frozenset(rows.values_list("kind", "turn", "number"))


def pending(game: int) -> frozenset[tuple[str, int, int]]:
    """(kind, turn, number) of what waits for a moderator."""
    rows = Utterance.objects.filter(game=game, verdict__in=PENDING, struck=False)
    return frozenset(rows.values_list("kind", "turn", "number"))


def recorded_deck(pk: int) -> tuple[int, ...]:
    """Artifacts of the game's region that somebody has described in another game, in words that
    stand, and that this game has not used; those with the most such games first."""
    row = Game.objects.select_related("activity").get(pk=pk)
    state = row.state
    used = {each for deck in state["decks"] for each in deck}
    used |= set(Turn.objects.filter(game=pk).values_list("artifact", flat=True))
    phase = row.activity.phase
    clues = recorded_clues(row.region_id, phase).exclude(game=pk).exclude(artifact__in=used)
    known = artifacts.standing(set(clues.values_list("artifact", flat=True))) - used
    held = [int(each) for each in row.cards]
    return tuple(each for each in held if each in known)[: row.rules["deck"]]


def recorded_clues(region: int, phase: str = setup.Phase.MAIN) -> QuerySet[Utterance]:
    """Clues of ended games that a recorded player may repeat in a game of a study's `phase`: said
    by people to people. In the main phase they are of the main phase; never of who has withdrawn,
    was rejected or is kept out of the results."""
    turns = Turn.objects.filter(game=OuterRef("game"), number=OuterRef("turn"))
    givers = Seat.objects.filter(
        game=OuterRef("game"), number=OuterRef("seat"), participation__isnull=False
    ).exclude(
        Q(participation__included=False)
        | Q(participation__status__in=(Status.REJECTED, Status.WITHDRAWN))
        | Q(participation__participant__status=Participant.Status.WITHDRAWN)
    )
    clues = Utterance.objects.filter(
        Exists(between.people(turns)),
        Exists(givers),
        game__region=region,
        game__phase="ended",
        kind="clue",
        verdict="said",
        struck=False,
        removed=False,
        source=None,
    )
    return clues.filter(game__activity__phase=phase) if phase == setup.Phase.MAIN else clues
