"""The nodes of a YAML file as the readers of a study file take them.

YAML is read as nodes, not values: every refusal knows its line, `no` stays a language and `9.50`
stays the text that becomes 950. Nothing in a file is ever constructed as an object. Refusals are
`study_file.*` with `line` (from 1), `key` (dotted), `value` and `allowed` in their data.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import yaml

from core.errors import CommonplaceError
from core.text import clean
from studies import languages

T = TypeVar("T")
Read = Callable[["Value"], T]

_DIGITS = 12  # of a whole number
_NOTHING = "tag:yaml.org,2002:null"
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}


class Value:
    """A node of the file, with the dotted key it stands under and its place among its like."""

    def __init__(self, node: yaml.Node, key: str = "", position: int = 1) -> None:
        self.node, self.key, self.position = node, key, position

    def fault(self, code: str, sentence: str, **data: Any) -> CommonplaceError:
        line = self.node.start_mark.line + 1
        where = f"Line {line}, {self.key}" if self.key else f"Line {line}"
        return CommonplaceError(
            f"study_file.{code}", f"{where}: {sentence}", line=line, key=self.key, **data
        )

    def refuse(
        self, sentence: str, allowed: object = None, given: str | None = None
    ) -> CommonplaceError:
        """The fault of a value; what is allowed is part of the sentence and of the data."""
        value = self.written() if given is None else given
        if isinstance(allowed, list | tuple):
            sentence += f" Allowed: {', '.join(map(str, allowed))}."
        return self.fault("value", sentence, value=value, allowed=allowed)

    def written(self) -> str:
        if isinstance(self.node, yaml.ScalarNode):
            return self.node.value
        return "a map" if isinstance(self.node, yaml.MappingNode) else "a list"

    def text(self) -> str:
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.refuse(f"Here stands {self.written()}, and a text is needed.", "a text")
        if self.node.tag == _NOTHING:
            raise self.refuse(
                "Nothing stands here, and a text is needed. Write it; the words “null” and “~” "
                "are texts only in quotes.",
                "a text",
            )
        return self.checked(lambda: clean(self.node.value))

    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def is_map(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    def named(self) -> "Value":
        """The last part of the key, as a value that stands on the same line."""
        name = self.key.rsplit(".", 1)[-1]
        node = yaml.ScalarNode("", name, self.node.start_mark, self.node.end_mark)
        return Value(node, self.key)

    def items(self) -> Iterator["Value"]:
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.refuse("A list is needed here, one entry a line after “- ”.", "a list")
        for number, node in enumerate(self.node.value, start=1):
            yield Value(node, f"{self.key}.{number}", number)

    def checked(self, rule: Callable[[], T]) -> T:
        """What a rule of the house gives; its refusal gains the line and the key."""
        try:
            return rule()
        except CommonplaceError as error:
            raise self.refuse(error.message) from error


class Map:
    """A map of the file whose keys are known, or any where `allowed` is None."""

    def __init__(self, value: Value, allowed: Collection[str] | None) -> None:
        if not isinstance(value.node, yaml.MappingNode):
            raise value.refuse("A map is needed here: “key: value”, one a line.", "a map")
        self.value = value
        self.values: dict[str, Value] = {}
        for position, (key_node, node) in enumerate(value.node.value, start=1):
            key = Value(key_node, value.key).text()
            found = Value(node, f"{value.key}.{key}" if value.key else key, position)
            if key in self.values:
                raise Value(key_node, found.key).fault(
                    "key_twice", "This key stands here twice. Keep it once.", value=key
                )
            if allowed is not None and key not in allowed:
                raise unknown(Value(key_node, found.key), key, allowed)
            self.values[key] = found

    def at(self, key: str) -> Value:
        if key not in self.values:
            dotted = f"{self.value.key}.{key}" if self.value.key else key
            raise self.value.fault(
                "missing_key", f"“{dotted}” is missing. Add it.", value=None, allowed=[key]
            )
        return self.values[key]

    def read(self, key: str, read: Read[T], default: T | None = None) -> T:
        """The value under a key; a key without a default must be there."""
        if default is not None and key not in self.values:
            return default
        return read(self.at(key))


def unknown(value: Value, key: str, allowed: Collection[str]) -> CommonplaceError:
    near = difflib.get_close_matches(key, list(allowed), n=1)
    hint = f"Did you mean “{near[0]}”? " if near else ""
    return value.fault(
        "unknown_key",
        f"There is no key “{key}” here. {hint}Allowed: {', '.join(allowed)}.",
        value=key,
        allowed=list(allowed),
        did_you_mean=near[0] if near else None,
    )


# --- readers ----------------------------------------------------------------------------------


def line(longest: int) -> Read[str]:
    def read(value: Value) -> str:
        text = value.text().strip()
        if not text or len(text) > longest or "\n" in text:
            allowed = f"one line of 1 to {longest} characters"
            raise value.refuse(f"Write {allowed}.", allowed)
        return text

    return read


def checked(rule: Callable[[str], T]) -> Read[T]:
    return lambda value: value.checked(lambda: rule(value.text()))


def whole(least: int, most: int) -> Read[int]:
    def read(value: Value) -> int:
        text = value.text()
        short = text.isascii() and text.isdigit() and len(text) <= _DIGITS
        if not (short and least <= int(text) <= most):
            allowed = f"a whole number from {least} to {most}"
            raise value.refuse(f"“{text}” does not fit. Write {allowed}.", allowed)
        return int(text)

    return read


def one_of(kind: type[StrEnum]) -> Read[Any]:
    def read(value: Value) -> StrEnum:
        text = value.text()
        if text not in list(kind):
            raise value.refuse(f"“{text}” is not known here.", [each.value for each in kind])
        return kind(text)

    return read


def yes_or_no(value: Value) -> bool:
    text = value.text().lower()
    if text not in _YES_NO:
        raise value.refuse(f"“{text}” is neither yes nor no.", ["true", "false"])
    return _YES_NO[text]


def list_of(read: Read[T]) -> Read[list[T]]:
    return lambda value: [read(each) for each in value.items()]


def entries(read: Read[T]) -> Read[list[T]]:
    """A map whose keys are short names of the reader's choosing; at least one."""

    def all_of(value: Value) -> list[T]:
        found = [read(each) for each in Map(value, None).values.values()]
        if not found:
            raise value.refuse("Nothing is listed here. Add at least one.", "at least one")
        return found

    return all_of


def trimmed(value: Value) -> str:
    return value.text().strip()


def exact(value: Value) -> str:
    """As written, without the line break that YAML puts at the end of a block."""
    return value.text().rstrip("\n")


def paragraphs(value: Value) -> str:
    """Running text: a line break inside a paragraph is a space, an empty line begins another."""
    parts = re.split(r"\n\s*\n", value.text().strip())
    return "\n\n".join(" ".join(part.split()) for part in parts)


def texts_in(tongues: Sequence[str], text: Read[str] = trimmed) -> Read[languages.Texts]:
    """A text in several languages: the study's, of which the first may not be missing."""

    def read(value: Value) -> languages.Texts:
        given = Map(value, None).values
        for key, each in given.items():
            if each.checked(lambda key=key: languages.tag(key)) not in tongues:  # type: ignore[misc]
                raise unknown(each, key, tongues)
        written = {key: text(each) for key, each in given.items()}
        texts = value.checked(lambda: languages.texts(written))
        if tongues[0] not in texts:
            raise value.refuse(f"The text in “{tongues[0]}”, the first language, is missing.")
        return texts

    return read
