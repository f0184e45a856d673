"""Pages of participants before and after the activity: parse, one call, the screen there is."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_noop

from core.errors import CommonplaceError, NotFound
from studies import links, recruiter, services
from studies.models import Activity, Participation
from studies.participation import Action, Status
from studies.services import moving
from studies.taking_part import door, screens
from studies.taking_part.forms import ROWS, ConsentForm, RegionForm, ScreeningForm
from studies.taking_part.reading import order, reader, spoken


@door.public
def join(request: HttpRequest, study: str, activity: str) -> HttpResponse:
    """Where a recruiter sends people. Looking at it leaves no trace: programs that preview links
    look at it too."""
    rows = Activity.objects.select_related("study")
    found = rows.filter(study__slug=study, slug=activity).first()
    if found is None:
        return door.astray(request, _unknown())
    try:
        door.refuse_unreadable(request)
    except CommonplaceError as error:
        return door.astray(request, error)
    given = request.POST if request.method == "POST" else request.GET
    language = spoken(found.study, given.get("language", ""))
    arrival = recruiter.read(given.dict())
    with door.speaking(found.study.timezone, language):
        try:
            services.refuse_arrival(found, arrival)
            if request.method == "POST" and arrival.person:
                return door.back(services.enter(found, arrival, language))
        except CommonplaceError as error:
            return door.problem(request, reader(found.study, language), error)
        return _invitation(request, found, arrival, language)


@door.personal()
def home(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method != "POST":
        return screens.show(request, row)
    services.begin(row)
    return door.back(row)


@door.personal()
def consent(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method != "POST" or row.status != Status.CONSENTING:
        return door.back(row)
    document = screens.consent_document(row)
    asked = order(row.activity.study, row.participant.language)
    form = ConsentForm(request.POST, document=document, asked=asked)
    if form.outdated:
        return screens.show(request, row, outdated=True)
    if not form.is_valid():
        return screens.show(request, row, form=form)
    services.agree(row, document, form.purposes)
    return door.back(row)


@door.personal()
def decline(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method == "POST":
        moving.move(row, Action.DECLINE)
    return door.back(row)


@door.personal()
def screening(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method != "POST" or row.status != Status.SCREENING:
        return door.back(row)
    if screens.self_identified(row):
        return _identify(request, row)
    study = row.activity.study
    if "language" in request.POST or "more" in request.POST:
        services.speak(row.participant, request.POST.get("language", ""))
        with door.speaking(study.timezone, row.participant.language):
            more = ROWS if "more" in request.POST else 0
            asked = order(study, row.participant.language)
            draft = ScreeningForm.draft(request.POST, study=study, asked=asked, more=more)
            return screens.show(request, row, form=draft)
    asked = order(study, row.participant.language)
    form = ScreeningForm(request.POST, study=study, asked=asked)
    if not form.is_valid():
        return screens.show(request, row, form=form)
    services.screen(row, form.cleaned_data["born"], form.lived)
    return door.back(row)


def _identify(request: HttpRequest, row: Participation) -> HttpResponse:
    study = row.activity.study
    services.speak(row.participant, request.POST.get("language", ""))
    with door.speaking(study.timezone, row.participant.language):
        asked = order(study, row.participant.language)
        draft = "language" in request.POST
        form = RegionForm(None if draft else request.POST, study=study, asked=asked)
        if draft:
            form.initial = {"region": request.POST.get("region", "")}
        if draft or not form.is_valid():
            return screens.show(request, row, form=form)
    services.identify(row, form.chosen)
    return door.back(row)


@door.personal(at_any_time=True)
def language(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method == "POST":
        services.speak(row.participant, request.POST.get("language", ""))
    return door.see_other(_came_from(request, row))


@door.personal(at_any_time=True)
def leave(request: HttpRequest, row: Participation) -> HttpResponse:
    if request.method != "POST":
        return screens.show_ways_out(request, row, request.GET.get("choice", ""))
    choice = request.POST.get("choice")
    if choice == "give_back":
        door.refuse_too_late(row)
        moving.move(row, Action.GIVE_BACK)
    elif choice == "withdraw":
        services.withdraw(row.participant, f"participant {row.participant.code}")
    return door.back(row)


def _invitation(
    request: HttpRequest, activity: Activity, arrival: recruiter.Arrival, language: str
) -> HttpResponse:
    context = {
        "reader": reader(activity.study, language),
        "arrival": arrival,
        "carried": recruiter.carried(arrival),
        "person": recruiter.PERSON,
        "longest": recruiter.LONGEST,
        **screens.about(activity, language),
    }
    template = "join" if arrival.person else "who"
    response = render(request, f"taking_part/{template}.html", context)
    response["Content-Language"] = language
    return response


def _came_from(request: HttpRequest, row: Participation) -> str:
    """The participant's own page the language was switched on, else the first one."""
    home = links.personal(row)
    try:
        path = urlsplit(request.headers.get("Referer", "")).path
    except ValueError:  # not every program sends an address there
        path = ""
    return path if path.startswith(home) else home


def _unknown() -> NotFound:
    return NotFound(
        "activity.unknown",
        gettext_noop(
            "There is no study at this address. Go back to the service that invited you and open "
            "the study from there again."
        ),
    )
