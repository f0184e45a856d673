"""A form of two questions that is sent, and asked again."""

from collection.models import Submission
from studies.participation import Action
from studies.services import moving
from tests.collection.conftest import question

LONG = [question("guests"), question("gifts")]
ANSWERS = {"answer-guests": "tea", "answer-gifts": "salt"}


def send(client, address, **fields):
    return client.post(address, {"action": "send"} | fields)


def ask_again(row, number, words="Please say more."):
    """What a review does to a participation whose answers are to be changed."""
    row.refresh_from_db()
    moving.move(row, Action.ASK_AGAIN)
    Submission.objects.filter(participation=row, number=number).update(
        status=Submission.Status.REDO, asked_again=words
    )
