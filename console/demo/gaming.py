"""The games of the demonstration: who sits down with whom, and what a moderator does meanwhile.

A game that was broken off is played on, unless its time has run out: then its two players stop,
and are paid for the time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from accounts.models import User
from console.demo import listing, players, things
from console.demo.people import Person
from console.demo.players import Player
from games.models import Game
from games.selectors import watching
from games.services import expanding, moderating, rounds
from studies.models import Study
from studies.setup import ActivityKind


@dataclass(frozen=True)
class Two:
    """Who plays the game of a number in a region; `leaves` is the turn in which the second of them
    leaves, 0 for before the first."""

    region: str
    game: int
    language: str = "en"
    leaves: int | None = None
    publish: bool = True

    @property
    def people(self) -> list[Person]:
        return [
            Person(
                f"simulated-{self.region}-player-{2 * self.game + seat + 1}",
                self.region,
                seat,
                self.language,
                publishes=self.publish or seat == 0,
            )
            for seat in (0, 1)
        ]


LEAVES_IN = 3
GAMES = (
    Two("harbour", 0),
    Two("terraces", 0),
    Two("marsh", 0, "hi"),
    Two("moor", 0, publish=False),
    Two("harbour", 1),
    Two("terraces", 1, leaves=LEAVES_IN),
    Two("marsh", 1, "hi"),
    Two("moor", 1, leaves=0),  # who stays plays with clues of the game before
    Two("terraces", 2),
    Two("moor", 2),
)


def play_games(study: Study, moderator: User, note: Callable[[str], None]) -> None:
    """All of them, one after the other. Rounds do what the clock of a server would."""
    rounds.look_round()
    for two in GAMES:
        _play(study, two, moderator.email)
    games = Game.objects.filter(activity__study=study)
    note(f"{2 * len(GAMES)} simulated people have played {games.count()} games.")


def _play(study: Study, two: Two, moderator: str) -> None:
    activity = study.activities.select_related("study").get(kind=ActivityKind.GAME)
    first, second = (players.come(person, activity) for person in two.people)
    seats = [
        Player(first, two.game, proposes=True),
        Player(second, two.game, two.leaves),
    ]
    while _go_on(study, seats, moderator) or (
        rounds.look_round() and _go_on(study, seats, moderator)
    ):
        pass
    for each in seats:
        players.give_up(each)


def _go_on(study: Study, seats: Iterable[Player], moderator: str) -> bool:
    """Whether a player or the moderator had anything to do."""
    return any(map(players.act, seats)) or _moderate(study, moderator)


def _moderate(study: Study, actor: str) -> bool:
    """Decide on all that waits for a moderator; whether there was anything."""
    asked = watching.asked(study)
    for each in asked:
        said = each.utterance
        game = Game.objects.select_related("activity__study").get(pk=said.game_id)
        decide = moderating.rule if each.appeal else moderating.judge
        decide(game, said.turn, said.number, True, actor)
    return _decide_proposals(study, actor) or bool(asked)


def _decide_proposals(study: Study, actor: str) -> bool:
    decided = False
    for said in watching.proposals(study).filter(verdict__in=expanding.OPEN):
        region = said.game.region
        thing = things.named(region.slug, said.text)
        if thing.proposed and thing.proposed.accepted:
            expanding.accept(said, actor)
            listing.enlist(study, region, thing)
            decided = True
    return decided
