"""What a clue must not say, and how long it may be.

A clue gives the word away by a name of the artifact, a part of one or a listed synonym, in any
script, spelling, inflection and disguise; by words, never inside them, so that `ram` may be
described as a program. Why a clue was refused is told to its giver alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from core.catalogue import gettext_noop as _
from core.text import SHORTEST_SPELLING, fold, words
from games import disguises, sentences, wording
from games.cards import Card
from games.wording import Word

EMPTY = "clue.empty"
NAME = "clue.name"
PART = "clue.part"
FORBIDDEN = "clue.forbidden"
SPELT = "clue.spelt"
CONTACT = "clue.contact"
QUESTION = "clue.question"
SENTENCES = "clue.sentences"
REPEATED = "clue.repeated"

REASONS: Mapping[str, str] = {
    EMPTY: _("A clue is told in words. Write a short sentence."),
    NAME: _(
        "This says the word itself, or another name of it. Describe it without its names, "
        "in whatever language or spelling."
    ),
    PART: _("This says a part of the word. Describe it without that part."),
    FORBIDDEN: _("This says a word that would give it away at once. Describe it in another way."),
    SPELT: _("This spells the word. Say what it is like instead of how it is written."),
    CONTACT: _("Clues hold no addresses or phone numbers. Leave that out, then send the rest."),
    QUESTION: _("A clue tells something. Say it as a statement, without a question mark."),
    SENTENCES: _("A clue is one sentence. Send the first now and keep the rest for the next clue."),
    REPEATED: _("Your partner has read this clue already. Tell them something new."),
}

SHARED_BY = 3  # other names that hold a word, which then tells a kind of thing and not which
SHORTEST_PART = 3  # code points of a part of a name
SHORTEST_LETTERS = 3  # of a name that is spelt out
SHORTEST_MISSPELT = 8  # letters of a spelling in which one may be another and it is no other word
SHORTEST_SPLIT = 4  # letters of a name that is found in pieces, or backwards letter by letter
LONGEST_PIECE = 2  # letters of the pieces of so short a name
# Words as short as those, of languages that are written in Latin letters.
_SHORT = (
    "a i e o u y ah al am an as at be by ci da de di do el en es go ha he hi ho if il in is it jo "
    "ka ke ki ko la le lo me mi my na ne ni no of oh on or se si so su te ti to tu un up us va vi "
    "we ya ye yo"
)
_SHORT_WORDS = frozenset(_SHORT.split())
# Words that join others in names, of languages that are written in Latin letters.
_JOINS = (
    "and the for with from las les los del des une der die das und von per con por aux dan "
    "dos das nos sur mit zum zur"
)
_JOINING = frozenset(_JOINS.split())


def refusal(text: str, card: Card, said: Sequence[str]) -> str:
    """Why a clue is refused, as a code, or "" where nothing is against it; `said` are the clues
    that the partner has read in this turn. What gives the word away comes first."""
    folded = fold(text)
    spoken = wording.read_folded(folded)
    if not spoken:
        return EMPTY  # a picture shows the thing itself, and looks different on every device
    if sentences.has_contact(folded):
        return CONTACT
    barred = _barred(card)
    if found := _given_away(spoken, barred):
        return found
    for reading in disguises.readings(text, folded):
        if found := _given_away(wording.read_folded(reading), barred):
            return found
    if sentences.asks(text):
        return QUESTION
    if sentences.count(text) > 1:
        return SENTENCES
    letters = words(folded)
    return REPEATED if any(letters == words(fold(each)) for each in said) else ""


@dataclass(frozen=True, slots=True)
class _Barred:
    """What a card forbids, with the code of each.

    `wholes` are names and synonyms, each written as one word, and `parts` words of names: in all
    their forms and, behind `~`, by spelling. `begun` is what a whole may begin with, and `longest`
    how many letters it is said in at most, as spelling drops doubled ones. `abroad` is
    for words of other scripts, by whether it comes of a Latin name; `bases` for scripts whose
    endings nobody has listed, `unspaced` for those without spaces, and `long` are spellings in
    which one letter more or less makes no other word.
    """

    wholes: Mapping[str, str]
    parts: Mapping[str, str]
    begun: frozenset[str]
    longest: int
    abroad: Mapping[tuple[bool, str, str], str]
    bases: Mapping[str, str]
    unspaced: Mapping[str, str]
    long: Mapping[str, str]


@lru_cache(maxsize=1024)
def _barred(card: Card) -> _Barred:
    listed = [(wording.read(text), FORBIDDEN) for text in card.forbidden]
    named = [(wording.read(text), NAME) for text in card.names]
    parts = [([part], PART) for part in _parts(card)]
    wholes = [(spoken, code) for spoken, code in (*listed, *named) if spoken]
    by_whole, by_part = _by_key(wholes), _by_key(parts)
    # Where a word is barred for two reasons, the later one is told: that it is a name.
    as_one = [(_as_one(spoken), code) for spoken, code in (*parts, *wholes)]
    return _Barred(
        by_whole,
        by_part,
        frozenset(key[:end] for key in by_whole for end in range(1, len(key) + 1)),
        2 * max(map(len, by_whole), default=0),
        {(each.latin, *sound): code for each, code in as_one for sound in each.sounds},
        {base: code for each, code in as_one if (base := wording.base(each.text))},
        {each.text: code for each, code in as_one if wording.is_unspaced(each.text)},
        {each.sound: code for each, code in as_one if len(each.sound) >= SHORTEST_MISSPELT},
    )


def _parts(card: Card) -> Iterator[Word]:
    """Words of names of several, but for those that only join others and those that name a kind:
    many of the region's other names have them as well."""
    others = Counter(each for name in card.others for each in set(words(fold(name))))
    for name in card.names:
        spoken = wording.read(name)
        for each in spoken if len(spoken) > 1 else ():
            joins = len(each.text) < SHORTEST_PART or each.text in _JOINING
            if not joins and others[each.text] < SHARED_BY:
                yield each


def _as_one(spoken: Sequence[Word]) -> Word:
    return spoken[0] if len(spoken) == 1 else wording.word("".join(each.text for each in spoken))


def _by_key(barred: Iterable[tuple[Sequence[Word], str]]) -> dict[str, str]:
    return {key: code for spoken, code in barred for key in _keys(*_before(spoken), spoken[-1])}


def _before(spoken: Sequence[Word]) -> tuple[str, str]:
    text = sound = ""
    for each in spoken[:-1]:
        text, sound = text + each.text, wording.joined(sound, each.sound)
    return text, sound


def _keys(text: str, sound: str, last: Word) -> Iterator[str]:
    """A run of words as one, of which the last may be in any form; `text` and `sound` are of those
    before it."""
    for form, spelt in last.forms:
        yield text + form
        whole = wording.joined(sound, spelt)
        if len(whole) >= SHORTEST_SPELLING:
            yield f"~{whole}"


# --- what was said ------------------------------------------------------------------------------


def _given_away(spoken: Sequence[Word], barred: _Barred) -> str:
    found = set(_found(spoken, barred))
    return next((code for code in (NAME, FORBIDDEN, PART) if code in found), "") or (
        SPELT if _spelt_out(spoken, barred) else ""
    )


def _found(spoken: Sequence[Word], barred: _Barred) -> Iterator[str]:
    for place, each in enumerate(spoken):
        yield from _whole_from(spoken[place:], barred)
        for key in _keys("", "", each):
            if key in barred.parts:
                yield barred.parts[key]
        for sound in each.sounds:
            if (not each.latin, *sound) in barred.abroad:
                yield barred.abroad[not each.latin, *sound]
        yield from (code for base, code in barred.bases.items() if wording.is_form(each.text, base))
        yield from (code for text, code in barred.unspaced.items() if text in each.text)
        yield from _misspelt(each.sound, barred)


def _whole_from(spoken: Sequence[Word], barred: _Barred) -> Iterator[str]:
    """Names and synonyms that begin with the first word, however they are split into words."""
    text = sound = ""
    for number, each in enumerate(spoken):
        length = len(text) + len(each.text)
        if (
            number == 0
            or length >= SHORTEST_SPELLING
            or (length >= SHORTEST_SPLIT and _taken_apart(spoken[: number + 1]))
        ):
            for key in _keys(text, sound, each):
                if key in barred.wholes:
                    yield barred.wholes[key]
        text, sound = text + each.text, wording.joined(sound, each.sound)
        begun = text in barred.begun or f"~{sound}" in barred.begun
        if not begun or length > barred.longest:
            return


def _taken_apart(pieces: Sequence[Word]) -> bool:
    """Whether short words that follow each other may be one; words of many
    languages are met side by side by chance."""
    return all(each.latin and len(each.text) <= LONGEST_PIECE for each in pieces) and not all(
        each.text in _SHORT_WORDS for each in pieces
    )


def _misspelt(sound: str, barred: _Barred) -> Iterator[str]:
    for long, code in barred.long.items():
        near = abs(len(long) - len(sound)) <= 1 and sound[0] == long[0]
        if near and Levenshtein.distance(sound, long, score_cutoff=1) <= 1:
            yield code


def _spelt_out(spoken: Sequence[Word], barred: _Barred) -> bool:
    """Letter by letter, or backwards."""
    for each in spoken:
        if len(each.text) >= SHORTEST_SPELLING and each.text[::-1] in barred.wholes:
            return True
    for letters, run in groupby(spoken, key=lambda each: each.is_letter):
        text = "".join(each.text for each in run) if letters else ""
        spelt = f"~{wording.word(text).sound}" if text else ""
        for key in barred.wholes:
            if len(key) >= SHORTEST_LETTERS and key in (spelt if key[0] == "~" else text):
                return True
    return any(
        len(key) >= SHORTEST_SPLIT and (key in letters or key in letters[::-1])
        for letters in _letters_apart(spoken)
        if len(letters) >= SHORTEST_SPLIT
        for key in barred.wholes
    )


def _letters_apart(spoken: Iterable[Word]) -> Iterator[str]:
    """Latin letters that follow each other, or with a word between: s and o and l."""
    letters, between = "", 0
    for each in spoken:
        if each.latin and len(each.text) == 1:
            letters, between = letters + each.text, 0
        elif (between := between + 1) > 1:
            yield letters
            letters = ""
    yield letters
