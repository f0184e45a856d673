"""What a crowd sent, what was acknowledged, and what of that is nowhere to be found."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from console.simulating.line import Act, Line

ORDERS = ("enter", "keep_waiting", "play_recorded", "stop")  # not of a game, and without a nonce
ONE_S_OWN = ("vet", "finish")  # what changes nothing on the partner's screen


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database holds of a crowd, by personal link: numbers of followed commands, texts by
    question, who sat opposite; and the clues that were said, as one text."""

    nonces: Mapping[str, set[str]]
    answers: Mapping[str, Mapping[str, str]]
    partners: Mapping[str, str]
    said: str


@dataclass(slots=True)
class Tally:
    """`answers` are texts by link and question as they were acknowledged, `lines` those of the
    players by link; `seconds` what each acknowledgement of a form took."""

    sent: int = 0
    seconds: list[float] = field(default_factory=list)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    codes: int = 0  # people who have got their completion code
    refused: Counter[str] = field(default_factory=Counter)

    def kept(self, link: str, texts: Mapping[str, str], seconds: float) -> None:
        """Answers of somebody were acknowledged."""
        self.answers.setdefault(link, {}).update(texts)
        self.seconds.append(seconds)

    def result(self, stored: Stored) -> dict[str, Any]:
        """What `simulate` says."""
        acts = [act for line in self.lines.values() for act in line.acts]
        acknowledged = [act for act in acts if act.acked]
        took = self.seconds + [act.acked - act.sent for act in acknowledged]
        return {
            "sent": self.sent + len(acts),
            "acknowledged": len(self.seconds) + len(acknowledged),
            "lost": self._lost_answers(stored) + self._lost_acts(stored),
            "latency_ms": {f"p{share}": milliseconds(took, share) for share in (50, 95, 99)},
        }

    def refusals(self) -> Counter[str]:
        acts = (act for line in self.lines.values() for act in line.acts)
        return self.refused + Counter(act.refused for act in acts if act.refused)

    def _lost_answers(self, stored: Stored) -> int:
        return sum(
            stored.answers.get(link, {}).get(key) != text
            for link, texts in self.answers.items()
            for key, text in texts.items()
        )

    def _lost_acts(self, stored: Stored) -> int:
        lost = 0
        for link, line in self.lines.items():
            partner = self.lines.get(stored.partners.get(link, ""))
            nonces = stored.nonces.get(link, set())
            lost += sum(
                act.nonce not in nonces or not reached(act, partner, stored.said)
                for act in line.acts
                if act.acked and act.fields["do"] not in ORDERS
            )
        return lost


def reached(act: Act, partner: Line | None, said: str = "") -> bool:
    """Whether the partner was shown what an act has changed, and its very words where it is one of
    the clues `said`. Whoever has nothing to play any more has seen it all."""
    if partner is None or partner.gone or act.fields["do"] in ONE_S_OWN:
        return True
    if act.fields["do"] == "clue" and act.token in said:
        return act.token in partner.read
    return bool(partner.saw(act.version))


def milliseconds(seconds: Sequence[float], share: int) -> float | None:
    """The nearest-rank percentile, `share` of 100; None of nothing."""
    if not seconds:
        return None
    ordered = sorted(seconds)
    return round(1000 * ordered[max(0, -(-len(ordered) * share // 100) - 1)], 1)
