"""Making files of answers: to a path for the command line, into private storage for the page.

A file in storage is named by its hash and belongs to every finished `Export` with that hash; it
goes when the last of them does. A withdrawal removes all files of its study.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import transaction

from collection import exporting
from collection.exporting import Choice, FilledForm, Layout
from collection.models import Export
from collection.selectors import exporting as selectors
from collection.selectors.exporting import Snapshot
from core import audit, clock, jobs, tables
from core.errors import NotFound
from core.tables import Table, WriteReport
from studies.models import Participant, Study

KIND = "collection.export"
PAUSE = 1.0  # seconds between two reports of progress, which are also a worker's signs of life

Progress = Callable[[int, int], None]  # (participations read, of how many)


# --- Writing a file -------------------------------------------------------------------------------


def write_file(
    study: Study, choice: Choice, path: Path, actor: str, show: Progress = lambda done, of: None
) -> dict[str, Any]:
    """Write the answers of a study to a path and, beside it, `<name>.manifest.json`; returns the
    manifest. Raises `export.unwritable`."""
    manifest = tables.described(path, lambda: _write(study, choice, path, now_and_then(show)))
    _record(study, manifest, actor)
    return manifest


def _write(study: Study, choice: Choice, path: Path, show: Progress) -> dict[str, Any]:
    """Write a file that holds nobody who had withdrawn by the time it was complete."""
    while True:
        taken = selectors.snapshot(study, drafts=choice.drafts)
        table = _table(taken, choice, show)
        written = tables.write(table, choice.format, path)
        if selectors.withdrawn(study) == taken.withdrawn:
            return _manifest(taken, choice, table, written)


def _table(taken: Snapshot, choice: Choice, show: Progress) -> Table:
    forms = _watched(taken, show)
    name = f"{taken.study.slug} answers"
    if choice.layout == Layout.LONG:
        return Table(name, exporting.LONG_COLUMNS, exporting.long_rows(forms, choice.format))
    keys = selectors.question_keys(taken.study)
    rows = exporting.wide_rows(forms, keys, choice.format)
    return Table(name, exporting.wide_columns(keys), rows)


def _watched(taken: Snapshot, show: Progress) -> Iterator[FilledForm]:
    """The forms of a snapshot; progress is shown before each participation and after the last."""
    of = taken.people().count()
    done = 0
    by_person = groupby(selectors.filled_forms(taken), key=lambda form: form.person.id)
    for done, (_, forms) in enumerate(by_person, start=1):
        show(done - 1, of)
        yield from forms
    show(done, max(done, of))


def now_and_then(show: Progress) -> Progress:
    """Pass progress on at most once in a while, and the last of it."""
    last = clock.monotonic() - PAUSE

    def passed_on(done: int, of: int) -> None:
        nonlocal last
        if done == of or clock.monotonic() - last >= PAUSE:
            last = clock.monotonic()
            show(done, of)

    return passed_on


def _manifest(
    taken: Snapshot, choice: Choice, table: Table, written: WriteReport
) -> dict[str, Any]:
    """What stands beside a file: `high_water` is the largest id of any answer when it was made,
    `withdrawn_left_out` counts participants of the study."""
    return {
        "study": taken.study.slug,
        "layout": choice.layout.value,
        "format": choice.format,
        "drafts": choice.drafts,
        "rows": written.rows,
        "sha256": written.sha256,
        "columns": list(table.columns),
        "high_water": taken.high_water,
        "withdrawn_left_out": taken.withdrawn,
        "made": clock.isoformat(taken.made),
        "simulated": taken.study.simulated,
        "neutralised": written.neutralised,
        "long_cells": written.long_cells,
    }


def _record(study: Study, manifest: dict[str, Any], actor: str) -> None:
    about = {key: manifest[key] for key in ("layout", "format", "rows")}
    audit.record(actor, "answers.exported", "study", study.slug, study=study.slug, **about)


# --- Exports of the page --------------------------------------------------------------------------


def order(study: Study, choice: Choice, actor: str) -> Export:
    """Ask for a file, made in the background. Raises `job.active` while one like it is made."""
    with transaction.atomic():
        export = Export.objects.create(
            study=study,
            layout=choice.layout,
            format=choice.format,
            drafts=choice.drafts,
            asked=clock.now(),
            asked_by=actor,
        )
        which = f"{choice.layout} {choice.format}{' with drafts' if choice.drafts else ''}"
        export.job = jobs.enqueue(KIND, f"export {study.slug} {which}", {"export": export.pk})
        export.save(update_fields=["job"])
    return export


def make(work: jobs.Work) -> None:
    """Execute an order: the file first, then the row that says it is there."""
    export = Export.objects.select_related("study").get(pk=work.args["export"])
    if export.made:
        return
    choice = Choice(Layout(export.layout), export.format, export.drafts)
    with tempfile.TemporaryDirectory(prefix="commonplace-export-") as folder:
        path = Path(folder, "answers")
        manifest = _write(export.study, choice, path, now_and_then(work.beat))
        size = path.stat().st_size
        _store(path, manifest["sha256"])
    try:
        with transaction.atomic():
            work.beat()
            Export.objects.filter(pk=export.pk).update(
                made=clock.now(),
                rows=manifest["rows"],
                bytes=size,
                sha256=manifest["sha256"],
                withdrawn_left_out=manifest["withdrawn_left_out"],
                manifest=manifest,
            )
            _record(export.study, manifest, export.asked_by)
    except jobs.JobLost:
        _delete_unless_shared(export.pk, manifest["sha256"])
        raise


def remove_expired() -> int:
    """Delete the files that were kept for their time; how many."""
    before = clock.ago(settings.EXPORT_DAYS * 24 * 3600)
    return _remove(Export.objects.filter(made__lte=before, removed=None))


def remove_of_study(participant: Participant) -> dict[str, int]:
    """After a withdrawal: delete every file of the study, since each may hold what they wrote."""
    files = Export.objects.filter(study=participant.study_id, made__isnull=False, removed=None)
    return {"export_files": _remove(files)}


def _remove(exports: Iterable[Export]) -> int:
    removed = 0
    for export in exports:
        _delete_unless_shared(export.pk, export.sha256)
        same = Export.objects.filter(pk=export.pk, removed=None)
        removed += same.update(removed=clock.now())
    return removed


# --- Files ----------------------------------------------------------------------------------------


def read(export: Export) -> Iterator[bytes]:
    """The stored bytes in pieces. Raises `export.gone`, `export.not_made` and `export.missing`."""
    selectors.refuse_unless_readable(export)
    name = _name(export.sha256)
    if not _storage().exists(name):
        raise NotFound(
            "export.missing", "The file is not in the store any more. Make a new export."
        )
    return _pieces(name)


def _pieces(name: str) -> Iterator[bytes]:
    with _storage().open(name) as file:
        yield from file.chunks()


def _store(path: Path, sha256: str) -> None:
    storage, name = _storage(), _name(sha256)
    if storage.exists(name):
        storage.delete(name)  # perhaps half written when a worker died
    with path.open("rb") as file:
        saved = storage.save(name, File(file))
    if saved != name:  # another worker wrote the same bytes in the meantime
        storage.delete(saved)


def _delete_unless_shared(export: int, sha256: str) -> None:
    others = Export.objects.filter(sha256=sha256, removed=None).exclude(pk=export)
    if not others.exists():
        _storage().delete(_name(sha256))


def _storage() -> Storage:
    return storages["private"]


def _name(sha256: str) -> str:
    return f"exports/{sha256[:2]}/{sha256}"
