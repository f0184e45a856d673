"""What people fill in about payment and withdrawal."""

import re
import secrets
from typing import Any

from django import forms

from studies import money
from studies.form_parts import RuledField
from studies.models import Study

_ORDER = re.compile(r"[0-9a-f]{16}")


def new_order() -> str:
    """Names one filling-in of a form, so that sending it twice does its work once."""
    return secrets.token_hex(8)


class OrderField(forms.RegexField):
    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(_ORDER, initial=new_order)


class PaidForm(forms.Form):
    """`paid`: what was chosen on the list, each `CODE:MINOR UNITS` as the list showed it."""

    order = OrderField()

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.chosen = data.getlist("paid")

    def clean(self) -> None:
        if not self.chosen:
            raise forms.ValidationError("Choose whom you have paid, then mark them again.")
        if not all(
            re.fullmatch(r"[0-9A-Z]{10}:[0-9]{1,15}", each, re.ASCII) for each in self.chosen
        ):
            raise forms.ValidationError("Load the list again, and choose from it once more.")

    def amounts(self) -> dict[str, int]:
        pairs = (each.split(":") for each in self.chosen)
        return {code: int(amount) for code, amount in pairs}


class BonusForm(forms.Form):
    order = OrderField()
    code = forms.CharField(
        label="Participant's code", max_length=20, help_text="As in the list above."
    )
    why = forms.CharField(
        label="What it is for", max_length=200, help_text="It stands in the study's history."
    )

    def __init__(self, data: Any = None, *, study: Study) -> None:
        super().__init__(data)
        self.fields["amount"] = RuledField(
            lambda text: money.minor(text, study.currency),
            label=f"Amount in {study.currency}",
            widget=forms.TextInput({"inputmode": "decimal"}),
        )
        self.order_fields(["order", "code", "amount", "why"])


class WithdrawForm(forms.Form):
    code = forms.CharField(
        max_length=200,
        help_text="The participant's code, which they read at the foot of every page of theirs, or "
        "what their personal link begins with.",
    )
