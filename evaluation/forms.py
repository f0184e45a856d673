"""The form that starts a run."""

import secrets
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation import benchmarks
from evaluation.services import Order
from inference.models import LanguageModel

PRESETS = (
    ("", _("As the items were built, or by agreement")),
    ("agreement", _("By agreement: regions that agree share one option")),
    ("as-published", _("As published: by wording, mostly disagreeing questions")),
)


def new_nonce() -> str:
    return secrets.token_urlsafe(18)


class NewRun(forms.Form):
    benchmark = forms.ChoiceField(label=_("Benchmark"))
    release = forms.ChoiceField(label=_("Release"))
    model = forms.CharField(
        label=_("Model"),
        max_length=300,
        help_text=_("Written endpoint/model. Those used before are suggested."),
        widget=forms.TextInput(attrs={"list": "known-models", "autocomplete": "off"}),
    )
    preset = forms.ChoiceField(
        label=_("How items are made from questions"), choices=PRESETS, required=False
    )
    samples = forms.IntegerField(
        label=_("Samples of each item"), min_value=1, max_value=1000, initial=30
    )
    temperature = forms.FloatField(
        label=_("Temperature"), min_value=0, max_value=2, initial=1.0, localize=False
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**53,
        initial=0,
        help_text=_("Decides the order of the options. The same seed uses replies kept before."),
    )
    max_cost = forms.DecimalField(
        label=_("Cost cap in US dollars"),
        min_value=Decimal(0),
        max_digits=10,
        decimal_places=6,
        required=False,
        help_text=_("Empty: no cap. The run pauses before it would pass it."),
    )
    nonce = forms.CharField(widget=forms.HiddenInput, initial=new_nonce, max_length=40)

    def __init__(self, *args: Any, releases: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(
            "benchmark", [(name, benchmarks.find(name).title) for name in benchmarks.names()]
        )
        self.offer("release", [(each.label, each.label) for each in releases])
        self.known_models = [
            str(model)
            for model in LanguageModel.objects.select_related("endpoint").order_by(
                "endpoint__name", "name"
            )
        ]

    def offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def order(self) -> Order:
        data = self.cleaned_data
        cap = data["max_cost"]
        return Order(
            benchmark=data["benchmark"],
            release=data["release"],
            model=data["model"],
            given={
                key: data[key] if data[key] != "" else None
                for key in ("preset", "samples", "temperature")
            },
            seed=data["seed"],
            cap_micro=None if cap is None else int(cap * 1_000_000),
            nonce=data["nonce"],
        )
