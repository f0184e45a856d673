"""The audit trail of a study in sentences: who is followed by what they did."""

from collections.abc import Mapping
from typing import Any

SENTENCES = {
    "study.created": "created the study",
    "study.changed": "changed {fields} of the study",
    "region.added": "added the region {object}",
    "region.changed": "changed {fields} of the region {object}",
    "region.removed": "removed the region {object}",
    "activity.added": "added the activity {object}",
    "activity.changed": "changed {fields} of the activity {object}",
    "activity.removed": "removed the activity {object}",
    "consent.written": "wrote version {version} of the consent document",
    "member.added": "added {object} as {role}",
    "member.role_changed": "made {object}, who had been {before}, {role}",
    "member.removed": "removed {object}, who had been {before}",
}
_FIELDS = {
    "amount_minor": "the amount",
    "ethics_number": "the ethics number",
    "names": "the name",
    "phrases": "the phrase",
    "position": "the order",
    "recruiter_study_id": "the recruiter's study",
    "residency_percent": "the residency rule",
    "retention_days": "the retention",
    "timezone": "the time zone",
}


def sentence(action: str, object_id: str, data: Mapping[str, Any]) -> str:
    """An action this version does not know stands for itself."""
    if action not in SENTENCES:
        return f"{action} {object_id}"
    fields = ", ".join(_FIELDS.get(name, f"the {name}") for name in data.get("fields", ()))
    return SENTENCES[action].format_map({**data, "object": object_id, "fields": fields})
