"""Whether a suggestion is offered at a place, by a lot nobody can see in advance or change."""

import hashlib


def is_hidden(project: int, task: str, slot: int, share: float) -> bool:
    """The same for a place for ever, whoever has it; `share` (0–1) of all places are hidden."""
    digest = hashlib.sha256(f"{project} {task} {slot}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share
