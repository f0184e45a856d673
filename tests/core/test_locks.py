"""How rows are locked: so that whoever locks one holds up nobody who only refers to it."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = "accounts annotation collection console core evaluation games inference releases studies"


def locks(file: Path) -> list[tuple[str, int, list[str | None]]]:
    """Where rows are locked: the file, the line, and the words given."""
    calls = (each for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.Call))
    return [
        (file.name, call.lineno, [word.arg for word in call.keywords])
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "select_for_update"
    ]


def test_a_row_locked_for_a_change_can_still_be_referred_to():
    """A full lock stops the insert of a child at its commit, with whatever that has locked by
    then: hands that left a run and hands that stored samples of it stood still together. Where the
    row is deleted afterwards, PostgreSQL takes the full lock by itself."""
    files = [file for part in PARTS.split() for file in (ROOT / part).rglob("*.py")]
    found = [lock for file in files for lock in locks(file)]
    assert len(found) > 10
    assert not [lock for lock in found if "no_key" not in lock[2]]
