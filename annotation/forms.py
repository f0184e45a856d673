"""What the pages of annotation ask for beside what a kind reads itself."""

from collections.abc import Sequence
from typing import Any, Self, cast

from django import forms

from annotation.models import Project
from annotation.selectors.suggestions import RULE
from annotation.services.projects import OVERLAP


class OpenForm(forms.Form):
    overlap = forms.IntegerField(
        label="People per task",
        help_text="Each judges it alone; where they differ, somebody else decides.",
        min_value=1,
        max_value=9,
        initial=OVERLAP,
    )


class ShareForm(forms.Form):
    share = forms.IntegerField(
        label="Share of more than five answers that has to agree, in percent",
        help_text="More than 50, at most 100; 80 or more is advised. Left empty, the threshold "
        "of 4 stays. Five answers or fewer keep the threshold.",
        min_value=51,
        max_value=100,
        required=False,
    )

    @classmethod
    def of(cls, project: Project) -> Self:
        return cls(initial={"share": project.share and round(100 * project.share)})

    @property
    def as_part(self) -> float | None:
        """From 0 to 1; None for the threshold alone."""
        percent = self.cleaned_data["share"]
        return None if percent is None else percent / 100


class GuidelineForm(forms.Form):
    text = forms.CharField(
        label="What annotators are told",
        help_text="Saving makes the next version. What was judged keeps the version it was "
        "judged by.",
        widget=forms.Textarea(attrs={"rows": 10}),
    )


class SuggestForm(forms.Form):
    by = forms.ChoiceField(
        label="Who makes them",
        help_text="Spelling is free and stays here. A model is sent the answers of people who "
        "agreed that an outside model may read them, and of nobody else.",
    )

    def __init__(self, models: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(RULE, "Spelling: answers that are the same but for spelling")]
        cast(forms.ChoiceField, self.fields["by"]).choices = offered + [(m, m) for m in models]


class HideForm(forms.Form):
    hidden = forms.IntegerField(
        label="Places without a suggestion, in percent",
        help_text="Drawn by lot. What people say there shows how far suggestions sway them.",
        min_value=0,
        max_value=100,
    )

    @classmethod
    def of(cls, share: float) -> Self:
        return cls(initial={"hidden": round(100 * share)})

    @property
    def share(self) -> float:
        return float(self.cleaned_data["hidden"] / 100)
