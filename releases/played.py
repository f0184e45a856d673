"""The games a release holds in full, to be read: from the frozen bytes and from nothing else, so
that words that were erased are gone here too."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import NotFound
from games import in_words
from games.machine import Player
from games.models import Utterance
from games.selectors.gathered import LeftOut
from releases import canonical, presenting, storing
from releases.models import Part, Release
from studies import languages

Kind, Verdict = Utterance.Kind, Utterance.Verdict
NOT_THERE = {
    LeftOut.STRUCK: "Struck by a moderator.",
    LeftOut.REMOVED: "Removed: who wrote it has withdrawn.",
    LeftOut.NOT_PUBLISHED: "Not published: who wrote it did not agree to that.",
}
OTHERS: Mapping[str, str] = {Player.RECORDED: "recorded clues", Player.BOT: "a bot"}
UNNAMED = "somebody not named"
DECIDED = (Verdict.ALLOWED, Verdict.REFUSED, Verdict.RIGHT, Verdict.WRONG)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """Something said: `who` is a pseudonym or says why there is none; `text` is empty and
    `not_there` says why where its words are not published; `came` is what became of it."""

    kind: str
    number: int
    in_turn: bool
    who: str
    text: str
    about: str
    not_there: str
    came: str
    repeats: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Turn:
    """`name` is the artifact's and `language` that of the name, both empty where it is no item of
    the release."""

    number: int
    artifact: str
    language: str
    name: str
    giver: str
    guesser: str
    outcome: str
    accuracy: int | None
    quality: int | None
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Game:
    """`guessed` is how many of its turns were; `turns`, `proposals` and `warnings` are filled in
    where the game is read."""

    code: str
    region: str
    language: str
    direction: str
    players: Sequence[str]
    played: int
    guessed: int
    ended: str
    turns: Sequence[Turn] = ()
    proposals: Sequence[Line] = ()
    warnings: Sequence[Line] = ()


def rows(part: Part) -> list[Row]:
    """In the order games were made. Raises `release.part_purged` and `release.bytes_changed`."""
    return canonical.rows(storing.read(part))


def narrowed(found: Iterable[Row], region: str) -> list[Row]:
    """The games of a region by its slug; of all for none."""
    return [row for row in found if region in ("", row["region"])]


def access(found: Sequence[Row], code: str) -> tuple[Row, str, str]:
    """A game by its code, with the codes of those before and after it, empty where there is none;
    raises `game.unknown`."""
    codes = [row["game"] for row in found]
    if code not in codes:
        raise NotFound(
            "game.unknown",
            f"This release has no game “{code}”. Choose one from its list of games.",
            game=code,
        )
    at = codes.index(code)
    return found[at], codes[at - 1] if at else "", "".join(codes[at + 1 : at + 2])


def listed(release: Release, some: Iterable[Row]) -> list[Game]:
    names = presenting.names(release)
    return [_game(row, names) for row in some]


def read(release: Release, row: Row) -> Game:
    """A game with all that was said in it."""
    players = _players(row)
    said: dict[Any, list[Line]] = {}
    for each in row["words"]:
        said.setdefault(each["turn"] or each["kind"], []).append(_line(each, players))
    language = release.about["language"]
    items = release.items.filter(key__in={turn["artifact"] for turn in row["turns"]})
    called = {item.key: presenting.name_of(item.payload, language) for item in items}
    return replace(
        _game(row, presenting.names(release)),
        turns=[_turn(turn, called, players, said.get(turn["number"], [])) for turn in row["turns"]],
        proposals=said.get(Kind.PROPOSAL, []),
        warnings=said.get(Kind.WARNING, []),
    )


def _game(row: Row, names: Mapping[str, str]) -> Game:
    played = [turn["outcome"] for turn in row["turns"]]
    return Game(
        row["game"],
        names.get(row["region"], row["region"]),
        row["language"],
        languages.direction(row["language"]),
        _players(row),
        len(played),
        played.count("guessed"),
        in_words.of(in_words.ENDINGS, row["ended"]),
    )


def _players(row: Row) -> list[str]:
    """What the players are called, by seat. Who is not named may be a person, or never was one."""
    seats = ["", ""]
    for event in row["events"]:
        if event["kind"] == "dealt":
            seats = list(event["data"]["players"])
        elif event["kind"] == "replaced":
            seats[event["seat"]] = Player.RECORDED
    return [
        name or OTHERS.get(seat, UNNAMED) for name, seat in zip(row["players"], seats, strict=True)
    ]


def _turn(
    row: Row, called: Mapping[str, tuple[str, str]], players: Sequence[str], lines: Sequence[Line]
) -> Turn:
    return Turn(
        row["number"],
        row["artifact"],
        *called.get(row["artifact"], ("", "")),
        players[row["giver"]],
        players[1 - row["giver"]],
        in_words.of(in_words.OUTCOMES, row["outcome"]),
        row["accuracy"],
        row["quality"],
        lines,
    )


def _line(said: Row, players: Sequence[str]) -> Line:
    return Line(
        said["kind"],
        said["number"],
        bool(said["turn"]),
        said["player"] or players[said["seat"]],
        said["text"],
        said["about"],
        NOT_THERE[said["left_out"]] if said["left_out"] else "",
        "" if said["kind"] == Kind.WARNING else _came(said),
        said["repeats"],
    )


def _came(said: Row) -> str:
    words = in_words.PROPOSALS if said["kind"] == Kind.PROPOSAL else in_words.VERDICTS
    came = in_words.of(words, said["verdict"])
    if said["reason"]:
        came = f"{came} ({in_words.reason(said['reason'])})"
    if said["verdict"] in DECIDED and said["decided_by"]:
        came = f"{came}, {in_words.decided_by(said['decided_by'])}"
    return came
