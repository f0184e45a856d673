"""A judged study of models whose accuracy is known, by judges whose errors are known.

Nothing here comes from the product's own figures: the truth of an answer stands in its text, and
what a judge makes of it in the table it was given.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from inference.stub.behaviour import parse
from inference.stub.server import running

MODELS = {
    "weak": {"accuracy": 0.35, "partial": 0.25, "distinct": 40},
    "strong": {"accuracy": 0.7, "partial": 0.15, "distinct": 40},
}
JUDGES = {
    "fair": {
        "CORRECT": {"CORRECT": 0.9, "PARTIALLY_CORRECT": 0.08, "INCORRECT": 0.02},
        "PARTIALLY_CORRECT": {"CORRECT": 0.1, "PARTIALLY_CORRECT": 0.8, "INCORRECT": 0.1},
        "INCORRECT": {"CORRECT": 0.02, "PARTIALLY_CORRECT": 0.08, "INCORRECT": 0.9},
    },
    "kind": {
        "CORRECT": {"CORRECT": 1.0},
        "PARTIALLY_CORRECT": {"CORRECT": 0.5, "PARTIALLY_CORRECT": 0.5},
        "INCORRECT": {"CORRECT": 0.15, "PARTIALLY_CORRECT": 0.15, "INCORRECT": 0.7},
    },
}
FIGURES = {"CORRECT": "full", "PARTIALLY_CORRECT": "partial", "INCORRECT": "incorrect"}
TRUTHS = {"is right": "CORRECT", "is partly right": "PARTIALLY_CORRECT", "is wrong": "INCORRECT"}


@contextmanager
def endpoints() -> Iterator[dict[str, Any]]:
    """COMMONPLACE_ENDPOINTS with a stub of its own for every model and judge."""
    with ExitStack() as stack:
        made = {}
        for name, short in MODELS.items():
            made[name] = stack.enter_context(running(parse({"short": short})))[0]
        for name, confusion in JUDGES.items():
            document = {"judge": {"confusion": confusion, "style": "mixed"}, "seed": 3}
            made[name] = stack.enter_context(running(parse(document)))[0]
        price = {"input": 0.1, "output": 0.4}
        yield {
            name: {"base_url": url, "key_variable": "", "max_in_flight": 32, "price": price}
            for name, url in made.items()
        }


def share(model: str, label: str) -> float:
    """Of a model's answers that are truly so."""
    short = MODELS[model]
    known = {"CORRECT": short["accuracy"], "PARTIALLY_CORRECT": short["partial"]}
    return known.get(label, 1 - short["accuracy"] - short["partial"])


def expected(model: str, judge: str) -> dict[str, float]:
    """What the judge's report of the model has to show, but for chance."""
    return {
        FIGURES[said]: sum(
            share(model, truth) * row.get(said, 0) for truth, row in JUDGES[judge].items()
        )
        for said in FIGURES
    }


def confusion(verdicts: list[tuple[str, str]]) -> dict[str, Counter[str]]:
    """From pairs of an answer's text and the judge's label: truth -> label -> count."""
    table: dict[str, Counter[str]] = {truth: Counter() for truth in FIGURES}
    for text, label in verdicts:
        truth = next(label for words, label in TRUTHS.items() if f"answer {words} " in text)
        table[truth][label] += 1
    return table
