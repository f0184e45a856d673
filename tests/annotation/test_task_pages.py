"""An annotator works through the queue by its pages, without a script."""

import json

import pytest
from django.test import Client

from annotation.models import Assignment, Judgement, Task
from annotation.services import projects, queueing
from core import clock
from tests.annotation import paged
from tests.annotation.paged import begin, filled, none, signed_in, task_of, text_of, where

pytestmark = pytest.mark.django_db

HOT = "Tea is drunk hot."


@pytest.fixture
def two(world, people):
    """Ann and Ben in their browsers, with the annotation open."""
    world.open()
    return [signed_in(user) for user in people("ann", "ben")]


def send(client, key, fields):
    return client.post(task_of(key), fields, follow=True)


def of(email, key):
    return Assignment.objects.get(annotator__email=f"{email}@example.org", task__source_key=key)


# --- From the list to the next task ---------------------------------------------------------------


def test_next_opens_a_task_with_every_answer_and_what_is_needed(world, two):
    ann, _ = two
    key = begin(ann)
    page = ann.get(task_of(key))
    assert key == f"tea.{world.first}"
    for number in range(5):
        assert f"It is drunk hot ({number})." in text_of(page)
    assert "at least 4 of 5" in text_of(page)
    assert "Guideline, version 1" in text_of(page)


def test_looking_at_the_list_gives_nobody_a_task(world, two):
    two[0].get(where("projects"))
    assert two[0].get(where("next", "agreement")).status_code == 405
    assert not Assignment.objects.exclude(status="free").exists()


def test_sending_stores_a_first_pass_and_opens_the_next_task(world, two):
    ann, _ = two
    key = begin(ann)
    page = send(ann, key, filled(HOT, world.answers("tea", world.first)))
    assert Judgement.objects.get().value["concepts"][0]["text"] == HOT
    assert page.context["row"].task.source_key != key
    assert "Sent. It can be taken back" in text_of(page)


def test_what_was_sent_can_be_taken_back_and_is_a_draft_again(world, two):
    ann, _ = two
    key = begin(ann)
    send(ann, key, filled(HOT, world.answers("tea", world.first)))
    page = send(ann, key, {"action": "take_back"})
    assert HOT in page.content.decode()
    assert page.context["writable"]
    assert not Judgement.objects.exists()


def test_once_all_have_judged_it_a_task_is_not_taken_back(world, two):
    key = begin(two[0])
    for client in two:
        begin(client)
        send(client, key, none())
    page = two[0].post(task_of(key), {"action": "take_back"})
    assert page.status_code == 409
    assert "cannot be taken back" in text_of(page)
    assert Judgement.objects.count() == 2


def test_at_the_end_of_the_queue_the_list_says_so(world, two):
    ann, _ = two
    page = ann.post(where("next", "agreement"), follow=True)
    while "row" in page.context:
        page = send(ann, page.context["row"].task.source_key, none())
    assert "Sent. It can be taken back" in text_of(page)
    assert "Nothing is left for you here" in text_of(page)


# --- Skipping and flagging ------------------------------------------------------------------------


def test_a_skipped_task_goes_to_a_third_person_and_counts_nowhere(world, two, people):
    """Case 28."""
    (cem,) = people("cem")
    ann, ben = two
    key = begin(ann)
    page = send(ann, key, {"action": "skip", "note": "I do not know this coast"})
    assert "Skipped. Somebody else gets it." in text_of(page)
    assert not Judgement.objects.exists()
    for client in (ben, signed_in(cem)):
        assert begin(client) == key
        send(client, key, none())
    assert Task.objects.get(source_key=key).status == "decided"
    assert Judgement.objects.filter(assignment__task__source_key=key).count() == 2


def test_flagging_asks_for_a_note_beside_the_note_and_keeps_what_was_typed(world, two):
    ann, _ = two
    key = begin(ann)
    page = ann.post(task_of(key), filled(HOT, [], action="flag"))
    assert page.status_code == 400
    assert "Write what is wrong with it" in page.context["faults"]["note"]
    assert HOT in page.content.decode()
    page = send(ann, key, {"action": "flag", "note": "two questions in one"})
    assert "Flagged." in text_of(page)
    assert of("ann", key).status == "flagged"


# --- Faults and drafts ----------------------------------------------------------------------------


def test_too_little_support_is_said_at_the_text_and_nothing_is_lost(world, two):
    ann, _ = two
    key = begin(ann)
    answers = world.answers("tea", world.first)
    page = ann.post(task_of(key), filled(HOT, answers[:3]))
    assert page.status_code == 422
    assert page.context["faults"].keys() == {"concept-0"}
    assert "3 of 5 answers support it, and 4 are needed" in text_of(page)
    assert HOT in page.content.decode()
    task = page.content.decode().partition('id="keys"')[0]
    assert task.count("checked") == 4  # the choice and three answers
    assert HOT in ann.get(task_of(key)).content.decode()
    assert not Judgement.objects.exists()


def test_a_text_that_is_too_long_comes_back_whole(world, two):
    ann, _ = two
    key, long = begin(ann), "hot " * 200
    page = ann.post(task_of(key), filled(long, world.answers("tea", world.first)))
    assert page.status_code == 422
    assert long.strip() in page.content.decode()


def test_another_text_is_one_more_row_and_what_was_typed_stays(world, two):
    ann, _ = two
    key = begin(ann)
    answers = world.answers("tea", world.first)
    assert 'name="concept-1"' not in ann.get(task_of(key)).content.decode()
    page = send(ann, key, filled(HOT, answers, action="more"))
    assert HOT in page.content.decode()
    assert 'name="concept-1"' in page.content.decode()
    assert not Judgement.objects.exists()


def test_a_draft_is_there_again_on_another_day(world, two):
    ann, _ = two
    key = begin(ann)
    send(ann, key, filled(HOT, [], action="draft", note="ask about milk"))
    assert of("ann", key).status == "draft"
    again = ann.post(where("next", "agreement"), follow=True)
    assert again.context["row"].task.source_key == key
    assert HOT in again.content.decode()
    assert "ask about milk" in again.content.decode()


def test_a_script_that_saves_is_told_so_and_told_when_the_task_is_lost(world, two):
    ann, _ = two
    key = begin(ann)
    json_please = {"headers": {"Accept": "application/json"}}
    said = ann.post(task_of(key), filled(HOT, [], action="draft"), **json_please)
    assert json.loads(said.content) == {"saved": True}
    send(ann, key, {"action": "skip"})
    said = ann.post(task_of(key), filled(HOT, [], action="draft"), **json_please)
    assert (said.status_code, json.loads(said.content)["code"]) == (409, "assignment.lost")


def test_who_lost_the_task_to_somebody_else_still_reads_what_they_wrote(world, two):
    """Case 31, and nothing of the task is shown beside it."""
    ann, ben = two
    key = begin(ann)
    Assignment.objects.filter(status="leased").update(lease_until=clock.ago(1))
    Assignment.objects.filter(status="free", task__source_key=key).delete()
    assert begin(ben) == key
    page = ann.post(task_of(key), filled(HOT, world.answers("tea", world.first)))
    assert page.status_code == 409
    assert HOT in text_of(page)
    assert "It is drunk hot" not in text_of(page)
    assert not Judgement.objects.exists()


def test_sent_twice_it_is_one_row(world, two):
    ann, _ = two
    key = begin(ann)
    fields = filled(HOT, world.answers("tea", world.first))
    send(ann, key, fields)
    send(ann, key, fields)
    assert Judgement.objects.count() == 1
    page = ann.post(task_of(key), filled("Something else", world.answers("tea", world.first)))
    assert page.status_code == 409
    assert "Something else" in text_of(page)


def test_answers_that_changed_meanwhile_are_looked_at_before_it_is_sent(world, two):
    ann, _ = two
    key = begin(ann)
    seen = Task.objects.get(source_key=key).inputs
    fields = filled(HOT, world.answers("tea", world.first), seen=seen)
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(Task.objects.first().project)
    page = ann.post(task_of(key), fields)
    assert page.status_code == 409
    assert HOT in page.content.decode()
    assert "It is drunk cold." in text_of(page)
    fields["seen"] = page.context["row"].task.inputs
    send(ann, key, fields)
    assert Judgement.objects.count() == 1


# --- The session ends -----------------------------------------------------------------------------


def test_after_the_session_has_expired_the_text_is_carried_through_the_sign_in(world, two):
    """Case 31."""
    ann, _ = two
    key = begin(ann)
    answers = world.answers("tea", world.first)
    stranger = Client()  # the same browser, its session gone
    page = stranger.post(task_of(key), filled(f"{HOT} <b>", answers))
    assert page.status_code == 403
    assert "Nothing you wrote is lost" in text_of(page)
    carried = {f"sent-{name}": value for name, value in page.context["sent"] if name == "concept-0"}
    carried |= {"sent-choice": "agreement", "sent-support-0": [str(each) for each in answers]}
    who = {"username": "ann@example.org", "next": task_of(key)}
    wrong = stranger.post("/accounts/sign-in/", who | carried | {"password": "wrong"})
    assert f"{HOT} &lt;b&gt;" in wrong.content.decode()
    page = stranger.post("/accounts/sign-in/", who | carried | {"password": "a password"})
    assert page.context["address"] == task_of(key)
    back = {}
    for name, value in page.context["sent"]:
        back.setdefault(name, []).append(value)
    page = stranger.post(task_of(key), back, follow=True)
    assert f"{HOT} &lt;b&gt;" in page.content.decode()
    assert not Judgement.objects.exists()
    for _time in range(2):
        stranger.post(task_of(key), filled(f"{HOT} <b>", answers))
    assert Judgement.objects.count() == 1


def test_no_password_and_no_pressed_button_is_carried(world, two):
    page = Client().post(task_of("x.y"), {"action": "send", "concept-0": "a"})
    assert page.context["sent"] == [("concept-0", "a")]


def test_a_stranger_who_looks_is_sent_to_the_sign_in(world, two):
    assert Client().get(task_of("x.y"))["Location"].startswith("/accounts/sign-in/?next=")


# --- Blindness ------------------------------------------------------------------------------------


def test_nothing_of_anns_is_in_any_byte_ben_can_fetch_before_he_has_sent(world, two):
    """Case 29."""
    ann, ben = two
    key = begin(ann)
    secret, note = "Salt is stirred in thrice.", "my own aunt does this"
    send(ann, key, filled(secret, world.answers("tea", world.first), note=note))
    assert begin(ben) == key
    pages = [where("projects"), task_of(key), where("guideline", "agreement")]
    pages += [where("gold", "agreement"), where("trace", "agreement", key)]
    pages += [where("disputes", "agreement"), where("dispute", "agreement", key)]
    pages += [f"{task_of(key)}?after={key}", f"{where('projects')}?kind=agreement&after={key}"]
    for address in pages:
        body = ben.get(address).content.decode()
        for hidden in (secret, note, "ann@example.org", "1 of 2 agree"):
            assert hidden not in body, address


def test_a_leader_who_holds_a_place_sees_nothing_of_it_either(world, two, django_user_model):
    lea = signed_in(paged.leader(world, django_user_model))
    ann, _ = two
    key = begin(ann)
    send(ann, key, {"action": "flag", "note": "badly put by Ann"})
    assert begin(lea) == key
    for address in (where("disputes", "agreement"), where("trace", "agreement", key)):
        assert "badly put by Ann" not in lea.get(address).content.decode()
    assert lea.get(where("dispute", "agreement", key)).status_code == 404
    send(lea, key, none())
    page = lea.post(where("read_flag", "agreement", key), follow=True)
    assert "badly put by Ann" in page.content.decode()


def test_a_task_of_somebody_else_is_not_there(world, two):
    ann, ben = two
    assert ben.get(task_of(begin(ann))).status_code == 404


def test_an_annotator_opens_and_decides_nothing(world, two):
    key = begin(two[0])
    assert two[0].post(where("open", "pair"), {"overlap": 2}).status_code == 403
    assert two[0].post(where("guideline", "agreement"), {"text": "x"}).status_code == 403
    assert two[0].post(where("dispute", "agreement", key), none("decide")).status_code == 403
    assert two[0].post(where("put_back", "agreement", key)).status_code == 403


def test_a_draft_that_lapsed_can_be_gone_on_with(world, two):
    ann, _ = two
    key = begin(ann)
    send(ann, key, filled(HOT, [], action="draft"))
    Assignment.objects.filter(status="draft").update(lease_until=clock.ago(1))
    assert queueing.lapse() == 1
    assert HOT in ann.get(task_of(key)).content.decode()
    send(ann, key, filled(HOT, world.answers("tea", world.first)))
    assert Judgement.objects.count() == 1
