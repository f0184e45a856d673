"""What people fill in to set a study up; every form ends in the plain values of `setup`."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms

from core.errors import CommonplaceError
from studies import languages, money, setup
from studies.models import Activity, ConsentDocument, Region, Study
from studies.permissions import Role

SLUG_HELP = "Small letters, digits, “_” or “-”. It stands in addresses and files and never changes."
INVITED_AS = sorted(Role, key=lambda role: role is Role.OWNER)  # owning is never the first offer
PURPOSES = {
    setup.Purpose.TAKE_PART: "Take part",
    setup.Purpose.PUBLISH: "Publish what was written",
    setup.Purpose.AUDIO: "Record the voice",
    setup.Purpose.OUTSIDE_MODEL: "Process it with an outside model",
}


class RuledField(forms.CharField):
    """Text that a rule of the house turns into a value or refuses in its own words."""

    def __init__(self, rule: Callable[[str], Any], **options: Any) -> None:
        self.rule = rule
        super().__init__(**options)

    def clean(self, value: Any) -> Any:
        return ruled(self.rule, super().clean(value))


class LinesField(forms.CharField):
    """One entry a line."""

    widget = forms.Textarea(attrs={"rows": 4})

    def clean(self, value: Any) -> Any:
        lines = [line.strip() for line in super().clean(value).splitlines()]
        return [line for line in lines if line]


def ruled(rule: Callable[[Any], Any], value: Any) -> Any:
    try:
        return rule(value)
    except CommonplaceError as error:
        raise forms.ValidationError(error.message, code=error.code) from error


class TextsForm(forms.Form):
    """A form with texts in several languages: one field a language, the first required."""

    def __init__(self, *args: Any, tongues: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tongues = list(tongues)

    def add_texts(
        self,
        name: str,
        label: str,
        given: languages.Texts,
        *,
        help_text: str = "",
        required: bool = True,
        rows: int = 0,
    ) -> None:
        for place, tongue in enumerate(self.tongues):
            attrs = {"lang": tongue, "dir": languages.direction(tongue)}
            widget = forms.Textarea({**attrs, "rows": rows}) if rows else forms.TextInput(attrs)
            self.fields[f"{name}-{tongue}"] = forms.CharField(
                label=f"{label} ({tongue})",
                required=required and place == 0,
                max_length=20_000 if rows else 300,
                help_text=help_text if place == 0 else "",
                widget=widget,
                initial=given.get(tongue, ""),
            )

    def texts(self, name: str) -> languages.Texts:
        """What was written, without the languages that were left empty."""
        found = {tongue: self.cleaned_data[f"{name}-{tongue}"] for tongue in self.tongues}
        return {tongue: text for tongue, text in found.items() if text}


class StudyForm(TextsForm):
    """The facts; for a new study also its short name, one name, and whether it is simulated."""

    def __init__(self, data: Any = None, *, study: Study | None = None) -> None:
        super().__init__(data, tongues=study.languages if study else ())
        self.study = study
        if study is None:
            self.fields["slug"] = RuledField(setup.slug, label="Short name", help_text=SLUG_HELP)
            self.fields["name"] = forms.CharField(
                max_length=300, help_text="In the first language of the study."
            )
        else:
            self.add_texts("names", "Name", study.names)
        self.fields |= _fact_fields(study)
        if study is None:
            self.fields["simulated"] = forms.BooleanField(
                label="All participants will be simulated",
                required=False,
                help_text="Everything the study yields is marked so; this cannot change later.",
            )

    def facts(self) -> setup.StudyFacts:
        given = self.cleaned_data
        names = {given["languages"][0]: given["name"]} if self.study is None else self._names()
        return setup.StudyFacts(
            slug=self.study.slug if self.study else given["slug"],
            names=names,
            **{name: given[name] for name in _fact_fields(None)},
        )

    def _names(self) -> languages.Texts:
        """The texts as filled in; one in a language that was dropped is kept for its return."""
        assert self.study is not None  # noqa: S101  (a new study has no fields for names)
        others = {t: text for t, text in self.study.names.items() if t not in self.tongues}
        return others | self.texts("names")


def _fact_fields(study: Study | None) -> dict[str, forms.Field]:
    zones = [(zone, zone) for zone in setup.timezones()]
    codes = [("", "Choose"), *((code, code) for code in sorted(money.DIGITS))]
    fields: dict[str, forms.Field] = {
        "languages": RuledField(
            lambda text: languages.tags(text.replace(",", " ").split()),
            help_text="Language tags, such as en hi: the first must have every text, the others "
            "are fallen back on in this order.",
        ),
        "country": forms.CharField(max_length=120),
        "timezone": forms.ChoiceField(label="Time zone", choices=zones),
        "currency": forms.ChoiceField(choices=codes, help_text="What rewards are paid in."),
        "residency_percent": forms.IntegerField(
            label="Residency rule, per cent of life",
            min_value=50,
            max_value=99,
            help_text="Somebody speaks for the region in whose places they have spent more than "
            "this share of their life.",
        ),
        "ethics_number": forms.CharField(
            label="Number of the ethics approval", required=False, max_length=120
        ),
        "retention_days": forms.IntegerField(
            label="Days to keep recruiters' ids",
            min_value=0,
            max_value=3650,
            help_text="Counted from the day payment has closed.",
        ),
    }
    defaults = {"timezone": "UTC", "residency_percent": 50, "retention_days": 90}
    for name, field in fields.items():
        field.initial = getattr(study, name) if study else defaults.get(name)
    if study:
        fields["languages"].initial = " ".join(study.languages)
    return fields


class RegionForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, region: Region | None = None) -> None:
        super().__init__(data, tongues=study.languages)
        self.region = region
        if region is None:
            self.fields["slug"] = RuledField(setup.slug, label="Short name", help_text=SLUG_HELP)
        self.add_texts("names", "Name", region.names if region else {})
        self.add_texts(
            "phrases",
            "Phrase that says where",
            region.phrases if region else {},
            help_text="As it stands in a sentence: “on the coast”.",
        )
        self.fields["places"] = LinesField(
            help_text="One a line. Years lived in them count for this region.",
            initial="\n".join(region.places.values_list("name", flat=True)) if region else "",
        )
        self.fields["aliases"] = LinesField(
            label="Other names",
            required=False,
            help_text="One a line.",
            initial="\n".join(region.aliases) if region else "",
        )
        self.fields["target"] = forms.IntegerField(
            label="Participants wanted",
            min_value=1,
            max_value=100_000,
            initial=region.target if region else 5,
        )
        self.fields["language"] = forms.ChoiceField(
            label="First language of its people",
            choices=[(tongue, tongue) for tongue in study.languages],
            initial=region.language if region else None,
        )
        self.fields["position"] = forms.IntegerField(
            label="Place in the order of regions",
            min_value=1,
            max_value=1000,
            initial=region.position if region else study.regions.count() + 1,
        )

    def clean_places(self) -> list[str]:
        return ruled(setup.distinct_places, self.cleaned_data["places"])

    def facts(self) -> setup.RegionFacts:
        given = self.cleaned_data
        plain = ("places", "aliases", "target", "language", "position")
        return setup.RegionFacts(
            slug=self.region.slug if self.region else given["slug"],
            names=self.texts("names"),
            phrases=self.texts("phrases"),
            **{name: given[name] for name in plain},
        )


class ActivityForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, activity: Activity | None = None) -> None:
        super().__init__(data, tongues=study.languages)
        self.study, self.activity = study, activity
        if activity is None:
            self.fields["slug"] = RuledField(setup.slug, label="Short name", help_text=SLUG_HELP)
        self.add_texts("names", "Name", activity.names if activity else {})
        code = study.currency
        self.fields |= {
            "kind": forms.ChoiceField(choices=_named(setup.ActivityKind)),
            "phase": forms.ChoiceField(
                choices=_named(setup.Phase), help_text="A pilot tries things out on a few people."
            ),
            "reward": forms.ChoiceField(
                choices=[("hourly", "By the hour"), ("flat", "One amount")]
            ),
            "amount": RuledField(
                lambda text: money.minor(text, code),
                label=f"Amount in {code}",
                widget=forms.TextInput({"inputmode": "decimal"}),
            ),
            "minutes": forms.IntegerField(
                label="Minutes it takes", min_value=1, max_value=1440, initial=25
            ),
            "recruiter": forms.CharField(
                required=False,
                max_length=60,
                help_text="The service that sends participants, if one does.",
            ),
            "recruiter_study_id": forms.CharField(
                label="The recruiter's number of this study", required=False, max_length=120
            ),
        }
        if activity is not None:
            for name in ("kind", "phase", "reward", "minutes", "recruiter", "recruiter_study_id"):
                self.fields[name].initial = getattr(activity, name)
            self.fields["amount"].initial = money.plain(activity.amount_minor, code)

    def facts(self) -> setup.ActivityFacts:
        given, old = self.cleaned_data, self.activity
        return setup.ActivityFacts(
            slug=old.slug if old else given["slug"],
            names=self.texts("names"),
            kind=setup.ActivityKind(given["kind"]),
            phase=setup.Phase(given["phase"]),
            reward=setup.RewardKind(given["reward"]),
            amount_minor=given["amount"],
            minutes=given["minutes"],
            position=old.position if old else self.study.activities.count() + 1,
            recruiter=given["recruiter"],
            recruiter_study_id=given["recruiter_study_id"],
        )


class ConsentForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, document: ConsentDocument | None) -> None:
        super().__init__(data, tongues=study.languages)
        self.add_texts(
            "texts",
            "What participants are told",
            document.texts if document else {},
            help_text="What is asked, how long it takes, what happens with the answers, how to "
            "withdraw, and whom to write to.",
            rows=10,
        )
        for purpose, title in PURPOSES.items():
            required = purpose is setup.Purpose.TAKE_PART
            hint = "The sentence a participant ticks."
            self.add_texts(
                purpose,
                title,
                document.purposes.get(purpose, {}) if document else {},
                help_text=hint if required else f"{hint} Left empty, it is not asked.",
                required=required,
            )

    def facts(self) -> setup.ConsentFacts:
        given = {purpose: self.texts(purpose) for purpose in setup.Purpose}
        return setup.ConsentFacts(
            texts=self.texts("texts"),
            purposes={purpose.value: texts for purpose, texts in given.items() if texts},
        )

    def clean(self) -> None:
        """A purpose asked in one language is asked in the first, which others fall back on."""
        first = self.tongues[0]
        for purpose in PURPOSES:
            given = [self.cleaned_data.get(f"{purpose}-{tongue}") for tongue in self.tongues]
            if any(given[1:]) and not given[0] and not self.has_error(f"{purpose}-{first}"):
                self.add_error(
                    f"{purpose}-{first}", f"Write it in {first} too, the first language."
                )


class MemberForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", help_text="The address the person signs in with here."
    )
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in INVITED_AS])


def _named(kind: Any) -> list[tuple[str, str]]:
    return [(each.value, each.value) for each in kind]
