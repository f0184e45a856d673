"""From gold to a release, and what a withdrawal does to it."""

import json

import pytest

from annotation.services import deciding, judging, projects, queueing
from annotation.services.projects import open_project
from core.errors import CommonplaceError
from releases import canonical, gathering, selectors, services, storing
from releases.models import Release
from studies.participation import ENDINGS, Status
from studies.services import withdraw
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge, people, world
from tests.collection import answered

pytestmark = pytest.mark.django_db
__all__ = ["people", "world"]


def of_all(task):
    return agreement(f"{task.question.key} there", task.payload["answers"])


def all_decided(world, people, said):
    """Two regions, all decided as `said`: gold in both on tea, in one on gift, and compared."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    ann, ben = people("ann", "ben")
    project = world.open()
    for user in (ann, ben):
        for _task in range(3):
            judge(project, user, said)
    pair = open_project(world.study, "pair", "test")
    everywhere = open_project(world.study, "universal", "test")
    both = {"choice": "universal", "regions": [world.first, world.second]}
    for user in (ann, ben):
        judge(pair, user, {"choice": "agree"})
        judge(everywhere, user, both)
    world.people = list(world.activity.participations.order_by("pk"))
    return world


@pytest.fixture
def decided(world, people):
    return all_decided(world, people, of_all)


@pytest.fixture
def worded(world, people):
    """The two regions agree on tea in other words, which is right and worth a look."""

    def in_other_words(task):
        text = f"{task.question.key} in {task.region.slug}"
        return agreement(text, task.payload["answers"])

    return all_decided(world, people, in_other_words)


def freeze(world, **more):
    return services.freeze_study(world.study, "everyday", actor="test", **more)


def responses(release):
    return [
        json.loads(line) for line in storing.read(release.parts.get(name="responses")).splitlines()
    ]


def test_a_release_holds_the_gold_the_relations_the_flow_and_the_answers(decided):
    release, created = freeze(decided, licence="CC-BY-4.0")
    assert (release.label, created, release.licence) == ("everyday@1", True, "CC-BY-4.0")
    tea = release.items.get(key="tea").payload
    assert tea["gold"][decided.first] == [{"text": {"en": "tea there"}}]
    assert tea["relations"] == {
        "pairs": [{"a": decided.first, "b": decided.second, "agree": True}],
        "all": True,
    }
    gift = release.items.get(key="gift").payload
    assert gift["gold"] == {
        decided.first: [{"text": {"en": "gift there"}}],
        decided.second: None,
    }
    flow = release.about["study"]["participants"]
    assert (flow["invited"], flow["kept"]) == (8, 8)
    assert len(responses(release)) == 5 * 2 + 3
    assert release.contributions.count() == 8
    assert not release.findings.exists()


def test_frozen_again_without_a_change_it_is_the_same_release(decided):
    release, _ = freeze(decided)
    assert freeze(decided) == (release, False)


def test_what_is_not_decided_has_to_be_accepted_with_a_reason_that_is_kept(decided):
    decided.come(decided.first, tea="With sugar.")
    with pytest.raises(CommonplaceError) as refused:
        freeze(decided)
    assert refused.value.code == "release.findings_open"
    assert {each["code"] for each in refused.value.data["findings"]} == {"stale"}
    assert not Release.objects.exists()
    release, _ = freeze(decided, accepted="one more came late")
    assert {each.reason for each in release.findings.all()} == {"one more came late"}


def test_a_changed_decision_makes_the_next_version_and_supersedes_the_one_before(decided, people):
    first, _ = freeze(decided)
    task = decided.task("gift", decided.first)
    (cem,) = people("cem")
    deciding.decide(task, NO_AGREEMENT, "two kinds of cloth", cem, task.inputs)
    second, created = freeze(decided)
    first.refresh_from_db()
    assert (second.label, created, first.superseded_by) == ("everyday@2", True, second)
    assert not second.items.filter(key="gift").exists()


def test_nobodys_answers_are_published_who_did_not_agree_to_that(decided):
    row = decided.people[0].participant.consents.get()
    type(row).objects.filter(pk=row.pk).update(purposes=["take_part"])
    release, _ = freeze(decided)
    codes = {each["participant"] for each in responses(release)}
    assert decided.people[0].participant.code not in codes
    assert len(codes) == 7


def test_a_withdrawal_makes_a_successor_and_erases_the_words_everywhere(decided):
    old, _ = freeze(decided)
    gone = decided.people[0].participant
    path = storing._name(old.parts.get(name="responses").sha256)
    withdraw(gone, "test")
    services.forget(gone)
    services.forget(gone)  # may run again
    old.refresh_from_db()
    new = old.superseded_by
    assert new.label == "everyday@2"
    assert gone.code not in {each["participant"] for each in responses(new)}
    assert len(responses(new)) == 5 * 2 + 3 - 2
    with pytest.raises(CommonplaceError) as erased:
        responses(old)
    assert (erased.value.http_status, erased.value.data["successor"]) == (410, "everyday@2")
    assert not storing._store().exists(path)
    assert old.items.count() == new.items.count() == 2  # gold stays readable
    assert not gone.contributions.exists()


def test_a_withdrawal_during_a_freeze_is_in_no_release(decided, monkeypatch):
    """Somebody leaves after the answers were read and before the release is made."""
    gone = decided.people[0].participant
    write = storing.write

    def leave_first(data):
        if gone.status != "withdrawn":
            withdraw(gone, "test")
            gone.refresh_from_db()
        return write(data)

    monkeypatch.setattr(storing, "write", leave_first)
    release, _ = freeze(decided, accepted="somebody left meanwhile")
    assert gone.code not in {each["participant"] for each in responses(release)}
    assert not release.contributions.filter(participant=gone).exists()


def test_only_members_of_the_study_see_its_release_and_what_is_built_of_it(
    decided, client, django_user_model
):
    release, _ = freeze(decided)
    stranger = django_user_model.objects.create_user("zoe@example.org", "a password")
    client.force_login(stranger, backend="django.contrib.auth.backends.ModelBackend")
    address = f"/releases/{release.name}/{release.version}/"
    assert client.get(address).status_code == 404
    assert release.label.encode() not in client.get("/releases/").content
    member = django_user_model.objects.get(email="ann@example.org")
    client.force_login(member, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(address).status_code == 200


def test_the_page_shows_the_findings_and_freezes_with_a_reason(decided, as_alice):
    address = f"/studies/{decided.study.slug}/freeze/"
    decided.come(decided.first, tea="With sugar.")
    for project in decided.study.projects.all():
        projects.refresh(project)
    page = as_alice.get(address)
    assert page.status_code == 200
    assert "nobody has looked again" in page.content.decode()
    given = {"name": "everyday", "licence": "CC-BY-4.0", "reason": ""}
    assert as_alice.post(address, given).status_code == 422
    done = as_alice.post(address, given | {"reason": "one more came late"})
    assert (done.status_code, done["Location"]) == (302, "/releases/everyday/1/")


def test_nothing_decided_is_nothing_to_freeze(world):
    with pytest.raises(CommonplaceError) as refused:
        freeze(world)
    assert refused.value.code == "release.no_gold"


def test_two_who_leave_together_are_both_in_no_later_version(decided):
    old, _ = freeze(decided)
    both = [person.participant for person in decided.people[:2]]
    for gone in both:
        withdraw(gone, "test")
    for gone in both:
        services.forget(gone)
    codes = {
        each["participant"]
        for each in responses(Release.objects.get(name=old.name, superseded_by=None))
    }
    assert not codes & {gone.code for gone in both}


def test_a_worker_that_died_before_erasing_is_followed_by_one_that_does(decided, monkeypatch):
    old, _ = freeze(decided)
    gone = decided.people[0].participant
    path = storing._name(old.parts.get(name="responses").sha256)
    withdraw(gone, "test")

    class Died(Exception):
        pass

    def die(_sha256):
        raise Died

    with monkeypatch.context() as dying:
        dying.setattr(storing, "erase", die)
        with pytest.raises(Died):
            services.forget(gone)
    assert storing._store().exists(path)
    services.forget(gone)
    assert not storing._store().exists(path)
    assert not gone.contributions.exists()


def test_a_freeze_that_a_withdrawal_breaks_leaves_no_words(decided, monkeypatch):
    gone, write, written = decided.people[0].participant, storing.write, []

    def leave_first(data):
        if gone.status != "withdrawn":
            withdraw(gone, "test")
            gone.refresh_from_db()
        written.append(write(data))
        return written[-1]

    monkeypatch.setattr(storing, "write", leave_first)
    release, _ = freeze(decided, accepted="somebody left meanwhile")
    assert len(written) == 2 * release.parts.count()
    store = storing._store()
    left = [path for sha in written if store.exists(path := storing._name(sha))]
    assert left
    assert not any(gone.code.encode() in storing._read(store, path) for path in left)


def test_a_freeze_that_a_withdrawal_breaks_leaves_what_another_may_be_freezing(decided):
    """Whoever freezes the same gold at that moment has found its bytes stored, and counts on it."""
    draft = services.studies._draft(decided.study, "everyday", "", "")
    withdraw(decided.people[0].participant, "test")
    with pytest.raises(services.freezing.Withdrawn):
        services.freeze(draft, actor="test", action="release.frozen")
    items = canonical.sha256(canonical.lines(draft.rows))
    assert storing._store().exists(storing._name(items))


@pytest.mark.parametrize("before", [0, 1])
def test_of_two_who_freeze_at_once_the_second_makes_the_next_version(decided, monkeypatch, before):
    for _earlier in range(before):
        freeze(decided)
    write, others = storing.write, []

    def overtake(data):
        if not others:
            others.append("on the way")
            others.append(freeze(decided, licence="CC0-1.0")[0])
        return write(data)

    monkeypatch.setattr(storing, "write", overtake)
    release, created = freeze(decided, licence="CC-BY-4.0")
    first = Release.objects.get(pk=others[1].pk)
    assert (first.version, release.version, created) == (before + 1, before + 2, True)
    assert (first.licence, release.licence) == ("CC0-1.0", "CC-BY-4.0")
    assert first.superseded_by == release


FLOW = {
    "screened_out": {Status.SCREENED_OUT, Status.QUOTA_FULL},
    "declined": {Status.DECLINED},
    "dropped": {Status.RETURNED, Status.TIMED_OUT, Status.CUT_SHORT},
    "unfinished": {
        *(Status.INVITED, Status.CONSENTING, Status.SCREENING, Status.ACTIVE, Status.REDO)
    },
    "awaiting_review": {Status.SUBMITTED},
    "rejected": {Status.REJECTED},
    "withdrawn": {Status.WITHDRAWN},
    "kept_out": {Status.ACCEPTED},
}


def in_status(world, status):
    ended = {"ended": answered.WHEN, "ended_reason": status} if status in ENDINGS else {}
    return answered.person(world.activity, status=status, **ended)


@pytest.mark.parametrize("status", Status)
def test_every_status_is_counted_in_one_row_of_the_flow_that_names_it(world, status):
    """An accepted form is in `kept_out` where nobody has said that it counts."""
    before = gathering.flow(world.study)
    in_status(world, status)
    after = gathering.flow(world.study)
    grown = {name for name in after if after[name] == before[name] + 1}
    assert grown == {"invited", *(name for name, held in FLOW.items() if status in held)}
    assert {name for name in after if after[name] != before[name]} == grown


def test_the_rows_of_the_flow_sum_up_to_the_invited(world):
    for status in Status:
        in_status(world, status)
    flow = gathering.flow(world.study)
    assert flow.keys() == {"invited", *FLOW, "kept"}
    assert flow["kept"] == 8
    assert flow.pop("invited") == sum(flow.values()) == 8 + len(Status)


# --- What is only a note --------------------------------------------------------------------------


def test_a_note_is_listed_and_counted_and_wants_no_reason(worded):
    release, _ = freeze(worded)
    (note,) = release.findings.all()
    assert (note.code, note.accepted_by, note.reason) == ("different_text_agree", "", "")
    assert release.about["study"]["findings"] == {"accepted": 0, "notes": 1}


def test_beside_a_note_what_is_open_still_wants_a_reason_which_the_note_does_not_get(worded):
    worded.come(worded.first, tea="With sugar.")
    with pytest.raises(CommonplaceError) as refused:
        freeze(worded)
    assert refused.value.code == "release.findings_open"
    open_codes = [each["code"] for each in refused.value.data["findings"]]
    assert set(open_codes) == {"stale"}
    assert refused.value.message.startswith(f"{len(open_codes)} finding")
    release, _ = freeze(worded, accepted="one more came late")
    assert dict(release.findings.values_list("code", "reason")) == {
        "stale": "one more came late",
        "different_text_agree": "",
    }
    assert release.about["study"]["findings"] == {"accepted": len(open_codes), "notes": 1}


def test_a_reason_with_nothing_but_notes_changes_no_byte(worded):
    release, _ = freeze(worded)
    assert freeze(worded, accepted="it reads well") == (release, False)


# --- What is found once ---------------------------------------------------------------------------


def test_a_pair_that_waits_is_found_once_by_its_task_and_one_without_by_its_regions(world, people):
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    project = world.open()
    for user in people("ann", "ben"):
        while row := queueing.take(project, user):
            judging.submit(row, of_all(row.task))

    def found():
        return [
            (each["code"], each["item"])
            for each in gathering.gather(world.study).findings
            if each["detail"].get("kind") != "universal"
        ]

    assert found() == [("pair_not_compared", "tea")]
    pair = open_project(world.study, "pair", "test")
    assert found() == [("undecided", "tea")]
    pair.tasks.update(stale=True)
    assert found() == [("stale", "tea")]
    pair.tasks.all().delete()
    assert found() == [("pair_not_compared", "tea")]


def test_what_nobody_has_compared_is_not_said_to_differ(world, people):
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    project = world.open()
    for user in people("ann", "ben"):
        while row := queueing.take(project, user):
            judging.submit(row, of_all(row.task))
    release, _ = freeze(world, accepted="seen and kept")
    assert "pair_not_compared" in release.findings.values_list("code", flat=True)
    asked = {item.key: item.payload["relations"]["all"] for item in release.items.all()}
    assert asked == {"tea": None, "gift": False}  # gift has gold in one region alone
    described = selectors.describe(release)
    assert [(pair["agree"], pair["both"]) for pair in described["pairwise"]] == [(0, 0)]
    assert described["universal"] == {"agree": 0, "all_valid": 0}
