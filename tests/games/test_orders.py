"""What a page may ask for, field by field."""

import pytest

from core.errors import CommonplaceError
from games import orders
from games.machine import commands
from games.orders import Order

READ = [
    ({"do": "ready"}, commands.Ready()),
    ({"do": "clue", "text": " it is hot "}, commands.Clue(" it is hot ")),
    ({"do": "no_more"}, commands.NoMore()),
    ({"do": "guess", "text": "দই"}, commands.Guess("দই")),
    ({"do": "next"}, commands.Next()),
    ({"do": "confirm", "meant": "unsure"}, commands.Confirm(commands.Meant.UNSURE)),
    ({"do": "rate", "accuracy": "5", "quality": "1"}, commands.Rate(5, 1)),
    ({"do": "appeal", "clue": "3"}, commands.Appeal(3)),
    (
        {"do": "vet", "artifact": "7", "known": "no", "shared": "everywhere"},
        commands.Vet(7, False, commands.Shared.EVERYWHERE),
    ),
    ({"do": "propose", "name": "a", "about": "b"}, commands.Propose("a", "b")),
    ({"do": "verify", "number": "2", "belongs": "yes"}, commands.Verify(2, True)),
    ({"do": "finish"}, commands.Finish()),
    ({"do": "here"}, commands.Here()),
    ({"do": "leave", "reason": "removed"}, commands.Leave("left")),
    *(({"do": order.value}, order) for order in Order),
]


@pytest.mark.parametrize(("fields", "wanted"), READ)
def test_fields_are_read_as_what_they_say(fields, wanted):
    assert orders.read(fields) == wanted


def test_every_command_of_a_player_can_be_read_and_none_of_anybody_else():
    read = {type(wanted) for _fields, wanted in READ} - {Order}
    assert read == {*commands.PLAYERS, *commands.PLAYERS_ANYTIME}
    for do in ("tick", "drop", "halt", "resume", "end", "warn", "strike", "rule", "judge", ""):
        with pytest.raises(CommonplaceError) as refused:
            orders.read({"do": do, "text": "a", "reason": "b"})
        assert (refused.value.code, refused.value.http_status) == ("game.order", 422)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "do"),
        ({"do": 7}, "do"),
        ({"do": "clue"}, "text"),
        ({"do": "guess", "text": ["a"]}, "text"),
        ({"do": "rate", "accuracy": "5"}, "quality"),
        ({"do": "rate", "accuracy": "", "quality": "1"}, "accuracy"),
        ({"do": "rate", "accuracy": "५", "quality": "1"}, "accuracy"),
        ({"do": "rate", "accuracy": " 5", "quality": "1"}, "accuracy"),
        ({"do": "rate", "accuracy": "-1", "quality": "1"}, "accuracy"),
        ({"do": "rate", "accuracy": 5, "quality": "1"}, "accuracy"),
        ({"do": "appeal", "clue": "1" * 400}, "clue"),
        ({"do": "confirm", "meant": "maybe"}, "meant"),
        ({"do": "vet", "artifact": "7", "known": "True", "shared": "ours"}, "known"),
        ({"do": "vet", "artifact": "7", "known": "yes", "shared": "theirs"}, "shared"),
        ({"do": "propose", "name": "a"}, "about"),
        ({"do": "verify", "number": "2", "belongs": "1"}, "belongs"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_name_of_its_field(fields, field):
    with pytest.raises(CommonplaceError) as refused:
        orders.read(fields)
    assert (refused.value.code, refused.value.http_status) == ("game.order", 422)
    assert refused.value.data == {"field": field}
