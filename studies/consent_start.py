"""A text to begin a consent document with, in English; what only a study knows stands as a
`[blank]`, and no study opens with a blank in what people agree to."""

import re
from collections.abc import Iterable, Sequence

from studies.languages import Texts
from studies.setup import Purpose

TEXT = """\
[Name of your institution] invites you to take part in a study. We want to learn what people in \
different regions take for granted: [two or three examples of what you ask about]. There are no \
right or wrong answers; we ask you because of where you have lived.

You answer questions on this page, in your own words or by choosing. It takes about [number] \
minutes, and you do not have to do it all at once. Some questions only check that the questions \
are being read. You may skip any question, and you may stop at any time without giving a reason.

You are paid [amount and how it reaches you]. If you stop earlier, you are paid for the time you \
have worked.

We keep a code in place of your name. What you write is read by [who reads the answers] and kept \
until [when it is deleted]. Please do not write anything that says who you or other people are. \
[What happens with the answers: published, shared, used to test language models.]

You can withdraw later, with the link you use now or by writing to us. What you wrote is then \
removed from our records; what was published before that cannot be called back.

The study is run by [name and e-mail address]. [Name of the ethics board] has approved it under \
the number [number]. You can complain to them at [address]."""
PURPOSES = {
    Purpose.TAKE_PART: "I have read this, I am at least 18 years old, and I want to take part.",
    Purpose.PUBLISH: "What I write may be published without my name.",
}
_BLANK = re.compile(r"\[[^\[\]]*[^\W\d_][^\[\]]*\]")  # with a letter in it: [1] is no blank


def english(tongues: Sequence[str]) -> str:
    """The English of a study's languages, "" where there is none."""
    return next((tag for tag in tongues if tag.split("-")[0] == "en"), "")


def filled(tongues: Sequence[str]) -> tuple[Texts, dict[Purpose, Texts]]:
    """The text and the sentences to tick, in the English of a study's languages."""
    tag = english(tongues)
    if not tag:
        return {}, {}
    return {tag: TEXT}, {purpose: {tag: sentence} for purpose, sentence in PURPOSES.items()}


def blanks(texts: Iterable[str]) -> list[str]:
    """What is still to be filled in, with its brackets, each once."""
    return list(dict.fromkeys(blank for text in texts for blank in _BLANK.findall(text)))
