"""Every write of collection, by subject."""

from collection.services.answering import begin, save, submit
from collection.services.authoring import (
    add_question,
    change_question,
    copy_questions,
    load_topics,
    move_question,
    remove_topic,
    save_plan,
    save_topic,
    set_status,
)
from collection.services.publishing import publish
from collection.services.withdrawing import forget

__all__ = [
    "add_question",
    "begin",
    "change_question",
    "copy_questions",
    "forget",
    "load_topics",
    "move_question",
    "publish",
    "remove_topic",
    "save",
    "save_plan",
    "save_topic",
    "set_status",
    "submit",
]
