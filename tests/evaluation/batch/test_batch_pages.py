"""The page of a run that goes on by batch files."""

import io
import json
from pathlib import Path

import pytest
from django.urls import reverse

from evaluation import services
from evaluation.batch import writing
from evaluation.models import Run
from inference.endpoints import target
from tests.evaluation.batch.conftest import (
    answer,
)
from tests.evaluation.conftest import order, run_it

pytestmark = pytest.mark.django_db


def test_the_page_hands_out_what_is_lacking_and_takes_the_results(
    as_alice, stub, start, settings, tmp_path
):
    stub()
    made, requests = start()
    address = reverse("evaluation:detail", args=[made["run"]])
    page = as_alice.get(address).content.decode()
    assert "Batch files" in page
    where = reverse("evaluation:batch_requests", args=[made["run"]])
    assert where in page
    sent = as_alice.get(where)
    assert sent["Content-Type"] == "application/zip"
    assert _unzipped(sent) == {f"run-{made['run']}-stage-0-1.jsonl": requests}
    lines = [json.dumps(line) for line in answer(requests, settings)]
    files = [_upload("a.jsonl", lines[:4]), _upload("b.jsonl", [*lines[4:], "nonsense"])]
    upload = reverse("evaluation:batch_results", args=[made["run"]])
    done = as_alice.post(upload, {"results": files}, follow=True)
    assert done.redirect_chain[-1][0] == address
    shown = done.content.decode()
    assert "6 replies were kept" in shown
    assert "b.jsonl, line 3" in shown
    assert Run.objects.get(pk=made["run"]).status == "finished"


def _upload(name, lines):
    file = io.BytesIO("\n".join(lines).encode())
    file.name = name
    return file


def _unzipped(response):
    import zipfile

    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        return {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
        }


def test_a_paused_run_goes_on_by_batch_from_its_page(as_alice, release, stub):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    address = reverse("evaluation:detail", args=[run.pk])
    where = reverse("evaluation:batch", args=[run.pk])
    assert f'action="{where}"' in as_alice.get(address).content.decode()
    assert as_alice.post(where).status_code == 302
    assert services.awaits_batch(Run.objects.get(pk=run.pk))
    assert f'action="{where}"' not in as_alice.get(address).content.decode()


def test_more_than_the_page_takes_and_nothing_at_all_are_refused_in_words(
    as_alice, stub, start, settings
):
    stub()
    made, _ = start()
    upload = reverse("evaluation:batch_results", args=[made["run"]])
    settings.BATCH_UPLOAD_BYTES = 3
    response = as_alice.post(upload, {"results": [_upload("a.jsonl", ["12345"])]})
    assert response.status_code == 413
    assert b"import_batch" in response.content
    response = as_alice.post(upload)
    assert (response.status_code, b"batch.no_file" in response.content) == (400, True)


def test_only_who_may_resume_a_run_sees_its_files(client, bob, stub, start):
    stub()
    made, _ = start()
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("evaluation:detail", args=[made["run"]])).content.decode()
    assert "Batch files" not in page
    assert client.get(reverse("evaluation:batch_requests", args=[made["run"]])).status_code == 403
    for name in ("evaluation:batch", "evaluation:batch_results"):
        assert client.post(reverse(name, args=[made["run"]])).status_code == 403


def test_a_run_that_waits_for_no_files_has_none_to_download(as_alice, release, stub):
    stub()
    run = run_it(release, given={"limit": 1})
    response = as_alice.get(reverse("evaluation:batch_requests", args=[run.pk]))
    assert response.status_code == 404
    assert writing.write(run, Path("/nowhere")) == []
    assert target(run.asked).batch_share == 1
