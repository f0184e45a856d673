"""What people fill in to write questions; every form ends in the plain values of
`questionnaire`."""

import re
from dataclasses import dataclass
from typing import Any

from django import forms

from collection import checks, questionnaire
from collection.checks import CheckType
from collection.kinds import CHOICES, AnswerKind
from collection.models import Question
from collection.questionnaire import LIMITED, QuestionFacts
from collection.questions_file import FARTHEST
from collection.topic_forms import topic_label
from core.errors import CommonplaceError
from core.text import clean, fold
from studies import languages
from studies.form_parts import LinesField, RuledField, label_in, ruled
from studies.forms import SLUG_HELP
from studies.languages import Texts
from studies.models import Study

SPARE = 1  # empty rows for options
FEWEST_ROWS = 3  # as a choice needs two options
MORE = 4  # rows added when somebody asks for more
LONGEST = 5_000  # characters of a question
KINDS = {
    AnswerKind.LONG: "Text of any length",
    AnswerKind.SHORT: "A line of text",
    AnswerKind.ONE: "One of the options",
    AnswerKind.MANY: "Any of the options",
    AnswerKind.NUMBER: "A number",
    AnswerKind.YEAR: "A year",
    AnswerKind.DATE: "A date",
    AnswerKind.PLACE: "A place of the study",
    AnswerKind.ARTIFACTS: "A list of things",
}
CHECKS = {
    "": "No, a question",
    CheckType.INSTRUCTED: "It says what to answer",
    CheckType.KNOWN: "Everybody knows the answer",
    CheckType.REPEATED: "It repeats a question",
}
STATUSES = {
    Question.Status.ACCEPTED: "Accepted: it is asked",
    Question.Status.DRAFT: "Draft: it waits",
    Question.Status.RETIRED: "Retired: it is not asked any more",
}
PREFIXED = {
    "": "As usual: before a question, not before a check that says or knows its answer",
    "yes": "Yes",
    "no": "No",
}
OPTIONS = "Empty the words of an option to drop it."
_ANSWER = ("topic", "kind")


@dataclass(frozen=True)
class Part:
    """Fields of the page below a legend, in groups of the same words in every language; `folded`
    is away until it is asked for, unless it is `open`."""

    legend: str
    groups: list[list[forms.BoundField]]
    hint: str = ""
    folded: bool = False
    open: bool = False


class WordsField(forms.CharField):
    """Text kept as it is typed, outer blanks and all; nothing but blanks is nothing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return ruled(clean, text) if text.strip() else ""


class QuestionForm(forms.Form):
    """A question in every language of its study, with its options and what it checks.

    An option whose words are emptied is dropped; the others keep their ids. `more` asks for
    further empty rows."""

    def __init__(
        self,
        data: Any = None,
        *,
        study: Study,
        facts: QuestionFacts | None = None,
        status: str = Question.Status.ACCEPTED,
        more: bool = False,
    ) -> None:
        super().__init__(data)
        self.study, self.old, self.tongues = study, facts, list(study.languages)
        if facts is None:
            self.fields["key"] = RuledField(
                questionnaire.key, label="Short name", help_text=SLUG_HELP
            )
        self._add_words("text", "Question", facts.texts if facts else {}, longest=LONGEST, rows=2)
        self._add_words(
            "help",
            "Help below it",
            facts.help if facts else {},
            help_text="Examples, perhaps; left empty there is none.",
            required=False,
        )
        self.fields |= _answer_fields(study, facts)
        self.rows = self._add_options(MORE if more else 0)
        self.fields |= _check_fields(facts)
        self.fields |= _use_fields(study, facts, status)

    def _add_words(
        self,
        name: str,
        label: str,
        given: Texts,
        *,
        help_text: str = "",
        required: bool = True,
        longest: int = 1_000,
        rows: int = 0,
    ) -> None:
        for place, tongue in enumerate(self.tongues):
            attrs = {"lang": tongue, "dir": languages.direction(tongue)}
            self.fields[f"{name}-{tongue}"] = WordsField(
                label=label_in(label, tongue),
                required=required and place == 0,
                max_length=longest,
                help_text=help_text if place == 0 else "",
                widget=forms.Textarea({**attrs, "rows": rows}) if rows else forms.TextInput(attrs),
                initial=given.get(tongue, ""),
            )

    def _add_options(self, more: int) -> list[str]:
        """Fields for every option there is or was sent, and some empty ones; their prefixes."""
        options = self.old.options if self.old else []
        sent = sum(bool(re.fullmatch(r"option-\d{1,2}-id", name)) for name in self.data)
        count = max(len(options) + SPARE, FEWEST_ROWS, sent) + more
        count = min(count, questionnaire.MOST_OPTIONS)
        for number in range(count):
            empty: dict[str, Any] = {"id": "", "texts": {}}
            option = options[number] if number < len(options) else empty
            self.fields[f"option-{number}-id"] = forms.CharField(
                required=False, initial=option["id"], widget=forms.HiddenInput
            )
            self._add_words(
                f"option-{number}", f"Option {number + 1}", option["texts"], required=False
            )
        return [f"option-{number}" for number in range(count)]

    def parts(self) -> list[Part]:
        """The fields in the order of the page; the hidden ones stand apart."""
        kind = self["kind"].value()
        options = [self._tongues(row) for row in self.rows]
        return [
            Part("Question", [self._fields("key"), self._tongues("text"), self._fields(*_ANSWER)]),
            self._folded("Help below it", [self._tongues("help")]),
            self._folded("Options", options, OPTIONS, wanted=kind in CHOICES),
            self._folded("Limits", [self._fields("least", "most")], wanted=kind in LIMITED),
            self._folded("Attention check", [self._fields("check_type", "expected", "of")]),
            Part("Use", [self._fields("prefixed", "starts_with_name", "status", "position")]),
        ]

    def _folded(
        self,
        legend: str,
        groups: list[list[forms.BoundField]],
        hint: str = "",
        *,
        wanted: bool = False,
    ) -> Part:
        """Open where it is wanted or holds anything, or something to put right."""
        used = any(field.value() or field.errors for group in groups for field in group)
        return Part(legend, groups, hint, folded=True, open=wanted or used)

    def _tongues(self, name: str) -> list[forms.BoundField]:
        return self._fields(*(f"{name}-{tongue}" for tongue in self.tongues))

    def _fields(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def clean(self) -> None:
        given = self.cleaned_data
        for name in ("help", *self.rows):
            self._refuse_without_first(name)
        self.options = self._options()
        if given.get("kind"):
            kind, limits, count = self._kind(), self._limits(), len(self.options)
            self._refuse_as("kind", questionnaire.refuse_options, kind, self.options)
            self._refuse_as("least", questionnaire.refuse_limits, kind, limits, count)
        self.check = self._check() if not self.errors else None

    def _refuse_as(self, field: str, rule: Any, *arguments: Any) -> Any:
        try:
            return rule(*arguments)
        except CommonplaceError as error:
            self.add_error(field, error.message)

    def _refuse_without_first(self, name: str) -> None:
        first, *others = (f"{name}-{tongue}" for tongue in self.tongues)
        if first in self.errors or self.cleaned_data.get(first):
            return
        if any(self.cleaned_data.get(other) for other in others):
            tongue = languages.in_english(self.tongues[0])
            self.add_error(first, f"Write it in {tongue} too, the first language.")

    def _texts(self, name: str) -> Texts:
        found = {tongue: self.cleaned_data.get(f"{name}-{tongue}") for tongue in self.tongues}
        return {tongue: text for tongue, text in found.items() if text}

    def _kind(self) -> AnswerKind:
        return AnswerKind(self.cleaned_data["kind"])

    def _limits(self) -> dict[str, Any]:
        """What a file says a choice should be unlike stays with the choice."""
        given = {name: self.cleaned_data.get(name) for name in ("least", "most")}
        if self.old and self._kind() in CHOICES:
            given[questionnaire.UNLIKE] = self.old.limits.get(questionnaire.UNLIKE)
        return {name: value for name, value in given.items() if value is not None}

    def _options(self) -> list[dict[str, Any]]:
        known = {option["id"] for option in self.old.options} if self.old else set()
        rows = [(self.cleaned_data.get(f"{row}-id"), self._texts(row)) for row in self.rows]
        rows = [(given, texts) for given, texts in rows if texts]
        taken = known | {given for given, _ in rows if given}
        found = []
        for given, texts in rows:
            name = given if given in known else _new_id(texts.get(self.tongues[0], ""), taken)
            taken.add(name)
            found.append({"id": name, "texts": texts})
        return found

    def _check(self) -> dict[str, Any] | None:
        given = self.cleaned_data
        if not given["check_type"]:
            return None
        if given["check_type"] == CheckType.REPEATED:
            return {"type": given["check_type"], "of": given["of"]}
        ids = [option["id"] for option in self.options]
        words = [self._option_of(line) for line in given["expected"]]
        value = self._refuse_as("expected", checks.expected, self._kind(), ids, words)
        return {"type": given["check_type"], "expected": value}

    def _option_of(self, line: str) -> str:
        """The id of the option with these words; other words stand for themselves."""
        for option in self.options:
            if fold(line) in map(fold, option["texts"].values()):
                return option["id"]
        return line

    def facts(self) -> QuestionFacts:
        given = self.cleaned_data
        return QuestionFacts(
            key=self.old.key if self.old else given["key"],
            kind=self._kind(),
            texts=self._kept("texts") | self._texts("text"),
            help=self._kept("help") | self._texts("help"),
            position=given["position"],
            topic=given["topic"] or None,
            options=self.options,
            limits=self._limits(),
            check=self.check,
            prefixed=self._prefixed(),
            starts_with_name=given["starts_with_name"],
        )

    def _prefixed(self) -> bool:
        return {"yes": True, "no": False}.get(
            self.cleaned_data["prefixed"], questionnaire.usually_prefixed(self.check)
        )

    def _kept(self, name: str) -> Texts:
        """Texts in a language the study has dropped, kept for its return."""
        texts: Texts = getattr(self.old, name) if self.old else {}
        return {tag: text for tag, text in texts.items() if tag not in self.tongues}


def _answer_fields(study: Study, facts: QuestionFacts | None) -> dict[str, forms.Field]:
    topics = [
        ("", "None"),
        *((topic.code, topic_label(study, topic)) for topic in study.topics.all()),
    ]
    limits = facts.limits if facts else {}
    return {
        "topic": forms.ChoiceField(
            required=False, choices=topics, initial=facts.topic if facts else ""
        ),
        "kind": forms.ChoiceField(
            label="Kind of answer",
            help_text="Options and limits are written below, under those names.",
            choices=[(kind.value, label) for kind, label in KINDS.items()],
            initial=facts.kind.value if facts else AnswerKind.LONG.value,
        ),
        "least": forms.IntegerField(
            label="At least",
            required=False,
            min_value=-FARTHEST,
            max_value=FARTHEST,
            initial=limits.get("least"),
            help_text="The smallest number or year, or the fewest options or things.",
        ),
        "most": forms.IntegerField(
            label="At most",
            required=False,
            min_value=-FARTHEST,
            max_value=FARTHEST,
            initial=limits.get("most"),
        ),
    }


def _check_fields(facts: QuestionFacts | None) -> dict[str, forms.Field]:
    check = (facts.check if facts else None) or {}
    expected = check.get("expected", "")
    lines = expected if isinstance(expected, list) else [str(expected)]
    return {
        "check_type": forms.ChoiceField(
            label="Is it an attention check?",
            required=False,
            choices=[(str(each), label) for each, label in CHECKS.items()],
            initial=check.get("type", ""),
        ),
        "expected": LinesField(
            label="Expected answer",
            required=False,
            widget=forms.Textarea({"rows": 2}),
            help_text="For a choice the words of the option, one a line where there are several.",
            initial="\n".join(_label(facts, line) for line in lines),
        ),
        "of": forms.CharField(
            label="Short name of the question it repeats",
            required=False,
            max_length=60,
            initial=check.get("of", ""),
        ),
    }


def _label(facts: QuestionFacts | None, option_id: str) -> str:
    for option in facts.options if facts else ():
        if option["id"] == option_id:
            return next(iter(option["texts"].values()))
    return option_id


def _use_fields(study: Study, facts: QuestionFacts | None, status: str) -> dict[str, forms.Field]:
    in_use = study.questions.exclude(status=Question.Status.RETIRED).count()
    return {
        "prefixed": forms.ChoiceField(
            label="Put the prefix (“In your region, …”) in front",
            required=False,
            choices=list(PREFIXED.items()),
            initial=_prefixed_as(facts),
        ),
        "starts_with_name": forms.BooleanField(
            label="It starts with a name and keeps its first letter",
            required=False,
            initial=facts.starts_with_name if facts else False,
        ),
        "status": forms.ChoiceField(choices=list(STATUSES.items()), initial=status),
        "position": forms.IntegerField(
            label="Place in the order",
            min_value=1,
            max_value=100_000,
            initial=facts.position if facts else in_use + 1,
        ),
    }


def _prefixed_as(facts: QuestionFacts | None) -> str:
    if facts is None or facts.prefixed == questionnaire.usually_prefixed(facts.check):
        return ""
    return "yes" if facts.prefixed else "no"


def _new_id(label: str, taken: set[str]) -> str:
    """An id for a new option, from its words where they are Latin letters."""
    base = re.sub(r"[^a-z0-9]+", "_", fold(label)).strip("_")[:30].strip("_") or "option"
    numbered = (f"{base}_{number}" for number in range(2, questionnaire.MOST_OPTIONS * 2))
    return next(each for each in (base, *numbered) if each not in taken)
