"""What the page says before a study is frozen, and after."""

import pytest

from annotation.services import queueing
from annotation.services.projects import open_project
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge, people, world
from tests.annotation.paged import text_of, where
from tests.collection import answered

pytestmark = pytest.mark.django_db
__all__ = ["people", "world"]

FREEZE = "/studies/lantern_coast/freeze/"


def of_all(task):
    return agreement("The same there", task.payload["answers"])


@pytest.fixture
def two(world):
    """Only the two regions there are answers of."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    return world


def groups(client):
    return {each.sentence: each for each in client.get(FREEZE).context["groups"]}


def addresses(client):
    return [place.address for group in groups(client).values() for place in group.places]


def judged_by_both(project, users, value, tasks=1):
    for user in users:
        for _task in range(tasks):
            judge(project, user, value)


def test_what_is_open_leads_to_where_it_is_judged_decided_or_put_back(two, people, as_alice):
    project, (ann, ben, cem) = two.open(), people("ann", "ben", "cem")
    judge(project, ann, of_all)
    judge(project, ben, NO_AGREEMENT)
    queueing.flag(queueing.take_task(two.task("tea", two.second), cem), "What is meant?")
    (undecided,) = groups(as_alice).values()
    about = {place.about.split(", ")[1]: place.address for place in undecided.places}
    assert about == {
        "they differ": where("dispute", "agreement", f"tea.{two.first}"),
        "flagged": where("dispute", "agreement", f"tea.{two.second}"),
        "not judged by all": where("projects") + "#agreement",
    }
    assert [as_alice.get(address).status_code for address in about.values()] == [200] * 3


def test_a_pair_nobody_compared_leads_to_the_annotation_that_is_not_open_yet(two, people, as_alice):
    judged_by_both(two.open(), people("ann", "ben"), of_all, tasks=3)
    (group,) = groups(as_alice).values()
    assert group.places[0].about == "Harbour and Terraces, no task yet"
    assert addresses(as_alice) == [where("projects") + "#pair"]


def test_a_contradiction_leads_to_the_pair_or_to_all_regions(two, people, as_alice):
    users = people("ann", "ben")
    judged_by_both(two.open(), users, of_all, tasks=3)
    judged_by_both(open_project(two.study, "pair", "test"), users, {"choice": "differ"})
    every = {"choice": "universal", "regions": [two.first, two.second]}
    judged_by_both(open_project(two.study, "universal", "test"), users, every)
    found = groups(as_alice)
    assert {each.count for each in found.values()} == {1}
    assert sorted(addresses(as_alice)) == sorted(
        [
            where("dispute", "pair", f"tea.{two.first}.{two.second}"),
            where("dispute", "universal", "tea"),
        ]
    )
    assert all(as_alice.get(address).status_code == 200 for address in addresses(as_alice))


def test_what_would_be_in_it_is_said_beside_what_it_is_part_of(two, people, as_alice):
    row = two.activity.participations.first().participant.consents.get()
    type(row).objects.filter(pk=row.pk).update(purposes=["take_part"])
    judged_by_both(two.open(), people("ann", "ben"), of_all, tasks=3)
    page = text_of(as_alice.get(FREEZE))
    assert "Questions with gold 2 of 2 annotated" in page
    assert "Gold answers of regions 3 of 3 annotated" in page
    assert "by 7 of 8 people" in page
    assert "of 8 invited, 8 kept." in page


def test_a_sentence_is_asked_for_only_where_something_is_open(two, people, as_alice):
    users = people("ann", "ben")
    judged_by_both(two.open(), users, of_all, tasks=3)
    assert "Why the findings may stay" in text_of(as_alice.get(FREEZE))
    judged_by_both(open_project(two.study, "pair", "test"), users, {"choice": "agree"})
    every = {"choice": "universal", "regions": [two.first, two.second]}
    judged_by_both(open_project(two.study, "universal", "test"), users, every)
    page = text_of(as_alice.get(FREEZE))
    assert "Ready to freeze" in page
    assert "Why the findings may stay" not in page


def test_notes_stand_apart_from_what_is_in_the_way_and_ask_for_nothing(two, people, as_alice):
    users = people("ann", "ben")

    def worded(task):
        return agreement(f"So in {task.region.slug}", task.payload["answers"])

    judged_by_both(two.open(), users, worded, tasks=3)
    judged_by_both(open_project(two.study, "pair", "test"), users, {"choice": "agree"})
    every = {"choice": "universal", "regions": [two.first, two.second]}
    judged_by_both(open_project(two.study, "universal", "test"), users, every)
    page = as_alice.get(FREEZE)
    words = text_of(page)
    assert "Ready to freeze" in words
    assert "What is in the way" not in words
    assert "Worth a look" in words
    assert "Two regions gave different texts and are said to agree. 1 time" in words
    assert "Why the findings may stay" not in words
    assert where("dispute", "pair", f"tea.{two.first}.{two.second}") in page.content.decode()
    done = as_alice.post(FREEZE, {"name": "everyday", "licence": "", "reason": ""}, follow=True)
    assert "Frozen as everyday@1" in text_of(done)
    assert "1 note" in text_of(as_alice.get(FREEZE))


def test_where_nobody_is_lost_the_page_names_every_way_out(two, people, as_alice):
    judged_by_both(two.open(), people("ann", "ben"), of_all, tasks=3)
    answered.person(two.activity, status="submitted")
    answered.person(two.activity, status="active")
    for status in ("declined", "accepted"):
        ended = {"ended": answered.WHEN, "ended_reason": status}
        answered.person(two.activity, status=status, **ended)
    assert (
        "of 12 invited, 8 kept, 1 declined, 1 not done yet, 1 awaiting review, "
        "1 accepted but kept out."
    ) in text_of(as_alice.get(FREEZE))


def test_after_freezing_the_page_leads_to_the_release_its_files_and_a_benchmark(
    two, people, as_alice
):
    judged_by_both(two.open(), people("ann", "ben"), of_all, tasks=3)
    given = {"name": "everyday", "licence": "CC-BY-4.0", "reason": "Compared next month."}
    done = as_alice.post(FREEZE, given, follow=True)
    assert "Frozen as everyday@1: it can no longer change." in text_of(done)
    page = as_alice.get(FREEZE)
    assert page.context["form"].initial == {"name": "everyday", "licence": "CC-BY-4.0"}
    for address in ("/releases/everyday/1/", "/releases/everyday/1/#files", "everyday%401"):
        assert address in page.content.decode()
    assert "1 accepted" in text_of(page)


def test_nothing_decided_leads_to_the_annotation_and_offers_no_form(world, as_alice):
    page = as_alice.get(FREEZE)
    assert "Nothing to freeze yet" in text_of(page)
    assert where("projects") in page.content.decode()
    assert "Name of the release" not in text_of(page)


def test_who_holds_a_place_at_what_was_flagged_is_led_to_the_annotation(
    two, people, as_alice, alice
):
    two.open()
    (ann,) = people("ann")
    task = two.task("tea", two.second)
    queueing.flag(queueing.take_task(task, ann), "What is meant?")
    dispute = where("dispute", "agreement", f"tea.{two.second}")
    assert dispute in addresses(as_alice)
    queueing.take_task(task, alice)
    assert dispute not in addresses(as_alice)
    assert as_alice.get(dispute).status_code == 404


def test_a_reason_accepts_only_findings_that_were_in_view(two, people, as_alice):
    """Somebody else's answer comes in between, and what was decided of it is out of date."""
    judged_by_both(two.open(), people("ann", "ben"), of_all, tasks=3)
    seen = as_alice.get(FREEZE).context["gathered"].findings_sha256
    two.come(two.first, tea="With sugar.")
    given = {"name": "everyday", "reason": "the pair is not compared yet", "seen": seen}
    refused = as_alice.post(FREEZE, given)
    assert refused.status_code == 422
    assert "has changed since you opened this" in text_of(refused)
    assert "the pair is not compared yet" in refused.content.decode()
    assert not two.study.releases.exists()
    shown = refused.context["gathered"].findings_sha256
    assert f'name="seen" value="{shown}"' in refused.content.decode()
    assert as_alice.post(FREEZE, given | {"seen": shown}).status_code == 302
    assert {each.code for each in two.study.releases.get().findings.all()} >= {"stale"}
