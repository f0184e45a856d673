"""Reads of questions, topics and plans, and of the forms that are or would be made of them."""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from collection import documents, planning
from collection.kinds import AnswerKind
from collection.models import FormVersion, Question, SurveyPlan, Topic
from collection.questionnaire import PlanFacts, QuestionFacts, TopicFacts, below, untranslated
from core.errors import CommonplaceError, NotFound
from studies import languages
from studies.models import Activity, Study
from studies.selectors import access_activity, counted
from studies.setup import ActivityKind

NAMED = 3  # so many questions are named where something is wrong with more


def access_question(study: Study, key: str) -> Question:
    """A question of a study already accessed; raises `question.unknown`."""
    question = questions(study).filter(key=key).first()
    if question is None:
        raise NotFound(
            "question.unknown",
            f"This study has no question “{key}”. Choose one from its list.",
            question=key,
        )
    return question


def access_topic(study: Study, code: str) -> Topic:
    """A topic of a study already accessed; raises `topic.unknown`."""
    topic = study.topics.select_related("parent").filter(code=code).first()
    if topic is None:
        raise NotFound(
            "topic.unknown",
            f"This study has no topic “{code}”. Choose one from its page.",
            topic=code,
        )
    return topic


def access_survey(study: Study, slug: str) -> Activity:
    """A survey of a study already accessed; raises `activity.unknown`, `activity.no_survey`."""
    activity = access_activity(study, slug)
    if activity.kind != ActivityKind.SURVEY:
        raise NotFound(
            "activity.no_survey",
            f"“{slug}” is no survey, so it has no questions. Choose a survey.",
            activity=slug,
        )
    return activity


def surveys(study: Study) -> QuerySet[Activity]:
    return study.activities.filter(kind=ActivityKind.SURVEY)


# --- rows as plain values ---------------------------------------------------------------------


def questions(study: Study) -> QuerySet[Question]:
    """The questions of a study in order, with topic and texts read along."""
    return study.questions.select_related("topic").prefetch_related("texts")


def listed(study: Study, topic: str = "", status: str = "") -> QuerySet[Question]:
    """Questions of a topic and all below it, and of a status; those in use, where none is named."""
    found = questions(study)
    if topic:
        tree = dict(study.topics.values_list("code", "parent__code"))
        found = found.filter(topic__code__in=below([topic], tree))
    if status:
        return found.filter(status=status)
    return found.exclude(status=Question.Status.RETIRED)


def facts(question: Question) -> QuestionFacts:
    texts = list(question.texts.all())
    return QuestionFacts(
        key=question.key,
        kind=AnswerKind(question.kind),
        texts={each.language: each.text for each in texts},
        position=question.position,
        topic=question.topic.code if question.topic else None,
        help={each.language: each.help for each in texts if each.help},
        options=question.options,
        limits=question.limits,
        check=question.check_rule,
        prefixed=question.prefixed,
        starts_with_name=question.starts_with_name,
    )


def topic_facts(topic: Topic) -> TopicFacts:
    return TopicFacts(
        code=topic.code,
        names=topic.names,
        position=topic.position,
        parent=topic.parent.code if topic.parent else None,
        about=topic.about,
    )


def plan(activity: Activity) -> PlanFacts:
    """The plan of a survey; one that nobody has written yet asks everything, without a prefix."""
    row = SurveyPlan.objects.filter(activity=activity).first()
    if row is None:
        return PlanFacts()
    return PlanFacts(prefix=row.prefix, per_form=row.per_form, topics=row.topics)


# --- forms ------------------------------------------------------------------------------------


def asked(activity: Activity) -> list[Question]:
    """The accepted questions of a survey in order, attention checks among them."""
    found = questions(activity.study).filter(status=Question.Status.ACCEPTED)
    wanted = plan(activity).topics
    if not wanted:
        return list(found)
    tree = dict(activity.study.topics.values_list("code", "parent__code"))
    codes = below(wanted, tree)
    return [each for each in found if each.check_rule or (each.topic and each.topic.code in codes)]


def in_document(question: Question) -> dict[str, Any]:
    """A question in the shape of `collection.documents`."""
    given = asdict(facts(question))
    del given["position"]
    return {"id": question.pk, **given, "kind": str(given["kind"])}


def forms(activity: Activity) -> list[dict[str, Any]]:
    """The documents a survey's accepted questions make now. Raises `check.of`."""
    study, planned = activity.study, plan(activity)
    split = planning.split(map(in_document, asked(activity)), planned.per_form)
    rows = study.places.order_by("region__position", "pk")
    places = list(rows.values_list("name", "names"))
    return [
        documents.form(
            activity=activity.slug,
            number=number,
            of=len(split),
            tongues=study.languages,
            prefix=planned.prefix,
            places=places,
            questions=form,
        )
        for number, form in enumerate(split, start=1)
    ]


def newest_versions(activity: Activity) -> dict[int, FormVersion]:
    """The newest version of every form there ever was, by its number."""
    ordered = activity.form_versions.order_by("number", "version")
    return {version.number: version for version in ordered}


def current_forms(activity: Activity) -> list[FormVersion]:
    """The forms that who begins now answers, in order; none before the first publication.

    A survey that has become shorter keeps the forms it no longer asks, and leaves them out here.
    """
    newest = newest_versions(activity)
    count = newest[1].document["of"] if newest else 0
    return [newest[number] for number in range(1, count + 1)]


def to_publish(activity: Activity) -> list[tuple[int, dict[str, Any], str]]:
    """(version, document, hash) of every form that differs from what is published."""
    newest = newest_versions(activity)
    found = []
    for document in forms(activity):
        old = newest.get(document["number"])
        sha256 = documents.sha256(document)
        if old is None or documents.sha256(documents.upgraded(old.document)) != sha256:
            found.append((old.version + 1 if old else 1, document, sha256))
    return found


def published(study: Study) -> set[int]:
    """Ids of the questions that a published form holds, in whichever version."""
    found = FormVersion.objects.filter(activity__study=study).values_list("document", flat=True)
    return {question["id"] for document in found.iterator() for question in document["questions"]}


# --- what is missing --------------------------------------------------------------------------


def missing(activity: Activity) -> list[str]:
    """What a survey needs before its forms can be published, in words."""
    study = activity.study
    every = asked(activity)
    if all(question.check_rule for question in every):
        return [f"an accepted question for {activity.name}"]
    first = study.languages[0]
    bare = [each.key for each in every if untranslated(facts(each), first)]
    needed = [f"the text in {languages.in_english(first)} of {_named(bare)}"] if bare else []
    prefix = plan(activity).prefix
    if prefix and (absent := languages.missing(prefix, study.languages)):
        needed.append(f"the prefix in {', '.join(map(languages.in_english, absent))}")
    try:
        documents.refuse_prefix(prefix)
        planning.split(map(in_document, every), plan(activity).per_form)
    except CommonplaceError as error:
        needed.append(error.message.rstrip("."))
    return needed


def _named(keys: list[str]) -> str:
    more = len(keys) - NAMED
    return ", ".join(islice(keys, NAMED)) + (f" and {more} more" if more > 0 else "")


def state(activity: Activity) -> str:
    """`611 questions in 41 forms of everyday_life`."""
    every = asked(activity)
    count = sum(question.check_rule is None for question in every)
    per_form = plan(activity).per_form
    return f"{counted(count, 'question')} in {counted(-(-count // per_form), 'form')}"


def behind(activity: Activity) -> str:
    """How a survey of an open study differs from the forms people are given, in a sentence."""
    if activity.study.status == Study.Status.SET_UP:
        return ""
    if needed := missing(activity):
        return (
            f"No forms can be made of the changed questions of {activity.name}. "
            f"Still needed: {'; '.join(needed)}."
        )
    count = len(to_publish(activity))
    verb = "differs" if count == 1 else "differ"
    said = f"{counted(count, 'form')} of {activity.name} {verb} from what people are asked."
    return said if count else ""


def folded(study: Study, language: str) -> dict[str, str]:
    """The folded text of every question in use that is no check, by key."""
    rows: Iterable[tuple[str, str]] = (
        study.questions.exclude(status=Question.Status.RETIRED)
        .filter(check_rule__isnull=True, texts__language=language)
        .values_list("key", "texts__folded")
    )
    return dict(rows)
