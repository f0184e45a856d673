"""Pages of studies: parse, one call, render."""

from typing import cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from core.errors import CommonplaceError
from studies import consent_start, history, pages, presenting, selectors, services, standing, steps
from studies.forms import ActivityForm, ConsentForm, MemberForm, RegionForm, StudyForm
from studies.models import Study
from studies.permissions import Capability, Role
from studies.recruiter import called
from studies.services.rows import refuse_unless_in_set_up

PAGE = 50
REGIONS, ACTIVITIES = ("Regions", "studies:regions"), ("Activities", "studies:activities")
_form_page = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    studies = Study.objects.visible_to(request.user)
    page = Paginator(studies, PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    due = standing.due(request.user, shown)
    lines = presenting.study_lines(shown, due)
    may_create = selectors.may_create(request.user)
    context = {"page": page, "lines": lines, "due": due, "may_create": may_create}
    return render(request, "studies/list.html", context)


@_form_page
def new(request: HttpRequest) -> HttpResponse:
    if not selectors.may_create(request.user):
        raise PermissionDenied
    form = StudyForm(request.POST or None)
    user = cast(User, request.user)

    def create() -> str:
        study = services.create_study(
            form.facts(), user, user.email, simulated=form.cleaned_data["simulated"]
        )
        return reverse("studies:detail", args=(study.slug,))

    if saved := pages.saved(request, form, create, "The study is created."):
        return saved
    context = {"form": form, "crumbs": [pages.STUDIES, ("New", "")]}
    return render(request, "studies/new.html", context, status=pages.status(form))


@require_safe
def detail(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.VIEW)
    checks = selectors.checklist(found)
    user = cast(User, request.user)
    due = standing.due(user, [found]).get(found.pk, [])
    opened = found.status != Study.Status.SET_UP
    context = {
        "path": presenting.path_of(found, checks, user, due),
        "languages": selectors.in_english(found.languages),
        "checks": checks,
        "next": next((check for check in checks if not check.done), None),
        "waiting": selectors.waiting(found),
        "due": due,
        "nexts": steps.nexts(found, selectors.capabilities(user, found)) if opened else [],
        "regions": presenting.regions(found),
        "activities": presenting.activities(found),
        "consent": presenting.consent(found),
    }
    return pages.page(request, "studies/detail.html", found, context)


@require_POST
def open_study(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.RECRUIT)
    services.open_study(found, _actor(request))
    messages.success(request, "The study is open. Invite people next: who has a link takes part.")
    return redirect("studies:detail", study)


@_form_page
def facts(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    form = StudyForm(request.POST or None, study=found)

    def change() -> str:
        if form.dropped:
            services.adjust(found, found, form.cleaned_data, _actor(request))
        else:
            services.change_facts(found, form.facts(), _actor(request))
        return reverse("studies:detail", args=(study,))

    if saved := pages.saved(request, form, change, "The facts are saved."):
        return saved
    return pages.page(request, "studies/facts.html", found, {"form": form}, here="Facts")


@require_safe
def regions(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    context = {"regions": presenting.regions(found)}
    return pages.page(request, "studies/regions.html", found, context, here="Regions")


@_form_page
def region(request: HttpRequest, study: str, region: str = "") -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    row = selectors.access_region(found, region) if region else None
    if row is None:
        refuse_unless_in_set_up(found)
    form = RegionForm(request.POST or None, study=found, region=row)

    def save() -> str:
        if row and form.dropped:
            services.adjust(found, row, form.cleaned_data, _actor(request))
        else:
            given, known = form.facts(), found.regions
            _refuse_taken(row is None and known.filter(slug=given.slug).exists(), given.slug)
            services.save_region(found, given, _actor(request))
        return reverse("studies:regions", args=(study,))

    if saved := pages.saved(request, form, save, "The region is saved."):
        return saved
    here = presenting.region_name(row, found) if row else "New region"
    context = {"form": form, "region": row, "name": here}
    return pages.page(request, "studies/region.html", found, context, here, above=[REGIONS])


@require_POST
def region_remove(request: HttpRequest, study: str, region: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    services.remove_region(found, region, _actor(request))
    messages.success(request, f"The region {region} is removed.")
    return redirect("studies:regions", study)


@require_safe
def activities(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    context = {"activities": presenting.activities(found)}
    return pages.page(request, "studies/activities.html", found, context, here="Activities")


@_form_page
def activity(request: HttpRequest, study: str, activity: str = "") -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    row = selectors.access_activity(found, activity) if activity else None
    if row is None:
        refuse_unless_in_set_up(found)
    form = ActivityForm(request.POST or None, study=found, activity=row)

    def save() -> str:
        if row and form.dropped:
            services.adjust(found, row, form.cleaned_data, _actor(request))
        else:
            given, known = form.facts(), found.activities
            _refuse_taken(row is None and known.filter(slug=given.slug).exists(), given.slug)
            services.save_activity(found, given, _actor(request))
        return reverse("studies:activities", args=(study,))

    if saved := pages.saved(request, form, save, "The activity is saved."):
        return saved
    here = row.name if row else "New activity"
    context = {
        "form": form,
        "activity": row,
        "name": here,
        "codes": presenting.codes(row) if row else [],
    }
    return pages.page(request, "studies/activity.html", found, context, here, above=[ACTIVITIES])


@require_POST
def activity_remove(request: HttpRequest, study: str, activity: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    services.remove_activity(found, activity, _actor(request))
    messages.success(request, f"The activity {activity} is removed.")
    return redirect("studies:activities", study)


@_form_page
def consent(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.SET_UP)
    document = selectors.newest_consent(found)
    start = "start" in request.GET and document is None
    form = ConsentForm(request.POST or None, study=found, document=document, start=start)

    def write() -> str:
        services.write_consent(found, form.facts(), _actor(request))
        return reverse("studies:detail", args=(study,))

    if saved := pages.saved(request, form, write, "The consent document is saved."):
        return saved
    may_start = document is None and not start and consent_start.english(found.languages)
    context = {"form": form, "document": document, "started": start, "may_start": may_start}
    return pages.page(request, "studies/consent.html", found, context, here="Consent")


@require_safe
def members(request: HttpRequest, study: str) -> HttpResponse:
    return _members(request, _access(request, study, Capability.VIEW), MemberForm())


@require_POST
def member_invite(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MANAGE_MEMBERS)
    form = MemberForm(request.POST)

    def invite() -> str:
        given = form.cleaned_data
        services.invite(found, given["email"], Role(given["role"]), _actor(request))
        return reverse("studies:members", args=(study,))

    return pages.saved(request, form, invite, "The person is in.") or _members(request, found, form)


@require_POST
def member_role(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MANAGE_MEMBERS)
    form = MemberForm(request.POST)
    if not form.is_valid():
        raise CommonplaceError("member.role", "Choose a role from the list beside the person.")
    given = form.cleaned_data
    services.change_role(found, given["email"], Role(given["role"]), _actor(request))
    messages.success(request, f"{given['email']} is now {given['role']}.")
    return _to_members_or_list(request, found)


@require_POST
def member_remove(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.MANAGE_MEMBERS)
    email = request.POST.get("email", "").replace("\0", "")
    services.remove_member(found, email, _actor(request))
    messages.success(request, f"{email} is no longer in this study.")
    return _to_members_or_list(request, found)


@require_safe
def audit_log(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study, Capability.READ_AUDIT)
    page = Paginator(selectors.audit_entries(found), PAGE).get_page(request.GET.get("page"))
    rows = [
        (each, called(each.actor), history.sentence(each.action, each.object_id, each.data))
        for each in page
    ]
    context = {"page": page, "rows": rows}
    return pages.page(request, "studies/audit.html", found, context, here="What was done")


def _access(request: HttpRequest, study: str, capability: Capability) -> Study:
    return selectors.access_study(request.user, study, capability)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _refuse_taken(taken: bool, slug: str) -> None:
    if taken:
        raise CommonplaceError(
            "study.short_name_taken", f"“{slug}” is there already. Choose another short name."
        )


def _members(request: HttpRequest, study: Study, form: MemberForm) -> HttpResponse:
    context = {
        "form": form,
        "members": study.memberships.select_related("user"),
        "roles": list(Role),
    }
    return pages.page(request, "studies/members.html", study, context, here="Members")


def _to_members_or_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Who has just left a study goes back to the list of those that are left."""
    if Capability.VIEW in selectors.capabilities(request.user, study):
        return redirect("studies:members", study.slug)
    return redirect("studies:list")
