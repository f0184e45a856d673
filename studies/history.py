"""The audit trail of a study in sentences: who is followed by what they did."""

from collections.abc import Mapping
from typing import Any

SENTENCES = {
    "plan.changed": "changed {fields} of the plan of {object}",
    "question.added": "added the question {object}",
    "question.changed": "changed {fields} of the question {object}",
    "question.replaced": "replaced the question {object} by {by}",
    "question.accepted": "accepted the question {object}",
    "question.draft": "made the question {object} a draft again",
    "question.retired": "retired the question {object}",
    "questions.copied": "copied {count} questions from {source}",
    "survey.loaded": "loaded questions from a file: {count} changes",
    "topic.added": "added the topic {object}",
    "topic.changed": "changed the topic {object}",
    "topic.removed": "removed the topic {object}",
    "topics.loaded": "loaded {count} topics from a template",
    "study.opened": "opened the study",
    "study.created": "created the study",
    "study.changed": "changed {fields} of the study",
    "region.added": "added the region {object}",
    "region.changed": "changed {fields} of the region {object}",
    "region.removed": "removed the region {object}",
    "activity.added": "added the activity {object}",
    "activity.changed": "changed {fields} of the activity {object}",
    "activity.removed": "removed the activity {object}",
    "answers.exported": "exported the answers ({layout}, {format}): {rows} rows",
    "consent.written": "wrote version {version} of the consent document",
    "forms.published": "published {count} forms of {object}",
    "links.made": "made {count} personal links to {object}",
    "member.added": "added {object} as {role}",
    "member.role_changed": "made {object}, who had been {before}, {role}",
    "member.removed": "removed {object}, who had been {before}",
    "participant.withdrawn": "withdrew the participant {object}",
    "participant.words_removed": "removed what {object} left in {handler}: {removed}",
    "participation.timed_out": "ended the participation {object}, whose time was up",
    "participation.accepted": "accepted the participation {object}",
    "participation.asked_again": "gave forms {forms} of the participation {object} back",
    "participation.rejected": "rejected the participation {object} ({reason}; pay: {pay})",
    "participation.pay_decided": "decided to pay the participation {object} ({pay})",
    "participation.inclusion_decided": "decided if {object} is in the results: {included}",
    "flag.decided": "decided on {check} of the participation {object}: {decision}",
    "payments.entered": "entered {count} payments, {amount} in all",
    "payment.entered": "paid {amount} for the participation {object}",
    "bonus.added": "added a bonus of {amount} to the participation {object}: {why}",
    "recruiter.ended": "said {said} of the participation {object}, which ended",
    "recruiter.ignored": "said {said} of the participation {object}, which stays {status}",
    "recruiter_ids.emptied": "emptied the recruiters' ids of {count} participants",
}
_FIELDS = {
    "check": "the attention check",
    "help": "the help",
    "starts_with_name": "how it begins",
    "prefixed": "the prefix",
    "per_form": "the number of questions a form",
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
    counts = {name: counted(value) for name, value in data.items() if isinstance(value, Mapping)}
    return SENTENCES[action].format_map({**data, **counts, "object": object_id, "fields": fields})


def counted(counts: Mapping[str, int]) -> str:
    """`answers: 3, flags: 1`, without the zeros."""
    return (
        ", ".join(f"{name.replace('_', ' ')}: {n}" for name, n in counts.items() if n) or "nothing"
    )
