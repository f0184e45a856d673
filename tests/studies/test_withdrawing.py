"""Withdrawal is at once, for everything, once; what was earned stays owed."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Answer, Question, Submission
from core import jobs
from core.models import AuditEntry, Job
from studies import links, services, withdrawal
from studies.models import Participant, Participation, Residence, Study
from studies.participation import MOVES, Action, Status
from studies.services import paying
from studies.services.moving import admit
from tests.core.test_commands import call

pytestmark = pytest.mark.django_db


@pytest.fixture
def rooms(monkeypatch):
    """Two rooms with words: one whose handler works, one that can be made to break."""
    asked, broken = [], set()

    def handler(name):
        def remove(participant):
            if name in broken:
                raise RuntimeError("no connection")
            asked.append((name, participant.code))
            return {"answers": 3, "flags": 0}

        return remove

    monkeypatch.setattr(withdrawal, "handlers", {})
    for name in ("surveys", "voices"):
        withdrawal.register(name, handler(name))
    return asked, broken


def work_off():
    for job in Job.objects.filter(kind="studies.withdrawal", status="queued"):
        jobs.execute(job.pk)


def identity(row):
    row.participant.recruiter_identity.refresh_from_db()
    return row.participant.recruiter_identity.external_id


def test_withdrawing_ends_what_is_open_and_keeps_what_was_earned(study, somebody, rooms):
    row = somebody(Status.ACTIVE, minutes=12)
    Residence.objects.create(
        participant=row.participant, place=study.places.first(), from_year=2000, to_year=2010
    )
    Participant.objects.filter(pk=row.participant_id).update(region_other="by the old mill")
    Participation.objects.filter(pk=row.pk).update(message="You wrote of a mill.")
    gone = services.withdraw(row.participant, "test")
    row.refresh_from_db()
    row.participant.refresh_from_db()
    assert (row.message, row.participant.region_other) == ("", "")
    assert (gone.status, gone.withdrawn_at is not None) == ("withdrawn", True)
    assert (row.status, row.slot_region, paying.earned(row)) == ("withdrawn", None, 250)
    assert not gone.residences.exists()


@pytest.mark.parametrize("status", Status)
def test_in_every_status_the_participant_is_out_and_the_table_says_what_follows(somebody, status):
    row = somebody(status)
    services.withdraw(row.participant, "test")
    row.refresh_from_db()
    assert row.participant.status == Participant.Status.WITHDRAWN
    leaves = Action.WITHDRAW in MOVES[status] or status == Status.WITHDRAWN
    assert row.status == (Status.WITHDRAWN if leaves else Status.DECLINED)


def test_every_attempt_of_the_participant_is_withdrawn(somebody):
    row = somebody(Status.ACCEPTED)
    second = Participation.objects.create(
        participant=row.participant, activity=row.activity, attempt=2
    )
    services.withdraw(row.participant, "test")
    assert {p.status for p in row.participant.participations.all()} == {"withdrawn"}
    assert paying.earned(row) == 250
    assert paying.earned(second) == 0


def test_every_room_gets_a_job_that_removes_its_words_and_says_how_many(somebody, rooms):
    asked, _ = rooms
    participant = services.withdraw(somebody().participant, "test")
    assert sorted(Job.objects.values_list("key", flat=True)) == [
        f"withdraw {participant.code} surveys",
        f"withdraw {participant.code} voices",
    ]
    assert asked == []
    work_off()
    assert sorted(asked) == [("surveys", participant.code), ("voices", participant.code)]
    told = AuditEntry.objects.filter(action="participant.words_removed")
    assert [entry.data["removed"] for entry in told] == [{"answers": 3, "flags": 0}] * 2


@pytest.mark.parametrize("worked_off", [False, True])
def test_withdrawing_twice_changes_nothing(somebody, rooms, worked_off):
    row = somebody()
    first = services.withdraw(row.participant, "test").withdrawn_at
    if worked_off:
        work_off()
    before = (Job.objects.count(), AuditEntry.objects.count(), row.ledger.count())
    assert services.withdraw(row.participant, "another").withdrawn_at == first
    assert before == (Job.objects.count(), AuditEntry.objects.count(), row.ledger.count())


def test_a_room_that_failed_is_asked_again_and_the_others_are_not(somebody, rooms, caplog):
    asked, broken = rooms
    broken.add("voices")
    participant = services.withdraw(somebody().participant, "test")
    work_off()
    assert Job.objects.get(key__endswith="voices").status == "failed"
    broken.clear()
    services.withdraw(participant, "test")
    work_off()
    assert [name for name, _ in asked] == ["surveys", "voices"]


def test_nothing_happens_to_anybody_else(somebody, rooms):
    asked, _ = rooms
    gone, partner = somebody(), somebody()
    services.withdraw(gone.participant, "test")
    work_off()
    partner.refresh_from_db()
    assert (partner.status, partner.participant.status) == ("active", "taking_part")
    assert partner.participant.code not in {code for _, code in asked}


def test_the_recruiters_id_goes_at_once_when_nothing_is_owed(somebody):
    row = somebody(Status.CONSENTING, known_as="p1")
    services.withdraw(row.participant, "test")
    assert identity(row) == ""


def test_the_recruiters_id_stays_until_what_is_owed_is_paid(study, somebody):
    row = somebody(Status.ACTIVE, minutes=12, known_as="p1")
    services.withdraw(row.participant, "test")
    assert identity(row) == "p1"
    services.mark_paid(study, {row.code: 250}, "a" * 16, "test")
    assert identity(row) == ""


def test_paying_somebody_who_is_still_in_keeps_the_id(study, somebody):
    row = somebody(Status.ACCEPTED, minutes=12, known_as="p1")
    services.mark_paid(study, {row.code: 250}, "a" * 16, "test")
    assert identity(row) == "p1"


# The command


@pytest.mark.parametrize("by", ["participant", "participation", "link", "typed"])
def test_the_command_knows_people_by_their_code_or_their_link(somebody, rooms, by):
    row = somebody()
    code = {
        "participant": row.participant.code,
        "participation": row.code,
        "link": links.token(row),
        "typed": row.participant.code.lower().replace("0", "o").replace("1", "l"),
    }[by]
    expected = {
        "participant": row.participant.code,
        "study": "lantern_coast",
        "status": "withdrawn",
        "handlers": ["surveys", "voices"],
    }
    assert call("withdraw", code) == (0, expected | {"already": False})
    assert call("withdraw", code) == (0, expected | {"already": True})
    assert AuditEntry.objects.get(action="participant.withdrawn").actor == "command line"


def test_a_code_nobody_has_is_refused_with_the_next_step(study):
    code, result = call("withdraw", "NOBODYHERE")
    assert (code, result["error"]["code"]) == (1, "participant.unknown")


def test_the_command_says_in_words_what_happens(somebody, capsys):
    call_command("withdraw", somebody().participant.code)
    assert "has withdrawn; workers remove what they wrote." in capsys.readouterr().out


# The page


def page(client, study):
    return client.get(reverse("studies:withdrawals", args=(study.slug,))).content.decode()


def test_the_page_withdraws_who_asked_by_mail_and_says_what_was_removed(
    study, somebody, rooms, owner, signed_in
):
    client, row = signed_in(owner), somebody()
    address = reverse("studies:withdrawals", args=(study.slug,))
    client.post(address, {"code": f" {row.participant.code.lower()} "})
    assert Participant.objects.get(pk=row.participant_id).status == "withdrawn"
    assert "waiting" in page(client, study)
    work_off()
    said = page(client, study)
    assert row.participant.code in said
    assert "3 answers removed from the surveys." in said
    trail = client.get(reverse("studies:audit", args=(study.slug,))).content.decode()
    assert f"withdrew the participant {row.participant.code}" in trail
    assert f"removed 3 answers of {row.participant.code} from the surveys" in trail


def test_the_page_offers_to_try_again_what_failed(study, somebody, rooms, owner, signed_in, caplog):
    client, row, (asked, broken) = signed_in(owner), somebody(), rooms
    broken.add("voices")
    services.withdraw(row.participant, "test")
    work_off()
    assert "Try again" in page(client, study)
    broken.clear()
    address = reverse("studies:withdrawals", args=(study.slug,))
    client.post(address, {"code": row.participant.code})
    work_off()
    assert "Try again" not in page(client, study)
    assert ("voices", row.participant.code) in asked


def test_a_code_of_another_study_is_not_known_on_this_page(study, somebody, owner, signed_in):
    other = Study.objects.create(
        slug="other",
        names={"en": "Other"},
        languages=["en"],
        country="X",
        timezone="UTC",
        currency="EUR",
        created=study.created,
    )
    stranger = Participant.objects.create(study=other, language="en")
    address = reverse("studies:withdrawals", args=(study.slug,))
    response = signed_in(owner).post(address, {"code": stranger.code})
    assert response.status_code == 422
    stranger.refresh_from_db()
    assert stranger.status == "taking_part"


# The survey's room


def test_a_withdrawal_removes_one_persons_words_and_keeps_the_partners(study, somebody):
    services.open_study(study, "test")
    harbour, written = study.regions.get(slug="harbour"), {}
    for words in ("my grandmother's boat", "the other boat"):
        row = admit(somebody(Status.SCREENING), harbour)
        submission = Submission.objects.get(participation=row)
        question = Question.objects.filter(study=study, kind="long").first()
        Answer.objects.create(
            submission=submission, question=question, text=words, folded=words, value=None
        )
        written[words] = row
    call("withdraw", written["my grandmother's boat"].participant.code)
    work_off()
    kept = Answer.objects.order_by("pk").values_list("text", "folded", "removed")
    assert list(kept) == [("", "", True), ("the other boat", "the other boat", False)]
    told = AuditEntry.objects.get(action="participant.words_removed", data__handler="answers")
    assert told.data["removed"]["answers"] == 1
