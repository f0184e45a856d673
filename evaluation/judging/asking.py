"""What a judge is asked."""

from evaluation.benchmarks import Judging
from evaluation.models import Judge
from inference.requests import ChatRequest
from releases.models import Item


def request_of(judge: Judge, judging: Judging, item: Item, variant: str, text: str) -> ChatRequest:
    """The request for a verdict on a reply's text."""
    if judge.prompt is None:
        raise LookupError(f"{judge} is no model")
    sent = judge.settings
    return ChatRequest(
        base_url=sent["base_url"],
        model=sent["model"],
        messages=judging.messages(judge.prompt.text, item, variant, text),
        temperature=sent["temperature"],
        max_tokens=sent["max_tokens"],
    )
