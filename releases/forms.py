"""What people fill in: an upload, a recipe, and the filters in an address."""

from typing import Any

from django import forms

from releases import consistency, importers, presenting, responses, selectors
from releases.models import Release


class ImportForm(forms.Form):
    format = forms.ChoiceField(
        choices=[(name, name) for name in sorted(importers.FORMATS)],
        help_text="The published format the file is in.",
    )
    file = forms.FileField(help_text="The file as it was published, unchanged.")
    name = forms.CharField(
        required=False,
        max_length=80,
        help_text="Letters, digits, “.”, “_” and “-”. Left empty, the format's name is used.",
    )


class BuildForm(forms.Form):
    release = forms.CharField(widget=forms.HiddenInput, max_length=100)
    name = forms.CharField(
        label="Name of the new release",
        max_length=80,
        help_text="Letters, digits, “.”, “_” and “-”.",
    )
    preset = forms.ChoiceField(
        label="What counts as one answer",
        choices=[
            ("agreement", "Answers decided to agree (agreement)"),
            ("as-published", "Answers of equal text (as-published)"),
        ],
    )


class FilterForm(forms.Form):
    """Every field may be empty; an unknown value is an error of the form, not of the page."""

    text = forms.CharField(label="Search", required=False)
    domain = forms.ChoiceField(required=False)
    agreement = forms.ChoiceField(required=False)
    finding = forms.ChoiceField(required=False)

    def __init__(self, data: Any, *, release: Release, found: dict[str, int]) -> None:
        super().__init__(data, auto_id="filter-%s")
        domains = [(name, name) for name in selectors.domains(release)]
        agreement = list(selectors.AGREEMENT.items())
        codes = [(code, f"{consistency.sentence(code)} {n}") for code, n in found.items()]
        for field, options, nothing in (
            ("domain", domains, "All domains"),
            ("agreement", agreement, "All questions"),
            ("finding", codes, "With and without"),
        ):
            choice: Any = self.fields[field]
            choice.choices = [("", nothing), *options]

    def filters(self) -> selectors.Filters:
        """What is valid; a value that is not narrows nothing, and its field says so."""
        self.full_clean()
        return selectors.Filters(**self.cleaned_data)


class ResponsesForm(forms.Form):
    """As `FilterForm`, of the answers a release holds: `questions` are (key, text)."""

    region = forms.ChoiceField(required=False)
    question = forms.ChoiceField(required=False)

    def __init__(self, data: Any, *, release: Release, questions: list[tuple[str, str]]) -> None:
        super().__init__(data, auto_id="filter-%s")
        regions = list(presenting.names(release).items())
        for field, options in (("region", regions), ("question", questions)):
            choice: Any = self.fields[field]
            choice.choices = [("", f"All {field}s"), *options]

    def filters(self) -> responses.Filters:
        self.full_clean()
        return responses.Filters(**self.cleaned_data)


class FreezeForm(forms.Form):
    name = forms.CharField(
        label="Name of the release",
        max_length=80,
        help_text="Letters, digits, “.”, “_” and “-”. The version is added by itself.",
    )
    licence = forms.CharField(
        required=False,
        max_length=80,
        help_text="What others may do with it, as in CC-BY-4.0; empty says nothing. It is part of "
        "the release.",
    )
    reason = forms.CharField(
        label="Why the findings may stay",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One sentence, kept with each of them in the release.",
    )
