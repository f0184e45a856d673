"""What a participant fills in before the activity: consent, and where they have lived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.text import alphabetical
from studies import languages, setup
from studies.models import ConsentDocument, Place, Region, Study
from studies.services import entering

ELSEWHERE = "-"  # the value of a place outside the study
ROWS, MOST_ROWS = 4, 40  # of the residence history: at first and as often as one more is asked for
LONGEST_LIFE = 120  # years
_YEAR = {"inputmode": "numeric", "autocomplete": "off", "class": "short-field"}


@dataclass(frozen=True)
class Fault:
    """What is wrong with the field of an id, for the list on top of the form; `language` and
    `direction` are those of the label, empty where it is of the page's own words."""

    field: str
    label: str
    text: str
    language: str = ""
    direction: str = ""


def _faults(form: forms.Form, where: str = "") -> list[Fault]:
    return [
        Fault(form[name].id_for_label, f"{where}{form[name].label}", str(text))
        for name, texts in form.errors.items()
        if name in form.fields
        for text in texts
    ]


class ConsentForm(forms.Form):
    """One box a purpose; `asked` is the order of languages. `outdated` where the participant has
    read another document than this one."""

    document = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(
        self, data: Any = None, *, document: ConsentDocument, asked: Sequence[str]
    ) -> None:
        super().__init__(data, initial={"document": document.pk})
        self.sentences: list[tuple[forms.BoundField, str, str]] = []
        for purpose in setup.Purpose:
            if purpose not in document.purposes:
                continue
            tag, sentence = languages.choose(document.purposes[purpose], asked)
            needed = purpose == setup.Purpose.TAKE_PART
            self.fields[purpose.value] = forms.BooleanField(
                label=sentence,
                required=needed,
                error_messages={"required": _("Tick this if you want to take part.")},
            )
            self.sentences.append((self[purpose.value], tag, languages.direction(tag)))
        self.outdated = self.is_bound and str(document.pk) != str(self["document"].value())

    @property
    def purposes(self) -> list[str]:
        return [each.value for each in setup.Purpose if self.cleaned_data.get(each.value)]

    @property
    def faults(self) -> list[Fault]:
        spoken = {
            field.id_for_label: {"language": tag, "direction": direction}
            for field, tag, direction in self.sentences
        }
        return [replace(fault, **spoken.get(fault.field, {})) for fault in _faults(self)]


class YearField(forms.IntegerField):
    widget = forms.TextInput

    def __init__(self, label: Any, **options: Any) -> None:
        attrs = _YEAR | options.pop("attrs", {})
        super().__init__(label=label, required=False, widget=forms.TextInput(attrs), **options)
        self.error_messages["invalid"] = gettext_lazy("Write the year in digits, such as 1998.")


class StayForm(forms.Form):
    """One row of the history; a row nothing was written into says nothing."""

    place = forms.ChoiceField(label=gettext_lazy("Where"), required=False)
    from_year = YearField(gettext_lazy("From the year"))
    to_year = YearField(
        gettext_lazy("To the year"),
        help_text=gettext_lazy("This year, if you still live there."),
    )

    def __init__(self, *args: Any, places: Sequence[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["place"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  (declared above)
        field.choices = places
        field.error_messages["invalid_choice"] = _("Choose a place from the list.")

    def clean(self) -> None:
        if not self.given:
            return
        asked = {
            "place": _("Choose a place from the list."),
            "from_year": _("Write the year you came here."),
            "to_year": _("Write the year you left, or this year."),
        }
        for name, text in asked.items():
            if self.cleaned_data.get(name) in (None, "") and not self.has_error(name):
                self.add_error(name, text)

    @property
    def given(self) -> bool:
        return any(self[name].value() not in (None, "") for name in self.fields)

    def fit(self, born: int | None, until: int) -> None:
        """Compare the years with each other and with a life, as far as they are known."""
        start, end = self.cleaned_data.get("from_year"), self.cleaned_data.get("to_year")
        if start is not None and born is not None and start < born:
            self.add_error("from_year", _("This is before the year you were born."))
        if end is not None and end > until:
            self.add_error("to_year", _("This year has not come yet. Write this year at most."))
        if start is not None and end is not None and end < start:
            self.add_error("to_year", _("This is before the year you came here."))


class RegionForm(forms.Form):
    """Which region of the study somebody belongs to, in their own eyes, or another one; `asked` is
    the order of languages."""

    region = forms.ChoiceField(
        label=gettext_lazy("Which region do you belong to?"),
        widget=forms.RadioSelect,
        error_messages={
            "required": gettext_lazy("Choose a region, or say that yours is another."),
            "invalid_choice": gettext_lazy("Choose a region, or say that yours is another."),
        },
    )

    def __init__(self, data: Any = None, *, study: Study, asked: Sequence[str]) -> None:
        super().__init__(data)
        self._regions = {region.slug: region for region in study.regions.all()}
        named = [
            (slug, languages.choose(region.names, asked)[1] or slug)
            for slug, region in self._regions.items()
        ]
        field = self.fields["region"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  (declared above)
        field.choices = [*named, (ELSEWHERE, _("Another region"))]

    @property
    def faults(self) -> list[Fault]:
        """They lead to the first choice."""
        return [replace(fault, field=f"{self['region'].auto_id}_0") for fault in _faults(self)]

    @property
    def chosen(self) -> Region | None:
        """The region chosen; None for another than the study's."""
        return self._regions.get(self.cleaned_data["region"])


class ScreeningForm(forms.Form):
    """The year of birth and the residence history, as many rows as were sent or begun with;
    `asked` is the order of languages."""

    born = YearField(
        gettext_lazy("In which year were you born?"), attrs={"autocomplete": "bday-year"}
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, study: Study, asked: Sequence[str]
    ) -> None:
        super().__init__(data)
        self.study, self.asked = study, asked
        self.stays = [
            StayForm(data, prefix=f"stay-{number}", places=self._places)
            for number in range(_rows(data or {}))
        ]

    @classmethod
    def draft(
        cls, data: Mapping[str, Any], *, study: Study, asked: Sequence[str], more: int = 0
    ) -> "ScreeningForm":
        """What was typed so far, not judged yet, with `more` empty rows below it."""
        form = cls(study=study, asked=asked)
        form.initial = {"born": data.get("born", "")}
        form.stays = [
            StayForm(
                prefix=f"stay-{number}",
                places=form._places,
                initial={
                    name: data.get(f"stay-{number}-{name}", "") for name in StayForm.base_fields
                },
            )
            for number in range(min(_rows(data) + more, MOST_ROWS))
        ]
        return form

    def is_valid(self) -> bool:
        valid = super().is_valid()
        rows = [stay.is_valid() for stay in self.stays]
        return self._fits_together() and valid and all(rows)

    def clean_born(self) -> int:
        born, until = self.cleaned_data["born"], entering.this_year(self.study)
        if born is None:
            raise forms.ValidationError(_("Write the year you were born."))
        if not until - LONGEST_LIFE <= born <= until:
            raise forms.ValidationError(_("Write the year you were born, with four digits."))
        return born

    @property
    def faults(self) -> list[Fault]:
        rows = [
            fault
            for number, stay in enumerate(self.stays, start=1)
            for fault in _faults(stay, f"{_('Place %(number)s') % {'number': number}}: ")
        ]
        return [*_faults(self), *rows]

    @property
    def lived(self) -> list[entering.Stay]:
        given = [stay.cleaned_data for stay in self.stays if stay.given]
        return [
            entering.Stay(self._by_name.get(row["place"]), row["from_year"], row["to_year"])
            for row in given
        ]

    @property
    def may_grow(self) -> bool:
        return len(self.stays) < MOST_ROWS

    def _fits_together(self) -> bool:
        given = [stay for stay in self.stays if stay.given]
        for stay in given:
            stay.fit(self.cleaned_data.get("born"), entering.this_year(self.study))
        if _sent_rows(self.data) > MOST_ROWS:
            self.stays[-1].add_error("place", _too_many())
        if not given:
            self.stays[0].add_error("place", _("Write where you have lived, one place at least."))
        return not any(stay.errors for stay in self.stays)

    @cached_property
    def _by_name(self) -> dict[str, Place]:
        return {place.name: place for place in self.study.places.select_related("region")}

    @cached_property
    def _places(self) -> list[tuple[str, Any]]:
        """All places in the order of the alphabet: nothing says which of them belong together."""
        named = [(name, place.called(self.asked)) for name, place in self._by_name.items()]
        named.sort(key=lambda choice: alphabetical(choice[1]))
        return [("", _("Choose a place")), *named, (ELSEWHERE, _("Somewhere else"))]


def _too_many() -> str:
    return _(
        "At most %(most)s places can be given, and those after this one are not kept. Leave out "
        "the places where you lived for the shortest time."
    ) % {"most": MOST_ROWS}


def _rows(data: Mapping[str, Any]) -> int:
    return min(max(_sent_rows(data), ROWS), MOST_ROWS)


def _sent_rows(data: Mapping[str, Any]) -> int:
    """As many rows as the fields say, whose numbers no page ever makes longer."""
    sent = str(data.get("rows", ""))
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 10 else 0
