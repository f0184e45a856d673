"""What stands behind one sample: the prompt as sent, the reply, the options, the gold answers."""

import string
from typing import Any

from evaluation import selectors
from evaluation.figures import OUTCOMES
from evaluation.models import Run, Sample
from releases.models import Item


def in_short(sample: Sample) -> dict[str, Any]:
    """A row of the list: where, what came of it, which regions' answer was chosen."""
    outcome = sample.reply.outcome if sample.reply else "failed"
    options = sample.item.payload.get("options", [])
    return {
        "sample": sample,
        "outcome": outcome,
        "outcome_words": OUTCOMES[outcome],
        "regions": options[sample.choice]["regions"] if sample.choice is not None else [],
        "text": sample.reply.text if sample.reply else "",
    }


def of_sample(run: Run, sample: Sample) -> dict[str, Any]:
    """Everything the page of a sample shows.

    `request` is made again from pinned prompt and item; `exact` says that its hash equals the
    one stored when it was sent. `gold` leads to the question the item was built from.
    """
    request, exact = selectors.request_as_sent(run, sample)
    return {
        **in_short(sample),
        "request": request,
        "exact": exact,
        "options": _options(sample),
        "question": next(iter(sample.item.payload.get("question", {}).values()), sample.item.key),
        "source_item": _source(run, sample),
    }


def _options(sample: Sample) -> list[dict[str, Any]]:
    """The options as shown: letter, text, regions, whether chosen."""
    options = sample.item.payload.get("options", [])
    order = sample.shown if sample.shown is not None else range(len(options))
    return [
        {
            "letter": letter,
            "text": next(iter(options[index]["text"].values())),
            "regions": options[index]["regions"],
            "chosen": index == sample.choice,
        }
        for letter, index in zip(string.ascii_uppercase, order, strict=False)
    ]


def _source(run: Run, sample: Sample) -> Item | None:
    """The question with its gold answers, in the release this one was built from."""
    parent = run.release.parent
    if parent is None:
        return None
    key = sample.item.payload.get("source", sample.item.key)
    return parent.items.select_related("release").filter(key=key).first()
