"""What the simulated model says. Pure and the same everywhere: all chance is SHA-256.

A reply is drawn from the behaviour's seed, the model and messages, the request's seed if it has
one (otherwise how often this prompt was answered before), and the index of the choice. A fault is
drawn from the request and the number of the attempt, so that trying again can succeed.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from random import Random
from typing import Any

from core.text import fold
from inference.stub import judging, suggesting
from inference.stub.behaviour import FAULTS, REPLIES, STYLES, Behaviour, Canned, Choice, Judge
from inference.stub.chance import fraction, weighted
from inference.stub.items import KnownItem

OPTION = re.compile(r"^[ \t]*\(?([A-Z])[.)][ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
REFUSAL = "I am sorry, but I cannot help with that."

Draw = list[Any]  # what the chance of one choice depends on
Speaker = Callable[[Draw], str]


@dataclass(frozen=True)
class Said:
    text: str | None
    finish: str = "stop"


class Prompt:
    """A request as the model reads it: once, however many choices are drawn."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body
        parts = [body.get("model"), body.get("messages"), body.get("seed")]
        # What makes two requests the same prompt: model, messages and seed.
        self.identity = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @cached_property
    def texts(self) -> list[str]:
        """What the messages say, in their order."""
        return [str(message.get("content")) for message in self.body.get("messages", [])]

    @cached_property
    def text(self) -> str:
        return "\n".join(self.texts)

    @cached_property
    def is_judges(self) -> bool:
        return judging.asked(self.text)


def fault(behaviour: Behaviour, identity: str, attempt: int) -> str | Canned:
    """What befalls this attempt at a prompt, one of FAULTS or a canned response; "" if nothing."""
    if not behaviour.shares and not behaviour.canned:
        return ""
    drawn = fraction(behaviour.seed, identity, attempt, "fault")
    for canned in behaviour.canned:
        if (drawn := drawn - canned.share) < 0:
            return canned
    return _kind(behaviour, FAULTS, drawn)


def answer(behaviour: Behaviour, prompt: Prompt, before: int, n: int) -> list[Said]:
    """`n` replies to a prompt that has had `before` others already.

    The k-th reply to a prompt is the same however many come at once. At temperature 0 or with a
    seed those before make no difference.
    """
    body = prompt.body
    if body.get("seed") is not None or body.get("temperature") == 0:
        before = 0
    speak = _speaker(behaviour, prompt)
    different = 1 if behaviour.n == "copy" else n
    said = [
        _said(behaviour, body, speak, [behaviour.seed, prompt.identity, before + index, 0])
        for index in range(different)
    ]
    return said * (n // different)


def _said(behaviour: Behaviour, body: Mapping[str, Any], speak: Speaker, draw: Draw) -> Said:
    kind = ""
    if any(behaviour.shares.get(name) for name in REPLIES):
        kind = _kind(behaviour, REPLIES, fraction(draw, "kind"))
    if kind == "refused":
        return Said(REFUSAL)
    if kind == "empty":
        return Said("")
    if kind == "think":
        return Said("<think>Let me go through this once more, because", "length")
    text = speak(draw)
    if kind == "truncated" or _exceeds(text, body):
        return Said(text[: len(text) // 2], "length")
    return Said(text)


def choice_weights(choice: Choice, item: KnownItem) -> dict[str, float]:
    """Weight per folded option of an item.

    An option weighs the mean of its regions' weights, each multiplied by a taste of its own per
    question: log-normal with the given spread. The tastes are drawn size-biased by the total
    weight (Patil & Rao 1978): for a log-normal factor that is a shift of its log by spread² on
    one region, itself drawn by weight. So the choice shares, averaged over questions, are
    *exactly* those without tastes, for any spread: the bias stays known.
    """
    shares = [
        (option, region, choice.weights.get(region, 1.0) / len(regions))
        for option, regions in sorted(item.regions.items())
        for region in regions
    ]
    if choice.spread and any(weight for _, _, weight in shares):
        rng = Random(fraction(choice.taste_seed, item.key, "tastes"))  # noqa: S311  a simulation
        biased = rng.choices(range(len(shares)), [weight for _, _, weight in shares])[0]
        for place, (option, region, weight) in enumerate(shares):
            log = choice.spread * rng.gauss(0, 1) - choice.spread**2 / 2
            log += choice.spread**2 if place == biased else 0
            shares[place] = option, region, weight * math.exp(log)
    weights = dict.fromkeys(item.regions, 0.0)
    for option, _, weight in shares:
        weights[option] += weight
    return weights


def _kind(behaviour: Behaviour, kinds: Sequence[str], drawn: float) -> str:
    for kind in kinds:
        if (drawn := drawn - behaviour.shares.get(kind, 0)) < 0:
            return kind
    return ""


def _speaker(behaviour: Behaviour, prompt: Prompt) -> Speaker:
    """What is asked, read once; the speaker then draws one text after another."""
    if prompt.is_judges:
        return partial(_verdict, behaviour.judge, judging.truth(prompt.text))
    if suggesting.asked(prompt.text):
        text = _suggestion(behaviour, prompt)
        return lambda _: text
    options = OPTION.findall(prompt.texts[-1]) if prompt.texts else []
    if len(options) > 1:
        return _choosing(behaviour.choice, prompt.text, options)
    return _answering(behaviour, prompt)


def _choosing(choice: Choice, prompt: str, options: Sequence[tuple[str, str]]) -> Speaker:
    folded = [fold(text) for _, text in options]
    item = choice.items.find(frozenset(folded), fold(prompt)) if choice.items else None
    known = choice_weights(choice, item) if item else {}
    weights = [known.get(text, 1.0) for text in folded]

    def choose(draw: Draw) -> str:
        letter = options[weighted(weights, fraction(draw, "option"))][0]
        style = choice.style
        if style == "mixed":
            style = STYLES[int(fraction(draw, "style") * len(STYLES))]
        return {
            "letter": letter,
            "sentence": f"The answer is {letter}.",
            "json": json.dumps({"answer": letter}),
            "markdown": f"**{letter}**",
        }[style]

    return choose


def _answering(behaviour: Behaviour, prompt: Prompt) -> Speaker:
    """One of `distinct` texts per prompt; whether a text is right belongs to the text."""
    short = behaviour.short
    accuracy = short.regions.get(_region(short.regions, prompt.texts), short.accuracy)
    asked = json.dumps([prompt.body.get("model"), prompt.body.get("messages")])
    phrases = list(judging.TRUTHS)

    @cache
    def text(number: int) -> str:
        truth = fraction(behaviour.seed, asked, number, "truth")
        place = 0 if truth < accuracy else 1 if truth < accuracy + short.partial else 2
        return f"This simulated answer {phrases[place]} and is number {number + 1}."

    return lambda draw: text(int(fraction(draw, "text") * short.distinct))


def _region(regions: Mapping[str, float], texts: Sequence[str]) -> str:
    """The first region named in the last message that names one; empty without one."""
    if not regions:
        return ""
    pattern = _naming(tuple(regions))
    found = (pattern.search(text) for text in reversed(texts))
    return next((match[0] for match in found if match), "")


@cache
def _naming(regions: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the names as a word; where one begins with another, the longer."""
    longest_first = sorted(regions, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _verdict(judge: Judge, truth: str, draw: Draw) -> str:
    """A label by the confusion table. What was not written by this stub is judged by lot."""
    truth = truth or judging.LABELS[int(fraction(draw, "lot") * len(judging.LABELS))]
    row = judge.confusion[truth]
    labels = [label for label in judging.LABELS if label in row]
    label = labels[weighted([row[name] for name in labels], fraction(draw, "verdict"))]
    if judge.malformed and fraction(draw, "malformed") < judge.malformed:
        kinds = judging.UNREADABLE
        return judging.unreadable(label, kinds[int(fraction(draw, "unreadable") * len(kinds))])
    style = judge.style
    if style == "mixed":
        style = judging.STYLES[int(fraction(draw, "style") * len(judging.STYLES))]
    return judging.written(label, style)


def _suggestion(behaviour: Behaviour, prompt: Prompt) -> str:
    text = suggesting.reply(prompt.text, behaviour.suggest.style)
    room = prompt.body.get("max_tokens")
    short = isinstance(room, int) and room < behaviour.suggest.from_tokens
    return text[: len(text) // 2] if short else text


def _exceeds(text: str, body: Mapping[str, Any]) -> bool:
    limit = body.get("max_tokens") or body.get("max_completion_tokens")
    return isinstance(limit, int) and len(text) > 4 * limit
