"""The form that makes an API token."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms

from accounts import tokens


class Checkboxes(forms.CheckboxSelectMultiple):
    """With an id of the whole group, so that the list of faults can lead to it."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index) if index else id_


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=tokens.LONGEST_NAME,
        help_text="What will use it, so that you know later which one to revoke.",
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=[(scope.value, meaning) for scope, meaning in tokens.MEANINGS.items()],
        widget=Checkboxes,
    )
    studies = forms.MultipleChoiceField(
        label="In which studies",
        required=False,
        widget=Checkboxes,
        help_text="None ticked: every study you can see, those of later too.",
    )
    days = forms.IntegerField(
        label="Days until it ends", min_value=1, max_value=tokens.LONGEST_DAYS, initial=tokens.DAYS
    )

    def __init__(self, *args: Any, studies: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = cast(forms.MultipleChoiceField, self.fields["studies"])
        offered.choices = [(slug, slug) for slug in studies]
        if not studies:
            del self.fields["studies"]
