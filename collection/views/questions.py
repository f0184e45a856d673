"""Pages of authors: questions, topics, plans, and making forms of them."""

from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from collection import (
    authoring_pages,
    selectors,
    services,
    survey_templates,
    topic_templates,
)
from collection.forms import STATUSES, QuestionForm
from collection.models import Question
from collection.topic_forms import PlanForm, TopicForm, topic_label
from core.errors import CommonplaceError
from studies import languages, pages
from studies import selectors as study_selectors
from studies.models import Study
from studies.permissions import Capability

PAGE = 50
QUESTIONS, TOPICS = ("Questions", "collection:questions"), ("Topics", "collection:topics")
_form_page = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def questions(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    rows = selectors.listed(found, request.GET.get("topic", ""), request.GET.get("status", ""))
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": [authoring_pages.question_line(found, row) for row in page],
        "topics": authoring_pages.topic_lines(found),
        "surveys": [
            (each, selectors.state(each), selectors.missing(each))
            for each in selectors.surveys(found)
        ],
        "statuses": STATUSES.items(),
        "templates": survey_templates.names(),
        "waiting": study_selectors.waiting(found),
        "chosen": {name: request.GET.get(name, "") for name in ("topic", "status")},
    }
    return pages.page(request, "collection/questions.html", found, context, here="Questions")


@_form_page
def question_new(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    form = QuestionForm(request.POST or None, study=found, more="more" in request.POST)

    def add() -> str:
        status = form.cleaned_data["status"]
        question = services.add_question(found, form.facts(), _actor(request), status)
        return _address(request, question)

    if saved := pages.saved(request, form, add, lambda: _saved(found)):
        return saved
    return _page(request, "question", found, {"form": form}, "New question")


@_form_page
def question(request: HttpRequest, study: str, question: str) -> HttpResponse:
    found = _access(request, study)
    row = selectors.access_question(found, question)
    form = QuestionForm(
        request.POST or None,
        study=found,
        facts=selectors.facts(row),
        status=row.status,
        more="more" in (request.POST or request.GET),
    )

    def change() -> str:
        status = form.cleaned_data["status"]
        now = services.change_question(found, question, form.facts(), _actor(request), status)
        if now.key != question:
            messages.info(request, authoring_pages.replaced(now))
        return _address(request, now)

    if saved := pages.saved(request, form, change, lambda: _saved(found)):
        return saved
    context = {
        "form": form,
        "question": row,
        "preview": authoring_pages.preview_of(found, row),
        "advice": authoring_pages.advice(row),
        "published": row.pk in selectors.published(found),
        "successor": authoring_pages.successor(found, row),
        "spoken": authoring_pages.spoken(row),
        "waiting": study_selectors.waiting(found),
    }
    return _page(request, "question", found, context, question)


@require_POST
def question_status(request: HttpRequest, study: str, question: str) -> HttpResponse:
    found = _access(request, study)
    status = request.POST.get("status", "")
    if status not in STATUSES:
        raise CommonplaceError("question.status", "Choose what becomes of the question.")
    services.set_status(found, question, status, _actor(request))
    messages.success(request, f"{question} is now {status}.")
    return redirect("collection:questions", study)


@require_POST
def question_move(request: HttpRequest, study: str, question: str) -> HttpResponse:
    found = _access(request, study)
    to = request.POST.get("to", "")
    if not (to.isascii() and to.isdigit() and len(to) < 7):
        raise CommonplaceError("question.place", "Write the place in the order as a number.")
    services.move_question(found, question, int(to), _actor(request))
    return redirect("collection:questions", study)


@require_safe
def preview(request: HttpRequest, study: str, activity: str) -> HttpResponse:
    found = _access(request, study)
    survey = selectors.access_survey(found, activity)
    tongue = _tongue(request, found)
    missing = selectors.missing(survey)
    context = {
        "survey": survey,
        "missing": missing,
        "forms": authoring_pages.preview_forms(survey, tongue) if not missing else [],
        **_languages(found, tongue),
    }
    return _page(request, "questions_preview", found, context, "Preview")


@require_safe
def alike(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    tongue = _tongue(request, found)
    context = {"pairs": authoring_pages.alike(found, tongue), **_languages(found, tongue)}
    return _page(request, "questions_alike", found, context, "Near-duplicates")


@require_POST
def load(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    regions = [(region.slug, region.names) for region in found.regions.all()]
    name = request.POST.get("template", "")
    template = survey_templates.read(name, found.languages, regions)
    added = services.load_questions(found, template, _actor(request))
    messages.success(request, f"Added {study_selectors.counted(len(added), 'question')}.")
    return redirect("collection:questions", study)


@_form_page
def copy(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    others = Study.objects.visible_to(request.user).exclude(pk=found.pk)
    source = others.filter(slug=request.GET.get("from", "")).first()
    if request.method == "POST" and source:
        keys = request.POST.getlist("key")
        copied = services.copy_questions(found, source, keys, _actor(request))
        said = study_selectors.counted(len(copied), "question")
        messages.success(request, f"Copied {said}, as drafts.")
        return redirect("collection:questions", study)
    rows = selectors.questions(source).filter(status="accepted") if source else []
    lines = [authoring_pages.question_line(cast(Study, source), row) for row in rows]
    context = {"others": others, "source": source, "lines": lines}
    return _page(request, "questions_copy", found, context, "Copy")


@require_safe
def topics(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    context = {
        "topics": authoring_pages.topic_lines(found),
        "templates": topic_templates.names(),
    }
    return _page(request, "questions_topics", found, context, "Topics")


@_form_page
def topic(request: HttpRequest, study: str, topic: str = "") -> HttpResponse:
    found = _access(request, study)
    row = selectors.access_topic(found, topic) if topic else None
    form = TopicForm(
        request.POST or None, study=found, facts=selectors.topic_facts(row) if row else None
    )

    def save() -> str:
        services.save_topic(found, form.facts(), _actor(request), new=row is None)
        return reverse("collection:topics", args=(study,))

    if saved := pages.saved(request, form, save, "The topic is saved."):
        return saved
    here, above = topic_label(found, row) if row else "New topic", [QUESTIONS, TOPICS]
    others = authoring_pages.topics_to_merge_into(found, row) if row else []
    context = {"form": form, "topic": row, "name": here, "others": others}
    return pages.page(request, "collection/questions_topic.html", found, context, here, above)


@require_POST
def topic_remove(request: HttpRequest, study: str, topic: str) -> HttpResponse:
    found = _access(request, study)
    services.remove_topic(found, topic, _actor(request))
    messages.success(request, f"The topic {topic} is removed.")
    return redirect("collection:topics", study)


@require_POST
def topic_merge(request: HttpRequest, study: str, topic: str) -> HttpResponse:
    found = _access(request, study)
    into = request.POST.get("into", "")
    services.merge_topic(found, topic, into, _actor(request))
    messages.success(request, f"The topic {topic} is merged into {into}.")
    return redirect("collection:topics", study)


@require_POST
def topics_load(request: HttpRequest, study: str) -> HttpResponse:
    found = _access(request, study)
    template = topic_templates.read(request.POST.get("template", ""))
    added = services.load_topics(found, template, _actor(request))
    messages.success(request, f"Added {study_selectors.counted(len(added), 'topic')}.")
    return redirect("collection:topics", study)


@_form_page
def plan(request: HttpRequest, study: str, activity: str) -> HttpResponse:
    found = _access(request, study)
    survey = selectors.access_survey(found, activity)
    form = PlanForm(request.POST or None, study=found, facts=selectors.plan(survey))

    def save() -> str:
        services.save_plan(survey, form.facts(), _actor(request))
        return reverse("collection:plan", args=(study, activity))

    if saved := pages.saved(request, form, save, "Forms and prefix are saved."):
        return saved
    missing = selectors.missing(survey)
    context = {
        "form": form,
        "survey": survey,
        "state": selectors.state(survey),
        "missing": missing,
        "waiting": len(selectors.to_publish(survey)) if not missing else 0,
    }
    return _page(request, "questions_plan", found, context, "Forms, prefix and publishing")


@require_POST
def publish(request: HttpRequest, study: str, activity: str) -> HttpResponse:
    found = _access(request, study)
    survey = selectors.access_survey(found, activity)
    made = services.publish(survey, _actor(request))
    said = study_selectors.counted(len(made), "form")
    messages.success(request, f"Published the next version of {said}.")
    return redirect("collection:plan", study, activity)


def _address(request: HttpRequest, question: Question) -> str:
    """The page of a question, with further rows for options where they are asked for."""
    address = reverse("collection:question", args=(question.study.slug, question.key))
    return f"{address}?more#options" if "more" in request.POST else address


def _saved(study: Study) -> str:
    """The page that follows says where to publish what nobody is asked yet."""
    if study_selectors.waiting(study):
        return "The question is saved; people are not asked it yet."
    return "The question is saved."


def _page(
    request: HttpRequest, name: str, study: Study, context: dict[str, Any], here: str
) -> HttpResponse:
    return pages.page(request, f"collection/{name}.html", study, context, here, above=[QUESTIONS])


def _access(request: HttpRequest, study: str) -> Study:
    return study_selectors.access_study(cast(User, request.user), study, Capability.SET_UP)


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _tongue(request: HttpRequest, study: Study) -> str:
    wanted = request.GET.get("language", "")
    return wanted if wanted in study.languages else study.languages[0]


def _languages(study: Study, tongue: str) -> dict[str, Any]:
    """What a page shows of the languages it can be read in."""
    return {
        "tongue": tongue,
        "direction": languages.direction(tongue),
        "tongues": [(tag, languages.in_english(tag)) for tag in study.languages],
    }
