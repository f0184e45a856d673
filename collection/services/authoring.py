"""Writing questions and plans. What opens a transaction locks the study first.

What a published form holds keeps its words: an edit of them makes a new question that replaces
the old one, which is retired. Topic, place in order and status are no words.
"""

from dataclasses import replace

from django.db import transaction

from collection import questionnaire, selectors
from collection.checks import CheckType, refuse_unlike
from collection.models import Question, QuestionText, SurveyPlan, Topic
from collection.questionnaire import PlanFacts, QuestionFacts
from core import audit
from core.errors import CommonplaceError
from core.text import fold
from studies.models import Activity, Study
from studies.services.rows import locked

Status = Question.Status
_WORDS = (
    "texts",
    "help",
    "kind",
    "options",
    "limits",
    "check",
    "prefixed",
    "starts_with_name",
)


def add_question(
    study: Study, facts: QuestionFacts, actor: str, status: str = Status.ACCEPTED
) -> Question:
    """Raises `question.key_taken` and what `_refuse` raises."""
    with transaction.atomic():
        study = locked(study)
        if study.questions.filter(key=facts.key).exists():
            raise CommonplaceError(
                "question.key_taken",
                f"There is a question “{facts.key}” already. Choose another short name.",
                value=facts.key,
            )
        _refuse(study, facts, None)
        question = _written(Question(study=study), facts, status)
        _put_in_order(question, facts.position)
        _note(study, actor, "question.added", facts.key)
    return question


def change_question(
    study: Study, key: str, facts: QuestionFacts, actor: str, status: str = Status.ACCEPTED
) -> Question:
    """The question as it is now: another one, where a published form holds the old words.

    Raises `question.unknown`, `question.replaced` and what `_refuse` raises."""
    with transaction.atomic():
        study = locked(study)
        question = selectors.access_question(study, key)
        facts = replace(facts, key=key)
        changed = differing(question, facts, status)
        if not changed:
            return question
        _refuse_replaced(question)
        _refuse(study, facts, question)
        if set(changed) & set(_WORDS) and question.pk in selectors.published(study):
            question = _successor(study, question, facts, status)
            _note(study, actor, "question.replaced", key, by=question.key)
        else:
            question = _written(question, facts, status)
            _note(study, actor, "question.changed", key, fields=changed)
        if "position" in changed:
            _put_in_order(question, facts.position)
    return question


def set_status(study: Study, key: str, status: str, actor: str) -> None:
    """Accept a question, make it a draft again, or retire it.

    Raises `question.unknown`, `question.replaced`, `question.twice`."""
    with transaction.atomic():
        study = locked(study)
        question = selectors.access_question(study, key)
        if question.status == status:
            return
        _refuse_replaced(question)
        if status != Status.RETIRED:
            _refuse(study, selectors.facts(question), question)
        back = question.status == Status.RETIRED
        question.status = status
        question.save(update_fields=["status"])
        if back:
            _put_in_order(question, question.position)
        _note(study, actor, f"question.{status}", key)


def move_question(study: Study, key: str, position: int, actor: str) -> None:
    """Put a question at a place in the order, from 1; those behind it move on."""
    with transaction.atomic():
        study = locked(study)
        question = selectors.access_question(study, key)
        if _put_in_order(question, position):
            _note(study, actor, "question.changed", key, fields=["position"])


def copy_questions(study: Study, source: Study, keys: list[str], actor: str) -> list[Question]:
    """Draft copies of the accepted questions named, without those whose words are here already
    and without repeated checks; topics come along where a topic of the same code is here."""
    with transaction.atomic():
        study = locked(study)
        taken = set(study.questions.values_list("key", flat=True))
        topics = set(_topics(study))
        position, copied = study.questions.count(), []
        rows = selectors.questions(source).filter(key__in=keys, status=Status.ACCEPTED)
        for facts in map(selectors.facts, rows):
            if _is_here(study, facts) or (facts.check and "of" in facts.check):
                continue
            position += 1
            key = questionnaire.successor(facts.key, taken) if facts.key in taken else facts.key
            topic = facts.topic if facts.topic in topics else None
            here = replace(facts, key=key, topic=topic, position=position)
            row = Question(study=study, copied_from=f"{source.slug}/{facts.key}")
            copied.append(_written(row, here, Status.DRAFT))
            taken.add(key)
        if copied:
            audit.record(
                actor,
                "questions.copied",
                "study",
                study.slug,
                study=study.slug,
                count=len(copied),
                source=source.slug,
            )
    return copied


def load_questions(study: Study, questions: list[QuestionFacts], actor: str) -> list[str]:
    """Add the accepted questions of a template that a study has not, behind its own; their keys.
    Raises `question.twice`."""
    with transaction.atomic():
        study = locked(study)
        known = set(study.questions.values_list("key", flat=True))
        added = [each for each in questions if each.key not in known]
        position = study.questions.count()
        for place, facts in enumerate(added, start=position + 1):
            _refuse(study, facts, None)
            _written(Question(study=study), replace(facts, position=place), Status.ACCEPTED)
        if added:
            audit.record(
                actor, "questions.loaded", "study", study.slug, study=study.slug, count=len(added)
            )
    return [each.key for each in added]


def _is_here(study: Study, facts: QuestionFacts) -> bool:
    texts = QuestionText.objects.filter(question__study=study).exclude(
        question__status=Status.RETIRED
    )
    return any(
        texts.filter(language=tag, folded=fold(text)).exists() for tag, text in facts.texts.items()
    )


def _refuse(study: Study, facts: QuestionFacts, question: Question | None) -> None:
    """Raises what `questionnaire.refuse` does, `topic.unknown`, `check.of` and `question.twice`."""
    questionnaire.refuse(facts)
    if facts.topic and not study.topics.filter(code=facts.topic).exists():
        raise questionnaire.unknown_topic(facts.topic)
    if facts.check and facts.check["type"] == CheckType.REPEATED:
        of = selectors.questions(study).filter(key=facts.check["of"]).first()
        given = {"key": facts.key, "kind": facts.kind, "options": facts.options}
        refuse_unlike(given | {"check": facts.check}, selectors.in_document(of) if of else None)
        return
    others = study.questions.exclude(status=Status.RETIRED)
    others = others.exclude(check_rule__type=CheckType.REPEATED.value, check_rule__isnull=False)
    if question is not None:
        others = others.exclude(pk=question.pk)
    for tag, text in facts.texts.items():
        same = others.filter(texts__language=tag, texts__folded=fold(text)).first()
        if same is not None:
            raise questionnaire.twice(same.key, facts.key, tag, text)


def _refuse_replaced(question: Question) -> None:
    newer = Question.objects.filter(replaces=question).first()
    if newer is not None:
        raise CommonplaceError(
            "question.replaced",
            f"“{question.key}” was replaced by “{newer.key}”. Change that one.",
            http_status=409,
            by=newer.key,
        )


def differing(question: Question, facts: QuestionFacts, status: str) -> list[str]:
    """The names of what a question's row has otherwise than `facts`."""
    old = selectors.facts(question)
    names = (*_WORDS, "topic", "position")
    changed = [name for name in names if getattr(old, name) != getattr(facts, name)]
    return [*changed, "status"] if question.status != status else changed


def _successor(study: Study, old: Question, facts: QuestionFacts, status: str) -> Question:
    taken = study.questions.values_list("key", flat=True)
    facts = replace(facts, key=questionnaire.successor(old.key, taken))
    old.status = Status.RETIRED
    old.save(update_fields=["status"])
    return _written(Question(study=study, replaces=old), facts, status)


def _written(question: Question, facts: QuestionFacts, status: str) -> Question:
    fill(question, facts, _topics(question.study).get(facts.topic or ""), status)
    question.save()
    question.texts.all().delete()
    QuestionText.objects.bulk_create(texts_of(question, facts))
    return question


def fill(question: Question, facts: QuestionFacts, topic: Topic | None, status: str) -> None:
    """Set the columns of an unsaved or changed question; its texts are rows of their own."""
    question.key, question.kind, question.topic = facts.key, facts.kind, topic
    question.options, question.limits = facts.options, facts.limits
    question.check_rule, question.prefixed = facts.check, facts.prefixed
    question.starts_with_name = facts.starts_with_name
    question.position, question.status = facts.position, status


def texts_of(question: Question, facts: QuestionFacts) -> list[QuestionText]:
    return [
        QuestionText(
            question=question,
            language=tag,
            text=text,
            help=facts.help.get(tag, ""),
            folded=fold(text),
        )
        for tag, text in facts.texts.items()
    ]


def _put_in_order(question: Question, position: int) -> bool:
    """Whether anything moved. Retired questions have no place in the order."""
    rows = list(question.study.questions.exclude(status=Status.RETIRED).exclude(pk=question.pk))
    rows.insert(max(position - 1, 0), question)
    moved = [row for place, row in enumerate(rows, start=1) if row.position != place]
    for place, row in enumerate(rows, start=1):
        row.position = place
    Question.objects.bulk_update(moved, ["position"], batch_size=200)
    return bool(moved)


# --- plans ---------------------------------------------------------------------------------------


def save_plan(activity: Activity, facts: PlanFacts, actor: str) -> list[str]:
    """The names of what changed. Raises `plan.prefix`, `plan.per_form`, `topic.unknown`."""
    with transaction.atomic():
        locked(activity.study)
        changed = put_plan(activity, facts)
        if changed:
            audit.record(
                actor,
                "plan.changed",
                "activity",
                activity.slug,
                study=activity.study.slug,
                fields=changed,
            )
    return changed


def put_plan(activity: Activity, facts: PlanFacts) -> list[str]:
    """As `save_plan`, within a transaction that holds the study's lock."""
    questionnaire.refuse_plan(facts, activity.study.topics.values_list("code", flat=True))
    old = selectors.plan(activity)
    values = {"prefix": facts.prefix, "per_form": facts.per_form, "topics": facts.topics}
    changed = [name for name, value in values.items() if getattr(old, name) != value]
    if changed:
        SurveyPlan.objects.update_or_create(activity=activity, defaults=values)
    return changed


def _topics(study: Study) -> dict[str, Topic]:
    return {topic.code: topic for topic in study.topics.all()}


def _note(study: Study, actor: str, action: str, key: str, **data: object) -> None:
    audit.record(actor, action, action.split(".")[0], key, study=study.slug, **data)
