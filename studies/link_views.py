"""The page of a study where people are invited: the recruiter's address and personal links."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from core.errors import CommonplaceError
from studies import links, pages, presenting, recruiter, selectors, services
from studies.models import Activity, Study
from studies.permissions import Capability
from studies.services.entering import MOST_LINKS


class LinksForm(forms.Form):
    activity = forms.ChoiceField()
    count = forms.IntegerField(label="How many", min_value=1, max_value=MOST_LINKS, initial=10)

    def __init__(self, data: Mapping[str, Any] | None = None, *, study: Study) -> None:
        super().__init__(data)
        rows = study.activities.select_related("study")
        field = self.fields["activity"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  (declared above)
        field.choices = [(row.slug, row.name) for row in rows]


@dataclass(frozen=True)
class Recruitment:
    """What a researcher copies into the recruiter; `address` is empty without one. `not_ready` says
    of whom people cannot begin yet."""

    activity: Activity
    recruiter: str
    address: str
    codes: list[tuple[str, str]]
    not_ready: str


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, study: str) -> HttpResponse:
    """New links are in the answer to the POST and nowhere else."""
    found = selectors.access_study(request.user, study, Capability.RECRUIT)
    form = LinksForm(request.POST or None, study=found)
    made = _make(request, found, form) if form.is_valid() else None
    context = {
        "form": form,
        "recruitments": [
            _recruitment(request, row) for row in found.activities.select_related("study")
        ],
        "made": made,
        "collecting": found.status == Study.Status.COLLECTING,
    }
    return pages.page(request, "studies/links.html", found, context, here="Invitations")


def _make(request: HttpRequest, study: Study, form: LinksForm) -> list[tuple[str, str]] | None:
    """(participant, address) of each new link; None where the form says why there is none."""
    activity = selectors.access_activity(study, form.cleaned_data["activity"])
    try:
        rows = services.make_links(
            activity, form.cleaned_data["count"], request.user.get_username()
        )
    except CommonplaceError as error:
        form.add_error(None, error.message)
        return None
    return [(row.participant.code, request.build_absolute_uri(links.personal(row))) for row in rows]


def _recruitment(request: HttpRequest, activity: Activity) -> Recruitment:
    join = reverse("taking_part:join", args=(activity.study.slug, activity.slug))
    address = recruiter.recruitment_address(request.build_absolute_uri(join))
    name, codes = recruiter.called(activity.recruiter), presenting.codes(activity)
    not_ready = selectors.not_ready(activity)
    return Recruitment(activity, name, address if name else "", codes, not_ready)
