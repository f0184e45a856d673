"""What a player's page asks for, read from the fields of a form or the strings of a message.

`read` makes a command of the machine of them, or an order about the player's place in the activity.
Nothing is coerced: a number is written in digits, a choice is one of its words, and what is missing
is missing.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError
from games.machine.commands import (
    Appeal,
    Clue,
    Command,
    Confirm,
    Finish,
    Guess,
    Here,
    Leave,
    Meant,
    Next,
    NoMore,
    Propose,
    Rate,
    Ready,
    Shared,
    Verify,
    Vet,
)

LONGEST_NUMBER = 9  # digits; more than any number a page of ours holds

Fields = Mapping[str, str]
Choice = TypeVar("Choice", bound=StrEnum)


class Order(StrEnum):
    """What somebody wants outside a game."""

    ENTER = "enter"  # look for a partner
    KEEP_WAITING = "keep_waiting"
    PLAY_RECORDED = "play_recorded"
    STOP = "stop"


def read(fields: Fields) -> Command | Order:
    """The command or order that `do` names, with its fields.

    Raises `game.order` (422) with `field`, the name of the first that is missing or cannot be read.
    """
    do = _text(fields, "do")
    if do in list(Order):
        return Order(do)
    reader = _COMMANDS.get(do)
    if reader is None:
        raise _refused("do")
    return reader(fields)


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise _refused(name)
    return value


def _number(fields: Fields, name: str) -> int:
    value = _text(fields, name)
    if not (value.isascii() and value.isdigit() and len(value) <= LONGEST_NUMBER):
        raise _refused(name)
    return int(value)


def _yes(fields: Fields, name: str) -> bool:
    value = _text(fields, name)
    if value not in ("yes", "no"):
        raise _refused(name)
    return value == "yes"


def _one_of(kind: type[Choice], fields: Fields, name: str) -> Choice:
    value = _text(fields, name)
    if value not in list(kind):
        raise _refused(name)
    return kind(value)


def _refused(field: str) -> CommonplaceError:
    if field == "do":
        message = _("This page sent something that cannot be read. Load it again, then try again.")
    else:
        message = _("Something is not filled in or chosen yet. Complete it, then send it again.")
    return CommonplaceError("game.order", message, http_status=422, field=field)


_COMMANDS: Mapping[str, Callable[[Fields], Command]] = {
    "ready": lambda _fields: Ready(),
    "clue": lambda fields: Clue(_text(fields, "text")),
    "no_more": lambda _fields: NoMore(),
    "guess": lambda fields: Guess(_text(fields, "text")),
    "next": lambda _fields: Next(),
    "confirm": lambda fields: Confirm(_one_of(Meant, fields, "meant")),
    "rate": lambda fields: Rate(_number(fields, "accuracy"), _number(fields, "quality")),
    "appeal": lambda fields: Appeal(_number(fields, "clue")),
    "vet": lambda fields: Vet(
        _number(fields, "artifact"), _yes(fields, "known"), _one_of(Shared, fields, "shared")
    ),
    "propose": lambda fields: Propose(_text(fields, "name"), _text(fields, "about")),
    "verify": lambda fields: Verify(_number(fields, "number"), _yes(fields, "belongs")),
    "finish": lambda _fields: Finish(),
    "here": lambda _fields: Here(),
    "leave": lambda _fields: Leave(),
}
