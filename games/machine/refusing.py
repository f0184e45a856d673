"""Why a command is refused, and what is made of the words and codes that come with one."""

import re

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from core.text import clean, fold
from games.machine.state import Phase, State

LONGEST_TEXT = 300  # characters of a clue, a guess, a name
UNFOLDED = 2  # times that, as letters that stand for several may be written out
LONGEST_ABOUT = 1000  # of a description or a warning
_CODE = re.compile(r"[a-z][a-z0-9_.]{0,39}")


def not_now(state: State) -> CommonplaceError:
    if state.phase is Phase.ENDED:
        code, message = "game.over", _("This game has ended. Go back to your page.")
    elif state.phase is Phase.PAUSED:
        code, message = (
            "game.paused",
            _("The game is paused. What you wrote stays; send it once the game goes on."),
        )
    else:
        code, message = (
            "game.not_now",
            _("The game has moved on. Look at it again; what you wrote is still in its field."),
        )
    return CommonplaceError(code, message, http_status=409, phase=state.phase.value)


def not_yours() -> CommonplaceError:
    return CommonplaceError(
        "game.not_yours", _("This is not for you to do in this game."), http_status=403
    )


def not_your_turn() -> CommonplaceError:
    return CommonplaceError(
        "game.not_your_turn", _("It is your partner's move. Wait a moment."), http_status=409
    )


def left() -> CommonplaceError:
    return CommonplaceError(
        "game.left", _("You have left this game. Go back to your page."), http_status=409
    )


def unknown() -> CommonplaceError:
    return CommonplaceError(
        "game.unknown", _("There is no such thing in this game. Load the page again."),
        http_status=404,
    )  # fmt: skip


def text(given: str, longest: int = LONGEST_TEXT) -> str:
    """One line without blanks around it. Raises `game.empty` where there is nothing to be seen,
    `text.not_storable` and `game.too_long`, also for the few letters that stand for very many."""
    line = " ".join(clean(given).split())
    folded = fold(line) if len(line) <= longest else ""
    if len(line) > longest or len(folded) > UNFOLDED * longest:
        raise CommonplaceError(
            "game.too_long",
            _("This is too long. Shorten it, then send it again."),
            http_status=422,
            longest=longest,
        )
    if not folded:
        raise CommonplaceError(
            "game.empty", _("There is nothing in the field yet. Write something, then send it."),
            http_status=422,
        )  # fmt: skip
    return line


def code(given: str, *, usual: str) -> str:
    """A reason as events keep it, which hold no words: the usual one where it is no code."""
    return given if _CODE.fullmatch(given) else usual
