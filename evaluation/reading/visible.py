"""Whether a reply says anything, before anybody asks what. One rule for models and judges."""

import regex

from core.text import fold

_REFUSING = {"content_filter", "refusal", "safety"}
_CUTTING = {"length", "max_tokens"}
_LOOKED_AT = 3000  # characters at either end, for a word that can be seen

_REASONING = r"(?:think|thinking|thought|reasoning|reflection)[>\]]"
_REASONING_END = regex.compile(rf"(?i)[<\[]/{_REASONING}")
_REASONING_START = regex.compile(rf"(?i)[<\[]{_REASONING}")


def unusable(finish: str, *, refusal: bool = False) -> str | None:
    """`refused` or `truncated` where the endpoint's finish reason or mark says so, else None."""
    if refusal or finish in _REFUSING:
        return "refused"
    return "truncated" if finish in _CUTTING else None


def after_reasoning(text: str) -> str | None:
    """What the reply says after its reasoning; None if that never ended or nothing follows.

    A closing mark alone is common: chat templates may write the opening one in the prompt.
    """
    text = _REASONING_END.split(text)[-1]
    says = fold(text[:_LOOKED_AT]) or fold(text[-_LOOKED_AT:])
    return None if _REASONING_START.search(text) or not says else text


def after_opening_reasoning(text: str) -> str | None:
    """The same of a reply that may quote: only reasoning it begins with is taken for its own,
    and that ends at the first mark, so that nothing behind it is lost."""
    opening = _REASONING_START.match(text.lstrip())
    if opening is None:
        return text
    _, *rest = _REASONING_END.split(text, maxsplit=1)
    return rest[0] if rest else None


def ends_reasoning(text: str) -> bool:
    """Whether reasoning ends somewhere in the text, so that what stands before was no answer."""
    return _REASONING_END.search(text) is not None
