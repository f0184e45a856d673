"""The kinds of answers a question can ask for."""

from enum import StrEnum


class AnswerKind(StrEnum):
    SHORT = "short"  # a line of text
    LONG = "long"  # text of any length
    ONE = "one"  # one of its options
    MANY = "many"  # any of its options
    NUMBER = "number"
    YEAR = "year"
    DATE = "date"  # stored as the local date it was
    PLACE = "place"  # one of the study's places, or another in words
    ARTIFACTS = "artifacts"  # a list of things, each a name and what it is


CHOICES = (AnswerKind.ONE, AnswerKind.MANY)
MOST_THINGS = 100  # that one list of artifacts holds
