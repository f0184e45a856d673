"""Agreement within a region: what of the answers to a question its people have in common.

A value is `{"choice": "agreement" | "none" | "", "concepts": [{"text", "answers": [answer id]}]}`:
each text becomes a gold text, supported by the answers that say exactly this. A draft may lack
anything; what is sent has enough support for every text, or none at all.
"""

from collections.abc import Sequence
from typing import Any

from annotation.consensus import AGREEMENT, NONE
from annotation.kinds import Fields, Read
from core.text import storable

MOST = 6  # texts a region can agree on in one question
LONGEST = 500


def read(fields: Fields, answers: Sequence[int], needed: int) -> Read:
    """From the form: `choice`; `concept-N` the N-th text, `support-N` ids of its answers."""
    choice, *strange = fields("choice") or [""]
    concepts: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    for place in range(MOST):
        written, *others = fields(f"concept-{place}") or [""]
        text, replaced = storable(written.strip())
        sent = set(fields(f"support-{place}"))
        support = [each for each in answers if str(each) in sent]
        strange += [*others, *sorted(sent - set(map(str, support)))]
        if text or support:
            name = f"concept-{len(concepts)}"
            concepts.append({"text": text, "answers": support})
            if fault := _REPLACED if replaced else _fault(text, support, needed, len(answers)):
                faults[name] = fault
    value = {"choice": choice if choice in (AGREEMENT, NONE) else "", "concepts": concepts}
    if not value["choice"]:
        faults = {"choice": "Choose whether the answers agree."} | faults
    elif value["choice"] == NONE:
        faults = {"choice": _LEFT_OVER} if concepts else {}
    elif not concepts:
        faults["choice"] = "Write what they agree on, and tick the answers that say it."
    return Read(value, faults, strange)


_REPLACED = "The sign � stands for a character that cannot be saved. Take it out."
_LEFT_OVER = (
    "You chose that they do not agree, yet a text or a tick is left below. Empty it, or choose "
    "that they agree."
)


def _fault(text: str, support: Sequence[int], needed: int, of: int) -> str:
    if not text:
        return "Write what the ticked answers say."
    if len(text) > LONGEST:
        return f"Keep it within {LONGEST} characters."
    if len(support) < needed:
        return (
            f"{len(support)} of {of} answers support it, and {needed} are needed. Tick the others "
            "that say exactly this, or leave it out."
        )
    return ""
