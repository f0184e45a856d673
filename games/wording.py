"""Words as the game compares them: what a word may be a form of, and what it sounds like.

`core.text` says when two texts are the same; this says, beside it, when a word gives another away,
or may have been meant for it.
"""

from dataclasses import dataclass
from functools import lru_cache

import regex

from core.text import fold, spelling, words

SHORTEST_ABROAD = 3  # letters that are enough where two words sound alike in different scripts
SHORTEST_BARE = 4  # likewise, without the vowels that only one of the scripts writes

# Scripts without spaces between words, where a name may stand anywhere in a run of letters.
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)
_LISTED = regex.compile(r"[\p{Latin}\p{Devanagari}\p{Bengali}]")  # scripts with endings below
_LATIN = regex.compile(r"\p{Latin}")
_UNWRITTEN_O = regex.compile(r"[\p{Bengali}\p{Oriya}]")
_PIECE = regex.compile(r"\p{N}+|[^\p{N}]+")
_CLUSTER = regex.compile(r"\X")

# Endings that a word may take, and how much must be left of it for the rest to be a word: of
# English and of Romanised Hindi; plurals and cases of Hindi, of Marathi, of Bengali and Assamese.
_ENDINGS = {
    fold(ending): least
    for endings, least in (
        ("'s", 1),
        ("s es ing ings ed", 3),
        ("e yan yaan yon yaon iyan iyon", 4),
        ("er ers r rs a on", 5),
        ("ा ी ि े ु ू ो ें ों ओं ाओं ुओं एं एँ ाएं ाएँ यां याँ ियां ियाँ यों ियों", 3),
        ("ला चा ची चे ने ात ांचा", 3),
        ("া ি ী ে ু ূ ো য় র ৰ ের এর কে তে রা েরা দের টা টি টার টির গুলো গুলি গুলোর", 3),
    )
    for ending in endings.split()
}
_LONGEST_ENDING = max(map(len, _ENDINGS))
# Bengali writes a v as b, and its unwritten vowel is heard as a or o.
_WITHOUT = {"a": str.maketrans("", "", "a"), "ao": str.maketrans("b", "v", "ao")}
_LONGEST_FREE_ENDING = 5  # code points, in scripts whose endings are not listed
_SHORTEST_BASE = 4  # likewise, of what must be left
_SEAM = 5  # letters on either side of where two spellings meet, which alone may change there

Sounds = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Word:
    """`forms` are the folded word, first, and what it may be a form of, each with its
    `core.text.spelling`; `sounds` is what it is compared by with words of another script, which
    are Latin if it is not."""

    text: str
    forms: tuple[tuple[str, str], ...]
    latin: bool
    sounds: Sounds

    @property
    def sound(self) -> str:
        return self.forms[0][1]

    @property
    def is_letter(self) -> bool:
        """One letter, with the signs that belong to it."""
        return len(_CLUSTER.findall(self.text)) == 1


def read(text: str) -> list[Word]:
    """The words of a text in order, with numbers apart from the letters they touch."""
    return read_folded(fold(text))


def read_folded(folded: str) -> list[Word]:
    return [word(piece) for each in words(folded) for piece in _PIECE.findall(each)]


@lru_cache(maxsize=20_000)
def word(folded: str) -> Word:
    forms = tuple((form, spelling(form)) for form in _forms(folded))
    sounds = sounds_of(folded, *(sound for _form, sound in forms))
    return Word(forms[0][0], forms, is_latin(folded), sounds)


def _forms(folded: str) -> list[str]:
    found = [folded]
    for length in range(1, _LONGEST_ENDING + 1):
        rest, ending = folded[:-length], folded[-length:]
        if rest and len(rest) >= _ENDINGS.get(ending, len(folded)):
            found.append(rest)
    if folded.endswith("ies") and len(folded) > len("ties"):
        found.append(folded[:-3] + "y")
    return [form.replace("'", "") for form in found]


def is_latin(text: str) -> bool:
    return bool(_LATIN.search(text))


def is_unspaced(text: str) -> bool:
    return bool(_UNSPACED.search(text))


def sounds_of(text: str, *spellings: str) -> Sounds:
    """What a text is compared by with one of another script. Most scripts of South Asia and the
    Near East leave short vowels unwritten that Latin letters write; so they are left out on both
    sides as well, each spelling standing behind what it is without."""
    own = ("ao",) if _UNWRITTEN_O.search(text) else ("a",)
    found = {("", sound) for sound in spellings if len(sound) >= SHORTEST_ABROAD}
    for unwritten in ("a", "ao") if is_latin(text) else own:
        bare = {sound.translate(_WITHOUT[unwritten]) for sound in spellings}
        found |= {(unwritten, sound) for sound in bare if len(sound) >= SHORTEST_BARE}
    return frozenset(found)


def joined(sound: str, more: str) -> str:
    """The spelling of two words written as one, from the spellings of both."""
    if not (sound and more):
        return sound + more
    return sound[:-_SEAM] + _seam(sound[-_SEAM:] + more[:_SEAM]) + more[_SEAM:]


@lru_cache(maxsize=20_000)
def _seam(letters: str) -> str:
    return spelling(letters)


def base(folded: str) -> str:
    """What is left of a word in all its forms, in a script whose endings are not listed here; ""
    in others, and for words too short to tell."""
    free = not (_LISTED.search(folded) or is_unspaced(folded))
    return folded[:-1] if free and len(folded) > _SHORTEST_BASE else ""


def is_form(folded: str, base: str) -> bool:
    """Whether a word has a base that `base` has told."""
    return folded.startswith(base) and len(folded) - len(base) <= _LONGEST_FREE_ENDING
