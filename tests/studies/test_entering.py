"""Coming in through a recruiter, several at once, and the last place of a region."""

import threading

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from core import clock
from core.errors import CommonplaceError
from studies import services
from studies.models import (
    Activity,
    Participant,
    Participation,
    Place,
    RecruiterIdentity,
    Region,
    Residence,
    Study,
)
from studies.participation import Action, Status
from studies.recruiter import PERSON, SESSION, STUDY, Arrival
from studies.services import moving
from studies.services.entering import Stay

pytestmark = pytest.mark.django_db
ANN, BEN = "5f3a9c0e1b2d4f6a8c7e9012", "60aa9c0e1b2d4f6a8c7e9012"


@pytest.fixture
def activity(collecting) -> Activity:
    return collecting.activities.select_related("study").get()


@pytest.fixture
def join(client, activity):
    """Press “Begin” as a recruiter's person."""
    where = reverse("taking_part:join", args=(activity.study.slug, activity.slug))

    def begin(person=ANN, session="s1", **more):
        return client.post(where, {PERSON: person, SESSION: session} | more)

    begin.address = where
    return begin


def counts():
    rows = (Participant, RecruiterIdentity, Participation)
    return tuple(model.objects.count() for model in rows)


def at_once(work, times):
    """Run `work(number)` in as many threads; what each returned or raised."""
    done, gate = [], threading.Barrier(times)

    def run(number):
        try:
            gate.wait()
            done.append(work(number))
        except Exception as error:
            done.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("query", [{}, {PERSON: ANN, SESSION: "s1"}, {PERSON: "{{%X%}}"}])
def test_a_program_that_previews_the_address_leaves_no_trace(client, join, method, query):
    response = getattr(client, method)(join.address, query)
    assert response.status_code == 200
    assert counts() == (0, 0, 0)
    assert not response.cookies


def test_begin_makes_one_participant_and_leads_to_the_personal_link(client, join):
    response = join(language="es")
    assert response.status_code == 303
    row = Participation.objects.get()
    assert (row.status, row.recruiter, row.recruiter_session) == (
        Status.CONSENTING,
        "prolific",
        "s1",
    )
    assert (row.participant.language, row.participant.simulated) == ("es", False)
    assert row.participant.recruiter_identity.external_id == ANN
    assert row.deadline > clock.now()
    assert b'lang="es"' in client.get(response["Location"]).content


@pytest.mark.parametrize("person", ["", "{{%PROLIFIC_PID%}}", "two words", "a" * 121, "<b>", "नाम"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_without_an_id_a_page_asks_for_it_and_keeps_the_rest(client, join, person, method):
    response = getattr(client, method)(join.address, {PERSON: person, SESSION: "s7"})
    assert response.status_code == 200
    page = response.content.decode()
    assert "Your id is missing" in page
    assert '<input type="hidden" name="SESSION_ID" value="s7">' in page
    assert ('role="alert"' in page) == bool(person)
    assert counts() == (0, 0, 0)


def test_names_in_lower_case_and_spaces_around_ids_are_fine(client, join):
    first = client.post(join.address, {"prolific_pid": f" {ANN} ", "session_id": "s1"})
    assert (first.status_code, counts()) == (303, (1, 1, 1))
    assert join()["Location"] == first["Location"]
    assert counts() == (1, 1, 1)


@pytest.mark.parametrize("session", ["s1", "s2", "", "{{%SESSION_ID%}}"])
def test_somebody_who_comes_again_while_it_is_open_goes_on(join, session):
    first, again = join(), join(session=session)
    assert first["Location"] == again["Location"]
    assert counts() == (1, 1, 1)


@pytest.mark.parametrize("action", [Action.DECLINE, Action.GIVE_BACK, Action.TIME_OUT])
def test_after_leaving_a_new_session_is_a_new_attempt_and_the_old_session_is_not(join, action):
    first = join()
    moving.move(Participation.objects.get(), action)
    assert join()["Location"] == first["Location"]
    assert join(session="")["Location"] == first["Location"]
    second = join(session="s2")
    assert second["Location"] != first["Location"]
    assert join(session="s2")["Location"] == second["Location"]
    assert counts() == (1, 1, 2)
    assert [row.attempt for row in Participation.objects.all()] == [1, 2]


def test_who_was_screened_out_sees_that_screen_with_any_session(client, join):
    join()
    services.agree(Participation.objects.get(), *_agreement())
    row = Participation.objects.get()
    services.screen(row, 1980, [Stay(None, 1980, 2010)])
    response = client.get(join(session="s2")["Location"])
    assert "this study is not for you" in response.content.decode()
    assert counts() == (1, 1, 1)


def test_an_attempt_whose_time_is_up_makes_room_for_the_next(join):
    join()
    Participation.objects.update(deadline=clock.ago(1))
    join(session="s2")
    assert [row.status for row in Participation.objects.all()] == [
        Status.TIMED_OUT,
        Status.CONSENTING,
    ]


def test_a_session_of_somebody_else_is_refused_and_leaves_nobody_behind(join):
    join()
    response = join(person=BEN)
    assert response.status_code == 409
    assert b"recruiter.session_used" in response.content
    assert counts() == (1, 1, 1)


def test_the_same_person_in_two_studies_is_two_participants(client, join, collecting):
    join()
    other = Study.objects.create(
        slug="other",
        languages=["en"],
        timezone="UTC",
        currency="EUR",
        status=Study.Status.COLLECTING,
        created=clock.now(),
        names={"en": "Other"},
    )
    activity = Activity.objects.get()
    activity.pk, activity.study = None, other
    activity.save()
    response = client.post(f"/join/other/{activity.slug}/", {PERSON: ANN, SESSION: "s2"})
    assert response.status_code == 303
    assert counts() == (2, 2, 2)


def test_the_address_of_another_study_at_the_recruiter_is_refused(client, join, activity):
    Activity.objects.update(recruiter_study_id="mine")
    assert join(**{STUDY: "theirs"}).status_code == 409
    assert client.get(join.address, {STUDY: "theirs"}).status_code == 409
    assert counts() == (0, 0, 0)
    assert join(**{STUDY: "mine"}).status_code == 303


@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        (lambda: Study.objects.update(status=Study.Status.SET_UP), "study.not_collecting", 409),
        (lambda: Activity.objects.update(recruiter=""), "recruiter.none", 404),
        (lambda: Activity.objects.update(slug="renamed"), "activity.unknown", 404),
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_where_nobody_can_come_in_a_page_says_what_to_do(
    client, join, change, code, status, method
):
    change()
    response = getattr(client, method)(join.address, {PERSON: ANN})
    assert response.status_code == status
    assert code in response.content.decode()
    assert counts() == (0, 0, 0)


def test_who_has_withdrawn_sees_so_whatever_session_they_bring(client, join):
    join()
    services.withdraw(Participant.objects.get(), "test")
    page = client.get(join()["Location"]).content.decode()
    assert "You have withdrawn" in page
    assert Participation.objects.count() == 1


def test_who_is_owed_money_and_has_withdrawn_gets_no_new_attempt(client, join):
    join()
    row = Participation.objects.get()
    moving.move(row, Action.GIVE_BACK)
    Participant.objects.update(status="withdrawn", withdrawn_at=clock.now())
    assert "You have withdrawn" in client.get(join(session="s2")["Location"]).content.decode()
    assert Participation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_five_posts_at_once_make_one_participant_with_one_participation(activity):
    arrival = Arrival(ANN, session="s1")
    rows = at_once(lambda _number: services.enter(activity, arrival, "en").pk, 5)
    assert len(set(rows)) == 1, rows
    assert counts() == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_five_posts_at_once_after_the_time_was_up_make_one_new_attempt(activity):
    row = services.enter(activity, Arrival(ANN, session="s1"), "en")
    Participation.objects.update(deadline=clock.ago(1))
    rows = at_once(lambda _n: services.enter(activity, Arrival(ANN, session="s2"), "en").pk, 5)
    assert len(set(rows)) == 1, rows
    assert row.pk not in rows
    assert counts() == (1, 1, 2)


@pytest.mark.django_db(transaction=True)
def test_five_people_with_one_session_at_once_are_one_and_four_refusals(activity):
    def come(number):
        return services.enter(activity, Arrival(f"person{number}", session="s1"), "en").pk

    done = at_once(come, 5)
    refused = [each for each in done if isinstance(each, CommonplaceError)]
    assert [error.code for error in refused] == ["recruiter.session_used"] * 4, done
    assert counts() == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_of_all_who_reach_for_the_last_places_exactly_as_many_get_one(activity):
    region = Region.objects.get(slug="moor")
    Region.objects.filter(pk=region.pk).update(target=2)
    place = region.places.select_related("region").first()
    rows = [_screening(activity) for _number in range(2 + 5)]
    done = at_once(lambda number: _tell(rows[number], place), len(rows))
    assert sorted(done) == [Status.ACTIVE] * 2 + [Status.QUOTA_FULL] * (len(rows) - 2)
    assert Participation.objects.filter(slot_region=region).count() == 2
    assert Residence.objects.count() == len(rows)


@pytest.mark.parametrize("action", [Action.GIVE_BACK, Action.TIME_OUT, Action.WITHDRAW])
def test_a_place_that_falls_free_goes_to_the_next(activity, action):
    region = Region.objects.get(slug="moor")
    Region.objects.filter(pk=region.pk).update(target=1)
    place = region.places.select_related("region").first()
    first, second, third = (_screening(activity) for _number in range(3))
    assert _tell(first, place) == Status.ACTIVE
    assert _tell(second, place) == Status.QUOTA_FULL
    moving.move(first, action)
    assert _tell(third, place) == Status.ACTIVE


def test_who_is_turned_away_is_paid_for_the_time_it_took(activity):
    Region.objects.update(target=0)
    place = Place.objects.select_related("region").first()
    rows = [_screening(activity) for _number in range(2)]
    for row in rows:
        row.opened = clock.ago(30 * 60)
        row.save()
    _tell(rows[0], place)
    services.screen(rows[1], 1980, [Stay(None, 1980, 2010)])
    for row in rows:
        row.refresh_from_db()
        assert row.worked_ms == clock.scaled(10 * 60) * 1000
        assert row.ledger.get().amount_minor > 0


def test_a_history_told_twice_is_kept_once_and_none_of_who_does_not_fit(activity):
    place = Place.objects.select_related("region").first()
    row = _screening(activity)
    _tell(row, place)
    with pytest.raises(CommonplaceError) as refused:
        _tell(row, place)
    assert refused.value.code == "participation.repeated"
    assert row.participant.region == place.region
    assert Residence.objects.count() == 1
    services.screen(_screening(activity), 1980, [Stay(None, 1980, 2010)])
    assert Residence.objects.count() == 1


def _agreement():
    document = Study.objects.get().consent_documents.first()
    return document, ["take_part"]


def _screening(activity):
    row = services.make_links(activity, 1, "test")[0]
    moving.move(row, Action.OPEN)
    return services.agree(row, *_agreement())


def _tell(row, place):
    return Status(services.screen(row, 1980, [Stay(place, 1980, 2020)]).status)


@pytest.mark.django_db(transaction=True)
def test_agreeing_while_the_address_is_opened_again_is_done_and_not_refused(collecting, join):
    """Each locks the participant and the participation, and neither waits for the other's."""
    document = collecting.consent_documents.get()
    done = []
    for number in range(8):
        join(person=f"{ANN}{number}", session=f"s{number}")
        row = Participation.objects.select_related("participant").get(
            recruiter_session=f"s{number}"
        )
        works = [
            lambda row=row: services.agree(row, document, ["take_part"]).status,
            lambda number=number: _again(join.address, number).status_code,
        ]
        done += at_once(lambda which, works=works: works[which](), 2)
    assert [each for each in done if isinstance(each, Exception)] == []
    assert Participation.objects.filter(status=Status.SCREENING).count() == 8


def _again(address, number):
    return Client().post(address, {PERSON: f"{ANN}{number}", SESSION: f"s{number}"})
