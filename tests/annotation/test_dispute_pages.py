"""Where people differ, somebody decides; and the trail from gold back to answers."""

import pytest
from django.urls import reverse

from annotation.models import Assignment, Decision, GoldAnswer, Judgement, Task
from annotation.services import deciding, projects
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT
from tests.annotation.paged import begin, filled, none, signed_in, task_of, text_of, where

pytestmark = pytest.mark.django_db

HOT = "Tea is drunk hot."


@pytest.fixture
def cast(world, people, django_user_model):
    """Ann and Ben, who annotate, and Lea, who decides, in their browsers."""
    project = world.open()
    lea = paged.leader(world, django_user_model)
    return project, *(signed_in(user) for user in (*people("ann", "ben"), lea))


@pytest.fixture
def key(world):
    return f"tea.{world.first}"


@pytest.fixture
def differ(world, cast, key):
    """Ann sees an agreement where Ben sees none."""
    _, ann, ben, _ = cast
    begin(ann), begin(ben)
    hot = filled(HOT, world.answers("tea", world.first), note="clear enough")
    ann.post(task_of(key), hot)
    ben.post(task_of(key), none())
    return where("dispute", "agreement", key)


def decide(lea, address, fields, **more):
    page = lea.get(address).context
    known = page["decision"].pk if page["decision"] else ""
    held = {"action": "decide", "seen": page["task"].inputs, "decision": known}
    return lea.post(address, {**fields, **held, **more}, follow=True)


def test_the_whole_way_from_two_who_differ_to_gold_and_its_trail(world, cast, key, differ):
    lea = cast[3]
    listed = lea.get(where("disputes", "agreement"))
    assert "1 waits for a decision" in text_of(listed)
    assert differ in listed.content.decode()
    page = lea.get(differ)
    assert [each.letter for each in page.context["passes"]] == ["A", "B"]
    assert HOT in text_of(page)
    assert "ann@example.org" not in page.content.decode()
    assert "It is drunk hot (3)." in text_of(page)
    answers = world.answers("tea", world.first)[:4]
    decide(lea, differ, filled("Tea is hot.", answers), reason="the fifth says iced")
    gold = GoldAnswer.objects.get()
    assert (gold.texts, gold.n, gold.threshold) == (["Tea is hot."], 5, 4)
    assert [row.value["choice"] for row in Judgement.objects.order_by("pk")] == [
        "agreement",
        "none",
    ]
    trail = lea.get(where("trace", "agreement", key))
    for said in ("Tea is hot.", "the fifth says iced", "By lea@example.org", "ann@example.org"):
        assert said in text_of(trail)
    code = Assignment.objects.get(pk=Judgement.objects.first().assignment_id).task.payload
    assert code["answers"][0] in {shown.pk for shown, _ in trail.context["trace"].answers}
    participation = trail.context["trace"].answers[0][1]
    review = reverse("collection:review_one", args=("lantern_coast", participation))
    assert review in trail.content.decode()
    assert lea.get(review).status_code == 200


def test_a_decision_needs_enough_support_and_a_reason_and_keeps_what_was_typed(world, cast, differ):
    lea = cast[3]
    answers = world.answers("tea", world.first)
    page = decide(lea, differ, filled("Tea is hot.", answers[:2]), reason="because")
    assert page.status_code == 422
    assert "Tea is hot." in page.content.decode()
    assert "because" in page.content.decode()
    page = decide(lea, differ, filled("Tea is hot.", answers))
    assert page.status_code == 400
    assert "Write why you decide so" in page.context["faults"]["reason"]
    assert "Tea is hot." in page.content.decode()
    assert not Decision.objects.exists()


def test_one_may_begin_from_a_first_pass(cast, differ):
    page = cast[3].get(differ, {"from": "A"})
    assert page.context["value"]["concepts"][0]["text"] == HOT
    assert not cast[3].get(differ, {"from": "Z"}).context["value"]


def test_who_judged_it_does_not_decide_it(world, cast, key, django_user_model):
    _, ann, _, lea = cast
    begin(ann), begin(lea)
    ann.post(task_of(key), none())
    lea.post(task_of(key), filled(HOT, world.answers("tea", world.first)))
    address = where("dispute", "agreement", key)
    assert "You judged this task yourself" in text_of(lea.get(address))
    page = lea.post(
        address,
        none("decide", reason="mine", seen=lea.get(address).context["task"].inputs),
    )
    assert page.status_code == 409
    assert not Decision.objects.exists()


def test_a_decision_on_answers_that_changed_meanwhile_is_made_anew(world, cast, differ):
    project, _, _, lea = cast
    seen = lea.get(differ).context["task"].inputs
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    page = lea.post(differ, none("decide", reason="none do", seen=seen))
    assert page.status_code == 409
    assert "none do" in page.content.decode()
    assert "It is drunk cold." in text_of(page)
    assert not Decision.objects.exists()


def test_of_two_who_decide_at_once_the_second_sees_what_the_first_decided(
    world, cast, differ, django_user_model
):
    lea, max_ = cast[3], signed_in(paged.leader(world, django_user_model, "max"))
    seen = max_.get(differ).context["task"].inputs
    decide(lea, differ, none(), reason="they differ")
    mine = none("decide", reason="mine", seen=seen, decision="")
    page = max_.post(differ, mine)
    assert page.status_code == 409
    assert "by lea@example.org" in text_of(page)
    assert Decision.objects.count() == 1
    mine["decision"] = str(page.context["decision"].pk)
    assert max_.post(differ, mine).status_code == 302
    assert Decision.objects.count() == 2


def test_stale_gold_stays_and_waits_until_a_person_decides(world, cast, key):
    project, ann, ben, lea = cast
    for client in (ann, ben):
        begin(client)
        client.post(task_of(key), filled(HOT, world.answers("tea", world.first)))
    world.come(world.first, tea="It is drunk cold.")
    projects.refresh(project)
    listed = lea.get(where("disputes", "agreement"), {"why": "stale"})
    assert key in listed.content.decode()
    page = lea.get(where("gold", "agreement"), {"state": "stale"})
    assert HOT in text_of(page)
    address = where("dispute", "agreement", key)
    assert "judged other answers" in text_of(lea.get(address))
    decide(lea, address, none(), reason="not any more")
    assert "No agreement." in text_of(lea.get(where("gold", "agreement")))
    assert "By the rule" in text_of(lea.get(where("trace", "agreement", key)))


def test_a_flagged_task_is_read_and_put_back_for_whoever_comes(cast, key):
    _, ann, _, lea = cast
    begin(ann)
    ann.post(task_of(key), {"action": "flag", "note": "two questions in one"})
    address = where("dispute", "agreement", key)
    assert "two questions in one" not in text_of(lea.get(address))
    page = lea.post(where("read_flag", "agreement", key), follow=True)
    assert "two questions in one" in text_of(page)
    assert address in lea.get(where("disputes", "agreement"), {"why": "flagged"}).content.decode()
    lea.post(where("put_back", "agreement", key))
    assert lea.get(address).status_code == 404
    assert Assignment.objects.filter(task__source_key=key, status="free").count() == 2


def test_the_gold_table_is_filtered_by_region_and_state_from_its_address(world, cast, key):
    _, ann, ben, lea = cast
    for client in (ann, ben):
        begin(client)
        client.post(task_of(key), none())

    def keys(**filters):
        page = lea.get(where("gold", "agreement"), filters)
        return [line.heading.task.source_key for line in page.context["lines"]]

    others = [f"tea.{world.second}", f"gift.{world.first}"]
    assert keys() == [key, *others]
    assert keys(state="none") == [key]
    assert keys(state="undecided") == others
    assert keys(region=world.second) == [f"tea.{world.second}"]
    assert keys(state="nonsense") == keys(region="nowhere") == []
    assert Decision.objects.get().value == NO_AGREEMENT


def test_before_all_are_in_the_trail_shows_no_first_pass(world, cast, key):
    _, ann, _, lea = cast
    begin(ann)
    ann.post(task_of(key), filled(HOT, world.answers("tea", world.first)))
    trail = lea.get(where("trace", "agreement", key))
    assert HOT not in trail.content.decode()
    assert "ann@example.org" not in trail.content.decode()
    assert lea.get(where("dispute", "agreement", key)).status_code == 404


def test_who_holds_a_place_at_a_task_decided_early_sees_its_trail_without_first_passes(
    world, people, cast, key, django_user_model
):
    _, ann, _, lea = cast
    begin(ann)
    ann.post(task_of(key), filled(HOT, world.answers("tea", world.first), note="clear enough"))
    begin(lea)
    task = world.task("tea", world.first)
    Task.objects.filter(pk=task.pk).update(stale=True)
    (cem,) = people("cem")
    deciding.decide(task, NO_AGREEMENT, "one is cut off", cem, task.inputs)
    trail = lea.get(where("trace", "agreement", key))
    assert "What others said is hidden from you" in text_of(trail)
    assert where("dispute", "agreement", key) not in trail.content.decode()
    for hidden in (HOT, "clear enough", "ann@example.org"):
        assert hidden not in trail.content.decode()
    other = signed_in(paged.leader(world, django_user_model, "max"))
    assert HOT in text_of(other.get(where("trace", "agreement", key)))
    lea.post(task_of(key), none())
    assert HOT in text_of(lea.get(where("trace", "agreement", key)))


def test_an_annotator_sees_neither_gold_nor_disputes(cast, key, differ):
    for name in ("disputes", "gold"):
        assert cast[1].get(where(name, "agreement")).status_code == 403
    assert cast[1].get(differ).status_code == 403
    assert cast[1].get(where("trace", "agreement", key)).status_code == 403


def test_regions_are_compared_once_both_agree(world, cast, key):
    """The kinds that compare regions, through the same pages."""
    _, ann, ben, lea = cast
    lea.post(where("open", "pair"), {"overlap": 2})
    lea.post(where("open", "universal"), {"overlap": 1})
    for region in (world.first, world.second):
        for client in (ann, ben):
            begin(client)
            answers = world.answers("tea", region)
            client.post(task_of(f"tea.{region}"), filled(f"So in {region}.", answers))
    page = ann.post(where("next", "pair"), follow=True)
    pair = page.context["row"].task.source_key
    assert f"So in {world.first}." in text_of(page)
    assert ann.post(where("task", "pair", pair), {"action": "send"}).status_code == 422
    ann.post(where("task", "pair", pair), {"choice": "agree", "action": "send"})
    ben.post(where("next", "pair"))
    ben.post(where("task", "pair", pair), {"choice": "differ", "action": "send"})
    address = where("dispute", "pair", pair)
    page = decide(lea, address, {"choice": "differ"}, reason="one adds salt")
    assert "They differ." in text_of(lea.get(where("gold", "pair"), {"state": "differ"}))
    assert f"So in {world.second}." in text_of(lea.get(where("trace", "pair", pair)))


def test_a_second_click_on_decide_decides_once(cast, key, differ):
    lea = cast[3]
    task = lea.get(differ).context["task"]
    sent = none("decide", seen=task.inputs, decision="", reason="one says iced")
    for _click in range(2):
        assert lea.post(differ, sent).status_code == 302
    assert Decision.objects.count() == 1
    assert lea.post(differ, sent | {"reason": "two say iced"}).status_code == 409


def test_a_character_that_cannot_be_saved_takes_nothing_else_with_it(cast, world, key, differ):
    ann, lea = cast[1], cast[3]
    fields = filled("Tea \0 is hot.", world.answers("tea", world.first))
    other = begin(ann)
    for page in (ann.post(task_of(other), fields), decide(lea, differ, fields, reason="so")):
        assert page.status_code == 422
        assert "Tea \N{REPLACEMENT CHARACTER} is hot." in page.content.decode()
        assert "stands for a character that cannot be saved" in text_of(page)
    assert not Decision.objects.exists()
