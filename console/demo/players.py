"""The simulated players: how each comes to the game, and what they do with what is before them.

They send what a browser without script sends, and know of the game only what their own page shows
(`games.screens.view`). The cards are dealt by lot, so it differs who describes what, and in which
order; what is said of a thing in a game does not.
"""

from dataclasses import dataclass

from console.demo import things
from console.demo.people import Fields, Person, Visit, enter
from console.demo.things import Script, Thing
from games.machine import Phase
from games.screens.reading import view_of
from games.screens.view import (
    Gathering,
    Giving,
    Guessing,
    LookingBack,
    Partner,
    Pausing,
    Rating,
    View,
)
from games.selectors import places
from games.selectors.places import Kind, Standing
from studies.models import Activity
from studies.participation import Status


@dataclass(frozen=True)
class Player:
    """Somebody at their page; `game` is the number of their game in the region. `leaves` is the
    turn they leave in, 0 for before the first, None for who stays. One of two `proposes`."""

    visit: Visit
    game: int
    leaves: int | None = None
    proposes: bool = False

    @property
    def person(self) -> Person:
        return self.visit.person

    def script(self, thing: Thing) -> Script:
        return thing.scripts[self.game]


def come(person: Person, activity: Activity) -> Visit:
    """To the game, with the region they say is theirs."""
    visit = enter(person, activity)
    visit.send("screening/", {"region": person.region})
    return visit


def act(player: Player) -> bool:
    """Do the next thing there is to do; False while there is none."""
    row = player.visit.participation
    if row.status != Status.ACTIVE:
        return False
    standing = places.standing(row)
    if standing.kind is Kind.PLAYING:
        return _play(player, standing)
    if standing.kind is Kind.INSTRUCTIONS:
        return _send(player, {"do": "enter"})
    if "play_recorded" in standing.options:
        return _send(player, {"do": "play_recorded"})
    return False


def give_up(player: Player) -> None:
    """Stop, where no partner is to be had; done in a demonstration that was broken off."""
    if player.visit.participation.status == Status.ACTIVE:
        _send(player, {"do": "stop"})


def _play(player: Player, standing: Standing) -> bool:
    if standing.game is None or standing.seat is None:
        raise LookupError("who plays has a game and a seat")
    game = standing.game
    view = view_of(game, standing.seat.number)
    if player.leaves == view.turn and not isinstance(view, LookingBack):
        player.visit.send("leave/", {"choice": "give_back"})
        return True
    fields = _move(player, view)
    return fields is not None and _send(player, fields)


def _send(player: Player, fields: Fields) -> bool:
    player.visit.send("game/", fields)
    return True


def _move(player: Player, view: View) -> Fields | None:
    """What a player sends; None while it is for the other to do something."""
    if view.pause:
        return {"do": "here"} if view.pause.whom is Pausing.ME else None
    match view:
        case Gathering():
            return None if view.ready else {"do": "ready"}
        case Giving():
            return _give(player, view)
        case Guessing(phase=Phase.GUESS):
            return _guess(player, view)
        case Rating():
            return _rate(view)
        case LookingBack():
            return _look_back(player, view)
    return None


def _give(player: Player, view: Giving) -> Fields | None:
    script = player.script(things.named(player.person.region, view.word))
    if view.near:
        return {"do": "confirm", "meant": script.guesses[view.near.number - 1].meant}
    if view.phase is not Phase.CLUE:
        return None
    last = view.clues[-1] if view.clues else None
    if last and last.verdict == "appealed":
        return None
    if last and last.verdict == "blocked" and script.clues[last.number - 1].appeals:
        return {"do": "appeal", "clue": last.number}
    if view.written == len(script.clues):
        return {"do": "no_more"}
    return {"do": "clue", "text": script.clues[view.written].text}


def _guess(player: Player, view: Guessing) -> Fields:
    if not view.slips:
        return {"do": "next"}
    thing = things.understood(player.person.region, view.slips[0].text)
    if view.partner is Partner.RECORDED:
        return {"do": "guess", "text": thing.names[player.person.language][0]}
    guesses = player.script(thing).guesses[len(view.guesses) :]
    if guesses and guesses[0].after <= len(view.slips):
        return {"do": "guess", "text": guesses[0].text}
    return {"do": "next"}


def _rate(view: Rating) -> Fields | None:
    """The fewer clues it took, the better they were."""
    if view.told.mine:
        return None
    return {"do": "rate", "accuracy": 4 + len(view.slips) % 2, "quality": 6 - len(view.slips)}


def _look_back(player: Player, view: LookingBack) -> Fields:
    region = player.person.region
    if told := view.next:
        shared = things.named(region, told.word).shared
        known = "yes" if told.mine or told.outcome == "guessed" else "no"
        return {"do": "vet", "artifact": told.artifact, "known": known, "shared": shared}
    further = things.proposed(region, player.game) if player.proposes else None
    if further and further.proposed and not view.own:
        name = further.names[player.person.language][0]
        return {"do": "propose", "name": name, "about": further.proposed.about}
    if view.theirs:
        return {"do": "verify", "number": view.theirs[0].number, "belongs": "yes"}
    return {"do": "finish"}
