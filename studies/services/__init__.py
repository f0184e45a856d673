"""Every write of studies, by subject: setting up, members, loading a study file.

Lock order: a service that may lock, locks the study's row first and only once.
"""

from studies.services.loading import Loaded, load_file, load_setup
from studies.services.members import change_role, invite, remove_member
from studies.services.setting_up import (
    change_facts,
    create_study,
    remove_activity,
    remove_region,
    save_activity,
    save_region,
    write_consent,
)

__all__ = [
    "Loaded",
    "change_facts",
    "change_role",
    "create_study",
    "invite",
    "load_file",
    "load_setup",
    "remove_activity",
    "remove_member",
    "remove_region",
    "save_activity",
    "save_region",
    "write_consent",
]
