"""Every write of releases: import, build, freeze, rebuild the index."""

from releases.services.building import KINDS, build_items
from releases.services.freezing import Draft, freeze, rebuild_index
from releases.services.importing import (
    LARGEST_FILE,
    SAMPLE,
    ImportResult,
    import_bytes,
    import_release,
    import_sample,
)
from releases.services.studies import forget, freeze_study

__all__ = [
    "KINDS",
    "LARGEST_FILE",
    "SAMPLE",
    "Draft",
    "ImportResult",
    "build_items",
    "forget",
    "freeze",
    "freeze_study",
    "import_bytes",
    "import_release",
    "import_sample",
    "rebuild_index",
]
