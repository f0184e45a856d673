"""Where else the answers of a participation were given, in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from collection.models import QuestionText
from collection.selectors import evidence
from collection.selectors.evidence import Turn, Twin, Twins
from studies import languages
from studies.models import Participation, Study

NAMED = 3  # of those who gave an answer too

# What is remarkable, by whose turn it was; who comes later than this participant is no mark.
_MARKS = {
    Turn.BEFORE: "{what} {whom}, sent before",
    Turn.UNKNOWN: "{what} {whom}; who was first is not known",
}


@dataclass(frozen=True)
class Elsewhere:
    """Who else gave the words, or the list, of an answer (its key), the earliest first; `names`
    are the words of the questions, by id, that they gave them to."""

    words: Twins
    lists: Twins
    names: Mapping[int, str]

    def copied(self, answer: int) -> bool:
        """Whether another participant had sent the same words before."""
        return any(twin.turn is Turn.BEFORE for twin in self.words.get(answer, []))

    def marks(self, answer: int, question: int) -> list[str]:
        """What is remarkable about an answer to a question."""
        found = [
            pattern.format(what=what, whom=whom)
            for what, twins in self._of(answer)
            for turn, pattern in _MARKS.items()
            if (whom := self._whom(twins, turn, question))
        ]
        own = [twin for twin in self.words.get(answer, []) if twin.turn is Turn.OWN]
        if own:
            where = _several(f"“{self.names.get(twin.question, '')}”" for twin in own)
            found.append(f"the participant’s own words again, at {where}")
        return found

    def notes(self, answer: int, question: int) -> list[str]:
        """Who gave the same only later, which nobody can hold against this participant."""
        found = []
        for what, twins in self._of(answer):
            if whom := self._whom(twins, Turn.LATER, question):
                first = not any(twin.turn in _MARKS for twin in twins)
                found.append(f"{'sent here first; ' if first else ''}{what} {whom}, sent later")
        return found

    def _of(self, answer: int) -> list[tuple[str, list[Twin]]]:
        return [
            ("the same words from", self.words.get(answer, [])),
            ("the whole list of", self.lists.get(answer, [])),
        ]

    def _whom(self, twins: Iterable[Twin], turn: Turn, question: int) -> str:
        return _several(
            twin.code
            if twin.question == question
            else f"{twin.code} (at “{self.names.get(twin.question, '')}”)"
            for twin in twins
            if twin.turn is turn
        )


def elsewhere(row: Participation, names: Mapping[int, str]) -> Elsewhere:
    """`names` are the words of the questions this participant was asked, by id."""
    words, lists = evidence.twins(row), evidence.equal_lists(row)
    further = {
        twin.question for found in (words, lists) for twins in found.values() for twin in twins
    } - set(names)
    return Elsewhere(words, lists, {**_names(further, row.activity.study), **names})


def _names(questions: Iterable[int], study: Study) -> dict[int, str]:
    found: dict[int, dict[str, str]] = {}
    texts = QuestionText.objects.filter(question__in=questions).order_by()
    for question, tag, text in texts.values_list("question", "language", "text"):
        found.setdefault(question, {})[tag] = text
    return {pk: languages.choose(texts, study.languages)[1] for pk, texts in found.items()}


def _several(things: Iterable[str]) -> str:
    found = list(things)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(found[:NAMED]) + more
