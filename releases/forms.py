"""What people fill in: an upload, a recipe, and the filters in an address."""

from typing import Any

from django import forms

from releases import consistency, importers, presenting, responses, selectors
from releases.models import Item, Release

KINDS = {"question": "Questions", "choice": "Multiple choice", "artifact": "Artifacts"}
ORIGINS = {"original": "Original", "expanded": "Expanded"}


class ImportForm(forms.Form):
    format = forms.ChoiceField(
        choices=[
            (name, f"{name} (a folder, as a .zip)" if name in importers.FOLDERS else name)
            for name in importers.FORMATS
        ],
        help_text="The published format of the file or folder.",
    )
    file = forms.FileField(
        help_text="The file as it was published, unchanged; of a format that is a folder, one .zip "
        "file of it. On the command line, import_release reads the folder itself.",
    )
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
    """Every field may be empty; an unknown value is an error of the form, not of the page. A field
    is there where the release has something to choose between."""

    text = forms.CharField(label="Search", required=False)
    kind = forms.ChoiceField(required=False)
    domain = forms.ChoiceField(required=False)
    agreement = forms.ChoiceField(required=False)
    region = forms.ChoiceField(required=False)
    origin = forms.ChoiceField(required=False)
    finding = forms.ChoiceField(required=False)

    def __init__(self, data: Any, *, release: Release, found: dict[str, int]) -> None:
        super().__init__(data, auto_id="filter-%s")
        domains = [(name, name) for name in selectors.domains(release)]
        codes = [(code, f"{consistency.sentence(code)} {n}") for code, n in found.items()]
        kinds = selectors.kinds(release)
        of_artifacts = Item.Kind.ARTIFACT in kinds
        only_artifacts = kinds == [Item.Kind.ARTIFACT]
        for field, options, nothing, there in (
            ("kind", [(kind, KINDS[kind]) for kind in kinds], "All items", len(kinds) > 1),
            ("domain", domains, "All domains", not only_artifacts),
            ("agreement", list(selectors.AGREEMENT.items()), "All questions", not only_artifacts),
            ("region", list(presenting.names(release).items()), "All regions", of_artifacts),
            ("origin", list(ORIGINS.items()), "Original and expanded", of_artifacts),
            ("finding", codes, "With and without", True),
        ):
            choice: Any = self.fields[field]
            choice.choices = [("", nothing), *options]
            if not there:
                del self.fields[field]

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


class GamesForm(forms.Form):
    """As `FilterForm`, of the games a release holds."""

    region = forms.ChoiceField(required=False)

    def __init__(self, data: Any, *, release: Release) -> None:
        super().__init__(data, auto_id="filter-%s")
        choice: Any = self.fields["region"]
        choice.choices = [("", "All regions"), *presenting.names(release).items()]

    def chosen(self) -> str:
        """A region's slug; empty for none, and for one that is not there."""
        self.full_clean()
        return self.cleaned_data.get("region", "")


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
