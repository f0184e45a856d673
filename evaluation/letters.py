"""Which option a reply names: strict, in any script, and never a guess.

A reply is read as an answer only when it is a letter alone, a letter in a recognised frame, or an
option's own text. The first capital found anywhere is not an answer. The order of reading:

1. what the endpoint said: filtered is `refused`; cut short, or no words beside the reasoning, is
   `truncated`;
2. a JSON object with an answer key: its value, and nothing else in the reply;
3. statements with an answer word ("The answer is B", "उत्तर: (ख)"): the last one counts; boxed,
   tagged and "final" answers must agree with it and each other;
4. other statements ("I choose B", "B is correct"): they must agree;
5. lines that begin with a framed letter ("B", "(B)", "B) Kerala"): one letter only, on the first
   or the last line.

A statement whose clause holds a negation or a condition is no answer. Several letters offered at
once are `ambiguous`; everything else is `unparsed`, a letter beyond the options included.

A reply that names a letter is read alike however the options were ordered, so it can be parsed
once for all samples that share it. Only where `option_text_match` is true does the letter depend
on the order shown.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from core.text import fold

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# One series a line, first option first. Digits of every script count as well, from one. Cyrillic
# is left out: В looks like B and stands third.
SERIES = (
    tuple(LATIN.lower()),
    tuple("কখগঘঙচছজঝঞ"),  # Bengali, Assamese
    ("এ", "বি", "সি", "ডি", "ই"),  # Latin letters by their Bengali names
    tuple("कखगघङचछजझञ"),  # Devanagari
    tuple("अबसद"),  # Hindi examination papers
    ("ए", "बी", "सी", "डी", "ई"),  # Latin letters by their Hindi names
    tuple("କଖଗଘଙ"),  # Odia
    tuple("அஆஇஈஉ"),  # Tamil
    tuple("أبجده"),
    ("ا",),  # Arabic, Urdu, Persian
    ("اے", "بی", "سی", "ڈی", "ای"),  # Latin letters by their Urdu names
    tuple("אבגדה"),
    tuple("กขคงจ"),
    tuple("가나다라마"),
    tuple("甲乙丙丁戊"),
    tuple("アイウエオ"),
)


def _listed(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(","))


ANSWER_WORDS = _listed(
    """answer, ans, ans., answer choice, answer option, answer letter, answer key, correct option,
    correct choice, correct letter, right option, right choice, best option, best choice,
    best guess, my choice, my selection, my pick, selected option, selected answer,
    chosen option, my guess, उत्तर, जवाब, जबाब, सही विकल्प, উত্তর, উত্তৰ, জবাব,
    সঠিক বিকল্প, விடை, பதில், సమాధానం, జవాబు, ಉತ್ತರ, ഉത്തരം, જવાબ, ਉੱਤਰ, ਜਵਾਬ, ଉତ୍ତର,
    උත්තරය, پاسخ, جواب, الجواب, الإجابة, إجابة, respuesta, réponse, resposta, antwort,
    risposta, svar, jawaban, jawapan, waleran, jibu, amsa, መልስ, cevap, yanıt, cavab, ответ,
    απάντηση, תשובה, คำตอบ, đáp án, 答案, 答え, 正解, 回答, 정답, 답"""
)
FINAL_WORDS = _listed("final answer, final choice, अंतिम उत्तर, চূড়ান্ত উত্তর, 最终答案, respuesta final")
# Keys of a JSON reply, beside the answer words.
ANSWER_KEYS = _listed("choice, option, letter, selection, selected, selected letter, response")
# After "I" or "we", or at the start of a line.
CHOICE_VERBS = _listed("choose, chose, select, selected, pick, go with, going with, opt for, say")
OPTION_WORDS = _listed(
    """option, options, choice, letter, number, statement, विकल्प, বিকল্প, অপশন, ऑप्शन,
    விருப்பம், opción, opção, opsi, pilihan, الخيار, آپشن, 选项, 選択肢"""
)
# Between the answer word and the letter.
LINKS = _listed(
    """is, was, are, would be, will be, should be, must be, :, =, -, ->, =>, →, হল, হলো, হচ্ছে,
    হবে, है, हैं, आहे, ہے, es, est, é, ist, è, är, adalah, ialah, ni, هو, هي, است, là, คือ,
    是, 为, 為, は, 은, 는"""
)
FILLERS = _listed("the, la, l', clearly, definitely, probably, likely, either, both, between")
# Copulas that come after the letter.
ENDINGS = _listed("है, हैं, হবে, ہے, است, 입니다, 번, です, だ, ஆகும், হয়")
# Words between letters offered together.
JOINS = _listed("and, or, और, या, এবং, বা, অথবা, ও, اور, یا, und, oder, et, ou, 或, 和")
# A letter may be followed by these at once.
REASONS = _listed("because, since, due to, given that, as it, as the, क्योंकि, কারণ, 因为, porque")
RIGHT = _listed("correct, right, the best, best, the answer, the final answer, my answer")
# These need no verb between.
RIGHT_AFTER = _listed("सही, ठीक, সঠিক, ঠিক, درست, صحیح")
LEAD_INS = _listed(
    """so, thus, therefore, hence, sure, ok, okay, yes, well, hmm, certainly, of course,
    i think, i believe, i guess, it is, it's, it must be, that is, that's"""
)
NEGATIONS = _listed(
    """not, never, no, cannot, neither, nor, none, without, wrong, incorrect, नहीं, न, ना, না,
    নয়, نہیں, ليس, لا, pas, nicht, kein, não, non, bukan, tidak, 不, nobody, hardly"""
)
# In the clause before a statement these and the negations withhold it.
CONDITIONS = _listed("if, whether, unless, unsure, doubt, यदि, अगर, যদি, اگر, 如果")
# Right after a framed letter these deny it.
DENIALS = _listed(
    """not, is not, isn't, wrong, is wrong, is incorrect, incorrect, false, is false, नहीं,
    गलत, না, নয়, ভুল, نہیں, غلط"""
)
# Where the writer changes course.
TURNS = _listed("wait, actually, correction, instead, rather, on second thought, or maybe, no")

# Option texts found in a reply are replaced by one of these each, so that their own words are
# never taken for an answer, and an answer in an option's words is one character.
_TEXT_MARKS = [chr(0xE000 + i) for i in range(len(LATIN))]
_SHORTEST_MARKED_TEXT = 3

_REFUSING = {"content_filter", "refusal", "safety"}
_CUTTING = {"length", "max_tokens"}
_FINAL_PUNCTUATION = " .!?;,।॥。"


@dataclass(frozen=True)
class Parsed:
    """`outcome` is ok, unparsed, ambiguous, refused or truncated; `letter` is A–Z if ok."""

    outcome: str
    letter: str | None = None
    option_text_match: bool = False


UNPARSED, AMBIGUOUS = Parsed("unparsed"), Parsed("ambiguous")
REFUSED, TRUNCATED = Parsed("refused"), Parsed("truncated")


def parse_letter(
    text: str, options: Sequence[str], finish: str = "stop", *, refusal: bool = False
) -> Parsed:
    """The option a reply names; `options` are their texts (2–26) in the order shown.

    `finish` is the endpoint's finish reason, `refusal` whether it marked the reply as one. Never
    raises on any reply.
    """
    if refusal or finish in _REFUSING:
        return REFUSED
    visible = _without_reasoning(text)
    if finish in _CUTTING or visible is None or not fold(visible):
        return TRUNCATED
    values = list(_json_answers(visible))
    if not values:
        return _read(visible, options)
    answers = {_read(value, options) for value in values}
    if len(answers) == 1:
        return answers.pop()
    return AMBIGUOUS if any(answer != UNPARSED for answer in answers) else UNPARSED


# ------------------------------------------------------------------ from a reply to plain lines

_REASONING_NAMES = "think|thinking|thought|reasoning|reflection"
_REASONING = regex.compile(rf"(?is)[<\[]({_REASONING_NAMES})[>\]].*?[<\[]/\1[>\]]")
_REASONING_END = regex.compile(rf"(?i)[<\[]/(?:{_REASONING_NAMES})[>\]]")
_REASONING_START = regex.compile(rf"(?i)[<\[](?:{_REASONING_NAMES})[>\]]")


def _without_reasoning(text: str) -> str | None:
    """What the reply says outside its reasoning; None if the reasoning never ended.

    A closing mark alone is common too: chat templates may write the opening one in the prompt.
    """
    text = _REASONING_END.split(_REASONING.sub("\n", text))[-1]
    return None if _REASONING_START.search(text) else text


_MARKUP = tuple(
    (regex.compile(pattern), replacement)
    for pattern, replacement in (
        (r"```(?:[\w-]+(?=\n))?", "\n"),
        (r"\\(?:text|math)\w*\s*\{([^{}]*)\}", r"\1"),
        (r"\\(?:boxed|fbox)\s*\{([^{}]*)\}", r" final answer: (\1) "),
        (r"(?i)<((?:final_?)?answer|choice)>\s*(.*?)\s*</\1>", r" final answer: (\2) "),
        (r"(?i)<(b|i|u|em|strong|p|span|code)>(.*?)</\1>", r"\2"),
        (r"(?i)<(?:br|hr)\s*/?>", "\n"),
        (r"\\[()\[\],;! ]|[*$]|__", ""),
        (r"(?m)^[\s#>•‣-]+", ""),
    )
)


def _plain(text: str) -> str:
    """Folded lines without markup; lower case, straight quotes, single spaces."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return "\n".join(line for part in text.splitlines() if (line := fold(part)))


def _json_answers(text: str) -> Iterator[str]:
    """The answers in the JSON objects of a reply; an object without an answer key gives ""."""
    start = text.find("{")
    while start >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield from _answers_of(value)
        start = text.find("{", end)


def _answers_of(value: Mapping[str, object]) -> Iterator[str]:
    found = [v for key, v in value.items() if fold(key).replace("_", " ") in _KEYS]
    for answer in found or [""]:
        if isinstance(answer, list):
            yield ", ".join(map(str, answer))
        elif isinstance(answer, dict):
            yield from _answers_of(answer)
        else:
            yield "" if answer is None or isinstance(answer, bool) else str(answer)


# ------------------------------------------------------------------ the grammar of answers


def _any(*words: str) -> str:
    """A group of alternatives, longest first; Latin words end at a Latin letter's edge."""
    folded = sorted({fold(word) for word in words}, key=lambda word: (-len(word), word))
    edges = ["(?![a-z])" if word[-1].isascii() and word[-1].isalpha() else "" for word in folded]
    spelt = [regex.escape(word, literal_spaces=True).replace(" ", "[ _]") for word in folded]
    return f"(?:{'|'.join(map(''.join, zip(spelt, edges, strict=True)))})"


_KEYS = {fold(word) for word in (*ANSWER_WORDS, *FINAL_WORDS, *ANSWER_KEYS)}
_INDEX = {fold(letter): i for series in SERIES for i, letter in enumerate(series)}

_WORD = r"[\p{L}\p{M}\p{N}_]"
_EDGE = rf"(?<!{_WORD})"
_MARK = f"[{_TEXT_MARKS[0]}-{_TEXT_MARKS[-1]}]"
_OPEN, _CLOSE = r"""["'_(\[{<【「]{0,4}""", r"""["'_)\]}>】」]{0,4}"""
_LETTER = "(?:" + "|".join(sorted(map(regex.escape, _INDEX), key=len, reverse=True)) + ")"
_TOKEN = rf"{_OPEN} ?(?P<token>{_LETTER}|\p{{Nd}}{{1,2}}|{_MARK}){_CLOSE}"
_BECAUSE = rf"(?: |, |- ?){_any(*REASONS)}"
# What may follow a letter in a frame; a comma may only in a statement.
_FRAME = (
    rf"(?=$|\n|(?:[.!;।॥。、]|(?<![\"']):)(?![a-z\p{{Nd}}])|(?<=[)\]】」])"
    rf"| - | ?\(| ?{_MARK}|{_BECAUSE}|, not "
    rf"| ?{_any(*ENDINGS)}+(?!{_WORD}))"
)
_TAIL = rf"(?:{_FRAME}|(?<!i)(?=,(?![a-z\p{{Nd}}])))"
_JOIN = rf"(?: ?[,/&+|;:.] ?(?:{_any(*JOINS)} )?| {_any(*JOINS)} | (?=\S)|(?=[(\[]))"
# Atomic, here and where it repeats: a long list must not be tried in every split.
_RIVAL = (
    rf"(?>{_JOIN}{_TOKEN}(?:{_TAIL}|(?= (?:are|is|both|could)\b)"
    rf"|(?=(?:[ ,/&]+|{_JOIN}){_OPEN}{_LETTER}{_CLOSE}(?!{_WORD}))))"
)
_RIVALS = rf"(?:{_RIVAL}){{1,25}}+"
_LINK = rf" ?(?:{_any(*LINKS)} ?)*(?:{_any(*FILLERS, *OPTION_WORDS)}[:.]? ?)*"

_ONE_OR_MORE = rf"{_TOKEN}(?:{_RIVALS}|{_TAIL})"

_ANSWER = regex.compile(
    rf"(?<![a-z])(?:(?P<final>{_any(*FINAL_WORDS)})|{_any(*ANSWER_WORDS)})[\"']?"
    rf"{_LINK}{_ONE_OR_MORE}"
)
_PERSON = r"(?:^|(?<![a-z])(?:i|we)(?:'d|'ll|'m| would| will| must| am| have to)? |let's )"
_CHOICE = regex.compile(rf"(?m){_PERSON}{_any(*CHOICE_VERBS)}{_LINK}{_ONE_OR_MORE}")
_CORRECT = regex.compile(
    rf"{_EDGE}{_TOKEN}(?:{_RIVALS})?"
    rf"(?: (?:is|are|es|est|ist) (?:the |my |most )*{_any(*RIGHT)}| {_any(*RIGHT_AFTER)})"
    rf"(?! ?{_any(*NEGATIONS)})"
)
_LINE = regex.compile(
    rf"(?:{_any(*LEAD_INS)}[,.!:]? )*{_MARK}? ?(?:{_any(*OPTION_WORDS, *FILLERS)}[:.]? ?)*"
    rf"{_TOKEN}(?:{_RIVALS}|{_FRAME})"
)
_CLAUSE_EDGE = regex.compile(r"[.,;:!?\n।。]|\b(?:so|but|therefore|thus|hence|because)\b")
_WITHHELD = regex.compile(rf"{_EDGE}{_any(*NEGATIONS, *CONDITIONS)}(?!{_WORD})|n't(?![a-z])")
# "B, not A" denies the other one.
_DENIED = regex.compile(
    rf"[\s.:,)\]-]*{_any(*DENIALS)}(?!{_WORD})(?! ?{_OPEN}{_LETTER}{_CLOSE}(?!{_WORD}))"
)
_TURNED = regex.compile(rf"{_EDGE}{_any(*TURNS)}(?!{_WORD}| than| of)")
_LONE_LETTER = regex.compile(rf"{_EDGE}{_OPEN}(?P<token>{_LETTER}){_CLOSE}{_TAIL}")
_FRAMED_LETTER = regex.compile(rf"{_EDGE}\(?(?P<token>{_LETTER})\)")


@dataclass(frozen=True)
class _Found:
    """One place where the reply names options, up to position `end`.

    `kind` is final or answer after such a word, bare for a line's whole content, line for its
    start, other for the rest.
    """

    indices: frozenset[int]
    by_text: bool
    end: int
    kind: str


class _Shown:
    """The options of one reply: resolves what the reply calls them to indices."""

    def __init__(self, options: Sequence[str]) -> None:
        self.count = len(options)
        self.by_text: dict[str, set[int]] = {}
        for index, option in enumerate(options):
            key = _plain(option).replace("\n", " ").rstrip(_FINAL_PUNCTUATION)
            self.by_text.setdefault(key, set()).add(index)
        self.texts = sorted(self.by_text, key=lambda text: (-len(text), text))

    def mark(self, plain: str) -> str:
        """The reply with each option text of some length replaced by one character."""
        plain = regex.sub(_MARK, " ", plain)
        for mark, text in zip(_TEXT_MARKS, self.texts, strict=False):
            if len(text) >= _SHORTEST_MARKED_TEXT and text in plain:
                plain = regex.sub(rf"{_EDGE}{regex.escape(text)}(?!{_WORD})", mark, plain)
        return plain

    def found(self, match: regex.Match[str], kind: str) -> _Found:
        """Letters first, then ordinals: what stands beside a letter only repeats the option."""
        letters: set[int] = set()
        ordinals: set[int] = set()
        texts: set[int] = set()
        for token in match.captures("token"):
            if token in _TEXT_MARKS:
                texts |= self.by_text[self.texts[_TEXT_MARKS.index(token)]]
            elif token.isdecimal() and token in self.by_text:
                texts |= self.by_text[token]
            elif token.isdecimal():
                ordinals.add(int(token) - 1)
            else:
                letters.add(_INDEX[token])
        return _Found(
            frozenset(letters or ordinals or texts), not (letters or ordinals), match.end(), kind
        )

    def decide(self, found: Sequence[_Found]) -> Parsed:
        """One option if all places agree on it; two that exist make the reply ambiguous."""
        named = frozenset().union(*(place.indices for place in found))
        existing = [index for index in named if 0 <= index < self.count]
        if len(existing) > 1:
            return AMBIGUOUS
        if len(named) > 1 or not existing:
            return UNPARSED
        index = existing[0]
        return Parsed("ok", LATIN[index], all(place.by_text for place in found))


def _read(text: str, options: Sequence[str]) -> Parsed:
    shown, plain = _Shown(options), _plain(text)
    whole = plain.replace("\n", " ").strip("\"' ").rstrip(_FINAL_PUNCTUATION).strip("\"' ")
    if whole and whole in shown.by_text and whole not in _INDEX:
        indices = shown.by_text[whole]
        return shown.decide([_Found(frozenset(indices), True, 0, "other")])
    reply = shown.mark(plain)
    lines = reply.split("\n")
    bare = [place for line in lines if (place := _line(line, shown)) and place.kind == "bare"]
    if statements := _statements(reply, shown):
        found = [*statements, *bare]
        turned = _names_another(_after_turn(reply, statements[-1].end), statements[-1], shown)
        return AMBIGUOUS if turned else shown.decide(found)
    return _from_lines(lines, shown)


def _statements(reply: str, shown: _Shown) -> list[_Found]:
    """The statements that count, by the rules at the top of the module."""

    def stated(pattern: regex.Pattern[str], kind: str) -> list[_Found]:
        return [
            shown.found(match, "final" if match.groupdict().get("final") else kind)
            for match in pattern.finditer(reply)
            if not _WITHHELD.search(_clause_before(reply, match.start()))
        ]

    if answers := stated(_ANSWER, "answer"):
        return [answer for answer in answers[:-1] if answer.kind == "final"] + answers[-1:]
    return stated(_CHOICE, "other") + stated(_CORRECT, "other")


def _clause_before(reply: str, end: int) -> str:
    # A clause longer than this says nothing about its end.
    return _CLAUSE_EDGE.split(reply[max(0, end - 200) : end])[-1]


def _line(line: str, shown: _Shown) -> _Found | None:
    """The options a line begins with, if a frame sets them apart from what follows."""
    match = _LINE.match(line)
    if not match or _DENIED.match(line, match.end()):
        return None
    rest = line[match.end() :]
    repeats_text = bool(regex.search(_MARK, line))
    bare = not (repeats_text or rest.strip(_FINAL_PUNCTUATION + ":"))
    found = shown.found(match, "bare" if bare else "line")
    only_digits = all(token.isdecimal() for token in match.captures("token"))
    if found.by_text or (only_digits and not bare and not repeats_text):
        return None  # a numbered list, or an option's text with more around it
    return found


def _from_lines(lines: Sequence[str], shown: _Shown) -> Parsed:
    places = [_line(line, shown) for line in lines]
    found = [place for place in places if place]
    if not found:
        return UNPARSED
    parsed = shown.decide(found)
    if parsed.outcome != "ok":
        return parsed
    if not (places[0] or places[-1]):
        return UNPARSED
    reply = "\n".join(lines)
    rivals = [*_FRAMED_LETTER.finditer(reply), *_after_turn(reply, 0)]
    return AMBIGUOUS if _names_another(rivals, found[0], shown) else parsed


def _after_turn(reply: str, start: int) -> Iterator[regex.Match[str]]:
    """Letters that stand alone after the reply, from `start` on, changes its mind."""
    if turn := _TURNED.search(reply, start):
        yield from _LONE_LETTER.finditer(reply, turn.end())


def _names_another(rivals: Iterable[regex.Match[str]], found: _Found, shown: _Shown) -> bool:
    indices = {index for match in rivals for index in shown.found(match, "other").indices}
    return any(index < shown.count for index in indices - found.indices)
