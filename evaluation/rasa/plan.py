"""How a question names its region. Pure.

A release stores with each region the phrase that says where ("In the North"), per language. It
stands in front of the question and, in English, takes the place of every "your region" in it.
"""

import re

from collection.documents import lowered

_PREPOSITIONS = {
    *("across", "along", "amid", "among", "around", "at", "beside", "by", "for", "from", "in"),
    *("inside", "near", "of", "on", "over", "throughout", "up", "upon", "within"),
}
_YOUR_REGION = re.compile(r"\b(?:(?P<place>in|on|at) )?(?P<your>your) region\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?:^|[.!?:]\s+)[^\w]*$")
_OPENING = re.compile(r"(?:in your region|where you live)(?![\w'’])\s*[,:]?\s*", re.IGNORECASE)
_ARABIC_COMMA = {"ar", "ckb", "fa", "ks", "ps", "sd", "ug", "ur"}


def anchored(question: str, phrase: str, language: str = "en") -> str:
    """The question with its region named: "In the North, what is eaten for breakfast?"

    The first letter is made small as `lowered` does. "In your region" becomes the phrase, "your
    region" anywhere else the region's name as the phrase has it ("of the North").
    """
    text = question.strip()
    if opening := _OPENING.match(text):
        text = text[opening.end() :] or text
    text = _YOUR_REGION.sub(lambda found: _named(found, phrase, language), text)
    comma = "،" if language.split("-")[0] in _ARABIC_COMMA else ","
    return f"{phrase}{comma} {lowered(text, language)}"


def _named(found: re.Match[str], phrase: str, language: str) -> str:
    """What stands for "your region" or "in your region"; a capital stays where a sentence
    begins."""
    words = phrase if found["place"] else _name(phrase)
    begins = _SENTENCE_END.search(found.string[: found.start()]) is not None
    if begins:
        return words[0].upper() + words[1:]
    return lowered(words, language) if found["place"] else words


def _name(phrase: str) -> str:
    """The phrase without the preposition it begins with: "the North" of "In the North"."""
    words = phrase.split()
    while len(words) > 1 and words[0].lower() in _PREPOSITIONS:
        words = words[1:]
    return " ".join(words)
