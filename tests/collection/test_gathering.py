"""From things named in answers to artifacts, and what a withdrawal leaves of them."""

import pytest

from collection import services
from collection.services.artifacts import Gathered
from core import jobs
from core.models import AuditEntry, Job
from studies import artifacts
from studies import services as studies
from studies.models import Activity, Artifact, ArtifactName, ArtifactSource
from studies.participation import Status
from tests.collection import review_cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    made = review_cast.world()
    Activity.objects.update(phase="main")
    made.activity.refresh_from_db()
    return made


def come(world, *things, status=Status.ACCEPTED, included=True, **columns):
    return world.come(status, answers={"things": list(things)}, included=included, **columns)


def gather(world):
    return services.gather(world.study, "test")


def found():
    """(region, status, names, how many named it) of what stands."""
    rows = Artifact.objects.exclude(status="merged").order_by("pk")
    return [
        (
            row.region.slug,
            row.status,
            [name.text for name in artifacts.in_order(row)],
            row.sources.count(),
        )
        for row in rows
    ]


def withdraw(row):
    studies.withdraw(row.participant, "test")
    for job in Job.objects.filter(kind="studies.withdrawal", status="queued"):
        jobs.execute(job.pk)


def test_several_people_who_name_the_same_make_one_artifact_with_several_sources(world):
    come(world, "Kite", "Salt  herring")
    come(world, "KITE ", "Drum")
    come(world, "kite", region="marsh")
    assert gather(world) == Gathered(namings=5, made=4, unreadable=0)
    assert artifacts.listed(world.study).get(names__text="Kite").people == 2
    assert found() == [
        ("harbour", "proposed", ["Kite"], 2),
        ("harbour", "proposed", ["Salt herring"], 1),
        ("harbour", "proposed", ["Drum"], 1),
        ("marsh", "proposed", ["kite"], 1),
    ]


def test_gathering_again_adds_nothing_and_is_not_told(world):
    come(world, "Kite")
    gather(world)
    assert gather(world) == Gathered(0, 0, 0)
    assert ArtifactSource.objects.count() == 1
    assert AuditEntry.objects.filter(action="artifacts.gathered").count() == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"status": Status.SUBMITTED},
        {"status": Status.REDO},
        {"status": Status.REJECTED},
        {"included": False},
    ],
)
def test_what_is_not_accepted_and_included_does_not_enter(world, columns):
    come(world, "Kite", **columns)
    assert gather(world) == Gathered(0, 0, 0)


def test_a_pilot_never_enters(world):
    Activity.objects.update(phase="pilot")
    come(world, "Kite")
    assert gather(world) == Gathered(0, 0, 0)


def test_whoever_has_withdrawn_does_not_enter(world):
    row = come(world, "Kite")
    studies.withdraw(row.participant, "test")
    assert gather(world) == Gathered(0, 0, 0)


def test_what_cannot_be_a_name_is_counted_and_left_in_its_answer(world):
    come(world, "x" * 201, "\u200b", "Kite")
    assert gather(world) == Gathered(namings=1, made=1, unreadable=2)


def test_a_name_merged_away_finds_what_stands_for_it(world):
    come(world, "Bandhani", "Bandhej")
    gather(world)
    one, other = Artifact.objects.order_by("pk")
    studies.merge(world.study, [other.code], one.code, "test")
    come(world, "bandhej")
    assert gather(world) == Gathered(namings=1, made=0, unreadable=0)
    assert found() == [("harbour", "proposed", ["Bandhani", "Bandhej"], 3)]


def test_what_was_left_out_stays_left_out_and_counts_who_named_it(world):
    come(world, "Kite")
    gather(world)
    studies.leave_out(world.study, [Artifact.objects.get().code], "test")
    come(world, "Kite")
    gather(world)
    assert found() == [("harbour", "left_out", ["Kite"], 2)]


# --- withdrawal ---------------------------------------------------------------------------------


def words():
    return [(row.text, row.about) for row in ArtifactSource.objects.order_by("pk")]


def test_a_withdrawal_removes_what_nobody_else_named(world):
    row = come(world, "Kite", "Drum")
    come(world, "Drum")
    gather(world)
    withdraw(row)
    assert found() == [("harbour", "proposed", ["Drum"], 2)]
    assert words() == [("", ""), ("Drum", "")]


def test_what_the_team_has_listed_stays_without_the_words_of_who_named_it(world):
    row = come(world, "Kite")
    gather(world)
    studies.list_again(world.study, [Artifact.objects.get().code], "test")
    withdraw(row)
    assert found() == [("harbour", "listed", ["Kite"], 1)]
    assert words() == [("", "")]


def test_of_a_merged_artifact_only_the_name_goes_that_nobody_else_gave(world):
    row = come(world, "Bandhani")
    come(world, "Bandhej")
    gather(world)
    one, other = Artifact.objects.order_by("pk")
    studies.merge(world.study, [other.code], one.code, "test")
    withdraw(row)
    assert found() == [("harbour", "proposed", ["Bandhej"], 2)]
    assert ArtifactName.objects.get().kind == "name"


def test_an_artifact_goes_with_what_was_merged_into_it(world):
    row = come(world, "Bandhani", "Bandhej")
    gather(world)
    one, other = Artifact.objects.order_by("pk")
    studies.merge(world.study, [other.code], one.code, "test")
    withdraw(row)
    assert not Artifact.objects.exists()
    assert artifacts.merges(world.study) == []


def test_withdrawing_again_removes_nothing_more(world):
    row = come(world, "Kite")
    gather(world)
    withdraw(row)
    assert services.forget_named(row.participant) == {"namings": 0, "names": 0, "artifacts": 0}
    told = AuditEntry.objects.get(action="participant.words_removed", data__handler="artifacts")
    assert told.data["removed"] == {"namings": 1, "names": 1, "artifacts": 1}
