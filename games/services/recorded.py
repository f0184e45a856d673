"""The recorded player at a game's table is moved by whoever has just changed the game."""

from django.db import transaction

from core.errors import CommonplaceError
from games import players
from games.machine import Player, State, player
from games.machine.commands import Clue, Command
from games.models import Game, Utterance
from games.selectors import recorded
from games.services.playing import Played, play, replay

MOST_MOVES = 200  # of a recorded player in a row; a guesser has one for every clue


def drive(game: int, played: Played | None = None) -> Played:
    """Do all that the recorded player has to do now; the game as it is then, or `played` where
    nothing was to be done. Doing it twice at once does it once: its commands are numbered."""
    latest = played or replay(game)
    for _move in range(MOST_MOVES):
        seat = _seat(latest.state)
        if seat is None:
            break
        clues = _clues(game, latest.state, seat)
        command = players.move(latest.state, seat, [clue.text for clue in clues])
        if command is None:
            break
        try:
            latest = _follow(game, seat, command, latest, clues)
        except CommonplaceError:  # the game has moved on meanwhile, and who moved it drives
            break
    return latest


def _seat(state: State) -> int | None:
    if Player.RECORDED not in state.players:
        return None
    return state.players.index(Player.RECORDED)


def _clues(game: int, state: State, seat: int) -> list[Utterance]:
    turn = state.turn
    if turn is None or turn.giver != seat or state.phase != "clue":
        return []
    region = Game.objects.values_list("region", flat=True).get(pk=game)
    return recorded.clues(game, turn.number, turn.artifact, region)


def _follow(
    game: int, seat: int, command: Command, latest: Played, clues: list[Utterance]
) -> Played:
    """The number of a command is the version it answers."""
    nonce = f"recorded {latest.version}"
    if not isinstance(command, Clue) or latest.state.turn is None:
        return play(game, player(seat), command, nonce=nonce)
    turn = latest.state.turn
    with transaction.atomic():  # what is repeated is known as such from the beginning
        played = play(game, player(seat), command, nonce=nonce)
        repeated = Utterance.objects.filter(
            game=game, turn=turn.number, kind="clue", number=turn.written + 1, source=None
        )
        repeated.update(source=clues[turn.written])
    return played
