"""Sentences of the screens that depend on how things stand: whose turn it is, and, by code, why
somebody without a partner is asked what they would like to do next."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

from core.catalogue import gettext_noop as _
from games.machine.state import Phase
from games.screens.view import Gathering, Giving, Guessing, LookingBack, Rating, View


def whose_turn(view: View) -> str:
    """In the language that is active."""
    if view.pause:
        return gettext("The game is paused.")
    return _WHOSE[type(view)](view)


def _gathering(view: Gathering) -> str:
    if view.ready:
        return gettext("You are ready. The game begins as soon as your partner is, too.")
    if view.partner == "recorded":
        return gettext("Play with recorded clues")
    return gettext("We found a partner for you. Are you ready to play?")


def _giving(view: Giving) -> str:
    if view.phase is Phase.CLUE:
        said = gettext("Your turn: you describe. Write clue %(number)s of %(of)s.")
        return said % {"number": view.spent + 1, "of": view.most}
    if view.phase is Phase.CONFIRM:
        return gettext("Your turn: your partner’s guess is close. Did they mean your word?")
    return gettext("You describe. Your partner is guessing, or asks for the next clue.")


def _guessing(view: Guessing) -> str:
    if view.phase is Phase.CLUE:
        said = gettext("Your partner describes: they are writing clue %(number)s of %(of)s.")
        return said % {"number": view.spent + 1, "of": view.most}
    if view.phase is Phase.CONFIRM:
        return gettext("Your guess is close. Your partner is asked whether you meant their word.")
    if view.more:
        return gettext("Your turn: guess, or ask for the next clue.")
    return gettext("Your turn: that was the last clue. Guess, or pass.")


def _rating(view: Rating) -> str:
    if view.told.mine:
        return gettext("The turn is over. Your partner rates your clues, then it goes on.")
    return gettext("The turn is over. How were the clues?")


def _looking_back(view: LookingBack) -> str:
    if view.next is None:
        return gettext("Thank you. What else belongs on the list?")
    said = gettext("The game is played. Look back with us: word %(number)s of %(of)s.")
    return said % {"number": view.vetted + 1, "of": view.played}


_WHOSE: Mapping[type[View], Callable[[Any], str]] = {
    Gathering: _gathering,
    Giving: _giving,
    Guessing: _guessing,
    Rating: _rating,
    LookingBack: _looking_back,
}

WHY_CHOOSING = {
    "": _("The game could not go on."),
    "waited_out": _("Nobody of your region came in time."),
    "silent": _("We did not hear from you for a while, so your partner could not wait any longer."),
    "idle": _("You were away for a while, so your partner could not wait any longer."),
    "was_not_ready": _("The game could not begin, as we did not hear that you were ready."),
    "not_ready": _("Your partner did not come, so the game could not begin."),
    "left_before": _("Your partner did not come, so the game could not begin."),
    "both_left": _("The connection was lost, so the game could not go on."),
    "partner_left": _("Your partner has left the game. You did nothing wrong."),
}
