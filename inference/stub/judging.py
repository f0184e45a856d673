"""How the simulated model judges, and how it writes a verdict down (docs/stub.md)."""

import json
import re

LABELS = ("CORRECT", "PARTIALLY_CORRECT", "INCORRECT")
TRUTHS = {"is right": "CORRECT", "is partly right": "PARTIALLY_CORRECT", "is wrong": "INCORRECT"}
TRUTH = re.compile(rf"This simulated answer ({'|'.join(TRUTHS)})")
STYLES = ("json", "fenced", "prose", "python")
UNREADABLE = ("cut", "wordless", "unknown", "missing", "contradictory")
REASONING = "A simulated judgement."


def asked(prompt: str) -> bool:
    """Whether a prompt asks for a verdict: it names all labels."""
    return all(label in prompt for label in LABELS)


def truth(prompt: str) -> str:
    """The label the judged answer deserves; empty if this stub did not write it."""
    found = TRUTH.findall(prompt)
    return TRUTHS[found[-1]] if found else ""


def written(label: str, style: str) -> str:
    """The verdict in one of `STYLES`, all of which a careful reader understands."""
    document = {"label": label, "reasoning": REASONING, "key_discrepancies": []}
    if style == "fenced":  # and commas at the end, as people write them
        lines = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in document.items()]
        return f"```json\n{{\n{''.join(lines)}}}\n```"
    if style == "prose":  # and the label in a spelling of its own
        spelt = json.dumps(document | {"label": label.lower().replace("_", "-")})
        return f"I have compared the two.\n\n{spelt}\n\nI hope this is of use."
    if style == "python":
        return str({**document, "final": True, "remark": None})
    return json.dumps(document)


def unreadable(label: str, kind: str) -> str:
    """A reply without a verdict, in one of the ways of `UNREADABLE`."""
    other = LABELS[LABELS.index(label) - 1]
    whole = written(label, "json")
    return {
        "cut": whole[: whole.index(label) + 2],
        "wordless": "I would rather not say how good this answer is.",
        "unknown": written("UNCERTAIN", "json"),
        "missing": json.dumps({"reasoning": REASONING, "key_discrepancies": []}),
        "contradictory": written(f"{label} or {other}", "json"),
    }[kind]
