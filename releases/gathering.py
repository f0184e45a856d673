"""What of a study belongs in a release: its gold, its artifacts, who took part, what is still open,
and the answers and games of those who agreed that theirs are published."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotation import between, kinds
from annotation.models import GoldAnswer, GoldRelation, Task
from annotation.relations import AGREE, UNIVERSAL
from annotation.selectors import inputs
from collection.form_page import words
from collection.models import Answer, Question, Topic
from collection.selectors.answering import document_of, given
from releases import artifacts as things
from releases import building, canonical, consistency, of_games
from releases.responses import NAME as RESPONSES
from studies.models import Consent, Participant, Participation, Region, Study
from studies.participation import OPEN, Status
from studies.setup import Purpose

LABELS = ("domain", "subcategory", "topic")
FLOW = {  # where a participation has come to, unless it was accepted
    "screened_out": (Status.SCREENED_OUT, Status.QUOTA_FULL),
    "declined": (Status.DECLINED,),
    "dropped": (Status.RETURNED, Status.TIMED_OUT, Status.CUT_SHORT),
    "unfinished": tuple(status for status in OPEN if status != Status.SUBMITTED),
    "awaiting_review": (Status.SUBMITTED,),
    "rejected": (Status.REJECTED,),
    "withdrawn": (Status.WITHDRAWN,),
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Gathered:
    """`items`, `findings` and `more` are rows of the parts, `more` those with people's words by
    name; `people` wrote them; `flow` counts participants."""

    language: str
    regions: list[Row]
    items: list[Row]
    findings: list[Row]
    more: dict[str, list[Row]]
    people: list[int]
    flow: dict[str, int]

    @property
    def questions(self) -> list[Row]:
        return [row for row in self.items if row["kind"] == "question"]

    @property
    def artifacts(self) -> list[Row]:
        return [row for row in self.items if row["kind"] == things.KIND]

    @property
    def responses(self) -> list[Row]:
        return self.more[RESPONSES]

    @property
    def findings_sha256(self) -> str:
        """By which who accepts what is open says that this is what they have seen."""
        return canonical.sha256(canonical.lines(consistency.to_accept(self.findings)))


def gather(study: Study) -> Gathered:
    regions = list(study.regions.order_by("position", "pk").prefetch_related("places"))
    language = study.languages[0]
    described = [_region(region) for region in regions]
    questions = _items(study, regions, language)
    people = _publishing(study)
    played = of_games.gather(study, people)
    items = [*questions, *played.items]
    slugs = [region.slug for region in regions]
    openings = building.openings(described, language)
    waiting = list(_open_tasks(study))
    responses, wrote = _responses(study, {row["key"] for row in questions}, people)
    return Gathered(
        language,
        described,
        items,
        [
            *consistency.findings(items, slugs, openings),
            *waiting,
            *_open_relations(questions, regions, waiting),
            *things.findings(items, language),
        ],
        {RESPONSES: responses, **played.more},
        sorted({*wrote, *played.people}),
        flow(study),
    )


def flow(study: Study) -> dict[str, int]:
    """Participations: all that were `invited`, and by FLOW where each of them has come to; accepted
    ones are `kept` if they are in the results, else `kept_out`. All but `invited` sum up to it."""
    rows = Participation.objects.filter(activity__study=study).order_by()
    counted = Counter(rows.values_list("status", "included"))
    statuses: Counter[str] = Counter()
    for (status, _included), count in counted.items():
        statuses[status] += count
    kept = counted[Status.ACCEPTED, True]
    return {
        "invited": statuses.total(),
        **{name: sum(statuses[each] for each in held) for name, held in FLOW.items()},
        "kept_out": statuses[Status.ACCEPTED] - kept,
        "kept": kept,
    }


def _region(region: Region) -> Row:
    phrases = {tag: phrase[:1].upper() + phrase[1:] for tag, phrase in region.phrases.items()}
    places = [place.name for place in region.places.all()]
    return {"slug": region.slug, "names": region.names, "phrases": phrases, "places": places}


def _items(study: Study, regions: Sequence[Region], language: str) -> list[Row]:
    """Question rows with gold in at least one region."""
    gold: dict[int, dict[int, GoldAnswer]] = defaultdict(dict)
    for answer in GoldAnswer.objects.filter(question__study=study):
        gold[answer.question_id][answer.region_id] = answer
    relations: dict[int, list[GoldRelation]] = defaultdict(list)
    for relation in GoldRelation.objects.filter(question__study=study):
        relations[relation.question_id].append(relation)
    labels = _labels(study, language)
    items: list[Row] = []
    questions = study.questions.filter(pk__in=gold).prefetch_related("texts")
    for question in questions.order_by("position", "pk"):
        row = _item(question, regions, gold[question.pk], relations[question.pk], language)
        if any(row["payload"]["gold"].values()):
            items.append(row | {"labels": labels.get(question.topic_id, dict.fromkeys(LABELS, ""))})
    return items


def _item(
    question: Question,
    regions: Sequence[Region],
    gold: dict[int, GoldAnswer],
    relations: Sequence[GoldRelation],
    language: str,
) -> Row:
    slugs = {region.pk: region.slug for region in regions}
    answers: dict[str, list[Row] | None] = {}
    for region in regions:
        texts = gold[region.pk].texts if region.pk in gold else []
        answers[region.slug] = [{"text": {language: text}} for text in texts] or None
    order = list(answers)
    pairs = []
    for relation in relations:
        if relation.level == GoldRelation.Level.PAIR:
            named = slugs[relation.region_a_id or 0], slugs[relation.region_b_id or 0]
            a, b = sorted(named, key=order.index)
            pairs.append({"a": a, "b": b, "agree": relation.value["choice"] == AGREE})
    pairs.sort(key=lambda pair: (order.index(pair["a"]), order.index(pair["b"])))
    said = [each.value["choice"] for each in relations if each.level == GoldRelation.Level.ALL]
    unknown = len(regions) < 2 or (all(answers.values()) and not said)
    universal = None if unknown else UNIVERSAL in said
    return {
        "key": question.key,
        "kind": "question",
        "payload": {
            "text": {text.language: text.text for text in question.texts.all()},
            "gold": answers,
            "relations": {"pairs": pairs, "all": universal},
        },
    }


def _labels(study: Study, language: str) -> dict[int | None, Row]:
    """Topic id -> its way from the root: domain, subcategory, topic; a shorter way repeats its
    last name."""
    topics = {topic.pk: topic for topic in Topic.objects.filter(study=study)}
    found: dict[int | None, Row] = {}
    for topic in topics.values():
        names: list[str] = []
        here: Topic | None = topic
        while here is not None:
            names.insert(0, here.names.get(language) or here.code)
            here = topics.get(here.parent_id or 0)
        way = (names + names[-1:] * 2)[: len(LABELS)]
        found[topic.pk] = dict(zip(LABELS, way, strict=True))
    return found


def _open_tasks(study: Study) -> Iterator[Row]:
    """`stale` and `undecided` of tasks, by kind, with the item's key."""
    of_gold = [kind.name for kind in kinds.of_gold()]
    tasks = Task.objects.filter(project__study=study, project__kind__in=of_gold)
    tasks = tasks.select_related("project", "question")
    for task in tasks.order_by("project", "position", "pk"):
        if task.stale:
            code = "stale"
        elif task.status != Task.Status.DECIDED:
            code = "undecided"
        else:
            continue
        detail = {"kind": task.project.kind, "task": task.source_key}
        yield {"code": code, "item": task.question.key if task.question else "", "detail": detail}


def _open_relations(
    items: Sequence[Row], regions: Sequence[Region], waiting: Sequence[Row]
) -> Iterator[Row]:
    """`pair_not_compared`: both regions have gold, and nobody has said whether it is the same. Not
    where a task for it is `waiting`: that says what has to be done there."""
    found = {(each["detail"]["kind"], each["detail"]["task"]) for each in waiting}
    slugs = [region.slug for region in regions]
    for row in items:
        gold = row["payload"]["gold"]
        compared = {(pair["a"], pair["b"]) for pair in row["payload"]["relations"]["pairs"]}
        for a, b in combinations(slugs, 2):
            listed = (between.PAIR, f"{row['key']}.{a}.{b}") in found
            if gold[a] and gold[b] and (a, b) not in compared and not listed:
                yield {"code": "pair_not_compared", "item": row["key"], "detail": {"a": a, "b": b}}


def _responses(study: Study, keys: set[str], people: Sequence[int]) -> tuple[list[Row], set[int]]:
    """Answers of people who agreed to have them published, by question, then person."""
    rows: list[Row] = []
    wrote: set[int] = set()
    answers = (
        inputs.results(study)
        .filter(question__key__in=keys, submission__participation__participant__in=people)
        .select_related(
            "question", "submission__form_version", "submission__participation__participant__region"
        )
        .defer("submission__form_version__document")
        .order_by("question__position", "question", "submission__participation__participant__code")
    )
    for answer in answers:
        participant = answer.submission.participation.participant
        wrote.add(participant.pk)
        rows.append(
            {
                "item": answer.question.key,
                "participant": participant.code,
                "region": participant.region.slug if participant.region else None,
                "language": answer.submission.language,
                "text": answer.text,
                "value": answer.value,
                "words": _words(answer),
            }
        )
    return rows, wrote


def _words(answer: Answer) -> str:
    """The answer as people read it, with the words of what was chosen."""
    submission = answer.submission
    document = document_of(submission.form_version)
    question = next(each for each in document["questions"] if each["id"] == answer.question_id)
    return words(question, given(answer), [submission.language])


def _publishing(study: Study) -> list[int]:
    """Participants whose newest consent holds the purpose."""
    newest: dict[int, list[str]] = {}
    consents = Consent.objects.filter(
        participant__study=study, participant__status=Participant.Status.TAKING_PART
    )
    for person, purposes in consents.order_by("pk").values_list("participant", "purposes"):
        newest[person] = purposes
    return [person for person, purposes in newest.items() if Purpose.PUBLISH in purposes]
