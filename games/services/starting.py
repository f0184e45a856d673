"""A new game: cards dealt, seats taken."""

from collections.abc import Sequence
from random import Random

from django.conf import settings

from core import clock
from games import dealing, machine
from games.machine import Event, Phase, Player
from games.models import Game, GameEvent, Seat
from games.rules import Rules
from games.selectors import artifacts, recorded
from games.services.playing import instant, milliseconds
from studies.models import Activity, Participation, Region

Sitting = tuple[Participation | None, Player]


def start(
    activity: Activity,
    region: Region,
    rules: Rules,
    sitting: Sequence[Sitting],
    rng: Random,
    *,
    language: str = "",
    decks: dealing.Decks | None = None,
) -> Game:
    """A game in which each of two players still has to say that they are ready; within the caller's
    transaction. `sitting` is who sits at 0 and at 1. Artifacts that one of them has met in an
    earlier game are not dealt, unless `decks` are given."""
    known = artifacts.known(region)
    if decks is None:
        met = recorded.met([who.participant_id for who, _player in sitting if who])
        decks = dealing.split(known, rules.deck, rng, met)
    pace = rules.paced(settings.TIME_SCALE)
    dealt = Event(
        "dealt",
        None,
        {
            "decks": [list(deck) for deck in decks],
            "players": [player.value for _who, player in sitting],
            "deadline": milliseconds(clock.now()) + pace.ready,
        },
    )
    state = machine.apply(machine.State(), dealt)
    game = Game.objects.create(
        activity=activity,
        region=region,
        language=language,
        phase=Phase.GATHERING,
        version=1,
        seq=1,
        state=state.as_json(),
        rules=rules.as_json(),
        cards=dealing.stored(known),
        due=instant(state.due),
    )
    GameEvent.objects.create(game=game, seq=1, kind=dealt.kind, data=dealt.data)
    Seat.objects.bulk_create(
        Seat(game=game, number=number, participation=who, player=player, open=who is not None)
        for number, (who, player) in enumerate(sitting)
    )
    return game
