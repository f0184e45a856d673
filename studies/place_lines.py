"""Places as people write them on the page of a region, one a line:

    Three Wells | es: Tres Pozos | hi: तीन कुएँ

What stands first is the name the place is known by, and what it is called in the study's first
language unless a part says otherwise.
"""

from collections.abc import Iterable, Sequence

from core.errors import CommonplaceError
from studies import languages
from studies.languages import Texts
from studies.setup import PlaceFacts, distinct_places


def read(text: str, tongues: Sequence[str], before: Iterable[PlaceFacts] = ()) -> list[PlaceFacts]:
    """The places of the lines; empty lines say nothing. A line nobody has changed stands for the
    place as it was `before`, also where the study's languages are others since.

    Raises `place.none`, and with the number of the line in its sentence what `distinct_places`
    raises, `place.language`, `language.tag` and `language.twice`."""
    unchanged = {written(place, tongues): place for place in before}
    numbers, found = [], []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line:
            numbers.append(number)
            try:
                found.append(unchanged.get(line) or _place(line, tongues))
            except CommonplaceError as error:
                raise _at(number, error) from error
    if not found:
        raise CommonplaceError("place.none", "Write one place at least, each on its own line.")
    try:
        return distinct_places(found)
    except CommonplaceError as error:
        raise _at(numbers[error.data["position"] - 1], error) from error


def written(place: PlaceFacts, tongues: Sequence[str]) -> str:
    """The line of a place, which `read` reads again; a language the study no longer has is left
    out."""
    parts = [place.name]
    for position, tongue in enumerate(tongues):
        called = place.names.get(tongue)
        if called and not (position == 0 and called == place.name):
            parts.append(f"{tongue}: {called}")
    return " | ".join(parts)


def _place(line: str, tongues: Sequence[str]) -> PlaceFacts:
    name, *parts = [part.strip() for part in line.split("|")]
    names: Texts = {}
    for part in parts:
        tongue, called = _called(part, tongues)
        if tongue in names:
            raise CommonplaceError(
                "language.twice",
                f"There are two names in “{tongue}”. Keep one of them.",
                value=tongue,
            )
        names[tongue] = called
    return PlaceFacts(name, {tongues[0]: name} | names)


def _called(part: str, tongues: Sequence[str]) -> tuple[str, str]:
    tag, colon, called = part.partition(":")
    if not colon:
        raise CommonplaceError(
            "place.language",
            f"“{part}” does not say its language. Write the tag and a colon before it, as in "
            f"“{tongues[-1]}: {part}”.",
            value=part,
        )
    tongue = languages.tag(tag)
    if tongue not in tongues:
        raise CommonplaceError(
            "place.language",
            f"“{tongue}” is no language of this study. Write one of {', '.join(tongues)}.",
            value=tongue,
        )
    return tongue, called.strip()


def _at(number: int, error: CommonplaceError) -> CommonplaceError:
    return CommonplaceError(error.code, f"Line {number}: {error.message}", **error.data)
