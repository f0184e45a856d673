"""Every write of collection, by subject."""

from collection.services.answering import begin, save, submit
from collection.services.artifacts import forget_named, gather
from collection.services.authoring import (
    add_question,
    change_question,
    copy_questions,
    load_questions,
    move_question,
    save_plan,
    set_status,
)
from collection.services.publishing import publish
from collection.services.topics import load_topics, merge_topic, remove_topic, save_topic
from collection.services.withdrawing import forget

__all__ = [
    "add_question",
    "begin",
    "change_question",
    "copy_questions",
    "forget",
    "forget_named",
    "gather",
    "load_questions",
    "load_topics",
    "merge_topic",
    "move_question",
    "publish",
    "remove_topic",
    "save",
    "save_plan",
    "save_topic",
    "set_status",
    "submit",
]
