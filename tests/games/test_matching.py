"""Who plays with whom: one region, one language, nobody twice, and each in one pair only."""

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
from django.db import connections

from core import clock
from games import matching as pure
from games.matching import Waiting
from games.models import Game, Seat, Ticket
from games.rules import Rules
from games.selectors import places
from games.services import lobby, presence, rounds, ruling
from studies.models import Artifact, Participation, Region
from tests.games.conftest import named

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def waiting(ticket, *, who=None, region=1, language="en", minute=0):
    since = NOON + timedelta(minutes=minute)
    return Waiting(ticket, who or ticket, region, language, since)


def paired(people, met=(), same_language=True):
    made = pure.pairs(people, met, same_language=same_language)
    return [(one.ticket, other.ticket) for one, other in made]


def test_who_has_waited_longest_is_served_first():
    people = [waiting(1, minute=5), waiting(2, minute=1), waiting(3, minute=3)]
    assert paired(people) == [(2, 3)]


def test_only_people_of_one_region_play_together():
    assert paired([waiting(1, region=1), waiting(2, region=2)]) == []
    people = [waiting(1, region=1), waiting(2, region=2), waiting(3, region=1)]
    assert paired(people) == [(1, 3)]


def test_partners_read_the_same_language_unless_the_study_does_without():
    people = [waiting(1, language="en"), waiting(2, language="es")]
    assert paired(people) == []
    assert paired(people, same_language=False) == [(1, 2)]


def test_nobody_plays_with_themselves_or_twice_with_the_same_person():
    assert paired([waiting(1, who=7), waiting(2, who=7)]) == []
    people = [waiting(1, who=7), waiting(2, who=8), waiting(3, who=9)]
    assert paired(people, met={frozenset((7, 8))}) == [(1, 3)]


def test_the_wait_is_estimated_from_who_came_lately_and_not_at_all_from_few():
    assert pure.expected_wait(pure.FEW - 1) is None
    assert pure.expected_wait(30) == 60
    assert pure.expected_wait(3) == 600


@pytest.fixture
def arrive(somebody):
    """Somebody who asks for a partner."""

    def arrive(region="harbour", language="en") -> Participation:
        who = somebody(region, language)
        lobby.enter(who)
        return who

    return arrive


def test_the_second_of_a_region_meets_the_first(artifacts, arrive):
    one, other = arrive(), arrive()
    game = Game.objects.get()
    assert sorted(places.players(game)) == sorted([one.pk, other.pk])
    assert game.language == "en"
    assert places.standing(one).kind == places.standing(other).kind == "playing"
    assert set(Ticket.objects.values_list("status", "game")) == {("matched", game.pk)}


def test_people_of_other_regions_and_languages_wait(artifacts, arrive):
    alone = [arrive(), arrive("marsh"), arrive(language="es")]
    assert [places.standing(who).kind for who in alone] == ["waiting"] * 3
    assert not Game.objects.exists()


def test_a_player_whose_connection_died_is_not_paired_and_the_row_says_why(
    settings, artifacts, arrive
):
    silent = arrive()
    long_ago = clock.ago(settings.GAME_IDLE_AFTER + 1)
    Ticket.objects.filter(participation=silent).update(last_seen=long_ago)
    alive = arrive()
    assert not Game.objects.exists()
    assert rounds.look_round() == {silent.pk}
    ticket = silent.tickets.get()
    assert (ticket.status, ticket.left_reason) == ("left", "silent")
    assert ticket.ended is not None
    assert places.standing(alive).kind == "waiting"
    standing = places.standing(silent)
    assert (standing.kind, standing.reason) == ("choosing", "silent")


def test_of_21_people_of_a_region_one_waits(artifacts, arrive):
    people = [arrive() for _ in range(21)]
    assert Game.objects.count() == 10
    seated = Seat.objects.values_list("participation", flat=True)
    assert len(set(seated)) == len(seated) == 20
    assert [who.pk for who in people if who.pk not in set(seated)] == [people[-1].pk]


def test_nobody_meets_the_same_person_twice(artifacts, arrive):
    one, other = arrive(), arrive()
    Seat.objects.update(open=False)
    Game.objects.update(phase="ended", ended=clock.now(), ended_reason="partner_left")
    lobby.keep_waiting(one)
    lobby.keep_waiting(other)
    assert Game.objects.count() == 1
    third = arrive()
    assert sorted(places.players(Game.objects.last())) == sorted([one.pk, third.pk])
    assert places.standing(other).kind == "waiting"


def test_who_has_left_the_study_is_paired_with_nobody(artifacts, arrive):
    gone = arrive()
    Participation.objects.filter(pk=gone.pk).update(status="withdrawn", ended_reason="withdrawn",
                                                    slot_region=None)  # fmt: skip
    arrive()
    assert not Game.objects.exists()
    rounds.look_round()
    assert gone.tickets.get().left_reason == "withdrawn"


def test_two_tabs_that_ask_at_once_wait_once(artifacts, somebody):
    who = somebody()
    lobby.enter(who)
    lobby.enter(Participation.objects.get(pk=who.pk))
    assert Ticket.objects.count() == 1


def test_a_longer_wait_holds_at_once_for_who_waits(activity, artifacts, arrive):
    who = arrive()
    before = who.tickets.get().deadline
    ruling.set_rules(activity, Rules.read({"wait_seconds": 1200}), "test")
    after = who.tickets.get().deadline
    assert after - before == timedelta(seconds=clock.scaled(600))
    assert places.standing(who).ticket.deadline == after


def test_a_shorter_wait_is_over_when_it_says(activity, artifacts, arrive):
    who = arrive()
    Ticket.objects.update(entered=clock.ago(31), deadline=clock.later(600 - 31))
    ruling.set_rules(activity, Rules.read({"wait_seconds": 30}), "test")
    assert places.standing(who).reason == "waited_out"
    rounds.look_round()
    assert who.tickets.get().left_reason == "waited_out"


def test_somebody_else_who_waits_shortens_nobodys_wait(artifacts, arrive):
    first = arrive("marsh")
    long_ago = clock.ago(3600)
    Ticket.objects.filter(participation=first).update(entered=long_ago, deadline=clock.later(60))
    second = arrive()
    assert places.standing(second).ticket.deadline > clock.later(9 * 60)


def test_who_comes_while_the_wait_of_another_is_over_is_not_paired_with_them(artifacts, arrive):
    late = arrive()
    Ticket.objects.update(deadline=clock.ago(1))
    arrive()
    assert not Game.objects.exists()
    assert places.standing(late).kind == "choosing"


def test_presence_keeps_a_place_in_the_queue(artifacts, arrive):
    who = arrive()
    Ticket.objects.update(last_seen=clock.ago(29))
    who.refresh_from_db()
    presence.seen(who)
    assert who.tickets.get().last_seen > clock.ago(2)


@pytest.fixture
def many_regions(transactional_db, settings, study, activity, artifacts, somebody):
    """20 people of each of five regions, each of which has artifacts to play with."""
    settings.TIME_SCALE = 1  # nobody falls silent while a slow machine lets people in
    Region.objects.create(
        study=study, slug="isles", names={"en": "Isles"}, language="en", position=9, target=50
    )
    for region in study.regions.all():
        for number in range(4):
            row = Artifact.objects.create(study=study, region=region, status="listed")
            named(row, f"Thing {number} of {region.slug}")
    regions = [region.slug for region in study.regions.all()]
    assert len(regions) == 5
    return [somebody(regions[number % 5]) for number in range(100)]


def test_100_people_of_5_regions_at_once_make_50_games_of_one_region_each(many_regions):
    """Eight threads let them in, and look for pairs all the while."""
    people = many_regions
    start, failed = Barrier(8), []

    def let_in(share):
        try:
            start.wait()
            for who in share:
                lobby.enter(who)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=let_in, args=(people[each::8],)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rounds.look_round()
    assert failed == []
    seats = list(Seat.objects.values_list("participation", "game", "participation__slot_region"))
    assert len(seats) == 100
    assert len({who for who, _game, _region in seats}) == 100
    assert len({(game, region) for _who, game, region in seats}) == 50
    assert Game.objects.count() == 50
