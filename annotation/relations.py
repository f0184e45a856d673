"""Whether what regions agree on is the same between them: a pair, or all of them.

People apply the strict rule of protocol 1, section 3: exactly the same practice; what overlaps in
part does not agree. Values:

pair        {"choice": "agree" | "differ" | ""}
universal   {"choice": "universal" | "partial" | "none" | "", "regions": [slug]}, the regions that
            share a practice: all of them, some (at least two), or none
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.kinds import Fields, Read

AGREE, DIFFER = "agree", "differ"
UNIVERSAL, PARTIAL, NONE = "universal", "partial", "none"


def read_pair(fields: Fields) -> Read:
    choice, *strange = fields("choice") or [""]
    if choice not in (AGREE, DIFFER):
        faults = {"choice": "Choose whether the two say exactly the same."}
        return Read({"choice": ""}, faults, strange)
    return Read({"choice": choice}, strange=strange)


def read_universal(fields: Fields, regions: Sequence[str]) -> Read:
    """`choice`, and `region` once per region that shares the practice."""
    choice, *strange = fields("choice") or [""]
    sent = set(fields("region"))
    sharing = [slug for slug in regions if slug in sent]
    strange += sorted(sent - set(sharing))
    if choice == UNIVERSAL:
        return Read({"choice": choice, "regions": list(regions)}, strange=strange)
    if choice == NONE:
        return Read({"choice": choice, "regions": []}, strange=strange)
    if choice == PARTIAL:
        value = {"choice": choice, "regions": sharing}
        if 2 <= len(sharing) < len(regions):
            return Read(value, strange=strange)
        faults = {"regions": "Tick the regions that share it: two or more, not all."}
        return Read(value, faults, strange)
    faults = {"choice": "Choose how many of the regions say exactly the same."}
    return Read({"choice": "", "regions": sharing}, faults, strange)


def same(values: Iterable[Mapping[str, Any]]) -> bool:
    return len({(each["choice"], tuple(each.get("regions", ()))) for each in values}) == 1


def category(value: Mapping[str, Any]) -> str:
    return value["choice"]
