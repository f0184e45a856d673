"""What counts as storable text, as the same text, and as a word.

Storage keeps what was typed; comparison and search read `fold(text)`; matching of single words
reads `words(fold(text))`. No other module compares text by rules of its own.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

import regex
from anyascii import anyascii

from core.errors import CommonplaceError

_UNSTORABLE = regex.compile(r"[\x00\ud800-\udfff]")

# Characters a reader cannot see: joiners, direction marks, soft hyphens, variation selectors.
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+")

# Keyboards, word processors and scripts write these marks in many ways; people mean one.
_PLAIN_MARKS = str.maketrans(
    dict.fromkeys("‐‑‒–—―−⁃", "-")
    | dict.fromkeys("‘’‚‛′‵`´ʹʻʼʽˈ‹›׳", "'")
    | dict.fromkeys("“”„‟″‶«»〝〞〟ʺ״", '"')
    | {"⁄": "/", "∕": "/"}
)
_MARKED = re.compile(f"[{re.escape(''.join(map(chr, _PLAIN_MARKS)))}]")

# A word begins with a letter or number; marks and joiners belong to the letter before them,
# so that an Indic word is one piece. An apostrophe inside a word belongs to it.
_WORD = regex.compile(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*(?:['’][\p{L}\p{M}\u200c\u200d]+)*"
)


# Letters that one sound is spelt with when words of many languages are written in Latin ones.
_SPELLINGS = (
    (re.compile(r"(?<=[a-z])h"), ""),  # aspirated or not: dh, sh, ksh
    (re.compile(r"[wv]"), "v"),
    (re.compile(r"[ckq]"), "k"),
    (re.compile(r"[zj]"), "j"),
    (re.compile(r"ee|[iy]"), "i"),
    (re.compile(r"oo"), "u"),
    (re.compile(r"([a-z])\1+"), r"\1"),  # doubled letters and long vowels
    (re.compile(r"(?<=[aeiou])p[aeiou]v"), "v"),  # a p worn down between vowels: dipavali, divali
)
_NOT_SPELT = re.compile(r"[^a-z0-9]")
SHORTEST_SPELLING = 5  # letters: among shorter ones different words are spelt alike

# What stands in Unicode's name of a letter behind the name of its script.
_BEHIND_THE_SCRIPT = re.compile(
    r" (?:CAPITAL|SMALL|FINAL|LETTER|CHARACTER|SYLLABLE|INDEPENDENT|VOWEL|SIGN|DIGIT|IDEOGRAPH"
    r"|UNIFIED)\b.*"
)


def clean(text: str) -> str:
    """Text from a person, exactly as typed.

    Raises `text.not_storable` for U+0000 and lone surrogates, which no database keeps; `data`
    says where (`position`, counted in code points from 0) and what (`character`, `U+0000`).
    """
    if found := _UNSTORABLE.search(text):
        character = f"U+{ord(found.group()):04X}"
        raise CommonplaceError(
            "text.not_storable",
            f"The text has a character that cannot be saved ({character}) at position "
            f"{found.start() + 1}. Remove it and send the text again.",
            position=found.start(),
            character=character,
        )
    return text


def storable(text: str) -> tuple[str, bool]:
    """Text from a model as a database can hold it, and whether it had to be changed.

    A reply is evidence and is never refused: each U+0000 and lone surrogate becomes U+FFFD.
    """
    kept, replaced = _UNSTORABLE.subn("\N{REPLACEMENT CHARACTER}", text)
    return kept, replaced > 0


def fold(text: str) -> str:
    """The form in which two texts are compared and searched. Idempotent; may be empty.

    Unicode's compatibility caseless form (NFKC_Casefold, Unicode Standard 3.13 D146–147: width,
    ligatures, case, U+0958 and its decomposition, without default-ignorable characters), and
    beyond it: every format character dropped, hyphens, quotes and slashes made plain,
    whitespace of any kind collapsed to single spaces and trimmed. Accents and Indic vowel signs
    stay, since they tell words apart.
    """
    # Dropping a joiner or mapping case can bring letters together that compose anew, so a
    # single pass is not always the end.
    while (folded := _fold_once(text)) != text:
        text = folded
    return text


def _fold_once(text: str) -> str:
    if _MARKED.search(text):  # asked first, since translating takes most of the time
        text = text.translate(_PLAIN_MARKS)
    text = _INVISIBLE.sub("", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # str.split() knows Unicode's whitespace and the separators U+001C to U+001F.
    return " ".join(text.split())


def alphabetical(text: str) -> tuple[str, str]:
    """The key that texts are sorted by in a list for readers: folded, and accents (canonical
    combining classes from 200 on, which leave vowel signs of Indic scripts alone) tell apart
    only what is else the same, so that Ávila comes before Brassgate.

    Where a language counts an accented letter as one of its own (Spanish ñ, Swedish å), it
    stands here at its base letter.
    """
    folded = fold(text)
    letters = unicodedata.normalize("NFD", folded)
    return "".join(c for c in letters if unicodedata.combining(c) < 200), folded


def words(text: str) -> list[str]:
    """The words of a text in order, spelt as they stand in it.

    A word is a run of letters and numbers with their combining marks and joiners (हिन्दी is one),
    and an apostrophe between letters stays inside (`don't`). Punctuation, danda, hyphens and
    emoji separate. Scripts written without spaces come as one word per run.
    """
    return _WORD.findall(text)


def script(text: str) -> str:
    """The script most letters of a text are written in, as Unicode names it: `Latin`, `Bengali`,
    `Ol Chiki`, and `CJK` for Han ideographs. "" where there is no letter."""
    named = Counter(
        _BEHIND_THE_SCRIPT.sub("", unicodedata.name(letter, "")).title()
        for letter in unicodedata.normalize("NFKC", text)
        if letter.isalpha()
    )
    (found, _), *_ = [*named.most_common(1), ("", 0)]
    return {"Cjk": "CJK"}.get(found, found)


def spelling(text: str) -> str:
    """What stays of a text when the ways of spelling it are taken away: Latin letters, without
    spaces, aspiration, length or doubling. May be empty.

    Two texts with the same one, of SHORTEST_SPELLING letters or more, are the same word or words;
    the reverse does not hold.
    """
    letters = _NOT_SPELT.sub("", anyascii(fold(text)).casefold())
    for pattern, letter in _SPELLINGS:
        letters = pattern.sub(letter, letters)
    return letters


def spelt_alike(texts: Sequence[str]) -> list[list[int]]:
    """Places of texts that are one in other spelling, the larger groups first, then by place; a
    text that is alone is a group of one, and a blank one is in none."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        letters = spelling(text)
        key = letters if len(letters) >= SHORTEST_SPELLING else f"={fold(text)}"
        if key != "=":
            groups.setdefault(key, []).append(place)
    return sorted(groups.values(), key=lambda group: (-len(group), group))
