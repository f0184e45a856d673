"""The form that draws judged replies for people."""

import re
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.services.validating import MOST, SAMPLE
from studies.models import Study


class ValidationForm(forms.Form):
    """Draws replies for people. `studies` are those to choose from where the release is of none."""

    size = forms.IntegerField(
        label=_("Replies in the sample"),
        help_text=_("In all; every run gives as many as the others."),
        min_value=1,
        max_value=MOST,
        initial=SAMPLE,
    )
    runs = forms.CharField(
        label=_("Other runs to draw from as well"),
        help_text=_("Their numbers, with a space between. Their replies are mixed with these."),
        required=False,
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        help_text=_("The same seed draws the same replies."),
        min_value=0,
        max_value=2**53,
        initial=0,
    )
    home = forms.ChoiceField(
        label=_("Study whose members judge"),
        help_text=_("The release belongs to no study. Whoever annotates in this one is asked."),
    )

    def __init__(self, *args: Any, studies: Sequence[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.studies = {study.slug: study for study in studies}
        if studies:
            offered = [(study.slug, study.name) for study in studies]
            cast(forms.ChoiceField, self.fields["home"]).choices = offered
        else:
            del self.fields["home"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        words = data.get("runs", "").replace(",", " ").split()
        if not all(re.fullmatch("[0-9]{1,18}", word) for word in words):
            self.add_error("runs", _("Write numbers of runs, with a space between."))
        else:
            data["others"] = [int(word) for word in words]
        return data

    def study(self) -> Study | None:
        return self.studies.get(self.cleaned_data.get("home", ""))
