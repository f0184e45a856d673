"""What a player may read of the words of a game: each read is for one kind of reader.

`heard` never fetches what the guesser of a turn must not read; the word of a turn is in none of
these but `ended` and `played`, which tell of turns that are over.
"""

from django.db.models import Q, Subquery

from core.prepared import Prepared
from games.models import Turn, Utterance, Vetting

Row = tuple[int, str, str, str, bool]  # number, text, verdict, reason, struck
Said = tuple[list[Row], list[Row]]  # clues and guesses of a turn, in their order

_WORDS = ("kind", "removed", "number", "text", "verdict", "reason", "struck")
_GUESS = Q(kind="guess")
_heard: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(
            _GUESS | Q(kind="clue", verdict="said", struck=False), game=game, turn=turn
        )
        .order_by("number")
        .values_list(*_WORDS)
    ),
    int,
    int,
)
_written: Prepared[Utterance] = Prepared(
    lambda game, turn: (
        Utterance.objects.filter(_GUESS | Q(kind="clue"), game=game, turn=turn)
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


def heard(game: int, turn: int) -> Said:
    """What the guesser of a turn reads."""
    return _read(_heard, game, turn)


def written(game: int, turn: int) -> Said:
    """As its giver reads it: clues that were refused as well."""
    return _read(_written, game, turn)


def _read(query: Prepared[Utterance], game: int, turn: int) -> Said:
    clues: list[Row] = []
    guesses: list[Row] = []
    for kind, removed, *row in query.rows(game, turn):
        if not removed:
            if kind == "guess" and row[-1]:
                row[1] = ""  # moderators alone read what they have struck
            (clues if kind == "clue" else guesses).append((*row,))
    return clues, guesses


def warnings(game: int, seat: int, since: int) -> tuple[str, ...]:
    """What moderators wrote to who sits there since a turn began, by its number."""
    said = Utterance.objects.filter(game=game, kind="warning", seat=seat, struck=False)
    if since > 0:
        begun = Turn.objects.filter(game=game, number=since).values("begun")
        said = said.filter(at__gte=Subquery(begun))
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
