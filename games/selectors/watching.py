"""Games as they are played now: who waits, who plays, and what asks for a moderator."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Min, Q, QuerySet

from core import clock
from core.errors import NotFound
from games import in_words
from games.machine import Phase, State
from games.models import Game, Seat, Ticket, Utterance
from games.selectors import between
from studies import languages
from studies.models import Region, Study

Verdict = Utterance.Verdict
ASKED = (Verdict.APPEALED, Verdict.DOUBTFUL)
PLAYED = 100  # games shown at once
_FOR_THE_TEAM = Q(verdict=Verdict.CONFIRMED) | Q(verdict=Verdict.PROPOSED, alone=True)


@dataclass(frozen=True, slots=True)
class Queue:
    region: str
    waiting: int
    longest: str  # the longest wait, in words; empty where nobody waits


@dataclass(frozen=True, slots=True)
class Playing:
    """`who` are the two players with whether they are there: (code or what sits there, presence,
    whether something is amiss)."""

    game: Game
    region: str
    phase: str
    turn: int
    time: str
    who: list[tuple[str, str, bool]]
    asked: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A clue or guess that waits for a moderator; `name` is the artifact's, as its game has it."""

    utterance: Utterance
    name: str

    @property
    def appeal(self) -> bool:
        return self.utterance.verdict == Verdict.APPEALED


def names(study: Study) -> dict[int, str]:
    """The regions in their order, by number."""
    regions: QuerySet[Region] = study.regions.all()
    return {
        each.pk: languages.choose(each.names, study.languages)[1] or each.slug for each in regions
    }


def queues(study: Study) -> list[Queue]:
    """Who waits for a partner, region by region, all of them listed."""
    rows = Ticket.objects.filter(activity__study=study, status=Ticket.Status.WAITING)
    found = {
        region: (n, first)
        for region, n, first in rows.order_by()
        .values_list("region")
        .annotate(n=Count("pk"), first=Min("entered"))
    }
    return [
        Queue(name, found[pk][0], in_words.minutes(_since(found[pk][1])))
        if pk in found
        else Queue(name, 0, "")
        for pk, name in names(study).items()
    ]


def playing(study: Study) -> list[Playing]:
    """The games that go on, those where somebody is missing or a moderator is asked first, then
    the oldest."""
    rows = Game.objects.filter(activity__study=study).exclude(phase=Phase.ENDED)
    games = list(rows.defer("cards", "rules")[:PLAYED])
    called = names(study)
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(game__in=games).select_related("participation__participant"):
        seats[seat.game_id].append(seat)
    asked = Counter(
        Utterance.objects.filter(game__in=games, verdict__in=ASKED, removed=False).values_list(
            "game", flat=True
        )
    )
    shown = [_playing(game, called[game.region_id], seats[game.pk], asked) for game in games]
    return sorted(shown, key=lambda each: not (each.asked or any(amiss for *_, amiss in each.who)))


def _playing(game: Game, region: str, seats: list[Seat], asked: Counter[int]) -> Playing:
    state = State.from_json(game.state)
    phase = in_words.of(in_words.PHASES, state.phase)
    if state.halted:
        phase = "paused by a moderator"
    who = [
        (
            code(seat),
            in_words.presence(state, seat.number, seat.left_reason),
            state.away[seat.number] is not None,
        )
        for seat in seats
    ]
    time = in_words.minutes(_since(game.created))
    return Playing(game, region, phase, state.turns, time, who, asked[game.pk])


def code(seat: Seat) -> str:
    """The pseudonym of who sits there; nothing where nobody does."""
    return seat.participation.participant.code if seat.participation else ""


def asked(study: Study) -> list[Asked]:
    """What waits for a moderator, the oldest first."""
    rows = _asked([study.pk]).select_related("game").defer("game__state", "game__rules")
    return [Asked(each, _name(each)) for each in rows.order_by("pk")]


def proposals(study: Study) -> QuerySet[Utterance]:
    """What players proposed for the team to decide on, decided on or not, the oldest first: what
    their partner has confirmed, or could not where clues were recorded (`alone`)."""
    rows = Utterance.objects.annotate(alone=between.ALONE).filter(
        _FOR_THE_TEAM | Q(verdict__in=(Verdict.ALLOWED, Verdict.REFUSED)),
        game__activity__study=study,
        kind=Utterance.Kind.PROPOSAL,
    )
    rows = rows.select_related("game__activity__study", "artifact")
    return rows.defer("game__state", "game__cards").order_by("pk")


def proposed(study: Study) -> int:
    """How many proposals wait for a decision."""
    return _proposed([study.pk]).count()


def access_proposal(study: Study, number: str) -> Utterance:
    """A proposal of a study already accessed; raises `game.unknown`."""
    rows = proposals(study)
    row = rows.filter(pk=int(number)).first() if number.isascii() and number.isdigit() else None
    if row is None:
        raise NotFound("game.unknown", "There is no such proposal. Choose one from the list.")
    return row


def waiting(studies: Collection[int]) -> dict[int, int]:
    """How many appeals, doubtful guesses and proposals wait in each study."""
    asked = Counter(_asked(studies).values_list("game__activity__study", flat=True))
    asked.update(_proposed(studies).values_list("game__activity__study", flat=True))
    return dict(asked)


def _proposed(studies: Collection[int]) -> QuerySet[Utterance]:
    return Utterance.objects.annotate(alone=between.ALONE).filter(
        _FOR_THE_TEAM,
        game__activity__study__in=studies,
        kind=Utterance.Kind.PROPOSAL,
        removed=False,
    )


def _asked(studies: Collection[int]) -> QuerySet[Utterance]:
    """Words that are gone, or were taken back, ask for nothing any more."""
    return Utterance.objects.filter(
        game__activity__study__in=studies, verdict__in=ASKED, removed=False, struck=False
    )


def _name(utterance: Utterance) -> str:
    card = utterance.game.cards.get(str(utterance.artifact_id))
    return card["names"][0] if card else ""


def _since(instant: datetime) -> float:
    """Seconds of the product."""
    return (clock.now() - instant).total_seconds() * float(settings.TIME_SCALE)
