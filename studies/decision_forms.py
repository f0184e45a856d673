"""What is filled in to decide on what a participant has sent."""

from collections.abc import Mapping

from django import forms

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


class PayForm(forms.Form):
    """Which pay, with what it comes to; where both come to the same, that is no choice. `amounts`
    lack what is no choice either, since it is owed already."""

    pay = forms.TypedChoiceField(label="Payment", coerce=Pay, widget=forms.RadioSelect)

    def __init__(self, *arguments: object, amounts: Mapping[Pay, str], **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.fields["pay"].choices = self.choices(amounts)  # type: ignore[attr-defined]

    def choices(self, amounts: Mapping[Pay, str]) -> list[tuple[str, str]]:
        reward, time = amounts.get(Pay.REWARD), amounts.get(Pay.TIME)
        found: list[tuple[str, str]] = []
        if reward and reward != time:
            found.append((Pay.REWARD, f"Pay the whole reward, {reward}"))
        if time:
            found.append((Pay.TIME, f"Pay for the time spent, {time}"))
        return found


class RejectForm(PayForm):
    """The decision to pay has no default: somebody makes it. `reasons` are those of the kind."""

    reason = forms.ChoiceField(label="Reason", widget=forms.RadioSelect)
    text = forms.CharField(
        label="What the participant reads",
        help_text="Say what was wrong, without blame. It is shown on their page.",
        max_length=LONGEST_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *arguments: object, reasons: Mapping[str, str], **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.fields["reason"].choices = list(reasons.items())  # type: ignore[attr-defined]
