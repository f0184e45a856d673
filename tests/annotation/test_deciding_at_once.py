"""Two people decide the same task at the same moment."""

import threading

import pytest
from django.db import connection

from annotation.models import Decision, GoldAnswer
from annotation.services import deciding
from core.errors import CommonplaceError
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.paged import none, signed_in, text_of, where


def all_of(task):
    return agreement("Tea is hot.", task.payload["answers"])


def differ(world, people):
    """A task that two judged differently."""
    project = world.open()
    ann, ben = people("ann", "ben")
    judge(project, ann, all_of)
    return judge(project, ben, NO_AGREEMENT).task


def at_once(*acts):
    """What each act returned, or its refusal, all begun at the same moment."""
    said, gate = [None] * len(acts), threading.Barrier(len(acts))

    def do(place):
        try:
            gate.wait()
            said[place] = acts[place]()
        except CommonplaceError as error:
            said[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


def decide_both(task, users, known):
    """The decision of the one and the refusal of the other."""

    def by(user, value):
        return lambda: deciding.decide(task, value, "because", user, task.inputs, known=known)

    said = at_once(by(users[0], all_of(task)), by(users[1], NO_AGREEMENT))
    (decided,) = [each for each in said if isinstance(each, Decision)]
    (refused,) = [each for each in said if isinstance(each, CommonplaceError)]
    return decided, refused


@pytest.mark.django_db(transaction=True)
def test_of_two_who_decide_at_once_one_decides_and_the_other_is_told_what(world, people):
    task = differ(world, people)
    users = people("cem", "dan")
    known = ""
    for turn in range(5):
        decided, refused = decide_both(task, users, known)
        assert refused.code == "decision.made_since"
        assert refused.data["decision"] == decided.pk
        assert decided.decided_by.email in refused.message
        words = "“Tea is hot.”" if decided.value["concepts"] else "no agreement"
        assert words in refused.message
        assert Decision.objects.count() == turn + 1
        known = str(decided.pk)
    assert Decision.objects.get(current=True).pk == int(known)
    assert GoldAnswer.objects.get().decision_id == int(known)


@pytest.mark.django_db
def test_the_second_reads_what_was_decided_and_keeps_what_they_wrote(
    world, people, django_user_model
):
    task = differ(world, people)
    address = where("dispute", "agreement", task.source_key)
    lea = signed_in(paged.leader(world, django_user_model))
    max_ = signed_in(paged.leader(world, django_user_model, "max"))
    sent = paged.filled("Tea is hot.", task.payload["answers"], "decide", seen=task.inputs)
    lea.post(address, {**sent, "decision": "", "reason": "four say so"})
    page = max_.post(
        address, none("decide", seen=task.inputs, decision="", reason="two kinds of tea")
    )
    assert page.status_code == 409
    assert "lea@example.org has decided this since you opened it: “Tea is hot.”" in text_of(page)
    assert "two kinds of tea" in page.content.decode()
    assert page.context["value"]["choice"] == "none"
    assert Decision.objects.count() == 1
