"""Reads the settings of a run, from `--set key=value` or a form, into a frozen dataclass.

A field's own type decides how its text is read; bounds stand in the field's metadata as
`least` and `most`. What cannot be read is `settings.value`, what does not exist
`settings.unknown`.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from core.errors import CommonplaceError

Settings = TypeVar("Settings")

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read(kind: type[Settings], given: Mapping[str, Any]) -> Settings:
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    values = {}
    for name, value in given.items():
        if name not in fields:
            raise CommonplaceError(
                "settings.unknown",
                f"There is no setting {name!r}. Use one of: {', '.join(fields)}.",
                name=name,
            )
        if value is not None:
            values[name] = _value(name, value, hints[name], fields[name].metadata)
    return kind(**values)


def _value(name: str, value: Any, hint: Any, limits: Mapping[str, Any]) -> Any:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(option for option in typing.get_args(hint) if option is not type(None))
    try:
        if hint is bool:
            result: Any = value if isinstance(value, bool) else _WORDS[str(value).lower()]
        elif typing.get_origin(hint) is typing.Literal:
            result = {str(choice): choice for choice in typing.get_args(hint)}[str(value)]
        else:
            result = _number(hint, value)
    except (ValueError, KeyError, TypeError):
        raise _refusal(name, value, hint, limits) from None
    if isinstance(result, int | float) and not (
        limits.get("least", result) <= result <= limits.get("most", result)
    ):
        raise _refusal(name, value, hint, limits)
    return result


def _number(hint: Any, value: Any) -> Any:
    """Raises ValueError or TypeError where the value is another kind of thing: half a sample, or
    true."""
    if isinstance(value, bool) or (hint is int and isinstance(value, float) and value % 1):
        raise ValueError(value)
    return hint(value)


def _refusal(name: str, value: Any, hint: Any, limits: Mapping[str, Any]) -> CommonplaceError:
    if typing.get_origin(hint) is typing.Literal:
        wanted = "one of " + ", ".join(map(str, typing.get_args(hint)))
    elif hint is bool:
        wanted = "true or false"
    else:
        wanted = {int: "a whole number", float: "a number"}.get(hint, "a text")
        if limits:
            wanted += f" from {limits.get('least', 'any')} to {limits.get('most', 'any')}"
    return CommonplaceError(
        "settings.value", f"{name} = {value!r} cannot be used: it must be {wanted}.", name=name
    )
