"""Writing the annotations of a study to a file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from annotation import exporting
from annotation.exporting import Act
from annotation.selectors import exporting as selectors
from annotation.selectors import projects
from core import audit, clock, tables
from core.tables import Table
from studies.models import Study


def write_file(study: Study, format: str, path: Path, actor: str) -> dict[str, Any]:
    """Write everything that was done with the tasks of a study and, beside it,
    `<name>.manifest.json`; returns the manifest. Raises `export.unwritable`."""
    manifest = tables.described(path, lambda: _write(study, format, path))
    audit.record(
        actor,
        "annotations.exported",
        "study",
        study.slug,
        study=study.slug,
        format=format,
        rows=manifest["rows"],
    )
    return manifest


def _write(study: Study, format: str, path: Path) -> dict[str, Any]:
    """Write a file that names nobody who had withdrawn by the time it was complete."""
    while True:
        before, made = selectors.withdrawn(study), clock.now()
        counts = Counter(dict.fromkeys(exporting.ROWS, 0))
        acts = _counted(selectors.acts(study), counts)
        rows = exporting.rows(study.slug, study.simulated, acts)
        table = Table(f"{study.slug} annotations", exporting.COLUMNS, rows)
        written = tables.write(table, format, path)
        if selectors.withdrawn(study) == before:
            break
    return {
        "study": study.slug,
        "format": format,
        "rows": written.rows,
        "by_row": dict(counts),
        "progress": _progress(study),
        "sha256": written.sha256,
        "columns": list(exporting.COLUMNS),
        "made": clock.isoformat(made),
        "simulated": study.simulated,
        "neutralised": written.neutralised,
        "long_cells": written.long_cells,
    }


def _progress(study: Study) -> dict[str, Any]:
    """By kind, of all together and of each person, also what is no row: places and drafts."""
    return {
        project.kind: {
            "overall": projects.progress(project).as_dict(),
            "people": {
                email: each.as_dict() for email, each in projects.progress_of_each(project).items()
            },
        }
        for project in study.projects.order_by("pk")
    }


def _counted(acts: Iterable[Act], counts: Counter[str]) -> Iterator[Act]:
    for act in acts:
        counts[act.row] += 1
        yield act
