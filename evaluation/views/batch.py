"""The batch files of a run on its page: go on by files, download what is lacking, bring results."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from core import downloads
from core.errors import CommonplaceError, NotFound
from evaluation import services
from evaluation.batch import reading, writing
from evaluation.batch.reading import Imported
from evaluation.models import Run
from evaluation.views.access import email, run_led

PIECE = 64 * 1024  # bytes
MOST_SHOWN = 5  # refused lines


@require_POST
def go_on(request: HttpRequest, run: int) -> HttpResponseRedirect:
    writing.prepare(run_led(request, run), email(request))
    return redirect("evaluation:detail", run)


@require_safe
def requests(request: HttpRequest, run: int) -> StreamingHttpResponse:
    """A zip of the files `write_batch` would write; nothing else happens."""
    found = run_led(request, run)
    if not services.awaits_batch(found):
        raise NotFound(
            "batch.not_awaited", f"Run {run} waits for no batch files. Its page says what it needs."
        )
    whole = tempfile.TemporaryFile()  # noqa: SIM115  closed by whoever has sent it
    _zip(found, whole)
    name = f"run-{run}-stage-{found.stage}.zip"
    return downloads.file(request, _pieces(whole), "application/zip", name)


@require_POST
def results(request: HttpRequest, run: int) -> HttpResponseRedirect:
    found = run_led(request, run)
    given = request.FILES.getlist("results")
    if not given:
        raise CommonplaceError("batch.no_file", "No file was chosen. Go back and choose one.")
    if sum(file.size or 0 for file in given) > settings.BATCH_UPLOAD_BYTES:
        raise CommonplaceError(
            "batch.too_large",
            f"This page takes {settings.BATCH_UPLOAD_BYTES // 1_000_000} MB at once. Bring the "
            f"files one by one, or read them with `import_batch {run} FILE`.",
            http_status=413,
        )
    files = [(file.name or _("file"), cast(IO[bytes], file.file)) for file in given]
    _tell(request, reading.read(found, files, email(request)))
    return redirect("evaluation:detail", run)


def _zip(run: Run, whole: IO[bytes]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for file in writing.write(run, Path(folder)):
            archive.write(file.path, file.path.name)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _tell(request: HttpRequest, done: Imported) -> None:
    kept = ngettext("%d reply was kept", "%d replies were kept", done.kept) % done.kept
    others = [
        (done.failed, _("%d requests failed at the provider")),
        (done.known, _("%d lines were read before")),
        (done.missing, _("%d replies are still missing")),
    ]
    said = [kept, *(words % number for number, words in others if number)]
    messages.success(request, "; ".join(said) + ".")
    if done.refused:
        shown = [f"{r.file}, line {r.line}: {r.reason}" for r in done.refused[:MOST_SHOWN]]
        count = ngettext("%d line was refused", "%d lines were refused", len(done.refused))
        messages.warning(request, f"{count % len(done.refused)}. {'; '.join(shown)}.")
