"""The forms that start a run, have it judged again, and raise its cap."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import IO, Any, ClassVar, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from core.errors import CommonplaceError
from evaluation import benchmarks
from evaluation.benchmarks import Benchmark
from evaluation.services import Order
from inference.endpoints import resolve_model
from inference.models import Prompt
from inference.prompts import load_pack
from inference.selectors import menu

PRESETS = (
    ("", _("As the items were built, or by agreement")),
    ("agreement", _("By agreement: regions that agree share one option")),
    ("as-published", _("As published: by wording, mostly disagreeing questions")),
)
MOST_JUDGES = 8
SETTINGS = ("preset", "samples", "temperature", "max_tokens", "limit", "weight", "send_seed")
# Which field a refusal of the order belongs to, by its code or the part of it before the dot.
PLACES = {
    "benchmark.unknown": "benchmark",
    "benchmark.wrong_release": "release",
    "benchmark.no_judges": "judges",
    "rasa": "release",
    "release": "release",
    "preset": "preset",
    "judge": "judges",
    "endpoint": "model",
    "model": "model",
    "run.no_price": "max_cost",
    "prompt": "pack",
}


def new_nonce() -> str:
    return secrets.token_urlsafe(18)


class JudgesField(forms.CharField):
    """Models as endpoint/model, one a line; cleaned to a list of their names."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("label", _("Judges"))
        rows = forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"})
        super().__init__(max_length=3000, widget=rows, **kwargs)

    def clean(self, value: Any) -> list[str]:
        names = [line.strip() for line in (super().clean(value) or "").splitlines()]
        names = [name for name in names if name]
        if len(names) > MOST_JUDGES:
            raise forms.ValidationError(_("Name at most %d judges.") % MOST_JUDGES)
        for name in names:
            try:
                resolve_model(name)
            except CommonplaceError as error:
                raise forms.ValidationError(f"{name}: {error.message}") from error
        return names


class CapField(forms.DecimalField):
    def __init__(self, *, label: Any, help_text: Any) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            min_value=Decimal(0),
            max_digits=10,
            decimal_places=6,
        )


def _micro(dollars: Decimal | None) -> int | None:
    return None if dollars is None else int(dollars * 1_000_000)


class Judges(forms.Form):
    """Who is to judge the stored replies of a run."""

    judges = JudgesField(
        label=_("Judge again by"),
        help_text=_(
            "Models as endpoint/model, one a line. Nothing is generated anew; a judge that has "
            "judged this run is only asked what it has not judged."
        ),
    )


class NewCap(forms.Form):
    """How a run goes on."""

    REFUSALS = ("run.no_price", "settings.value")
    max_cost = CapField(
        label=_("New cost cap in US dollars"),
        help_text=_("For all of the run, with what is spent already. Empty: it stays as it is."),
    )

    def micro(self) -> int | None:
        return _micro(self.cleaned_data["max_cost"])


class NewRun(forms.Form):
    """Fields of all benchmarks. Those the chosen one has no use for are carried along unseen, so
    that what was typed is there again when another is chosen."""

    benchmark = forms.ChoiceField(
        label=_("Benchmark"),
        help_text=_("Each asks for settings of its own; they appear when you ask for an estimate."),
    )
    release = forms.ChoiceField(label=_("Release"))
    model = forms.CharField(
        label=_("Model"),
        max_length=300,
        help_text=_("Written endpoint/model. Those used before are suggested."),
        widget=forms.TextInput(attrs={"list": "known-models", "autocomplete": "off"}),
    )
    judges = JudgesField(
        required=False,
        help_text=_(
            "Models that compare each distinct reply with the gold answer, as endpoint/model, one "
            "a line. Each judges for itself. Without one, replies are kept and can be judged later."
        ),
    )
    preset = forms.ChoiceField(
        label=_("How items are made from questions"), choices=PRESETS, required=False
    )
    samples = forms.IntegerField(label=_("Samples of each item"), min_value=1, max_value=1000)
    temperature = forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, localize=False)
    max_tokens = forms.IntegerField(
        label=_("Tokens of a reply at most"), min_value=1, max_value=100_000
    )
    limit = forms.IntegerField(
        label=_("Questions at most"),
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text=_("For a trial: only the first ones. Empty: all."),
    )
    weight = forms.FloatField(
        label=_("What a partially correct answer is worth"),
        min_value=0,
        max_value=1,
        help_text=_("From 0 to 1. The report shows other weights beside it."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**53,
        initial=0,
        help_text=_("Decides the order of the options. The same seed uses replies kept before."),
    )
    send_seed = forms.BooleanField(
        label=_("Send a seed with each request"),
        required=False,
        help_text=_("Some endpoints refuse it."),
    )
    max_cost = CapField(
        label=_("Cost cap in US dollars"),
        help_text=_("Empty: no cap. The run pauses before it would pass it."),
    )
    use_cache = forms.BooleanField(
        label=_("Use replies kept before"),
        required=False,
        initial=True,
        help_text=_("The same request is then paid for once, whatever run asked it first."),
    )
    pack = forms.FileField(
        label=_("Prompts of your own"),
        required=False,
        help_text=_(
            "A zip of <code>task/name.language.txt</code> files in place of the prompts that come "
            "with the benchmark."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip"}),
    )
    prompts = forms.CharField(widget=forms.HiddenInput, required=False, max_length=4000)
    leave_pack = forms.BooleanField(label=_("Leave these prompts out"), required=False)
    nonce = forms.CharField(widget=forms.HiddenInput, initial=new_nonce, max_length=40)
    estimated = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    shown = forms.CharField(widget=forms.HiddenInput, required=False, max_length=20)

    HIDDEN: ClassVar = ("prompts", "nonce", "estimated", "shown", "leave_pack")

    def __init__(self, *args: Any, releases: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(name, benchmarks.find(name).title) for name in benchmarks.names()]
        self.offer("benchmark", offered)
        self.offer("release", [(each.label, each.label) for each in releases])
        self.known_models = menu()
        self.chosen = self._chosen()
        self.used = _used(self.chosen)
        for name in set(self.fields) - {*self.used, *self.HIDDEN}:
            self.fields[name] = forms.CharField(required=False, widget=forms.HiddenInput)
        for name, value in _defaults(self.chosen).items():
            self.fields[name].initial = value
        self.initial["shown"] = self.chosen.name
        self.pack_rows: Sequence[Prompt] = ()

    def offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    def _chosen(self) -> Benchmark:
        name = (self.data if self.is_bound else self.initial).get("benchmark")
        return benchmarks.find(name if name in benchmarks.names() else benchmarks.names()[0])

    @staticmethod
    def turns(given: Mapping[str, Any]) -> bool:
        """Whether another benchmark is chosen than the one whose fields were shown."""
        return bool(given.get("shown")) and given["shown"] != given.get("benchmark")

    @staticmethod
    def turned(given: Mapping[str, Any]) -> dict[str, Any]:
        """What was typed, as a start for the fields of the benchmark that is chosen now: what
        only was the other's default is left to the new one's."""
        typed = {name: value for name, value in given.items() if name != "estimated"}
        if given.get("shown") in benchmarks.names():
            before = benchmarks.find(given["shown"])
            for name, value in _defaults(before).items():
                if typed.get(name) == str(value):
                    del typed[name]
            ticked = [name for name in ("send_seed", "use_cache") if name in _used(before)]
            typed |= {name: False for name in ticked if name not in given}
        typed |= {name: False for name, value in typed.items() if value == "False"}
        return typed

    # --- What the page shows --------------------------------------------------------------------

    @property
    def shown_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.used if name not in ("benchmark", "pack")]

    @property
    def carried(self) -> list[str]:
        """Hidden inputs, among them what was typed into fields that are not shown."""
        unseen = [self[name] for name in self.fields if name not in (*self.used, "leave_pack")]
        return [field.as_hidden() for field in unseen if field.value() not in (None, "")]

    @property
    def packed(self) -> Sequence[Prompt]:
        """The prompts of the pack that was brought, which the next POST carries by number."""
        return self.pack_rows

    # --- Reading it -----------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if file := data.get("pack"):
            self._read_pack(file)
        elif not data.get("leave_pack"):
            numbers = [n for n in data.get("prompts", "").split(",") if n.isascii() and n.isdigit()]
            self.pack_rows = list(Prompt.objects.filter(pk__in=[int(n) for n in numbers[:200]]))
        self._put("prompts", ",".join(str(prompt.pk) for prompt in self.pack_rows))
        return data

    def _read_pack(self, file: UploadedFile) -> None:
        name = (file.name or "").removesuffix(".zip")
        try:
            self.pack_rows = load_pack(cast(IO[bytes], file.file), name)
        except CommonplaceError as error:
            self.add_error("pack", error.message)

    def _put(self, name: str, value: str) -> None:
        self.data = dict(self.data.items()) | {name: value}

    def order(self) -> Order:
        data = self.cleaned_data
        given = {name: data[name] for name in SETTINGS if name in self.used}
        return Order(
            benchmark=data["benchmark"],
            release=data["release"],
            model=data["model"],
            given={name: value if value != "" else None for name, value in given.items()},
            seed=data.get("seed") or 0,
            cap_micro=_micro(data["max_cost"]),
            use_cache=data["use_cache"],
            pack=tuple(self.pack_rows),
            judges=tuple(data.get("judges") or ()),
            nonce=data["nonce"],
        )

    def is_as_estimated(self) -> bool:
        """Whether this is the very order whose estimate was shown."""
        return self.cleaned_data["estimated"] == self._fingerprint()

    def keep_estimate(self) -> None:
        """The next POST knows what this estimate was of."""
        self._put("estimated", self._fingerprint())

    def _fingerprint(self) -> str:
        order = asdict(self.order()) | {"pack": [prompt.pk for prompt in self.pack_rows]}
        order.pop("nonce")
        return hashlib.sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()

    def refuse(self, error: CommonplaceError) -> None:
        """Put why an order cannot be met beside the field it is about."""
        room = error.code.partition(".")[0]
        place = PLACES.get(error.code) or PLACES.get(room)
        if room == "settings":
            place = str(error.data.get("name"))
        self.add_error(place if place in self.used else None, error.message)


def _used(benchmark: Benchmark) -> list[str]:
    """The fields a benchmark has a use for, in the order of the form."""
    settings = _settings(benchmark)
    wanted = {"benchmark", "release", "model", "max_cost", "use_cache", "pack"}
    wanted |= {name for name in SETTINGS if name in settings}
    if benchmark.judging is not None:
        wanted.add("judges")
    if "send_seed" in settings:
        wanted.add("seed")
    return [name for name in NewRun.base_fields if name in wanted]


def _defaults(benchmark: Benchmark) -> dict[str, Any]:
    """What the benchmark's own settings begin with, of those the form shows."""
    settings = _settings(benchmark)
    return {name: settings[name] for name in SETTINGS if settings.get(name) not in (None, "")}


def _settings(benchmark: Benchmark) -> dict[str, Any]:
    return asdict(benchmark.read_settings({}))
