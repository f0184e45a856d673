"""One participation with everything a reviewer decides by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from collection import documents, fairness, quality, questionnaire
from collection.fairness import Evidence
from collection.kinds import AnswerKind
from collection.models import Answer, QualityFlag, Submission
from collection.quality import Spread
from collection.selectors import elsewhere, evidence
from collection.selectors.elsewhere import Elsewhere
from collection.selectors.reviewing import region_name
from studies import languages
from studies.models import Participation, Study

Document = dict[str, Any]  # a form or a question of it; `collection.documents` has the shape


@dataclass(frozen=True)
class About:
    """What the answers of one participation are shown with; `titles` are the questions asked, by
    key, in the study's first language, `values` what was answered, by key."""

    study: Study
    titles: Mapping[str, str]
    values: Mapping[str, Any]
    elsewhere: Elsewhere


@dataclass(frozen=True)
class AnswerShown:
    """`asked` in each language shown: (tag, direction, text). `said` are lines of what the
    participant answered, `meaning` the same chosen options in the study's first language, where
    that is another, `silence` why there is nothing. `marks` are what is remarkable about it, in
    words, `notes` what is nothing to hold against anybody; `length` is that of the folded
    words."""

    form: int
    key: str
    asked: list[tuple[str, str, str]]
    said: list[str]
    meaning: list[str]
    silence: str
    gives_back: bool
    copied: bool
    marks: list[str]
    notes: list[str]
    length: int

    @property
    def title(self) -> str:
        """The question in the words of those who review."""
        return self.asked[-1][2]


@dataclass(frozen=True)
class Check:
    """An attention check: `name` is that of its flag, empty where it was passed."""

    form: int
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
    def language(self) -> str:
        """The one the participant reads."""
        return languages.in_english(self.row.participant.language)

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
        return [answer for answer in self.answers if answer.marks or answer.notes]

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


def _forms(row: Participation) -> list[FormShown]:
    submissions = list(row.submissions.order_by("number").prefetch_related("answers", "flags"))
    frozen = evidence.frozen_forms(each.form_version_id for each in submissions)
    spreads = evidence.form_spreads(row.activity)
    study = row.activity.study
    titles = {
        question["id"]: (question["key"], documents.shown(question, form, study.languages)[1])
        for form in frozen.values()
        for question in form["questions"]
    }
    given = [answer for submission in submissions for answer in submission.answers.all()]
    about = About(
        study,
        dict(titles.values()),
        {titles[each.question_id][0]: each.value for each in given if each.question_id in titles},
        elsewhere.elsewhere(row, {pk: title for pk, (_, title) in titles.items()}),
    )
    return [
        _form(each, frozen[each.form_version_id], spreads.get(each.number, Spread(0)), about)
        for each in submissions
    ]


def _form(submission: Submission, form: Document, usual: Spread, about: About) -> FormShown:
    given = {answer.question_id: answer for answer in submission.answers.all()}
    flags = {flag.check_name: flag for flag in submission.flags.all()}
    answers, checks = [], []
    for question in form["questions"]:
        answer = given.get(question["id"])
        if question["check"] is None:
            answers.append(_answer(submission, form, question, answer, about))
        else:
            flag = flags.get(f"{quality.ATTENTION}{question['key']}")
            checks.append(_check(submission, form, question, answer, flag, about))
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
    about: About,
) -> AnswerShown:
    study, elsewhere = about.study, about.elsewhere
    tongues = [submission.language, *study.languages]
    said, silence = _said(question, answer, tongues)
    meaning, _ = _said(question, answer, study.languages)
    pk = answer.pk if answer else 0
    gives_back = answer is not None and evidence.gives_back(answer, question, tongues)
    marks = elsewhere.marks(pk, question["id"])
    if gives_back:
        marks.append("an example that stood below the question")
    marks += _too_like(question, answer, about)
    return AnswerShown(
        submission.number,
        question["key"],
        _asked(form, question, tongues, study),
        said,
        [] if meaning == said else meaning,
        silence,
        gives_back,
        elsewhere.copied(pk),
        marks,
        elsewhere.notes(pk, question["id"]),
        len(answer.folded) if answer else 0,
    )


def _too_like(question: Document, answer: Answer | None, about: About) -> list[str]:
    """What was chosen here and at the question this one should be unlike."""
    other = question["limits"].get(questionnaire.UNLIKE)
    both = quality.in_common(answer.value if answer else None, about.values.get(other))
    if not both:
        return []
    return [f"{_words(question, both, about.study)} chosen at “{about.titles[other]}” too"]


def _check(
    submission: Submission,
    form: Document,
    question: Document,
    answer: Answer | None,
    flag: QualityFlag | None,
    about: About,
) -> Check:
    """Its words are those of the study's first language, which its reviewers read."""
    study, detail = about.study, flag.detail if flag else {}
    rule = question["check"]
    expected = detail.get("expected", rule.get("expected"))
    said, silence = _said(question, answer, study.languages)
    return Check(
        submission.number,
        documents.shown(question, form, study.languages)[1],
        f"the same as at “{about.titles.get(rule['of'], '')}”"
        if expected is None
        else _words(question, expected, study),
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
