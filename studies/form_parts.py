"""What the forms of authors are made of: fields with rules of the house, texts in languages."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.utils import pretty_name

from core.errors import CommonplaceError
from studies import languages
from studies.models import Activity, Region, Study

STAYS = (
    "This study collects answers by now, and what it was set up with can no longer change. "
    "Nothing was saved."
)


class RuledField(forms.CharField):
    """Text that a rule of the house turns into a value or refuses in its own words; `read` says
    how it is shown where it can no longer change."""

    def __init__(
        self, rule: Callable[[str], Any], *, read: Callable[[str], str] = str, **options: Any
    ) -> None:
        self.rule, self.read = rule, read
        super().__init__(**options)

    def clean(self, value: Any) -> Any:
        return ruled(self.rule, super().clean(value))


class LinesField(forms.CharField):
    """One entry a line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def clean(self, value: Any) -> Any:
        lines = [line.strip() for line in super().clean(value).splitlines()]
        return [line for line in lines if line]


def ruled(rule: Callable[[Any], Any], value: Any) -> Any:
    try:
        return rule(value)
    except CommonplaceError as error:
        raise forms.ValidationError(error.message, code=error.code) from error


@dataclass(frozen=True)
class Fixed:
    """A field as it is read and no longer written; `language` is empty where it is no text."""

    LONG = 60  # characters: more of them take the width of the page

    label: str
    value: str
    language: str
    direction: str

    @property
    def long(self) -> bool:
        return len(self.value) > self.LONG or "\n" in self.value


class TextsForm(forms.Form):
    """A form with texts in several languages: one field a language, the first required."""

    def __init__(self, *args: Any, tongues: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tongues = list(tongues)
        self.dropped: dict[str, forms.Field] = {}

    def fix(self, study: Study, later: Collection[str] = ()) -> None:
        """Of a study that collects answers, keep the fields that may still change."""
        if study.status != Study.Status.SET_UP:
            self.dropped = {n: field for n, field in self.fields.items() if n not in later}
            self.fields = {name: self.fields[name] for name in later}

    def fixed(self) -> list[Fixed]:
        """What the page shows of the other fields, without those that are empty."""
        return [_as_read(name, field) for name, field in self.dropped.items() if field.initial]

    def clean(self) -> None:
        """Who had the page open while the study was opened is told so, and nothing is saved."""
        if any(name in self.data for name in self.dropped) or not self.fields:
            self.add_error(None, STAYS)

    def add_texts(
        self,
        name: str,
        label: str,
        given: languages.Texts,
        *,
        help_text: str = "",
        required: bool = True,
        rows: int = 0,
    ) -> None:
        for place, tongue in enumerate(self.tongues):
            attrs = {"lang": tongue, "dir": languages.direction(tongue)}
            widget = forms.Textarea({**attrs, "rows": rows}) if rows else forms.TextInput(attrs)
            self.fields[f"{name}-{tongue}"] = forms.CharField(
                label=label_in(label, tongue),
                required=required and place == 0,
                max_length=20_000 if rows else 300,
                help_text=help_text if place == 0 else "",
                widget=widget,
                initial=given.get(tongue, ""),
            )

    def texts(self, name: str) -> languages.Texts:
        """What was written, without the languages that were left empty."""
        found = {tongue: self.cleaned_data[f"{name}-{tongue}"] for tongue in self.tongues}
        return {tongue: text for tongue, text in found.items() if text}

    def kept(self, name: str, row: Study | Region | Activity | None) -> languages.Texts:
        """The texts as filled in; one in a language that was dropped is kept for its return."""
        old: languages.Texts = getattr(row, name) if row else {}
        others = {tongue: text for tongue, text in old.items() if tongue not in self.tongues}
        return others | self.texts(name)


def label_in(label: str, tongue: str) -> str:
    """`Name in Hindi (hi)`."""
    return f"{label} in {languages.in_english(tongue)}"


def _as_read(name: str, field: forms.Field) -> Fixed:
    shown = field.initial
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        shown = next((label for value, label in choices if value == shown), shown)
    if isinstance(field, RuledField):
        shown = field.read(shown)
    tongue = field.widget.attrs.get("lang", "")
    label = str(field.label or pretty_name(name))
    return Fixed(label, str(shown), tongue, field.widget.attrs.get("dir", ""))
