"""One participation with everything a reviewer decides by."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from collection import documents, fairness, quality
from collection.fairness import Evidence
from collection.kinds import AnswerKind
from collection.models import Answer, QualityFlag, Submission
from collection.quality import Spread
from collection.selectors import evidence
from collection.selectors.reviewing import region_name
from studies import languages, money
from studies.models import Participation, Study
from studies.participation import Pay
from studies.setup import RewardKind

NAMED = 3  # of those who gave an answer too

Document = dict[str, Any]  # a form or a question of it; `collection.documents` has the shape


@dataclass(frozen=True)
class Elsewhere:
    """Who else gave the words, or the list, of an answer (its key)."""

    words: dict[int, list[evidence.Twin]]
    lists: evidence.Others


@dataclass(frozen=True)
class AnswerShown:
    """`asked` in each language shown: (tag, direction, text). `said` are lines of what the
    participant answered, `meaning` the same chosen options in the study's first language, where
    that is another, `silence` why there is nothing. `twins` and `alike` tell who else gave
    the same words or the same list: participant's code, question's key; `length` is that of the
    folded words."""

    form: int
    key: str
    asked: list[tuple[str, str, str]]
    said: list[str]
    meaning: list[str]
    silence: str
    gives_back: bool
    twins: list[evidence.Twin]
    alike: list[tuple[str, str]]
    length: int

    @property
    def copied(self) -> bool:
        """Whether another participant had sent the same words before."""
        return any(twin.before for twin in self.twins)

    @property
    def marks(self) -> list[str]:
        """What is remarkable about it, in words."""
        found = []
        for before, when in ((True, ", sent before"), (False, "")):
            same = [f"{twin.code} ({twin.key})" for twin in self.twins if twin.before is before]
            if same:
                found.append(f"the same words from {_several(same)}{when}")
        if self.alike:
            found.append(f"the whole list of {_several(code for code, _ in self.alike)}")
        if self.gives_back:
            found.append("an example that stood below the question")
        return found


@dataclass(frozen=True)
class Check:
    """An attention check: `name` is that of its flag, empty where it was passed."""

    form: int
    key: str
    asked: str
    expected: str
    given: str
    name: str
    decision: str


@dataclass(frozen=True)
class FormShown:
    """A form with its `time`, the `usual` one (median, quartiles, n) and how many `times` the
    median it took."""

    number: int
    submission: Submission
    time: str
    usual: str
    times: float | None
    direction: str
    answers: list[AnswerShown]
    checks: list[Check]


@dataclass(frozen=True)
class Sheet:
    """One participation: its forms, and what a decision can rest on."""

    row: Participation
    region: str
    forms: list[FormShown]
    time: str
    usual: str
    times: float | None

    @property
    def reward(self) -> str:
        return amounts(self.row)[Pay.REWARD]

    @property
    def checks(self) -> list[Check]:
        return [check for form in self.forms for check in form.checks]

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if check.name]

    @property
    def answers(self) -> list[AnswerShown]:
        return [answer for form in self.forms for answer in form.answers]

    @property
    def copied(self) -> list[AnswerShown]:
        return [answer for answer in self.answers if answer.copied]

    @property
    def examples(self) -> int:
        return sum(answer.gives_back for answer in self.answers)

    @property
    def alike(self) -> list[AnswerShown]:
        """Answers that stand elsewhere too, or that give an example back."""
        return [answer for answer in self.answers if answer.marks]

    @property
    def evidence(self) -> Evidence:
        return evidence.of(self.row, tuple(answer.length for answer in self.copied))

    @property
    def reasons(self) -> list[tuple[str, str, str | None]]:
        """(reason, its title, what keeps one from rejecting for it before a word is written)."""
        found = self.evidence
        return [
            (reason, title, fairness.refusal(reason, found, ""))
            for reason, title in fairness.TITLES.items()
        ]


def sheet(row: Participation) -> Sheet:
    usual = quality.spread(evidence.times(row.activity))
    return Sheet(
        row,
        region_name(row),
        _forms(row),
        quality.span(row.worked_ms),
        usual.said(quality.span, "nobody has finished yet"),
        quality.compared(row.worked_ms, usual),
    )


def amounts(row: Participation) -> dict[Pay, str]:
    """What the whole reward, or pay for the time spent, comes to in all."""
    activity, currency = row.activity, row.activity.study.currency
    found = {}
    for pay in (Pay.REWARD, Pay.TIME):
        owed = money.owed(
            activity.amount_minor,
            hourly=activity.reward == RewardKind.HOURLY,
            worked_ms=row.worked_ms,
            expected_ms=activity.minutes * 60_000,
            whole=pay is Pay.REWARD,
        )
        found[pay] = f"{money.plain(owed, currency)} {currency}"
    return found


def _forms(row: Participation) -> list[FormShown]:
    submissions = list(row.submissions.order_by("number").prefetch_related("answers", "flags"))
    frozen = evidence.frozen_forms(each.form_version_id for each in submissions)
    spreads = evidence.form_spreads(row.activity)
    elsewhere = Elsewhere(evidence.twins(row), evidence.equal_lists(row))
    study = row.activity.study
    return [
        _form(
            each,
            frozen[each.form_version_id],
            study,
            spreads.get(each.number, Spread(0)),
            elsewhere,
        )
        for each in submissions
    ]


def _form(
    submission: Submission, form: Document, study: Study, usual: Spread, elsewhere: Elsewhere
) -> FormShown:
    given = {answer.question_id: answer for answer in submission.answers.all()}
    flags = {flag.check_name: flag for flag in submission.flags.all()}
    answers, checks = [], []
    for question in form["questions"]:
        answer = given.get(question["id"])
        if question["check"] is None:
            answers.append(_answer(submission, form, question, answer, study, elsewhere))
        else:
            flag = flags.get(f"{quality.ATTENTION}{question['key']}")
            checks.append(_check(submission, form, question, answer, flag, study))
    return FormShown(
        submission.number,
        submission,
        quality.span(submission.ms),
        usual.said(quality.span, "nobody has sent it yet"),
        quality.compared(submission.ms, usual),
        languages.direction(submission.language),
        answers,
        checks,
    )


def _answer(
    submission: Submission,
    form: Document,
    question: Document,
    answer: Answer | None,
    study: Study,
    elsewhere: Elsewhere,
) -> AnswerShown:
    tongues = [submission.language, *study.languages]
    said, silence = _said(question, answer, tongues)
    meaning, _ = _said(question, answer, study.languages)
    pk = answer.pk if answer else 0
    return AnswerShown(
        submission.number,
        question["key"],
        _asked(form, question, tongues, study),
        said,
        [] if meaning == said else meaning,
        silence,
        answer is not None and evidence.gives_back(answer, question, tongues),
        elsewhere.words.get(pk, []),
        elsewhere.lists.get(pk, []),
        len(answer.folded) if answer else 0,
    )


def _check(
    submission: Submission,
    form: Document,
    question: Document,
    answer: Answer | None,
    flag: QualityFlag | None,
    study: Study,
) -> Check:
    """Its words are those of the study's first language, which its reviewers read."""
    detail = flag.detail if flag else {}
    rule = question["check"]
    expected = detail.get("expected", rule.get("expected"))
    said, silence = _said(question, answer, study.languages)
    return Check(
        submission.number,
        question["key"],
        documents.shown(question, form, study.languages)[1],
        f"the answer to {rule['of']}" if expected is None else _words(question, expected, study),
        _words(question, detail["given"], study)
        if detail.get("given")
        else ", ".join(said) or silence,
        flag.check_name if flag else "",
        flag.decision if flag else "",
    )


def _asked(
    form: Document, question: Document, tongues: list[str], study: Study
) -> list[tuple[str, str, str]]:
    """The question as the participant read it and, where that is another, in the study's first
    language."""
    found = dict(documents.shown(question, form, order) for order in (tongues, study.languages))
    return [(tag, languages.direction(tag), text) for tag, text in found.items()]


def _said(question: Document, answer: Answer | None, tongues: list[str]) -> tuple[list[str], str]:
    """Lines of what was answered, or none and why."""
    if answer is None:
        return [], "not answered yet"
    if answer.removed:
        return [], "removed with a withdrawal"
    if answer.skipped:
        return [], "would rather not answer"
    if question["kind"] == AnswerKind.ARTIFACTS and answer.value:
        lines = [
            ": ".join(filter(None, (each["name"], each.get("about")))) for each in answer.value
        ]
    elif answer.value is not None:
        lines = _labels(question, answer.value, tongues)
    else:
        lines = answer.text.splitlines()
    return lines, "" if lines else "left empty"


def _labels(question: Document, value: Any, tongues: list[str]) -> list[str]:
    words = {
        each["id"]: languages.choose(each["texts"], tongues)[1] for each in question["options"]
    }
    chosen = value if isinstance(value, list) else [value]
    return [words.get(str(each), str(each)) for each in chosen]


def _words(question: Document, value: Any, study: Study) -> str:
    return ", ".join(_labels(question, value, study.languages))


def _several(things: Iterable[str]) -> str:
    found = list(things)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more
