"""Every write to runs, replies, samples, judges and verdicts."""

from evaluation.services.batches import (
    await_batch,
    awaits_batch,
    holding,
    move_on_by_batch,
    record_import,
)
from evaluation.services.hands import (
    JOB_KIND,
    begin,
    call_hands,
    claim,
    leave,
    let_go,
    look_after,
    mark_failed,
    renew,
)
from evaluation.services.orders import (
    LARGEST,
    Order,
    cancel_run,
    learn,
    pause_run,
    prepare,
    rejudge,
    resume_run,
    start_run,
)
from evaluation.services.outputs import Imported, import_outputs
from evaluation.services.rereading import REREADING, read_again, reparse
from evaluation.services.samples import Answered, Fence, Met, book, commit
from evaluation.services.verdicts import commit as commit_verdicts
from evaluation.services.verdicts import commit_trial, judging_of, model_judge

__all__ = [
    "JOB_KIND",
    "LARGEST",
    "REREADING",
    "Answered",
    "Fence",
    "Imported",
    "Met",
    "Order",
    "await_batch",
    "awaits_batch",
    "begin",
    "book",
    "call_hands",
    "cancel_run",
    "claim",
    "commit",
    "commit_trial",
    "commit_verdicts",
    "holding",
    "import_outputs",
    "judging_of",
    "learn",
    "leave",
    "let_go",
    "look_after",
    "mark_failed",
    "model_judge",
    "move_on_by_batch",
    "pause_run",
    "prepare",
    "read_again",
    "record_import",
    "rejudge",
    "renew",
    "reparse",
    "resume_run",
    "start_run",
]
