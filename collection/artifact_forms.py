"""What people fill in about artifacts."""

from collections.abc import Sequence
from typing import Any

from django import forms

from studies import languages
from studies.form_parts import LinesField, RuledField
from studies.models import Artifact, ArtifactName, Region, Study
from studies.services.artifacts import Called, readable

KINDS: dict[str, str] = {
    ArtifactName.Kind.ALIAS: "Another name",
    ArtifactName.Kind.TRANSLATION: "A translation",
    ArtifactName.Kind.FORBIDDEN: "A word that says too much",
    ArtifactName.Kind.NAME: "The name it is shown by",
}
STATUSES: dict[str, str] = {
    Artifact.Status.PROPOSED: "not looked at yet",
    Artifact.Status.LISTED: "listed",
    Artifact.Status.LEFT_OUT: "left out",
}


def region_choices(study: Study) -> list[tuple[str, str]]:
    return [
        (region.slug, languages.choose(region.names, study.languages)[1] or region.slug)
        for region in study.regions.all()
    ]


class ArtifactForm(forms.Form):
    """A thing of a region, with further names one a line."""

    def __init__(self, data: Any = None, *, study: Study) -> None:
        super().__init__(data)
        self.study = study
        self.fields["region"] = forms.ChoiceField(label="Region", choices=region_choices(study))
        self.fields["name"] = RuledField(
            readable, label="Name", help_text="What most people there call it; it is shown by it."
        )
        for kind, label, help_text in (
            ("alias", "Other names", "One a line, such as spellings. A guess of one is right."),
            ("translation", "Translations", "One a line. A guess of one is right."),
            (
                "forbidden",
                "Words that say too much",
                "One a line. No clue may hold one; a guess of one is not right.",
            ),
        ):
            self.fields[kind] = LinesField(label=label, help_text=help_text, required=False)

    def region(self) -> Region:
        return self.study.regions.get(slug=self.cleaned_data["region"])

    def further(self) -> Sequence[Called]:
        return [
            Called(text, kind)
            for kind in ("alias", "translation", "forbidden")
            for text in self.cleaned_data[kind]
        ]


class NameForm(forms.Form):
    text = RuledField(readable, label="Name or word")
    kind = forms.ChoiceField(label="It is", choices=list(KINDS.items()))
    language = forms.CharField(
        label="Language",
        max_length=languages.LONGEST_TAG,
        help_text="Of a translation, as a tag such as hi; may be left empty.",
        required=False,
    )

    def called(self) -> Called:
        given = self.cleaned_data
        translated = given["kind"] == ArtifactName.Kind.TRANSLATION
        return Called(given["text"], given["kind"], given["language"] if translated else "")
