"""Every read of runs that is more than a filter."""

from evaluation.selectors.access import (
    access_run,
    find_run,
    may_run,
    refuse_unless_may_run,
    visible_runs,
)
from evaluation.selectors.estimating import estimate
from evaluation.selectors.judged import (
    VerdictCell,
    is_kin,
    judgeable,
    judged_by_both,
    judges_by_name,
    judges_of,
    models_of,
    people_by_name,
    unjudged,
    verdict_cells,
)
from evaluation.selectors.planning import items, plan, planned, position, prompts, sampled, spots
from evaluation.selectors.samples import outcomes, request_as_sent, samples
from evaluation.selectors.spending import (
    Entry,
    booked_by_batch,
    calls,
    entry,
    is_priced,
    is_simulated,
    progress,
    spent,
)

__all__ = [
    "Entry",
    "VerdictCell",
    "access_run",
    "booked_by_batch",
    "calls",
    "entry",
    "estimate",
    "find_run",
    "is_kin",
    "is_priced",
    "is_simulated",
    "items",
    "judgeable",
    "judged_by_both",
    "judges_by_name",
    "judges_of",
    "may_run",
    "models_of",
    "outcomes",
    "people_by_name",
    "plan",
    "planned",
    "position",
    "progress",
    "prompts",
    "refuse_unless_may_run",
    "request_as_sent",
    "sampled",
    "samples",
    "spent",
    "spots",
    "unjudged",
    "verdict_cells",
    "visible_runs",
]
