"""Replies made elsewhere, scored as a finished run."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core import audit, clock
from core.errors import CommonplaceError
from core.text import storable
from evaluation import benchmarks, importers
from evaluation.benchmarks import Benchmark, Place
from evaluation.importers import Fault, ImportedSample, Refused
from evaluation.models import Run
from evaluation.services.samples import Answered, Met, store_samples
from inference.responses import Reply
from releases.models import Item
from releases.selectors import find_release


@dataclass(frozen=True)
class Imported:
    run: Run
    read: int
    kept: int
    refused: tuple[Refused, ...]

    def as_dict(self) -> dict[str, Any]:
        refused = [each.as_dict() for each in self.refused]
        return {"run": self.run.pk, "read": self.read, "kept": self.kept, "refused": refused}


def import_outputs(
    benchmark_name: str,
    release_label: str,
    data: bytes,
    *,
    preset: str | None,
    model_label: str | None,
    actor: str,
) -> Imported:
    """Score replies made elsewhere as a finished run; nothing is written if no line is usable.

    A line is refused for what `importers` finds, an item the release lacks, options that are not
    the item's, or a repeat seen before. Raises `import.nothing_kept` and what `prepare` raises.
    """
    benchmark = benchmarks.find(benchmark_name)
    settings = benchmark.read_settings({} if preset is None else {"preset": preset})
    asked = find_release(release_label)
    release = benchmark.derive(asked, settings, actor)
    by_key = {item.key: item for item in release.items.filter(kind=benchmark.items)}
    answered: dict[Place, Answered] = {}
    refused: list[Refused] = []
    read, named = 0, ""
    for line in importers.read_outputs(data):
        read += 1
        named = named or getattr(line, "model", "")
        if isinstance(line, Refused):
            refused.append(line)
            continue
        try:
            found = _match(benchmark, line, by_key, answered)
        except Fault as fault:
            refused.append(Refused(line.line, fault.code, fault.reason))
        else:
            answered[found.place] = found
    if not answered:
        raise CommonplaceError(
            "import.nothing_kept",
            "No line of the file could be used, so nothing was imported. "
            + (f"The first: line {refused[0].line}, {refused[0].reason}." if refused else ""),
            refused=[each.as_dict() for each in refused[:20]],
        )
    run = Run(
        benchmark=benchmark.name,
        release=release,
        asked_release=asked.label,
        model_label=model_label or named or "unnamed",
        source=Run.Source.IMPORTED,
        settings={
            **({"preset": recipe["preset"]} if (recipe := release.about.get("recipe")) else {}),
            "samples": max(each.repeat for each in answered.values()),
            "resamples": settings.resamples,
            "file_sha256": hashlib.sha256(data).hexdigest(),
        },
        status=Run.Status.FINISHED,
        samples_planned=len(answered),
        simulated=release.simulated,
        started_by=actor,
        created=clock.now(),
        finished=clock.now(),
    )
    with transaction.atomic():
        run.save()
        store_samples(run, list(answered.values()), {}, Met())
        audit.record(actor, "run.imported", "run", run.pk, benchmark=run.benchmark)
    return Imported(run, read, len(answered), tuple(refused))


def _match(
    benchmark: Benchmark,
    line: ImportedSample,
    by_key: Mapping[str, Item],
    taken: Mapping[Any, Any],
) -> Answered:
    """The imported line as an answer to an item of the release. Raises `Fault`."""
    item = by_key.get(line.item)
    if item is None:
        raise Fault("import.unknown_item", f"the release has no item {line.item}")
    variant, shown = benchmark.place(line, item)
    text, altered = storable(line.text)
    said = Reply(text, line.finish, altered=altered)
    answered = Answered(item, variant, line.repeat, 1, shown, said)
    if answered.place in taken:
        raise Fault("import.duplicate", f"repeat {line.repeat} of {line.item} came before")
    return answered
