"""Which option a reply names: strict, in any script, and never a guess.

A reply is read as an answer only where a whole sentence is one: nothing but words that cannot
change its meaning ("so the correct answer is"), the letter or an option's own text, and an
ending. One unknown word ("worst", "if", "people think", "Plan") leaves the sentence unread. In
order:

1. what the endpoint said: filtered is `refused`; cut short, or no words after the reasoning, is
   `truncated`;
2. a JSON object with an answer key: its value, and nothing else in the reply;
3. statements ("The answer is B", "I choose B", "B is correct", "उत्तर: (ख)"). Of those with an
   answer word the last counts, and each "final" one; all that count must agree;
4. bare letters ("B", "(B)"): a line of their own, the first or the last;
5. a letter with a label of up to four plain words, the whole reply ("B) Kerala").

After a letter may stand the text of an option, a reason, "not A", and no other words. The text
beside a letter repeats the option; the letter decides. A later change of mind, a letter on a line
of its own or another answer that differs make the reply `ambiguous`, as do several letters
offered at once, or a letter in one place and an option's text in another. Everything else is
`unparsed`, a letter beyond the options included.

The order of the options never changes the outcome, and the letter only where `option_text_match`
is true; a reply can be parsed once for all samples that share it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from core.text import fold
from evaluation.reading.answer_words import (
    ANSWER_KEYS,
    ANSWER_WORDS,
    CHOICE_VERBS,
    ENDINGS,
    FINAL_WORDS,
    HEDGES,
    JOINS,
    LATIN,
    LEAD_INS,
    LINKS,
    NO_LABEL,
    OPTION_WORDS,
    QUALIFIERS,
    REASONS,
    RETRACTIONS,
    RIGHT_AFTER,
    SERIES,
)
from evaluation.reading.visible import after_reasoning, unusable

# Option texts found in a reply are replaced by one of these each, so that their own words are
# never taken for an answer, and an answer in an option's words is one character.
_TEXT_MARKS = [chr(0xE000 + i) for i in range(len(LATIN))]
_SHORTEST_MARKED_TEXT = 3
# A longer reply is read at both ends; the mark between them belongs to no sentence.
_CLIPPED_TO = 3000
_GAP = "¤"
_MOST_OBJECTS = 20

_FINAL_PUNCTUATION = " .!?;,।॥。"


@dataclass(frozen=True)
class Parsed:
    """`outcome` is ok, unparsed, ambiguous, refused or truncated; `letter` is A–Z if ok."""

    outcome: str
    letter: str | None = None
    option_text_match: bool = False


UNPARSED, AMBIGUOUS = Parsed("unparsed"), Parsed("ambiguous")
TRUNCATED = Parsed("truncated")

# Nearly every reply; the full reading of these gives the same and takes longer.
_USUAL = regex.compile(r"(?i)\s*(?:answer: ?)?(?:([a-z])\.?|\(([a-z])\)|\*\*([a-z])\*\*)\s*")


def parse_letter(
    text: str, options: Sequence[str], finish: str = "stop", *, refusal: bool = False
) -> Parsed:
    """The option a reply names; `options` are their texts (2–26) in the order shown.

    `finish` is the endpoint's finish reason, `refusal` whether it marked the reply as one. Never
    raises on any reply.
    """
    if outcome := unusable(finish, refusal=refusal):
        return Parsed(outcome)
    if len(text) < 20 and (usual := _USUAL.fullmatch(text)):
        return _decide({_INDEX[usual[usual.lastindex or 1].lower()]}, {}, len(options))
    visible = after_reasoning(text)
    if visible is None:
        return TRUNCATED
    visible = _clipped(visible)
    values = list(_json_answers(visible))
    if not values:
        return _read(visible, options)
    answers = {_read(value, options) for value in values}
    if len(answers) == 1:
        return answers.pop()
    return AMBIGUOUS if any(answer != UNPARSED for answer in answers) else UNPARSED


# ------------------------------------------------------------------ from a reply to plain lines


def _clipped(text: str) -> str:
    if len(text) <= 2 * _CLIPPED_TO:
        return text
    return text[:_CLIPPED_TO] + _GAP + text[-_CLIPPED_TO:]


_MARKUP = tuple(
    (regex.compile(pattern), replacement)
    for pattern, replacement in (
        (r"```(?:[\w-]+(?=\n))?", "\n"),
        (r"\\(?:boxed|fbox|text\w*|math\w*)\s?(?=\{)", ""),
        (r"(?i)<(?:(?:final_?)?answer|choice)>", "\nfinal answer: "),
        (r"(?i)</(?:(?:final_?)?answer|choice)>", "\n"),
        (r"(?i)<(b|i|u|em|strong|p|span|code)>([^<>]{0,300})</\1>", r"\2"),
        (r"(?i)<(?:br|hr) ?/?>", "\n"),
        (r"\\[()\[\],;! ]|[*$]|__", ""),
        (r"(?m)^[\s#>•‣-]++", ""),
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
    for _ in range(_MOST_OBJECTS):
        if start < 0:
            return
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


_KEYS = {fold(word) for word in (*ANSWER_WORDS, *FINAL_WORDS, *OPTION_WORDS, *ANSWER_KEYS)}
_INDEX = {fold(letter): i for series in SERIES for i, letter in enumerate(series)}

_WORD = r"[\p{L}\p{M}\p{N}_]"
_EDGE = rf"(?<!{_WORD})"
_MARK = f"[{_TEXT_MARKS[0]}-{_TEXT_MARKS[-1]}]"
_OPEN, _CLOSE = r"""["'_(\[{<【「]{0,4}""", r"""["'_)\]}>】」]{0,4}"""
_LETTER = "(?:" + "|".join(sorted(map(regex.escape, _INDEX), key=len, reverse=True)) + ")"
_NAME = rf"{_OPEN} ?(?P<name>{_LETTER}|\p{{Nd}}{{1,2}}|{_MARK}){_CLOSE}"
_LETTER_NAME = rf"{_OPEN} ?(?P<name>{_LETTER}){_CLOSE}"

# After a line break or a full stop that no common abbreviation ends with.
_START = (
    r"(?:^|(?<=[।॥。] ?)|(?<=[.!?][\"')]? )(?<!\b(?:dr|mr|mrs|ms|st|vs|prof|e\.g|i\.e)\. ))"
    r"(?!(?:is|are|was|will|would|should|must|am)\b)"
)
_CHOSEN = rf"(?:(?:i|we)(?:'d|'ll| would| will| must| have to)? |let's |^){_any(*CHOICE_VERBS)}"
_PREFIX = (
    rf"(?:\{{ ?[\"'])?(?:(?:(?P<final>{_any(*FINAL_WORDS)})|(?P<answer>{_any(*ANSWER_WORDS)})"
    rf"|(?P<said>{_CHOSEN}|{_any(*LINKS)})|{_any(*OPTION_WORDS, *QUALIFIERS, *LEAD_INS)})"
    rf"[\"',.:!]{{0,3}}[ \n]?){{0,12}}+"
)
_JOIN = r"(?: ?[,/&+|;:.] ?| |(?<=[)\]]))"
_RIVALS = rf"(?:{_JOIN}(?:{_any(*JOINS)} ?{_NAME}|(?<!\p{{Nd}}{_JOIN}){_LETTER_NAME})){{0,8}}"
_VERDICT = (
    rf"(?P<said> (?:is|are|es|est|ist|would be)(?: {_any(*QUALIFIERS)}){{0,4}}"
    rf" (?:correct|right|best|{_any(*ANSWER_WORDS, *OPTION_WORDS)})| {_any(*RIGHT_AFTER)})"
)
_TEXT = rf"(?:[ .:(-]{{1,3}}|(?<=[)\]}}>]))(?P<text>{_MARK}|{_WORD}{{1,2}})\)?"
_NOT = rf"[,.;]? ?\(?(?:not|rather than|instead of) {_OPEN}{_LETTER}{_CLOSE}"
_REASON = rf"(?:,| -)? {_any(*REASONS)}(?![^.\n]*{_EDGE}{_any(*HEDGES)})[^.?\n]*"
_END = r"(?:[.!]{1,5}[\"')\]}]{0,2}(?=\s|$)|[।॥。]|[\"')\]}]{0,2},?\}?$)"
_SENTENCE = regex.compile(
    rf"(?m){_START}{_PREFIX}(?:{_MARK} ?)?{_NAME}{_RIVALS}(?:{_VERDICT})?"
    rf"(?: ?{_any(*ENDINGS)}){{0,2}}(?:{_TEXT})?(?:{_NOT}|{_REASON})?{_END}"
)
_RETRACTED = regex.compile(
    rf"""(?:[.!?:।॥。"')\]}}] ?|\n)(?:{_any(*RETRACTIONS)}(?!{_WORD})|no(?=[,.!\n]|$| wait))"""
)
# An answer that no sentence above states: "second best answer: B".
_MENTION = regex.compile(
    rf"{_any(*ANSWER_WORDS, *OPTION_WORDS)}[\"']? ?(?:{_any(*LINKS)} ?){{1,3}}{_NAME}"
    rf"(?!{_WORD}|(?<=[ai]) [a-z])"
)
_LONE_LINE = regex.compile(rf"(?m)^{_LETTER_NAME}[.!]?$")
_LISTED_LINE = regex.compile(
    rf"(?m)^\(?(?P<name>{_LETTER})(?:[).:?]| - | (?:is|could|can|may|might)\b)"
)

_LABEL_WORD = rf"(?!{_any(*NO_LABEL)}(?!{_WORD}))(?!{_LETTER}(?!{_WORD})){_WORD}[\p{{L}}\p{{M}}'-]*"
_LABELLED = regex.compile(
    rf"{_PREFIX}{_LETTER_NAME}[).] {_LABEL_WORD}"
    rf"(?:,? {_LABEL_WORD}){{0,3}}\.?"
)

_Name = int | str  # the place a letter or number stands for, or an option's text


def _read(text: str, options: Sequence[str]) -> Parsed:
    by_text: dict[str, list[int]] = {}
    for index, option in enumerate(options):
        key = _plain(option).replace("\n", " ").rstrip(_FINAL_PUNCTUATION)
        by_text.setdefault(key, []).append(index)
    plain = _plain(text)
    whole = plain.replace("\n", " ").strip("\"' ").rstrip(_FINAL_PUNCTUATION).strip("\"' ")
    if whole and whole in by_text and whole not in _INDEX:
        return _decide({whole}, by_text, len(options))
    texts = sorted(by_text, key=lambda text: (-len(text), text))
    known = {text: text for text in texts} | dict(zip(_TEXT_MARKS, texts, strict=False))
    reply = _marked(plain, texts)
    names, end = _named(reply, known)
    if not names and (labelled := _LABELLED.fullmatch(plain)):
        return _decide(_names(labelled, known), by_text, len(options))
    parsed = _decide(names, by_text, len(options))
    retracted = parsed.outcome == "ok" and _RETRACTED.search(reply, max(end - 1, 0))
    return AMBIGUOUS if retracted else parsed


def _marked(plain: str, texts: Sequence[str]) -> str:
    """The reply with each option text of some length replaced by one character."""
    plain = regex.sub(_MARK, " ", plain)
    for mark, text in zip(_TEXT_MARKS, texts, strict=False):
        if len(text) >= _SHORTEST_MARKED_TEXT and text in plain:
            plain = regex.sub(rf"{_EDGE}{regex.escape(text)}(?!{_WORD})", mark, plain)
    return plain


def _named(reply: str, known: Mapping[str, str]) -> tuple[set[_Name], int]:
    """All that the sentences which count name, and where the last of them ends.

    `known` gives the option text for whatever stands for one.
    """
    stated: set[_Name] = set()
    last_answer: set[_Name] = set()
    alone: set[_Name] = set()
    end = 0
    for match in _SENTENCE.finditer(reply):
        names = _names(match, known)
        if match["text"] and match["text"] not in known:
            continue
        if match["answer"] and not match["final"]:
            last_answer = names
        elif match["final"] or match["said"]:
            stated |= names
        elif _stands_alone(match) and all(isinstance(name, int) for name in names):
            alone |= names
        else:
            continue
        end = match.end()
    stated |= last_answer
    # Two listed letters beside a statement are the options, repeated.
    if not (stated and len(_LISTED_LINE.findall(reply)) > 1):
        stated |= alone
    if not stated:
        return stated, end
    later = (match for rival in (_MENTION, _LISTED_LINE) for match in rival.finditer(reply, end))
    rivals = [*_LONE_LINE.finditer(reply), *later]
    return stated.union(*(_names(match, known) for match in rivals)), end


def _names(match: regex.Match[str], known: Mapping[str, str]) -> set[_Name]:
    return {_INDEX.get(name, known.get(name, _place(name))) for name in match.captures("name")}


def _place(number: str) -> int:
    # The pattern knows digits of newer Unicode versions than int() does.
    return int(number) - 1 if number.isdecimal() else -1


def _stands_alone(match: regex.Match[str]) -> bool:
    """Whether the match is the first line, or the last and the one before is a sentence."""
    reply, start, end = match.string, match.start(), match.end()
    if start == 0:
        return reply[end : end + 1] in ("", "\n")
    return end == len(reply) and reply[start - 1] == "\n" and reply[start - 2] in ".!?।॥。"


def _decide(names: set[_Name], by_text: Mapping[str, Sequence[int]], count: int) -> Parsed:
    """One option if all names agree; two that exist make the reply ambiguous."""
    known = [name for name in names if isinstance(name, str) or 0 <= name < count]
    if len(known) > 1:
        return AMBIGUOUS
    if len(names) > 1 or not known:
        return UNPARSED
    name = known[0]
    if isinstance(name, int):
        return Parsed("ok", LATIN[name])
    if len(by_text[name]) > 1:
        return AMBIGUOUS
    return Parsed("ok", LATIN[by_text[name][0]], True)
