"""What stands behind one sample: the prompt as sent, the reply, the options, the gold answers."""

import string
from typing import Any

from evaluation import selectors
from evaluation.figures import OUTCOMES
from evaluation.models import Run, Sample


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
    one stored when it was sent. `source_item` is the question the item was built from, `gold` pairs
    of region and agreed texts.
    """
    request, exact = selectors.request_as_sent(run, sample)
    return {
        **in_short(sample),
        "request": request,
        "exact": exact,
        "options": _options(sample),
        "question": next(iter(sample.item.payload.get("question", {}).values()), sample.item.key),
        **_gold(run, sample),
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


def _gold(run: Run, sample: Sample) -> dict[str, Any]:
    """The question the item was built from and its gold answers, in the release's region order."""
    parent = run.release.parent
    key = sample.item.payload.get("source", sample.item.key)
    source = parent and parent.items.select_related("release").filter(key=key).first()
    if not parent or not source:
        return {"source_item": None, "gold": []}
    answers = [
        (region, [text for each in gold or () for text in each["text"].values()])
        for region in parent.regions
        for gold in [source.payload["gold"].get(region)]
    ]
    return {"source_item": source, "gold": answers}
