"""Every write to runs, replies and samples."""

from evaluation.services.orders import (
    JOB_KIND,
    LARGEST,
    Order,
    cancel_run,
    prepare,
    resume_run,
    start_run,
)
from evaluation.services.outputs import Imported, import_outputs
from evaluation.services.samples import Answered, begin, commit, end, mark_failed

__all__ = [
    "JOB_KIND",
    "LARGEST",
    "Answered",
    "Imported",
    "Order",
    "begin",
    "cancel_run",
    "commit",
    "end",
    "import_outputs",
    "mark_failed",
    "prepare",
    "resume_run",
    "start_run",
]
