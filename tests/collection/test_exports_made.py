"""Asking for a file of answers, watching it being made, fetching it, and when it is gone."""

import csv
import hashlib
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.urls import reverse

from collection.models import Answer, Export
from core import clock, jobs
from core.jobs import _duties
from core.models import AuditEntry, Job
from perf.export import build
from studies.models import Study
from studies.permissions import Role
from studies.services import invite, withdraw
from tests import sample_study
from tests.collection.answered import asked, fill, person, publish, question

pytestmark = pytest.mark.django_db

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture(autouse=True)
def private(settings, tmp_path):
    """A private storage of this test's own."""
    location = tmp_path / "private"
    private = settings.STORAGES["private"] | {"OPTIONS": {"location": location, "base_url": None}}
    settings.STORAGES = settings.STORAGES | {"private": private}
    return storages["private"]


@pytest.fixture
def study(alice):
    return sample_study.load()


@pytest.fixture
def people(study):
    """Two people with an answer each."""
    gift = question(study, "gift")
    activity = study.activities.get()
    version = publish(activity, [asked(gift, "What do guests bring?")])
    rows = [person(activity), person(activity)]
    for row, text in zip(rows, ("Sweets", "=Flowers"), strict=True):
        fill(row, version, {gift: text})
    return rows


def page(name, study, *more):
    return reverse(f"collection:{name}", args=(study.slug, *more))


def ask(client, study, **given):
    return client.post(
        page("export", study), {"layout": "long", "format": "csv"} | given, follow=True
    )


def do(export):
    """Do the job of an export here, as a worker would."""
    jobs.execute(export.job_id)
    export.refresh_from_db()
    return export


@pytest.fixture
def made(as_alice, study, people):
    ask(as_alice, study)
    return do(Export.objects.get())


def content(response):
    return b"".join(response.streaming_content)


def stored(private):
    """The names of the files in storage."""
    return sorted(path.name for path in Path(private.location).glob("exports/*/*"))


def test_a_file_is_asked_for_made_in_the_background_and_fetched(as_alice, alice, study, people):
    assert b"waiting for a worker" in ask(as_alice, study).content
    export = Export.objects.get()
    shown = as_alice.get(page("export", study)).content.decode()
    assert page("export_file", study, export.pk) not in shown
    do(export)
    shown = as_alice.get(page("export", study)).content.decode()
    assert page("export_file", study, export.pk) in shown
    assert alice.email in shown
    response = as_alice.get(page("export_file", study, export.pk))
    data = content(response)
    assert hashlib.sha256(data).hexdigest() == export.sha256
    assert int(response["Content-Length"]) == len(data) == export.bytes
    assert 'filename="lantern_coast-answers-long-' in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert [row["text"] for row in rows] == ["Sweets", "=Flowers"]
    manifest = json.loads(as_alice.get(page("export_manifest", study, export.pk)).content)
    assert manifest == export.manifest
    assert (manifest["rows"], manifest["sha256"]) == (2, export.sha256)
    entry = AuditEntry.objects.get(action="answers.exported")
    assert (entry.actor, entry.study, entry.data["rows"]) == (alice.email, study.slug, 2)


@pytest.mark.parametrize("format", ["csv", "csv-safe", "xlsx", "jsonl"])
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_every_layout_and_format_can_be_chosen(as_alice, study, people, layout, format):
    ask(as_alice, study, layout=layout, format=format)
    export = do(Export.objects.get())
    data = content(as_alice.get(page("export_file", study, export.pk)))
    assert hashlib.sha256(data).hexdigest() == export.manifest["sha256"]
    assert (export.manifest["layout"], export.manifest["format"]) == (layout, format)
    assert export.manifest["neutralised"] == (1 if format == "csv-safe" else 0)


def test_a_choice_nobody_offers_is_put_right_on_the_page(as_alice, study):
    response = ask(as_alice, study, format="papyrus")
    assert response.status_code == 422
    assert not Export.objects.exists()


def test_asking_twice_while_it_is_made_makes_one_file(as_alice, study, people):
    ask(as_alice, study)
    assert b"being made already" in ask(as_alice, study).content
    assert Export.objects.count() == Job.objects.count() == 1
    ask(as_alice, study, layout="wide")
    assert Export.objects.count() == 2


def test_the_progress_refreshes_and_ends_in_the_whole_page(as_alice, study, people):
    ask(as_alice, study)
    response = as_alice.get(page("export_progress", study))
    assert b"<html" not in response.content
    assert b"0 of 0" in response.content
    export = do(Export.objects.get())
    assert (export.job.done, export.job.total) == (2, 2)
    assert as_alice.get(page("export_progress", study))["HX-Refresh"] == "true"


def test_a_failure_says_why_and_leaves_no_file(as_alice, study, people, private, monkeypatch):
    monkeypatch.setattr("core.workbook.ROWS", 2)
    ask(as_alice, study, format="xlsx")
    export = do(Export.objects.get())
    assert export.job.error["code"] == "table.too_many_rows"
    assert "Choose csv or jsonl." in as_alice.get(page("export", study)).content.decode()
    assert as_alice.get(page("export_file", study, export.pk)).status_code == 404
    assert stored(private) == []


def test_a_job_taken_away_leaves_neither_file_nor_row(as_alice, study, people, private):
    from collection.services.exporting import make

    ask(as_alice, study)
    export = Export.objects.get()
    Job.objects.update(status="running", attempts=2, heartbeat=clock.now())
    with pytest.raises(jobs.JobLost):
        make(jobs.Work(export.job_id, 1, {"export": export.pk}))
    export.refresh_from_db()
    assert export.made is None
    assert stored(private) == []


def test_a_job_done_again_leaves_the_finished_file_alone(as_alice, study, made):
    from collection.services.exporting import make

    before = made.manifest
    make(jobs.Work(made.job_id, 1, {"export": made.pk}))
    made.refresh_from_db()
    assert made.manifest == before
    assert AuditEntry.objects.filter(action="answers.exported").count() == 1


def test_after_a_withdrawal_no_earlier_file_of_the_study_is_handed_out(
    as_alice, study, people, made, private
):
    assert stored(private) == [made.sha256]
    withdraw(people[0].participant, "test")
    response = as_alice.get(page("export_file", study, made.pk))
    assert response.status_code == 410  # at once, before the room's job has run
    assert "Make a new one." in response.content.decode()
    for job in Job.objects.filter(kind="studies.withdrawal"):
        jobs.execute(job.pk)
    assert stored(private) == []
    assert as_alice.get(page("export_file", study, made.pk)).status_code == 410
    assert as_alice.get(page("export_manifest", study, made.pk)).status_code == 200
    assert "Somebody has withdrawn since" in as_alice.get(page("export", study)).content.decode()
    ask(as_alice, study)
    again = do(Export.objects.first())
    data = content(as_alice.get(page("export_file", study, again.pk))).decode()
    assert people[0].participant.code not in data
    assert people[1].participant.code in data
    assert again.withdrawn_left_out == 1


def test_files_expire_and_leave_what_is_known_of_them(as_alice, study, made, private, settings):
    days = settings.EXPORT_DAYS + 1
    Export.objects.update(made=clock.ago(days * 24 * 3600))
    assert as_alice.get(page("export_file", study, made.pk)).status_code == 410
    _duties["collection.remove_exports"].do()
    assert stored(private) == []
    shown = as_alice.get(page("export", study)).content.decode()
    assert "Files are kept for 7 days." in shown
    assert page("export_manifest", study, made.pk) in shown


def test_a_file_two_exports_share_stays_while_one_of_them_does(as_alice, study, made, private):
    ask(as_alice, study)
    again = do(Export.objects.first())
    assert again.sha256 == made.sha256
    Export.objects.filter(pk=made.pk).update(made=clock.ago(30 * 24 * 3600))
    _duties["collection.remove_exports"].do()
    assert as_alice.get(page("export_file", study, made.pk)).status_code == 410
    assert content(as_alice.get(page("export_file", study, again.pk)))
    assert stored(private) == [again.sha256]


def test_a_file_that_is_not_in_the_store_any_more_is_missed_in_words(
    as_alice, study, made, private
):
    private.delete(f"exports/{made.sha256[:2]}/{made.sha256}")
    response = as_alice.get(page("export_file", study, made.pk))
    assert response.status_code == 404
    assert "Make a new export." in response.content.decode()


@pytest.mark.parametrize(
    ("role", "status"),
    [(Role.RESEARCHER, 200), (Role.MODERATOR, 403), (Role.VIEWER, 403), (Role.ANNOTATOR, 403)],
)
def test_only_who_may_export_reaches_answers(client, bob, study, made, role, status):
    invite(study, bob.email, role, "test")
    client.force_login(bob, backend=BACKEND)
    for address in (
        page("export", study),
        page("export_progress", study),
        page("export_file", study, made.pk),
        page("export_manifest", study, made.pk),
    ):
        response = client.get(address)
        assert response.status_code == status
        if response.streaming:
            content(response)
    assert client.post(page("export", study), {"layout": "long", "format": "csv"}).status_code == (
        302 if status == 200 else status
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"format": "csv-safe"}, "One row an answer (long), CSV for spreadsheets"),
        (
            {"layout": "wide", "format": "jsonl", "drafts": "on"},
            "One row a person, one column a question (wide), JSON lines, with drafts",
        ),
    ],
)
def test_a_file_is_called_by_the_words_it_was_asked_for_with(as_alice, study, given, words):
    ask(as_alice, study, **given)
    assert words in as_alice.get(page("export_progress", study)).content.decode()
    do(Export.objects.get())
    assert f'data-label="What">{words}</td>' in as_alice.get(page("export", study)).content.decode()


def test_an_export_is_not_reached_through_another_study(as_alice, study, made):
    other = Study.objects.create(
        slug="elsewhere", names={"en": "E"}, languages=["en"], created=clock.now()
    )
    assert as_alice.get(page("export_file", other, made.pk)).status_code == 404


@pytest.mark.parametrize("count", [600, 8000])
def test_the_job_needs_the_memory_of_a_page_however_many_answers_there_are(as_alice, people, count):
    ask(as_alice, people[0].activity.study)
    do(Export.objects.get())  # imports
    built = build("many", count)
    ask(as_alice, Study.objects.get(slug="many"))
    tracemalloc.start()
    try:
        export = do(Export.objects.first())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert export.rows == built
    assert peak < 3_000_000


def test_fifty_thousand_answers_go_through_the_background_job(as_alice):
    count = build("many", 50_000)
    study = Study.objects.get(slug="many")
    ask(as_alice, study)
    export = do(Export.objects.get())
    assert export.manifest["rows"] == count == Answer.objects.count()
    assert export.manifest["high_water"] == Answer.objects.order_by("pk").last().pk
    rows = csv.reader(
        io.StringIO(content(as_alice.get(page("export_file", study, export.pk))).decode())
    )
    header = next(rows)
    place = [header.index(name) for name in ("participant", "question_id", "text")]
    answers = Answer.objects.order_by("submission__participation", "submission__number", "pk")
    fields = ("submission__participation__participant__code", "question_id", "text")
    found = 0
    for row, expected in zip(rows, answers.values_list(*fields).iterator(), strict=True):
        assert [row[at] for at in place] == list(map(str, expected))
        found += 1
    assert found == count
