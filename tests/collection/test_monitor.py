"""The monitor's numbers, each with what it rests on, and who is stuck."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection import monitor_tables
from collection.selectors import monitoring
from collection.selectors.stuck import stuck
from core import clock
from studies import links, services
from studies.models import LedgerEntry, Participation, Region, Study
from studies.participation import ENDINGS, Status
from studies.permissions import Role
from tests.collection import review_cast

pytestmark = pytest.mark.django_db

DAY = 24


@pytest.fixture
def world():
    return review_cast.world()


def part(world):
    return monitoring.figures(world.study)[0]


def counted(world):
    """{region: {status: n}} without the zeros."""
    return {
        row.region: {s: n for s, n in zip(monitoring.COLUMNS, row.counts, strict=True) if n}
        for row in part(world).counts
    }


def earn(row, minor):
    LedgerEntry.objects.create(
        participation=row,
        kind="reward",
        amount_minor=minor,
        currency="EUR",
        key=f"{row.code} {minor}",
        at=clock.now(),
    )


def test_every_status_has_one_column():
    assert sorted(monitoring.COLUMNS) == sorted(Status)


def test_everybody_is_counted_once_by_region_in_order_and_status(world):
    for status in Status:
        world.come(status)
    world.come(region=None, status=Status.SCREENED_OUT)
    world.come(region="moor")
    assert [row.region for row in part(world).counts] == [
        *("Harbour", "Terraces", "Marsh", "High Moor", "not yet known", "all")
    ]
    found = counted(world)
    assert found["Harbour"] == dict.fromkeys(monitoring.COLUMNS, 1)
    assert found["High Moor"] == {"submitted": 1}
    assert found["not yet known"] == {"screened_out": 1}
    assert part(world).counts[-1].total == Participation.objects.count() == len(Status) + 2


def test_the_page_folds_statuses_into_columns_and_says_who_is_in_them(world):
    for status in (Status.INVITED, Status.RETURNED, Status.RETURNED, Status.TIMED_OUT, Status.REDO):
        world.come(status)
    titles = [title for title, _ in monitoring.GROUPS]
    everybody = dict(zip(titles, part(world).counts[-1].groups, strict=True))
    assert everybody["left"] == (3, [("returned", 2), ("timed_out", 1)])
    assert everybody["coming in"] == (1, [("invited", 1)])
    assert everybody["asked again"] == (1, [])
    assert everybody["accepted"] == (0, [])


def test_places_are_those_held_and_fall_free_with_whoever_leaves(world):
    for status in (Status.ACTIVE, Status.ACCEPTED, *ENDINGS):
        world.come(status)
    harbour = part(world).places[0]
    assert (harbour.region, harbour.target) == ("Harbour", 5)
    assert (harbour.held, harbour.accepted, harbour.free) == (3, 2, 2)


def test_more_than_wanted_leaves_no_place_free_and_not_less_than_none(world):
    Region.objects.filter(slug="harbour").update(target=1)
    for _ in range(2):
        world.come(Status.ACCEPTED)
    harbour = part(world).places[0]
    assert (harbour.held, harbour.free) == (2, 0)


def test_forms_are_counted_by_status_without_whoever_withdrew(world):
    for status in (Status.ACTIVE, Status.SUBMITTED, Status.REDO, Status.ACCEPTED, Status.REJECTED):
        world.come(status)
    world.come(Status.WITHDRAWN)
    first, second = part(world).forms
    assert (first.number, second.number) == (1, 2)
    statuses = ("draft", "submitted", "accepted", "redo", "rejected")
    assert first.statuses == dict.fromkeys(statuses, 1)


def test_the_share_of_questions_with_an_answer_is_that_of_forms_that_were_sent(world):
    world.come(answers={"guests": None, "gifts": None})
    world.come()
    world.come(Status.ACTIVE, answers={"guests": None})
    first, second = part(world).forms
    assert (first.answered, first.asked) == (4, 6)
    assert (second.answered, second.asked) == (6, 6)


def test_a_median_says_how_many_it_rests_on_or_why_there_is_none(world):
    assert part(world).times_in_words == "nobody has finished yet"
    assert part(world).wage_in_words == "nobody is accepted or rejected yet"
    for minutes in (12, 24, 36):
        earn(world.come(Status.ACCEPTED, minutes=minutes), 400)
    world.come(Status.ACTIVE, minutes=99)
    assert part(world).times_in_words == "24 min (18 min to 30 min, n 3)"
    assert part(world).forms[0].times.median == 12 * 60_000
    assert part(world).wage_in_words == "10.00 EUR (8.33 EUR to 15.00 EUR, n 3)"


def test_an_hour_without_measured_time_has_no_wage_and_says_so(world):
    earn(world.come(Status.ACCEPTED, minutes=0), 400)
    assert part(world).wage_in_words == "no time was measured of those accepted or rejected"


def test_an_hour_is_what_those_decided_on_earned_and_not_who_was_turned_away(world):
    earn(world.come(Status.ACCEPTED, minutes=60), 1200)
    world.come(Status.REJECTED, minutes=60)  # and earned nothing
    others = set(Status) - {Status.ACCEPTED, Status.REJECTED}
    for status in others:
        earn(world.come(status, minutes=0.01), 1)  # 100 EUR an hour
    assert part(world).wage_in_words == "6.00 EUR (3.00 EUR to 9.00 EUR, n 2)"


@pytest.mark.parametrize(("held", "width"), [(0, 0), (1, 18.8), (5, 94), (6, 94)])
def test_a_quota_is_drawn_on_all_of_its_places(world, held, width):
    for _ in range(held):
        world.come(Status.ACTIVE)
    chart = monitor_tables.places(world.study, part(world)).chart
    assert "0 %</text>" in chart
    assert re.findall(r">(\d+) %</text>", chart) == ["0", "25", "50", "75", "100"]
    bars = re.findall(r'class="bar[^>]* width="([\d.]+)%"', chart)
    assert float(bars[0]) == pytest.approx(width)


# --- Who is stuck ---------------------------------------------------------------------------------


def reasons(world):
    return [(each.row.pk, each.why) for each in stuck(world.study)]


@pytest.mark.parametrize(
    ("status", "hours", "why"),
    [
        (Status.ACTIVE, 48, "silent for more than 2 days while answering"),
        (Status.INVITED, 7 * DAY, "invited and not opened for more than 7 days"),
        (Status.REDO, 48, "asked again and silent for more than 2 days"),
        (Status.SUBMITTED, 72, "waiting for your review for more than 3 days"),
    ],
)
def test_who_has_not_moved_for_long_is_stuck_and_who_has_lately_is_not(world, status, hours, why):
    waiting = world.silent(world.come(status), hours + 1)
    world.silent(world.come(status), hours - 1)
    assert reasons(world) == [(waiting.pk, why)]
    found = stuck(world.study)[0]
    assert found.since == waiting.created
    assert found.next_step.endswith(".")


def test_an_invitation_that_was_opened_is_not_unopened(world):
    row = world.come(Status.INVITED)
    world.silent(row, 8 * DAY, opened=clock.now())
    assert reasons(world) == []


def test_whoever_was_asked_again_has_time_from_that_moment_on(world):
    row = world.silent(world.come(Status.REDO), 90)
    row.submissions.filter(number=2).update(touched=clock.now())
    assert reasons(world) == []


def test_whose_time_is_nearly_up_is_warned_of_and_whose_is_over_is_not(world):
    near = world.come(Status.ACTIVE, deadline=clock.later(47 * 3600), last_seen=clock.now())
    world.come(Status.ACTIVE, deadline=clock.later(49 * 3600), last_seen=clock.now())
    world.come(Status.ACTIVE, deadline=clock.ago(3600), last_seen=clock.now())
    assert reasons(world) == [(near.pk, "time is up within 2 days")]


@pytest.mark.parametrize("status", ENDINGS)
def test_nobody_is_stuck_at_an_ending(world, status):
    world.silent(world.come(status), 99 * DAY)
    assert reasons(world) == []


# --- The page -------------------------------------------------------------------------------------


@pytest.fixture
def visit(world, client, django_user_model):
    """Open a page of the study with a role."""

    def visit(name, role=Role.OWNER, *arguments, **headers):
        email = f"{role}@example.org"
        user = django_user_model.objects.filter(email=email).first()
        if user is None:
            user = django_user_model.objects.create_user(email, "a password")
            services.invite(world.study, email, role, "test")
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        address = reverse(f"collection:{name}", args=(world.study.slug, *arguments))
        return client.get(address, headers=headers)

    return visit


def test_personal_links_are_for_those_who_recruit(world, visit):
    row = world.silent(world.come(Status.ACTIVE), 3 * DAY)
    link = f"http://testserver{links.personal(row)}"
    assert link in visit("monitor").content.decode()
    page = visit("monitor", Role.VIEWER).content.decode()
    assert row.participant.code in page
    assert links.token(row) not in page


def test_an_annotator_does_not_watch(world, visit):
    assert visit("monitor", Role.ANNOTATOR).status_code == 403
    assert visit("monitor_counts", Role.ANNOTATOR).status_code == 403
    assert visit("monitor_file", Role.ANNOTATOR, "forms", "csv").status_code == 403


def test_an_empty_study_has_a_monitor_of_reasons(world, visit):
    page = visit("monitor").content.decode()
    assert "Nobody is stuck" in page
    assert "nobody is accepted or rejected yet" in page
    assert "20 of 20 places are free, 0 are accepted" in page


def test_forms_and_expected_times_are_spoken_of_in_words(world, visit):
    world.come(Status.REDO)
    page = visit("monitor").content.decode()
    assert f"about {world.activity.minutes} min are expected" in page
    words = re.findall(r">([^<]+)</th>", page.partition("Form by form")[2])
    assert words[:6] == ["Form", "Being written", "Sent", "Asked again", "Accepted", "Rejected"]


def test_the_part_that_refreshes_comes_again_only_when_something_has_changed(world, visit):
    world.come()
    first = visit("monitor_counts")
    assert first.status_code == 200
    tag = first["ETag"]
    assert visit("monitor_counts", **{"if-none-match": tag}).status_code == 304
    world.come()
    assert visit("monitor_counts", **{"if-none-match": tag}).status_code == 200


@pytest.mark.parametrize("name", ["statuses", "regions", "forms", "times", "stuck"])
def test_every_table_is_a_file_too(world, visit, name):
    row = world.silent(world.come(), 4 * DAY)
    response = visit("monitor_file", Role.OWNER, name, "csv")
    text = b"".join(response.streaming_content).decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert lines[0]["activity"] == "everyday_life"
    if name == "statuses":
        assert lines[0]["submitted"] == lines[0]["total"] == "1"
    if name == "stuck":
        assert lines[0]["participant"] == row.participant.code
        assert links.token(row) not in text


def test_there_is_no_other_table(world, visit):
    assert visit("monitor_file", Role.OWNER, "answers", "csv").status_code == 404


def test_a_simulated_study_says_so_on_both_pages(world, visit):
    Study.objects.update(simulated=True)
    for name in ("monitor", "review"):
        assert "these figures come from simulated people" in visit(name).content.decode()


def test_the_monitor_takes_as_many_queries_for_many_as_for_one(world, django_assert_num_queries):
    world.come()
    with CaptureQueriesContext(connection) as one:
        monitoring.figures(world.study)
    for _ in range(9):
        world.come()
    with django_assert_num_queries(len(one)):
        monitoring.figures(world.study)
