"""Every write of studies, by subject: setting up, members, loading a study file, withdrawing,
paying, artifacts and which of them are one.

Lock order: a service that may lock, locks the study's row first and only once.
"""

from studies.services.artifacts import (
    add_name,
    leave_out,
    list_again,
    list_artifact,
    remove_name,
)
from studies.services.entering import (
    agree,
    begin,
    enter,
    identify,
    make_links,
    refuse_arrival,
    screen,
    speak,
)
from studies.services.loading import Loaded, load_file, load_setup
from studies.services.members import change_role, invite, remove_member
from studies.services.merging import keep_apart, merge, undo_merge
from studies.services.opening import open_study
from studies.services.paying import add_bonus, mark_paid
from studies.services.recruiters import hear
from studies.services.retention import forget_recruiters
from studies.services.setting_up import (
    adjust,
    change_facts,
    create_study,
    remove_activity,
    remove_region,
    save_activity,
    save_region,
    write_consent,
)
from studies.services.timing_out import time_out_overdue
from studies.services.withdrawing import withdraw

__all__ = [
    "Loaded",
    "add_bonus",
    "add_name",
    "adjust",
    "agree",
    "begin",
    "change_facts",
    "change_role",
    "create_study",
    "enter",
    "forget_recruiters",
    "hear",
    "identify",
    "invite",
    "keep_apart",
    "leave_out",
    "list_again",
    "list_artifact",
    "load_file",
    "load_setup",
    "make_links",
    "mark_paid",
    "merge",
    "open_study",
    "refuse_arrival",
    "remove_activity",
    "remove_member",
    "remove_name",
    "remove_region",
    "save_activity",
    "save_region",
    "screen",
    "speak",
    "time_out_overdue",
    "undo_merge",
    "withdraw",
    "write_consent",
]
