"""What a text shows its reader where its letters are other ones: look-alikes of another script,
boxed, turned or crossed-out letters, digits, letters said three times.

For comparing only: these readings stand beside the usual one and take no word from it. They do
harm where an honest word reads as another, so each is of what hardly anybody writes otherwise.
"""

import re
import unicodedata
from collections.abc import Iterator

import regex
from anyascii import anyascii

from core.text import SHORTEST_SPELLING, fold, words

_JOINERS = "-_.*/+~=:·"
_NOT_PLAIN = (
    "\u00df-\u058f\u1ab0-\u1aff\u1d00-\u1fff\u20d0-\u20ff\u2c60-\u2c7f\ua720-\ua7ff"
    "\U0001f150-\U0001f1ff"
)
# Asked first, of every text; so it looks for what is rare, and then at what stands around it.
_SUSPECT = re.compile(
    rf"""[{_JOINERS}0-9@$|!{_NOT_PLAIN}]
         (?: (?<=[a-z][0-9@$|]) | (?<=[a-z]!)(?=[a-z]) | (?<=[^\s\d][{_JOINERS}])(?=[^\W\d_])
           | (?<=[{_NOT_PLAIN}]) )""",
    re.VERBOSE,
)
_HIDDEN = re.compile("[\u202e\U000e0021-\U000e007e]")

_BACKWARDS = re.compile("\u202e([^\u202c\u2069]*)")  # as it is shown from right to left
_TAGS = re.compile("[\U000e0021-\U000e007e]+")  # letters that nobody sees, for flags

_LATIN_WORD = regex.compile(r"\p{Latin}[\p{Latin}\p{M}]*")
_MARK = regex.compile(r"\p{M}")
_NO_LETTER = regex.compile(r"[^\p{L}\p{M}]")
_FOREIGN = re.compile("[\u0370-\u058f]")  # Greek, Cyrillic, Armenian
_ALIKE_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Armenian}\p{M}]+")
_ALIKE = {
    ord(letter): latin
    for letters, latins in (
        ("авекмнорстухѕіјԁһԛԝӏь", "abekmhopctyxsijdhqwlb"),
        ("αβγεηικνορτυχω", "abyenikvoptuxw"),
        ("ցզհյոսօ", "gqhjnuo"),
    )
    for letter, latin in zip(letters, latins, strict=True)
}
SHORTEST_ALIKE = 4  # letters of a word that is of look-alikes alone: there are honest ones

# Small capitals, letters on a dark ground, flags.
_DRAWN = re.compile(
    "[ᴀ-ᴢʙɢʜɪʟɴʀʏꜰꜱꞯɑɡ\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001f1e6-\U0001f1ff]"
)
_TURNED = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_TURNED_WORD = re.compile(f"[a-z{_TURNED.pattern[1:-1]}]+")
_UPRIGHT = str.maketrans("ɐqɔpǝɟƃɥᴉɾʞɯuodbɹʇnʌʍʎ", "abcdefghijkmnopqrtuvwy")

_WITH_DIGITS = re.compile(r"[a-z0-9@$!|]*[a-z0-9@$|]")
_DIGIT_BEHIND = re.compile(r"[a-z][0-9@$!|]")  # one in front is a number: 4am, 2nd
_DIGITS = {"0": "o", "2": "z", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g"}
_AS_LETTERS = {
    one: str.maketrans(_DIGITS | {"@": "a", "$": "s", "!": "i"} | dict.fromkeys("1|", one))
    for one in "il"
}
_ONE = re.compile(r"[1|]")
_STRETCHED = re.compile(r"([a-z])\1\1+")  # hardly any language writes a letter three times
_TAKEN_APART = regex.compile(rf"[\p{{L}}\p{{M}}][{_JOINERS}]+\p{{L}}")

# Where an English word is heard, no other is told apart by its accents.
_ENGLISH = frozenset(("are", "has", "it", "the", "they", "this", "was", "we", "with", "you"))


def readings(text: str, folded: str) -> Iterator[str]:
    """What a text may be read as beside itself, folded: first the whole, then single words that
    may be read in a further way. Nothing where it has no disguise."""
    hidden = _HIDDEN.search(text)
    if not (hidden or _SUSPECT.search(folded) or _STRETCHED.search(folded)):
        return
    plain = _in_plain_letters(fold(_shown(text)) if hidden else folded)
    read = _spelt(plain, "i", 1)
    if read != folded:
        yield read
    known = dict.fromkeys(read.split())
    for one, times, where in (("l", 1, _ONE), ("i", 2, _STRETCHED)):
        further = _spelt(plain, one, times).split() if where.search(plain) else ()
        yield from (each for each in further if each not in known)
    for each in known:
        letters = _NO_LETTER.sub("", each) if _TAKEN_APART.search(each) else ""
        if 2 < len(letters) < SHORTEST_SPELLING:  # longer ones are found as words that follow
            yield letters


def _shown(text: str) -> str:
    text = _BACKWARDS.sub(lambda found: found[1][::-1], text)
    return _TAGS.sub(lambda tags: f" {''.join(chr(ord(tag) & 0x7F) for tag in tags[0])} ", text)


def _in_plain_letters(text: str) -> str:
    if text.isascii():
        return text
    if _TURNED.search(text):
        text = _TURNED_WORD.sub(lambda word: _upright(word[0]), text)
    text = _DRAWN.sub(lambda letter: anyascii(letter[0]).casefold(), text)
    if _FOREIGN.search(text):
        text = _ALIKE_WORD.sub(lambda word: _in_latin(word[0]), text)
    return _without_marks(text)


def _upright(word: str) -> str:
    return word.translate(_UPRIGHT)[::-1] if _TURNED.search(word) else word


def _in_latin(word: str) -> str:
    """A word of look-alikes of Latin letters in those, if it also has Latin ones or is long enough
    to be no other."""
    if word.isascii():
        return word
    letters = _MARK.sub("", unicodedata.normalize("NFD", word))
    foreign = [each for each in letters if not _LATIN_WORD.match(each)]
    mixed = len(foreign) < len(letters) or len(letters) >= SHORTEST_ALIKE
    alike = foreign and mixed and all(ord(each) in _ALIKE for each in foreign)
    return letters.translate(_ALIKE) if alike else word


def _without_marks(text: str) -> str:
    """Marks that stand apart from a Latin letter go, those that strike it out above all; those
    that languages write on it go where most is in another script, or some in English."""
    latin = _LATIN_WORD.findall(text)
    accents = 2 * len(latin) > len(words(text)) and _ENGLISH.isdisjoint(latin)
    if accents and not _MARK.search(text):
        return text

    def plain(word: "regex.Match[str]") -> str:
        if word[0].isascii() or (accents and not _MARK.search(word[0])):
            return word[0]
        return anyascii(_MARK.sub("", unicodedata.normalize("NFD", word[0]))).casefold()

    return _LATIN_WORD.sub(plain, text)


def _spelt(text: str, one: str, times: int) -> str:
    """With digits inside words as letters, the digit one as `one`, and letters that are said three
    times or more as often as `times`."""
    table = _AS_LETTERS[one]
    text = _WITH_DIGITS.sub(
        lambda word: word[0].translate(table) if _DIGIT_BEHIND.search(word[0]) else word[0], text
    )
    return _STRETCHED.sub(lambda letters: letters[1] * times, text)
