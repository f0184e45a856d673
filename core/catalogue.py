"""The product's own words in other languages: the gettext catalogues below `locale/`.

Only sentences that participants read are in them; the console speaks English.
"""

from itertools import takewhile

SOURCE = "en"  # the language the sentences are written in
CATALOGUES = {"bn": "beng", "es": "latn", "hi": "deva", "ur": "arab"}  # language -> its script


def gettext_noop(text: str) -> str:
    """The text itself, marked for the catalogues where no Django is imported; whoever shows it
    translates it."""
    return text


def interface(tag: str) -> str:
    """The language in which readers of a tag get the product's own words.

    A region reads the catalogue of its language (`hi-IN`); another script than the catalogue's
    (`hi-Latn`), and a language without one, get the source's.
    """
    language, *rest = tag.lower().split("-")
    plain = takewhile(lambda part: len(part) > 1, rest)  # no script stands behind an extension
    script = next((part for part in plain if len(part) == 4 and part.isalpha()), None)
    own = CATALOGUES.get(language)
    return language if own and script in (None, own) else SOURCE


def preferred(accepted: str) -> str:
    """The first language there are words in among those of an `Accept-Language` header (RFC 9110,
    12.5.4), by the browser's own weights; the source's where it names none."""
    wanted: list[tuple[float, str]] = []
    for part in accepted.lower().split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            wanted.append((float(quality or 1), tag))
        except ValueError:
            continue
    for weight, tag in sorted(wanted, key=lambda each: -each[0]):
        words = interface(tag)
        if weight > 0 and (words != SOURCE or tag.split("-")[0] == SOURCE):
            return words
    return SOURCE
