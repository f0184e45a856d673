"""What people fill in to set a study up; every form ends in the plain values of `setup`."""

from typing import Any

from django import forms

from studies import consent_start, kinds, languages, money, place_lines, setup
from studies.form_parts import LinesField, RuledField, TextsForm
from studies.models import Activity, ConsentDocument, Region, Study
from studies.permissions import Role
from studies.selectors import in_english

SLUG_HELP = "Small letters, digits, “_” or “-”. It stands in addresses and files and never changes."
INVITED_AS = sorted(Role, key=lambda role: role is Role.OWNER)  # owning is never the first offer
PURPOSES = {
    setup.Purpose.TAKE_PART: "The sentence for “take part”",
    setup.Purpose.PUBLISH: "The sentence for “publish what was written”",
    setup.Purpose.AUDIO: "The sentence for “record the voice”",
    setup.Purpose.OUTSIDE_MODEL: "The sentence for “process it with an outside model”",
}


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
        else:
            self.fix(study, setup.LATER["study"])

    def facts(self) -> setup.StudyFacts:
        given = self.cleaned_data
        new = self.study is None
        names = {given["languages"][0]: given["name"]} if new else self.kept("names", self.study)
        return setup.StudyFacts(
            slug=self.study.slug if self.study else given["slug"],
            names=names,
            **{name: given[name] for name in _fact_fields(None)},
        )


def _fact_fields(study: Study | None) -> dict[str, forms.Field]:
    codes = [("", "Choose"), *((code, code) for code in sorted(money.DIGITS))]
    fields: dict[str, forms.Field] = {
        "languages": RuledField(
            lambda text: languages.tags(text.replace(",", " ").split()),
            read=lambda text: in_english(text.split()),
            help_text="Language tags, such as en hi. The first must have every text; a missing "
            "text is shown in the next language.",
        ),
        "country": forms.CharField(max_length=120),
        "timezone": forms.ChoiceField(label="Time zone", choices=_zones()),
        "currency": forms.ChoiceField(choices=codes, help_text="What rewards are paid in."),
        "residency_percent": forms.IntegerField(
            label="More than this share of their life (%)",
            min_value=50,
            max_value=99,
            help_text="The residency rule: somebody speaks for the region in whose places they "
            "have spent more than this share of their life.",
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
    defaults = {"residency_percent": 50, "retention_days": 90}
    for name, field in fields.items():
        field.initial = getattr(study, name) if study else defaults.get(name)
    if study:
        fields["languages"].initial = " ".join(study.languages)
    return fields


def _zones() -> list[tuple[str, Any]]:
    """Time zones below their part of the world; nobody lives in one by default."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for zone in setup.timezones():
        part = zone.partition("/")[0] if "/" in zone else "Other"
        parts.setdefault(part, []).append((zone, zone))
    other = parts.pop("Other")
    return [("", "Choose"), *parts.items(), ("Other", other)]


class RegionForm(TextsForm):
    def __init__(self, data: Any = None, *, study: Study, region: Region | None = None) -> None:
        super().__init__(data, tongues=study.languages)
        self.region = region
        if region is None:
            self.fields["slug"] = RuledField(setup.slug, label="Short name", help_text=SLUG_HELP)
        self.add_texts("names", "Name", region.names if region else {})
        self.add_texts(
            "phrases",
            "Words that say where",
            region.phrases if region else {},
            help_text="They fill the gap in “What do people eat … when guests come?”: “on the "
            "coast”, “in the hill towns”.",
        )
        places = [
            setup.PlaceFacts(place.name, place.names)
            for place in (region.places.all() if region else ())
        ]
        self.fields["places"] = RuledField(
            lambda text: place_lines.read(text, study.languages, places),
            strip=False,  # the numbers of lines that are named are those on the page
            widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
            help_text="One a line. Years lived in them count for this region. What a place is "
            "called in further languages goes on its line: Three Wells | es: Tres Pozos.",
            initial="\n".join(place_lines.written(each, study.languages) for each in places),
        )
        self.fields["aliases"] = LinesField(
            label="Other names of the region",
            required=False,
            help_text="One a line, as it is called elsewhere: “the Coast”, “Coastal towns”. They "
            "stay with the study; participants do not see them.",
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
            choices=[(tongue, languages.in_english(tongue)) for tongue in study.languages],
            initial=region.language if region else None,
        )
        self.fields["position"] = forms.IntegerField(
            label="Place in the order of regions",
            min_value=1,
            max_value=1000,
            initial=region.position if region else study.regions.count() + 1,
        )
        self.fix(study, setup.LATER["region"])

    def facts(self) -> setup.RegionFacts:
        given = self.cleaned_data
        plain = ("places", "aliases", "target", "language", "position")
        return setup.RegionFacts(
            slug=self.region.slug if self.region else given["slug"],
            names=self.kept("names", self.region),
            phrases=self.kept("phrases", self.region),
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
            "kind": forms.ChoiceField(choices=_kinds(activity)),
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
        self.fix(study, setup.LATER["activity"])

    def facts(self) -> setup.ActivityFacts:
        given, old = self.cleaned_data, self.activity
        return setup.ActivityFacts(
            slug=old.slug if old else given["slug"],
            names=self.kept("names", old),
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
    """`start` fills in the starting text where nothing is written yet."""

    def __init__(
        self,
        data: Any = None,
        *,
        study: Study,
        document: ConsentDocument | None,
        start: bool = False,
    ) -> None:
        super().__init__(data, tongues=study.languages)
        texts, purposes = consent_start.filled(study.languages) if start else ({}, {})
        if document:
            texts, purposes = document.texts, document.purposes
        self.add_texts(
            "texts",
            "What participants are told",
            texts,
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
                purposes.get(purpose, {}),
                help_text=hint if required else f"{hint} Left empty, it is not asked.",
                required=required,
            )
        self.fix(study)

    def facts(self) -> setup.ConsentFacts:
        given = {purpose: self.texts(purpose) for purpose in setup.Purpose}
        return setup.ConsentFacts(
            texts=self.texts("texts"),
            purposes={purpose.value: texts for purpose, texts in given.items() if texts},
        )

    def clean(self) -> None:
        """A purpose asked in one language is asked in the first, which others fall back on."""
        super().clean()
        first = self.tongues[0]
        for purpose in PURPOSES:
            given = [self.cleaned_data.get(f"{purpose}-{tongue}") for tongue in self.tongues]
            if any(given[1:]) and not given[0] and not self.has_error(f"{purpose}-{first}"):
                self.add_error(
                    f"{purpose}-{first}",
                    f"Write it in {languages.in_english(first)} too, the first language.",
                )


class MemberForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", help_text="The address the person signs in with here."
    )
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in INVITED_AS])


def _kinds(activity: Activity | None) -> list[tuple[str, str]]:
    """The kinds a room of this version runs, and the one an activity has."""
    has = activity.kind if activity else ""
    return [pair for pair in _named(setup.ActivityKind) if pair[0] == has or kinds.runs(pair[0])]


def _named(kind: Any) -> list[tuple[str, str]]:
    return [(each.value, each.value) for each in kind]
