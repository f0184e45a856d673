"""What reviewers of answers fill in, beside what `studies.decision_forms` has for everybody."""

from collections.abc import Mapping, Sequence

from django import forms

from collection import fairness
from studies import decision_forms
from studies.decision_forms import LONGEST_MESSAGE
from studies.participation import Pay


class AskAgainForm(forms.Form):
    numbers = forms.TypedMultipleChoiceField(
        label="Forms to do again", coerce=int, widget=forms.CheckboxSelectMultiple
    )
    text = forms.CharField(
        label="What should be done differently",
        help_text="The participant reads this sentence above each of these forms.",
        max_length=LONGEST_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *arguments: object, numbers: Sequence[int], **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.fields["numbers"].choices = [(each, f"Form {each}") for each in numbers]  # type: ignore[attr-defined]


class RejectForm(decision_forms.RejectForm):
    """For reasons that rest on evidence pay may be withheld."""

    def choices(self, amounts: Mapping[Pay, str]) -> list[tuple[str, str]]:
        return [*super().choices(amounts), (Pay.NOTHING, "Withhold payment")]

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("pay") is Pay.NOTHING and "reason" in given:
            why = fairness.withholding_refusal(given["reason"])
            if why is not None:
                self.add_error("pay", why)
