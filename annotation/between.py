"""The kinds that compare regions: *between two* and *universal*, put together."""

from typing import Any

from annotation import relations
from annotation.kinds import Fields, Kind, Read, Value
from annotation.models import Task
from annotation.selectors import between, suggestable
from annotation.services import gold
from annotation.suggesting import Suggester
from annotation.suggesting import between as suggesting

PAIR, ALL = "pair", "universal"
STRICT = (
    "They say the same only if it is exactly the same practice: what overlaps in part, such as "
    "one material against two, does not. A festival or a custom with a name is the same only as "
    "the very same one, never as its like elsewhere. If in doubt, they differ."
)


def _shown_pair(task: Task, value: Value) -> dict[str, Any]:
    return {"gold": between.of_task(task.payload), "choice": value.get("choice", "")}


def _shown_all(task: Task, value: Value) -> dict[str, Any]:
    return _shown_pair(task, value) | {"regions": value.get("regions", [])}


def _read_pair(task: Task, fields: Fields) -> Read:
    return relations.read_pair(fields)


def _read_all(task: Task, fields: Fields) -> Read:
    slugs = [row.region.slug for row in between.of_task(task.payload)]
    return relations.read_universal(fields, slugs)


KIND_PAIR = Kind(
    name=PAIR,
    title="Agreement between two regions",
    about=f"Compare what two regions agree on. {STRICT}",
    template="annotation/_pair.html",
    summary="annotation/_pair_summary.html",
    sources=between.pairs,
    shown=_shown_pair,
    read=_read_pair,
    same=relations.same,
    category=relations.category,
    decided=gold.write_pair,
    outdated=gold.outdate_pair,
    suggester=Suggester(
        prompt="suggest/pair",
        tokens=800,
        about=suggestable.of_pair,
        read=suggesting.read_pair,
        by_rule=suggesting.pair_by_rule,
        claims=suggesting.pair_claims,
    ),
)
KIND_ALL = Kind(
    name=ALL,
    title="Agreement of all regions",
    about=f"Compare what all regions agree on. {STRICT}",
    template="annotation/_universal.html",
    summary="annotation/_universal_summary.html",
    sources=between.universal,
    shown=_shown_all,
    read=_read_all,
    same=relations.same,
    category=relations.category,
    decided=gold.write_universal,
    outdated=gold.outdate_universal,
    suggester=Suggester(
        prompt="suggest/universal",
        tokens=2000,
        about=suggestable.of_all,
        read=suggesting.read_universal,
        by_rule=suggesting.universal_by_rule,
        claims=suggesting.universal_claims,
    ),
)
