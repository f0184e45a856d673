"""Making a study's questions be what its file says."""

from dataclasses import dataclass, field

from collection import selectors
from collection.models import FormVersion, Question, QuestionText, Topic
from collection.questionnaire import QuestionFacts, Survey, TopicFacts
from collection.services.authoring import differing, fill, put_plan, texts_of
from collection.services.topics import put_topics
from core import audit
from core.errors import CommonplaceError
from studies.models import Study
from studies.services.rows import refuse_unless_in_set_up

BATCH = 200  # rows of one statement
ACCEPTED = Question.Status.ACCEPTED


@dataclass
class _Differences:
    """The questions of a file beside those of a study."""

    added: list[QuestionFacts] = field(default_factory=list)
    changed: list[tuple[Question, QuestionFacts, list[str]]] = field(default_factory=list)
    gone: list[Question] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.added) + len(self.changed) + len(self.gone)

    def words(self) -> list[str]:
        said = [f"questions: {len(self.added)} added"] if self.added else []
        said += [f"question {facts.key}: {', '.join(names)}" for _, facts, names in self.changed]
        return said + [f"question {row.key}: removed" for row in self.gone]


def load_survey(study: Study, wanted: Survey, actor: str) -> list[str]:
    """What changed, in words; nothing where the study was so. Every question is accepted.

    Runs within a transaction that holds the study's lock. Raises `study.not_in_set_up` and
    `survey.published` where something would change.
    """
    done = put_topics(study, wanted.topics)
    changes = [f"topics: {len(done['added'])} added"] if done["added"] else []
    changes += [f"topic {code}: changed" for code in done["changed"]]
    differences = _compared(study, wanted.questions)
    changes += differences.words()
    gone = _gone_topics(study, wanted.topics)
    changes += [f"topic {topic.code}: removed" for topic in gone]
    for activity in selectors.surveys(study):
        changes += [f"survey {activity.slug}: {name}" for name in put_plan(activity, wanted.plan)]
    if changes:
        refuse_unless_in_set_up(study)
        _refuse_published(study)
        _write(study, differences)
        study.topics.filter(pk__in=[topic.pk for topic in gone]).update(parent=None)
        study.topics.filter(pk__in=[topic.pk for topic in gone]).delete()
        audit.record(
            actor, "survey.loaded", "study", study.slug, study=study.slug, count=differences.count
        )
    return changes


def _compared(study: Study, wanted: list[QuestionFacts]) -> _Differences:
    rows = {row.key: row for row in selectors.questions(study)}
    found = _Differences()
    for facts in wanted:
        row = rows.pop(facts.key, None)
        if row is None:
            found.added.append(facts)
        elif names := differing(row, facts, ACCEPTED):
            found.changed.append((row, facts, names))
    found.gone = list(rows.values())
    return found


def _gone_topics(study: Study, wanted: list[TopicFacts]) -> list[Topic]:
    return list(study.topics.exclude(code__in=[topic.code for topic in wanted]))


def _refuse_published(study: Study) -> None:
    if FormVersion.objects.filter(activity__study=study).exists():
        raise CommonplaceError(
            "survey.published",
            "The forms of this study are published. Change its questions on their pages, where "
            "what people have read stays with their answers.",
            http_status=409,
            study=study.slug,
        )


def _write(study: Study, differences: _Differences) -> None:
    topics = {topic.code: topic for topic in study.topics.all()}
    study.questions.filter(pk__in=[row.pk for row in differences.gone]).delete()
    written = [(row, facts) for row, facts, _ in differences.changed]
    fresh = [(Question(study=study), facts) for facts in differences.added]
    for row, facts in written + fresh:
        fill(row, facts, topics.get(facts.topic or ""), ACCEPTED)
    for row, _ in written:
        row.save()
    QuestionText.objects.filter(question__in=[row for row, _ in written]).delete()
    Question.objects.bulk_create([row for row, _ in fresh], BATCH)
    texts = [text for row, facts in written + fresh for text in texts_of(row, facts)]
    QuestionText.objects.bulk_create(texts, BATCH)
