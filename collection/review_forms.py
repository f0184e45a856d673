"""What reviewers fill in."""

from collections.abc import Sequence

from django import forms

from collection import fairness
from studies.participation import Pay

LONGEST_MESSAGE = 2000  # characters


class AcceptForm(forms.Form):
    included = forms.ChoiceField(
        label="In the results",
        choices=[("yes", "Yes, count these answers"), ("no", "No, accept and pay, but leave out")],
        initial="yes",
        required=False,
        widget=forms.RadioSelect,
    )

    def answer(self) -> bool:
        return self.cleaned_data["included"] != "no"


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


class PayForm(forms.Form):
    """Which pay, with what it comes to; where both come to the same, that is no choice. `amounts`
    lack what is no choice either, since it is owed already."""

    pay = forms.TypedChoiceField(label="Payment", coerce=Pay, widget=forms.RadioSelect)

    def __init__(self, *arguments: object, amounts: dict[Pay, str], **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.fields["pay"].choices = self.choices(amounts)  # type: ignore[attr-defined]

    def choices(self, amounts: dict[Pay, str]) -> list[tuple[str, str]]:
        reward, time = amounts.get(Pay.REWARD), amounts.get(Pay.TIME)
        found: list[tuple[str, str]] = []
        if reward and reward != time:
            found.append((Pay.REWARD, f"Pay the whole reward, {reward}"))
        if time:
            found.append((Pay.TIME, f"Pay for the time spent, {time}"))
        return found


class RejectForm(PayForm):
    """The decision to pay has no default: somebody makes it."""

    reason = forms.ChoiceField(
        label="Reason", choices=list(fairness.TITLES.items()), widget=forms.RadioSelect
    )
    text = forms.CharField(
        label="What the participant reads",
        help_text="Say what was wrong, without blame. It is shown on their page.",
        max_length=LONGEST_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def choices(self, amounts: dict[Pay, str]) -> list[tuple[str, str]]:
        return [*super().choices(amounts), (Pay.NOTHING, "Withhold payment")]

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("pay") is Pay.NOTHING and "reason" in given:
            why = fairness.withholding_refusal(given["reason"])
            if why is not None:
                self.add_error("pay", why)
