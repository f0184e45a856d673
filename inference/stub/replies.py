"""What the simulated model says. Pure and the same everywhere: all chance is SHA-256.

A reply is drawn from the behaviour's seed, the model and messages, the request's seed if it has
one (otherwise how often this prompt was answered before), and the index of the choice. A fault is
drawn from the request and the number of the attempt, so that trying again can succeed.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from core.text import fold
from inference.stub import suggesting
from inference.stub.behaviour import FAULTS, LABELS, REPLIES, STYLES, Behaviour, Canned, Choice
from inference.stub.items import KnownItem

OPTION = re.compile(r"^[ \t]*\(?([A-Z])[.)][ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
TRUTHS = {"is right": "CORRECT", "is partly right": "PARTIALLY_CORRECT", "is wrong": "INCORRECT"}
TRUTH = re.compile(r"This simulated answer (is right|is partly right|is wrong)")
REFUSAL = "I am sorry, but I cannot help with that."


@dataclass(frozen=True)
class Said:
    text: str | None
    finish: str = "stop"


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but `parts`."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def identity(body: Mapping[str, Any]) -> str:
    """What makes two requests the same prompt: model, messages and seed."""
    parts = [body.get("model"), body.get("messages"), body.get("seed")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fault(behaviour: Behaviour, prompt: str, attempt: int) -> str | Canned:
    """What befalls this attempt, one of FAULTS or a canned response; "" if nothing."""
    if not behaviour.shares and not behaviour.canned:
        return ""
    drawn = fraction(behaviour.seed, prompt, attempt, "fault")
    for canned in behaviour.canned:
        if (drawn := drawn - canned.share) < 0:
            return canned
    return _kind(behaviour, FAULTS, drawn)


def reply(behaviour: Behaviour, body: Mapping[str, Any], occurrence: int, index: int) -> Said:
    """The `index`-th choice of the answer to a prompt answered `occurrence` times before.

    At temperature 0 the occurrence makes no difference. A seed settles everything but the index.
    """
    if body.get("seed") is not None or body.get("temperature") == 0:
        occurrence = 0
    draw = [behaviour.seed, identity(body), occurrence, index]
    kind = _kind(behaviour, REPLIES, fraction(draw, "kind"))
    if kind == "refused":
        return Said(REFUSAL)
    if kind == "empty":
        return Said("")
    if kind == "think":
        return Said("<think>Let me go through this once more, because", "length")
    text = _text(behaviour, body, draw)
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


def _text(behaviour: Behaviour, body: Mapping[str, Any], draw: list[Any]) -> str:
    prompt = "\n".join(str(message.get("content")) for message in body.get("messages", []))
    if all(label in prompt for label in LABELS):
        return _verdict(behaviour, prompt, draw)
    if suggesting.asked(prompt):
        return _suggestion(behaviour, body, prompt)
    options = OPTION.findall(str(body["messages"][-1].get("content")) if body["messages"] else "")
    if len(options) > 1:
        return _choice(behaviour.choice, prompt, options, draw)
    return _short(behaviour, body, draw)


def _choice(
    choice: Choice, prompt: str, options: Sequence[tuple[str, str]], draw: list[Any]
) -> str:
    folded = [fold(text) for _, text in options]
    item = choice.items.find(frozenset(folded), fold(prompt)) if choice.items else None
    weights = choice_weights(choice, item) if item else {}
    place = _weighted([weights.get(text, 1.0) for text in folded], fraction(draw, "option"))
    letter = options[place][0]
    style = choice.style
    if style == "mixed":
        style = STYLES[int(fraction(draw, "style") * len(STYLES))]
    return {
        "letter": letter,
        "sentence": f"The answer is {letter}.",
        "json": json.dumps({"answer": letter}),
        "markdown": f"**{letter}**",
    }[style]


def _short(behaviour: Behaviour, body: Mapping[str, Any], draw: list[Any]) -> str:
    """One of `distinct` texts per prompt; whether a text is right belongs to the text."""
    short = behaviour.short
    number = int(fraction(draw, "text") * short.distinct)
    prompt = json.dumps([body.get("model"), body.get("messages")])
    truth = fraction(behaviour.seed, prompt, number, "truth")
    truths = list(TRUTHS)
    place = 0 if truth < short.accuracy else 1 if truth < short.accuracy + short.partial else 2
    return f"This simulated answer {truths[place]} and is number {number + 1}."


def _verdict(behaviour: Behaviour, prompt: str, draw: list[Any]) -> str:
    """A label by the confusion table. What was not written by this stub is judged by lot."""
    found = TRUTH.findall(prompt)
    truth = TRUTHS[found[-1]] if found else LABELS[int(fraction(draw, "lot") * len(LABELS))]
    row = behaviour.confusion[truth]
    labels = [label for label in LABELS if label in row]
    label = labels[_weighted([row[name] for name in labels], fraction(draw, "verdict"))]
    return json.dumps(
        {"label": label, "reasoning": "A simulated judgement.", "key_discrepancies": []}
    )


def _suggestion(behaviour: Behaviour, body: Mapping[str, Any], prompt: str) -> str:
    text = suggesting.reply(prompt, behaviour.suggest.style)
    room = body.get("max_tokens")
    short = isinstance(room, int) and room < behaviour.suggest.from_tokens
    return text[: len(text) // 2] if short else text


def _weighted(weights: Sequence[float], drawn: float) -> int:
    """The place that `drawn` in [0, 1) falls on; all places alike where nothing weighs."""
    total = sum(weights)
    if not total:
        return int(drawn * len(weights))
    mark = drawn * total
    for place, weight in enumerate(weights):
        if (mark := mark - weight) < 0:
            return place
    return max(place for place, weight in enumerate(weights) if weight)


def _exceeds(text: str, body: Mapping[str, Any]) -> bool:
    limit = body.get("max_tokens") or body.get("max_completion_tokens")
    return isinstance(limit, int) and len(text) > 4 * limit
