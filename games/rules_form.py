"""The form in which a study chooses the rules of a game."""

from dataclasses import fields
from enum import StrEnum
from typing import Any

from django import forms

from games.rules import BOUNDS, OnDrop, RareRegion, Rules
from studies.form_parts import TextsForm
from studies.models import Study

SECONDS = "_seconds"
LABELS = {
    "on_drop": "When a player is lost for good, the other",
    "rare_region": "Who has waited for a partner in vain may",
    "same_language": "Partners read the same language",
    "practice": "A practice round before the first game",
    "clues": "Clues in a turn",
    "guesses": "Guesses in a turn",
    "deck": "Artifacts a player describes at most",
    "descriptions": "Games wanted for each artifact",
    "ready_seconds": "Time to say that one is ready",
    "clue_seconds": "Time for a clue",
    "guess_seconds": "Time for a guess",
    "confirm_seconds": "Time to say whether a near guess was meant",
    "rate_seconds": "Time to rate the clues",
    "grace_seconds": "How long a game waits for who was lost",
    "halt_seconds": "How long a moderator's pause lasts at most",
    "play_seconds": "How long a game is played at most",
    "after_seconds": "Time to look back after the game",
    "wait_seconds": "How long somebody waits for a partner at most",
}
HELP = {
    "wait_seconds": "A change holds at once for those who wait now.",
    "descriptions": "Game results lists, as “Artifacts described”, those that need more games.",
}
CHOICES: dict[type[StrEnum], list[tuple[str, str]]] = {
    OnDrop: [
        (OnDrop.WAIT, "waits longer, and then chooses what next"),
        (OnDrop.REQUEUE, "looks for a new partner, at their old place in the queue"),
        (OnDrop.RECORDED, "goes on with clues of earlier games"),
        (OnDrop.END, "is done, and paid for the time"),
    ],
    RareRegion: [
        (RareRegion.WAIT, "wait again, or end and be paid for the time"),
        (RareRegion.RECORDED, "also play with clues of earlier games"),
    ],
}


class RulesForm(TextsForm):
    """Every rule of `games.rules.Rules`; of an open study those that may still change."""

    def __init__(
        self, data: Any = None, *, study: Study, rules: Rules, fixed: tuple[str, ...]
    ) -> None:
        super().__init__(data, tongues=study.languages)
        for each in fields(Rules):
            self.fields[each.name] = _field(each.name, getattr(rules, each.name))
        self.rules = rules
        self.fix(study, [name for name in self.fields if name not in fixed])

    def chosen(self) -> Rules:
        """The rules as filled in. Raises `game.rules`."""
        return Rules.read(self.rules.as_json() | self.cleaned_data)


def _field(name: str, value: Any) -> forms.Field:
    about: dict[str, Any] = {"label": LABELS[name], "initial": value}
    if isinstance(value, bool):
        return forms.BooleanField(required=False, **about)
    if isinstance(value, StrEnum):
        return forms.ChoiceField(choices=CHOICES[type(value)], **about)
    least, most = BOUNDS[name]
    unit = "seconds, " if name.endswith(SECONDS) else ""
    said = f"{unit}{least:,} to {most:,}".capitalize()
    help_text = " ".join(filter(None, [f"{said}.", HELP.get(name, "")]))
    return forms.IntegerField(min_value=least, max_value=most, help_text=help_text, **about)
