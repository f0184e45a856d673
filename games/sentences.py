"""Whether a text is one plain statement: how many sentences it has, whether it asks, and whether it
holds a way to reach somebody. By punctuation alone, of any script."""

import unicodedata

import regex

from core.text import fold

_ASKING = regex.compile(r"[?؟՞፧⸮\u037e]")  # the last is Greek, and looks like a semicolon
_BREAK = regex.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
# A mark that ends a sentence: Unicode's own list, without the full stop that also shortens words.
_END = regex.compile(r"(?:(?!\.)\p{Sentence_Terminal})+|;")
_LETTER = regex.compile(r"\p{L}")
# A full stop ends one where a further word follows: after blanks, or between two words that were
# typed together. Several are a pause, unless a capital begins the next.
_STOP = regex.compile(
    r"""(?<![\p{L}\p{M}\p{N}])(?P<word>[\p{L}\p{M}\p{N}]*)["'”’»)\]]*
        (?: (?P<pause>\.{2,}) (?=["'”’»)\]]*\s*["'“‘«(\[]*\p{Lu})
          | (?<!\.)\.(?!\.) (?: ["'”’»)\]]*\s+ | (?=\p{L}{2}) ) )""",
    regex.VERBOSE,
)
# Shortened words after which a sentence goes on. Single letters are initials.
_SHORT = (
    "approx ca cf dept dr eg esp est etc ft gen govt hon ie jr lt ltd mr mrs ms mt no nos op pl "
    "pp pres prof pvt rev sgt shri smt sr sri sra st sta ud vol vs डॉ श्री श्रीमती प्रो डा ডা ড"
)
_SHORTENED = frozenset(map(fold, _SHORT.split()))

_DIGITS = regex.compile(r"\+?\d(?:[\s().-]{0,2}\d){7,}")
_DATE = regex.compile(r"\d{4}\s*-\s*\d{4}|\d{1,2}([.-])\s?\d{1,2}\1\s?\d{2,4}|\d{4}-\d\d?-\d\d?")
_ADDRESS = regex.compile(
    r"""https?:/ | \bwww\. | \S@\S+\.\p{L} | (?<!\S)@\w{2}
      | [\w-]\.(?:com|net|org|info|edu|gov|io|app|xyz|gg|ly)\b | [\w-]\.\p{L}{2,}/\S""",
    regex.VERBOSE,
)


def count(text: str) -> int:
    """How many sentences there are: parts with a letter in them, between lines and marks that end
    one. Decimals, initials and shortened words end none."""
    plain = unicodedata.normalize("NFKC", _BREAK.sub("। ", text))
    if "." in plain:
        plain = _STOP.sub(
            lambda stop: stop.group() if _goes_on(stop) else f"{stop['word']}। ", plain
        )
    return sum(bool(_LETTER.search(part)) for part in _END.split(plain))


def _goes_on(stop: "regex.Match[str]") -> bool:
    word = stop["word"]
    return not stop["pause"] and (len(word) == 1 or fold(word) in _SHORTENED)


def asks(text: str) -> bool:
    return bool(_ASKING.search(text) or "?" in unicodedata.normalize("NFKC", text))


def has_contact(text: str) -> bool:
    """An address of mail or of the web, a name with @, or a number as long as a telephone's."""
    folded = fold(text)
    if _ADDRESS.search(folded):
        return True
    return any(not _DATE.fullmatch(found.group()) for found in _DIGITS.finditer(folded))
