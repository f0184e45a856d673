"""What a player may read of the words of a game: each read is for one kind of reader.

`heard` never fetches what the guesser of a turn must not read; the word of a turn is in none of
these but `ended` and `played`, which tell of turns that are over.
"""

from core.prepared import Prepared
from games.models import Turn, Utterance, Vetting

Row = tuple[int, str, str, str, bool, bool]  # number, text, verdict, reason, struck, removed

_WORDS = ("number", "text", "verdict", "reason", "struck", "removed")
_heard: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(game=game, turn=turn, kind="clue", verdict="said", struck=False)
        .order_by("number")
        .values_list(*_WORDS)
    ),
    int,
    int,
)
_clues: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(game=game, turn=turn, kind="clue")
        .order_by("number")
        .values_list(*_WORDS)
    ),
    int,
    int,
)
_guesses: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(game=game, turn=turn, kind="guess")
        .order_by("number")
        .values_list(*_WORDS)
    ),
    int,
    int,
)
_ended: Prepared[Turn] = Prepared(
    lambda game, number: (
        Turn.objects.filter(game=game, number=number)
        .exclude(outcome="")
        .values_list("artifact", "outcome", "giver")
    ),
    int,
    int,
)


def heard(game: int, turn: int) -> list[Row]:
    """The clues of a turn that its guesser reads."""
    return _read(_heard, game, turn)


def written(game: int, turn: int) -> list[Row]:
    """All clues of a turn, as its giver reads them: those that were refused as well."""
    return _read(_clues, game, turn)


def guesses(game: int, turn: int) -> list[Row]:
    return _read(_guesses, game, turn)


def _read(query: Prepared[Utterance], game: int, turn: int) -> list[Row]:
    return [(*row,) for row in query.rows(game, turn) if not row[-1]]


def warnings(game: int, seat: int) -> tuple[str, ...]:
    """What moderators wrote to who sits there."""
    said = Utterance.objects.filter(game=game, kind="warning", seat=seat, struck=False)
    return tuple(said.order_by("number").values_list("text", flat=True))


def ended(game: int, number: int) -> tuple[int, str, int] | None:
    """Artifact, outcome and giver of a turn that is over."""
    return next(((row[0], row[1], row[2]) for row in _ended.rows(game, number)), None)


def played(game: int) -> list[tuple[int, str, int]]:
    """Artifact, outcome and giver of every turn that is over, in their order."""
    turns = Turn.objects.filter(game=game).exclude(outcome="").order_by("number")
    return list(turns.values_list("artifact", "outcome", "giver"))


def vetted(game: int, seat: int) -> list[int]:
    """The artifacts that a player has said something of after the game."""
    said = Vetting.objects.filter(game=game, seat=seat)
    return list(said.values_list("artifact", flat=True))


def proposals(game: int, seat: int) -> list[tuple[int, str, str]]:
    """Number, name and description of what a player proposed."""
    said = Utterance.objects.filter(
        game=game, kind="proposal", seat=seat, struck=False, removed=False
    )
    return list(said.order_by("number").values_list("number", "text", "about"))
