"""Writing the annotations of a study to a file."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from annotation import exporting
from annotation.exporting import Act
from annotation.selectors import exporting as selectors
from core import audit, clock, tables
from core.errors import CommonplaceError
from core.tables import Table
from studies.models import Study


def write_file(study: Study, format: str, path: Path, actor: str) -> dict[str, Any]:
    """Write everything that was done with the tasks of a study and, beside it,
    `<name>.manifest.json`; returns the manifest. Raises `export.unwritable`."""
    if path.exists() and not path.is_file():
        raise CommonplaceError(
            "export.unwritable",
            f"“{path}” is no file that could be replaced. Give the name of a file.",
            path=str(path),
        )
    try:
        manifest = _write(study, format, path)
        beside = path.with_name(f"{path.name}.manifest.json")
        beside.write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    except OSError as error:
        raise CommonplaceError(
            "export.unwritable",
            f"The file “{path}” cannot be written ({error.strerror}). Choose another place.",
            path=str(path),
        ) from error
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
        "sha256": written.sha256,
        "columns": list(exporting.COLUMNS),
        "made": clock.isoformat(made),
        "simulated": study.simulated,
        "neutralised": written.neutralised,
        "long_cells": written.long_cells,
    }


def _counted(acts: Iterable[Act], counts: Counter[str]) -> Iterator[Act]:
    for act in acts:
        counts[act.row] += 1
        yield act
