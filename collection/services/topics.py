"""Writing topics. What opens a transaction locks the study first.

A topic is known by its code, so that another name for it changes no statistic; two that are called
alike below the same topic would be counted as one, and are refused.
"""

from dataclasses import replace

from django.db import transaction

from collection import questionnaire, selectors
from collection.models import SurveyPlan, Topic
from collection.questionnaire import TopicFacts
from core import audit
from core.errors import CommonplaceError
from studies.models import Study
from studies.services.rows import locked


def save_topic(study: Study, facts: TopicFacts, actor: str, *, new: bool = False) -> list[str]:
    """Add a topic or bring it up to `facts`; the names of what changed.

    Raises `topic.code_taken` where it should be new, `topic.unknown`, `topic.level` and
    `topic.name_taken`."""
    with transaction.atomic():
        study = locked(study)
        if new and study.topics.filter(code=facts.code).exists():
            raise CommonplaceError(
                "topic.code_taken",
                f"There is a topic “{facts.code}” already. Choose another short name.",
                value=facts.code,
            )
        changed = put_topics(study, [facts])
        for action, codes in changed.items():
            for code in codes:
                _note(study, actor, f"topic.{action}", code)
    return [code for codes in changed.values() for code in codes]


def load_topics(study: Study, topics: list[TopicFacts], actor: str) -> list[str]:
    """Add the topics of a template that a study has not; their codes."""
    with transaction.atomic():
        study = locked(study)
        known = set(study.topics.values_list("code", flat=True))
        added = put_topics(study, [each for each in topics if each.code not in known])["added"]
        if added:
            audit.record(
                actor, "topics.loaded", "study", study.slug, study=study.slug, count=len(added)
            )
    return added


def put_topics(study: Study, wanted: list[TopicFacts]) -> dict[str, list[str]]:
    """Codes `added` and `changed`, within a transaction that holds the study's lock."""
    rows = {row.code: row for row in study.topics.select_related("parent")}
    known = {code: selectors.topic_facts(row) for code, row in rows.items()}
    after = known | {each.code: each for each in wanted}
    questionnaire.refuse_tangle(list(after.values()))
    renamed = {code for code, each in after.items() if _place(each) != _place(known.get(code))}
    questionnaire.refuse_namesakes(list(after.values()), renamed)
    done: dict[str, list[str]] = {"added": [], "changed": []}
    for each in _from_the_top(wanted):
        if known.get(each.code) == each:
            continue
        done["changed" if each.code in rows else "added"].append(each.code)
        row = rows.setdefault(each.code, Topic(study=study, code=each.code))
        row.names, row.about, row.position = each.names, each.about, each.position
        row.parent = rows[each.parent] if each.parent else None
        row.save()
    return done


def _place(topic: TopicFacts | None) -> object:
    """What a topic is told apart by from those beside it."""
    return topic and (topic.parent, topic.names)


def _from_the_top(wanted: list[TopicFacts]) -> list[TopicFacts]:
    """Every topic behind the one above it."""
    parents = {each.code: each.parent for each in wanted}

    def depth(code: str | None) -> int:
        return 1 + depth(parents[code]) if code in parents else 0

    return sorted(wanted, key=lambda each: depth(each.code))


def merge_topic(study: Study, code: str, into: str, actor: str) -> None:
    """Move the questions of a topic and what stands below it to another, name that one in the
    plans of forms, and remove the first; a topic that is gone is fine.

    Raises `topic.unknown`, `topic.into_itself`, `topic.level` and `topic.name_taken`."""
    with transaction.atomic():
        study = locked(study)
        topic = study.topics.filter(code=code).first()
        if topic is None:
            return
        target = selectors.access_topic(study, into)
        _refuse_into_itself(study, code, into)
        children = topic.children.select_related("parent")
        put_topics(study, [replace(selectors.topic_facts(row), parent=into) for row in children])
        moved = topic.questions.update(topic=target)
        for plan in SurveyPlan.objects.filter(activity__study=study):
            named = list(dict.fromkeys(into if each == code else each for each in plan.topics))
            if named != plan.topics:
                plan.topics = named
                plan.save(update_fields=["topics"])
        topic.delete()
        _note(study, actor, "topic.merged", code, into=into, questions=moved)


def remove_topic(study: Study, code: str, actor: str) -> None:
    """Raises `topic.in_use`; a topic that is gone is fine."""
    with transaction.atomic():
        study = locked(study)
        topic = study.topics.filter(code=code).first()
        if topic is None:
            return
        plans = SurveyPlan.objects.filter(activity__study=study).values_list("topics", flat=True)
        planned = any(code in named for named in plans)
        if planned or topic.questions.exists() or topic.children.exists():
            raise CommonplaceError(
                "topic.in_use",
                f"Questions, other topics or the plan of a survey hold on to “{code}”. Merge it "
                "into another topic, which takes them over, or move them first.",
                http_status=409,
                value=code,
            )
        topic.delete()
        _note(study, actor, "topic.removed", code)


def _refuse_into_itself(study: Study, code: str, into: str) -> None:
    tree = dict(study.topics.values_list("code", "parent__code"))
    if into in questionnaire.below([code], tree):
        raise CommonplaceError(
            "topic.into_itself",
            f"“{into}” is “{code}” itself or stands below it. Choose a topic that does not, or "
            f"merge “{into}” into “{code}”.",
            http_status=409,
            value=into,
        )


def _note(study: Study, actor: str, action: str, code: str, **data: object) -> None:
    audit.record(actor, action, "topic", code, study=study.slug, **data)
