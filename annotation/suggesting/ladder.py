"""Asking a model again when its reply is of no use, with room for more each time.

Source: Common to Whom? Regional Cultural Commonsense and LLM Bias in India, section 3.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.suggesting import Said, Suggester, Unreadable
from core.text import storable
from inference.json_reply import read_object

LIMITS = (800, 1200, 1500, 2000, 2500, 3000)  # tokens
RETRIES = 5
LONGEST_REMARK = 2000  # characters
TEMPERATURE = 0.1
EMPTY, UNPARSEABLE, INCOMPLETE = "empty", "unparseable", "incomplete"
NO_CONCEPT = "agreement_without_concept"


def rungs(first: int) -> list[tuple[int, int]]:
    """(limit of tokens, how often it was tried before) per attempt, from `first` on; the last
    limit is tried until the retries are used up."""
    limits = [limit for limit in LIMITS if limit >= first]
    tried = [limits[min(number, len(limits) - 1)] for number in range(RETRIES + 1)]
    return [(limit, tried[:place].count(limit)) for place, limit in enumerate(tried)]


def read(suggester: Suggester, text: str, context: Any) -> Said:
    """Raises `Unreadable`."""
    if not text.strip():
        raise Unreadable(EMPTY)
    document = read_object(text)
    if document is None:
        raise Unreadable(UNPARSEABLE)
    try:
        return suggester.read(document, context)
    except (ValueError, TypeError, RecursionError) as error:  # of a shape nobody has thought of
        raise Unreadable(INCOMPLETE) from error


def require(document: Mapping[str, Any], **kinds: type | tuple[type, ...]) -> None:
    """Raises `Unreadable` where a field lacks or is of another kind."""
    for name, kind in kinds.items():
        if name not in document or not isinstance(document[name], kind):
            raise Unreadable(INCOMPLETE)


def objects(values: Sequence[Any]) -> list[Mapping[str, Any]]:
    """Raises `Unreadable` where one of them is none."""
    if not all(isinstance(each, Mapping) for each in values):
        raise Unreadable(INCOMPLETE)
    return list(values)


def remark(value: Any) -> str:
    """What a model says for people to read, storable and no longer than they would."""
    return storable(value)[0][:LONGEST_REMARK] if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """Texts of a field that should be a list of them: one text alone will do, the rest is left."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each.strip()]
