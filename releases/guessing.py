"""How well the people of a release's games guessed, and how much of what they said had been said
before: counted from what is frozen, by the measures of `games.scores` and `games.saturation`.

A turn is one of two people where neither seat was a recorded player's or a bot's when it began, as
the events `dealt` and `replaced` tell, and where none of its clues repeats an earlier game's.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games import saturation
from games.machine import Player
from games.models import Utterance
from games.saturation import Nth
from games.scores import Guessed
from games.selectors import results
from games.selectors.results import Cell
from releases import artifacts

RIGHT = Utterance.Verdict.RIGHT
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """`cells` are those of every region and origin. In no rate are the `single` of all `games` that
    gave one guess a turn, `others` turns, in which not both were people, and turns `beyond` the
    artifacts of the release."""

    cells: list[Cell]
    games: int
    single: int
    others: int
    beyond: int


def told(games: Sequence[Row], items: Iterable[Row], names: Mapping[str, str]) -> Told | None:
    """Of rows of the parts `transcripts` and `items`, with the regions' names by slug. None where a
    game does not say how many guesses it gave, as before that was kept."""
    if not all("guesses" in game for game in games):
        return None
    things = {row["key"]: (at, row["payload"]) for at, row in enumerate(artifacts.of(items))}
    regions = {slug: at for at, slug in enumerate(names)}
    counted = [game for game in games if game["guesses"] >= results.GUESSES]
    turns, others, beyond = [], 0, 0
    for at, game in enumerate(counted):
        of_people = _of_people(game)
        for turn in _ended(game):
            if turn["number"] not in of_people:
                others += 1
            elif turn["artifact"] not in things:
                beyond += 1
            else:
                number, payload = things[turn["artifact"]]
                region = regions[payload["region"]]
                turns.append(_guessed(at, game, turn, number, region, payload["origin"]))
    cells = results.cells(turns, dict(enumerate(names.values())))
    return Told(cells, len(games), len(games) - len(counted), others, beyond)


def saturated(items: Iterable[Row], names: Mapping[str, str]) -> list[tuple[str, list[Nth]]]:
    """Region by region what each further game of its artifacts added, of the clues that are in the
    release; a region without any has no line."""
    steps: dict[str, list[list[saturation.Step]]] = defaultdict(list)
    for row in artifacts.of(items):
        payload = row["payload"]
        steps[payload["region"]].append(saturation.over(_by_game(payload["clues"])))
    told = [(name, saturation.by_game(steps[region])) for region, name in names.items()]
    return [(name, games) for name, games in told if games]


def _by_game(clues: Iterable[Row]) -> list[list[str]]:
    """What was said in each game; what came with a proposal was said in none."""
    found: dict[str, list[str]] = defaultdict(list)
    for clue in clues:
        if clue.get("turn"):
            found[clue["game"]].append(clue["text"])
    return list(found.values())


def _ended(game: Row) -> Iterator[Row]:
    return (turn for turn in game["turns"] if turn["outcome"])


def _of_people(game: Row) -> set[int]:
    """The numbers of the turns that two people played."""
    players, found = ["", ""], set()
    for event in game["events"]:
        if event["kind"] == "dealt":
            players = list(event["data"]["players"])
        elif event["kind"] == "replaced":
            players[event["seat"]] = Player.RECORDED
        elif event["kind"] == "turn_begun" and set(players) == {Player.HUMAN}:
            found.add(event["data"]["number"])
    return found - {said["turn"] for said in game["words"] if said["repeats"]}


def _guessed(at: int, game: Row, turn: Row, artifact: int, region: int, origin: str) -> Guessed:
    right = [
        said["number"]
        for said in game["words"]
        if (said["turn"], said["kind"], said["verdict"]) == (turn["number"], "guess", RIGHT)
    ]
    return Guessed(
        at,
        artifact,
        region,
        origin,
        turn["outcome"],
        min(right, default=0),
        turn["accuracy"],
        turn["quality"],
    )
