"""Reads a study file (docs/study-file.md) into a `Setup`, or says by line what is wrong with it.

The YAML is read as nodes, not values: every refusal knows its line, `no` stays a language and
`9.50` stays the text that becomes 950. Nothing in a file is ever constructed as an object.
"""

import difflib
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import yaml

from core.errors import CommonplaceError
from core.text import clean, fold
from studies import languages, money, setup

LARGEST_FILE = 1024 * 1024  # bytes

T = TypeVar("T")
_Read = Callable[["_Value"], T]

_STUDY = (
    "study",
    "names",
    "languages",
    "country",
    "timezone",
    "currency",
    "residency",
    "ethics_number",
    "retention_days",
    "simulated",
    "regions",
    "activities",
    "consent",
)
_REGION = ("names", "phrases", "aliases", "places", "language", "target")
_ACTIVITY = ("kind", "phase", "names", "reward", "recruiter", "recruiter_study_id")
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}


def parse(data: bytes) -> setup.Setup:
    """The set-up a file describes.

    Raises `study_file.*` with `line` (from 1), `key` (dotted), `value` and `allowed` in its data:
    `too_large`, `not_text`, `not_yaml`, `unknown_key` (with `did_you_mean`), `missing_key`,
    `key_twice`, `value`, `one_region`.
    """
    root = _root(data)
    study = _Map(root, _STUDY)
    tongues = study.read("languages", _languages)
    texts = _texts_in(tongues)
    regions = study.read("regions", _entries(lambda value: _region(value, tongues)))
    if len(regions) == 1:
        raise study.at("regions").fault(
            "one_region",
            "A study compares regions, so one alone has nothing to agree or differ with. "
            "Add a second region.",
            value=regions[0].slug,
            allowed="two or more regions",
        )
    _refuse_shared_places(study.at("regions"), regions)
    currency = study.read("currency", _checked(money.currency))
    facts = setup.StudyFacts(
        slug=study.read("study", _checked(setup.slug)),
        names=study.read("names", texts),
        languages=tongues,
        country=study.read("country", _line(setup.LONGEST_NAME)),
        timezone=study.read("timezone", _checked(setup.timezone)),
        currency=currency,
        residency_percent=study.read("residency", _residency),
        ethics_number=study.read("ethics_number", _line(setup.LONGEST_NAME), ""),
        retention_days=study.read("retention_days", _whole(0, 3650), 90),
    )
    return setup.Setup(
        facts=facts,
        simulated=study.read("simulated", _yes_or_no, False),
        regions=regions,
        activities=study.read(
            "activities", _entries(lambda value: _activity(value, texts, currency))
        ),
        consent=study.read("consent", lambda value: _consent(value, texts)),
    )


# --- what stands under a key ------------------------------------------------------------------


def _region(value: "_Value", tongues: list[str]) -> setup.RegionFacts:
    region, texts = _Map(value, _REGION), _texts_in(tongues)
    language = region.read("language", _checked(languages.tag), tongues[0])
    if language not in tongues:
        raise region.at("language").refuse(
            "The language of a region is one of the study's.", allowed=tongues
        )
    places = region.read("places", _list_of(_line(setup.LONGEST_NAME)))
    try:
        places = setup.distinct_places(places)
    except CommonplaceError as error:
        raise region.at("places").refuse(error.message) from error
    return setup.RegionFacts(
        slug=_checked(setup.slug)(value.named()),
        names=region.read("names", texts),
        phrases=region.read("phrases", texts),
        aliases=region.read("aliases", _list_of(_line(setup.LONGEST_NAME)), []),
        places=places,
        language=language,
        target=region.read("target", _whole(1, 100_000)),
        position=value.position,
    )


def _activity(value: "_Value", texts: _Read[languages.Texts], code: str) -> setup.ActivityFacts:
    activity = _Map(value, _ACTIVITY)
    reward = _Map(activity.at("reward"), ("kind", "amount", "minutes"))
    return setup.ActivityFacts(
        slug=_checked(setup.slug)(value.named()),
        names=activity.read("names", texts),
        kind=activity.read("kind", _one_of(setup.ActivityKind)),
        phase=activity.read("phase", _one_of(setup.Phase), setup.Phase.PILOT),
        reward=reward.read("kind", _one_of(setup.RewardKind)),
        amount_minor=reward.read("amount", _checked(lambda text: money.minor(text, code))),
        minutes=reward.read("minutes", _whole(1, 1440)),
        position=value.position,
        recruiter=activity.read("recruiter", _line(60), ""),
        recruiter_study_id=activity.read("recruiter_study_id", _line(setup.LONGEST_NAME), ""),
    )


def _consent(value: "_Value", texts: _Read[languages.Texts]) -> setup.ConsentFacts:
    consent = _Map(value, ("texts", "purposes"))
    purposes = _Map(consent.at("purposes"), tuple(setup.Purpose))
    purposes.at(setup.Purpose.TAKE_PART)
    return setup.ConsentFacts(
        texts=consent.read("texts", texts),
        purposes={
            purpose: purposes.read(purpose, texts)
            for purpose in setup.Purpose
            if purpose in purposes.values
        },
    )


def _residency(value: "_Value") -> int:
    return _Map(value, ("more_than_percent",)).read("more_than_percent", _whole(50, 99))


def _languages(value: "_Value") -> list[str]:
    given = [_checked(languages.tag)(each) for each in value.items()]
    return value.checked(lambda: languages.tags(given))


def _refuse_shared_places(value: "_Value", regions: Sequence[setup.RegionFacts]) -> None:
    home: dict[str, str] = {}
    for region in regions:
        for place in region.places:
            other = home.setdefault(fold(place), region.slug)
            if other != region.slug:
                raise (
                    _Map(value, None)
                    .at(region.slug)
                    .refuse(
                        f"“{place}” lies in {other} already, and a place lies in one region only.",
                        given=place,
                    )
                )


# --- nodes ------------------------------------------------------------------------------------


class _Value:
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
        return self.checked(lambda: clean(self.node.value))

    def named(self) -> "_Value":
        """The last part of the key, as a value that stands on the same line."""
        name = self.key.rsplit(".", 1)[-1]
        node = yaml.ScalarNode("", name, self.node.start_mark, self.node.end_mark)
        return _Value(node, self.key)

    def items(self) -> Iterator["_Value"]:
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.refuse("A list is needed here, one entry a line after “- ”.", "a list")
        for number, node in enumerate(self.node.value, start=1):
            yield _Value(node, f"{self.key}.{number}", number)

    def checked(self, rule: Callable[[], T]) -> T:
        """What a rule of the house gives; its refusal gains the line and the key."""
        try:
            return rule()
        except CommonplaceError as error:
            raise self.refuse(error.message) from error


class _Map:
    """A map of the file whose keys are known, or any where `allowed` is None."""

    def __init__(self, value: _Value, allowed: Collection[str] | None) -> None:
        if not isinstance(value.node, yaml.MappingNode):
            raise value.refuse("A map is needed here: “key: value”, one a line.", "a map")
        self.value = value
        self.values: dict[str, _Value] = {}
        for position, (key_node, node) in enumerate(value.node.value, start=1):
            key = _Value(key_node, value.key).text()
            found = _Value(node, f"{value.key}.{key}" if value.key else key, position)
            if key in self.values:
                raise _Value(key_node, found.key).fault(
                    "key_twice", "This key stands here twice. Keep it once.", value=key
                )
            if allowed is not None and key not in allowed:
                raise _unknown(_Value(key_node, found.key), key, allowed)
            self.values[key] = found

    def at(self, key: str) -> _Value:
        if key not in self.values:
            dotted = f"{self.value.key}.{key}" if self.value.key else key
            raise self.value.fault(
                "missing_key", f"“{dotted}” is missing. Add it.", value=None, allowed=[key]
            )
        return self.values[key]

    def read(self, key: str, read: _Read[T], default: T | None = None) -> T:
        """The value under a key; a key without a default must be there."""
        if default is not None and key not in self.values:
            return default
        return read(self.at(key))


def _unknown(value: _Value, key: str, allowed: Collection[str]) -> CommonplaceError:
    near = difflib.get_close_matches(key, list(allowed), n=1)
    hint = f"Did you mean “{near[0]}”? " if near else ""
    return value.fault(
        "unknown_key",
        f"There is no key “{key}” here. {hint}Allowed: {', '.join(allowed)}.",
        value=key,
        allowed=list(allowed),
        did_you_mean=near[0] if near else None,
    )


def _root(data: bytes) -> _Value:
    if len(data) > LARGEST_FILE:
        raise CommonplaceError(
            "study_file.too_large", "The file is larger than 1 MB. A study file is a short text."
        )
    try:
        node = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise CommonplaceError(
            "study_file.not_text", "The file is not text in UTF-8. Save it as UTF-8."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "a character YAML does not allow"
        raise CommonplaceError(
            "study_file.not_yaml",
            f"Line {line}: this is not YAML ({problem}). Check indentation, colons and quotes.",
            line=line,
        ) from error
    if node is None:
        raise CommonplaceError(
            "study_file.not_yaml", "The file is empty. Begin with “study: a_short_name”.", line=1
        )
    return _Value(node)


# --- readers ----------------------------------------------------------------------------------


def _line(longest: int) -> _Read[str]:
    def read(value: _Value) -> str:
        text = value.text().strip()
        if not text or len(text) > longest or "\n" in text:
            allowed = f"one line of 1 to {longest} characters"
            raise value.refuse(f"Write {allowed}.", allowed)
        return text

    return read


def _checked(rule: Callable[[str], T]) -> _Read[T]:
    return lambda value: value.checked(lambda: rule(value.text()))


def _whole(least: int, most: int) -> _Read[int]:
    def read(value: _Value) -> int:
        text = value.text()
        if not (text.isascii() and text.isdigit() and least <= int(text[:12]) <= most):
            allowed = f"a whole number from {least} to {most}"
            raise value.refuse(f"“{text}” does not fit. Write {allowed}.", allowed)
        return int(text)

    return read


def _one_of(kind: type[StrEnum]) -> _Read[Any]:
    def read(value: _Value) -> StrEnum:
        text = value.text()
        if text not in list(kind):
            raise value.refuse(f"“{text}” is not known here.", [each.value for each in kind])
        return kind(text)

    return read


def _yes_or_no(value: _Value) -> bool:
    text = value.text().lower()
    if text not in _YES_NO:
        raise value.refuse(f"“{text}” is neither yes nor no.", ["true", "false"])
    return _YES_NO[text]


def _list_of(read: _Read[T]) -> _Read[list[T]]:
    return lambda value: [read(each) for each in value.items()]


def _entries(read: _Read[T]) -> _Read[list[T]]:
    """A map whose keys are short names of the reader's choosing; at least one."""

    def all_of(value: _Value) -> list[T]:
        found = [read(each) for each in _Map(value, None).values.values()]
        if not found:
            raise value.refuse("Nothing is listed here. Add at least one.", "at least one")
        return found

    return all_of


def _texts_in(tongues: Sequence[str]) -> _Read[languages.Texts]:
    """A text in several languages: the study's, of which the first may not be missing."""

    def read(value: _Value) -> languages.Texts:
        given = _Map(value, None).values
        for key, each in given.items():
            if each.checked(lambda key=key: languages.tag(key)) not in tongues:  # type: ignore[misc]
                raise _unknown(each, key, tongues)
        texts = value.checked(
            lambda: languages.texts({key: each.text() for key, each in given.items()})
        )
        if tongues[0] not in texts:
            raise value.refuse(f"The text in “{tongues[0]}”, the first language, is missing.")
        return {tag: text.strip() for tag, text in texts.items()}

    return read
