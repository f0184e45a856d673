"""What the pages of annotation ask for beside what a kind reads itself."""

from django import forms

from annotation.services.projects import OVERLAP


class OpenForm(forms.Form):
    overlap = forms.IntegerField(
        label="People per task",
        help_text="Each judges it alone; where they differ, somebody else decides.",
        min_value=1,
        max_value=9,
        initial=OVERLAP,
    )


class GuidelineForm(forms.Form):
    text = forms.CharField(
        label="What annotators are told",
        help_text="Saving makes the next version. What was judged keeps the version it was "
        "judged by.",
        widget=forms.Textarea(attrs={"rows": 10}),
    )
