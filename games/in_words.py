"""Codes of the game as a study team reads them; participants read sentences of their own."""

from collections.abc import Mapping

from games import clues
from games.machine import Away, Outcome, Phase, Player, State
from games.models import Utterance

Verdict = Utterance.Verdict
PHASES: Mapping[str, str] = {
    Phase.GATHERING: "getting ready",
    Phase.CLUE: "writing a clue",
    Phase.GUESS: "guessing",
    Phase.CONFIRM: "the giver looks at a near miss",
    Phase.RATE: "rating the clues",
    Phase.PAUSED: "paused",
    Phase.AFTER: "looking back",
    Phase.ENDED: "ended",
}
OUTCOMES: Mapping[str, str] = {
    Outcome.GUESSED: "guessed",
    Outcome.MISSED: "missed",
    Outcome.PASSED: "passed",
    Outcome.NO_CLUE: "no clue",
    Outcome.TIME_UP: "time up",
    Outcome.CUT: "cut",
}
ENDINGS: Mapping[str, str] = {
    "played": "played to the end",
    "no_cards": "nothing to play with",
    "not_ready": "somebody was not ready in time",
    "left_before": "somebody left before it began",
    "left": "left by who played alone",
    "partner_left": "a partner left",
    "both_left": "both left",
    "moderator": "ended by a moderator",
}
LEFT: Mapping[str, str] = {
    "left": "has left",
    "withdrawn": "has withdrawn from the study",
    "removed": "was removed by a moderator",
    "silent": "was not heard from again",
    "idle": "let the time pass and did not come back",
}
VERDICTS: Mapping[str, str] = {
    Verdict.SAID: "read by the partner",
    Verdict.BLOCKED: "kept back",
    Verdict.APPEALED: "kept back, and the giver asks a moderator",
    Verdict.ALLOWED: "allowed once its turn was over",
    Verdict.REFUSED: "kept back for good",
    Verdict.RIGHT: "right",
    Verdict.NEAR: "a near miss the giver looks at",
    Verdict.DOUBTFUL: "doubtful, a moderator is asked",
    Verdict.WRONG: "wrong",
    Verdict.PROPOSED: "not yet looked at by the partner",
    Verdict.CONFIRMED: "confirmed by the partner",
    Verdict.DENIED: "not confirmed by the partner",
}
PROPOSALS: Mapping[str, str] = {
    **VERDICTS,
    Verdict.ALLOWED: "on the list",
    Verdict.REFUSED: "dismissed by the team",
}
KEPT_BACK: Mapping[str, str] = {
    clues.EMPTY: "it has no words",
    clues.NAME: "it holds the name",
    clues.PART: "it holds a part of the name",
    clues.FORBIDDEN: "it holds a forbidden word",
    clues.SPELT: "it spells the name",
    clues.CONTACT: "it holds an address or a phone number",
    clues.QUESTION: "it asks something",
    clues.SENTENCES: "it is more than one sentence",
    clues.REPEATED: "it was said before",
}
UNHEARD = "kept, no partner"  # of a clue that was said to nobody
DESCRIBED = "described to the end"  # of a turn in which nobody sat there to guess
ALONE = "for the team, as there was no partner"  # of a proposal that nobody could confirm
_AWAY = {
    Away.SILENT: "is not heard from",
    Away.IDLE: "lets the time pass",
    Away.GONE: "has left",
}


def of(words: Mapping[str, str], code: str) -> str:
    """A code this table does not know is told in its own words."""
    return words.get(code, code.replace("_", " "))


def reason(code: str) -> str:
    """Why a clue was kept back."""
    return KEPT_BACK.get(code, code.rpartition(".")[2].replace("_", " "))


def presence(state: State, seat: int, left_reason: str = "") -> str:
    """Whether a player is there, by what the game knows."""
    if state.players[seat] is Player.RECORDED:
        return "recorded clues"
    if state.players[seat] is Player.BOT:
        return "a bot"
    away = state.away[seat]
    if away is None:
        return "has ended" if state.phase is Phase.ENDED else "is here"
    if away is Away.GONE and left_reason:
        return of(LEFT, left_reason)
    return _AWAY[away]


def minutes(seconds: float) -> str:
    whole = int(seconds // 60)
    return f"{whole:,} min" if whole else "under a minute"


def decided_by(by: str) -> str:
    """Who gave a verdict: the rules, a player, or a person of the team by address."""
    if not by:
        return ""
    return _DECIDERS.get(by, f"by {by}")


_DECIDERS = {
    "rule": "by the rules",
    "giver": "by the giver",
    "partner": "by the partner",
    "clock": "nobody said in time",
    "moderator": "by a moderator",  # of a game that was frozen, which names nobody
}
