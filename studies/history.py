"""The history of a study in sentences: who is followed by what they did.

`{count:form}` is `1 form` or `3 forms`; `{participant}` is the code people see, never that of a
personal link.
"""

from collections.abc import Mapping
from typing import Any

SENTENCES = {
    "plan.changed": "changed {fields} of the forms of {object}",
    "question.added": "added the question {object}",
    "question.changed": "changed {fields} of the question {object}",
    "question.replaced": "replaced the question {object} by {by}",
    "question.accepted": "accepted the question {object}",
    "question.draft": "made the question {object} a draft again",
    "question.retired": "retired the question {object}",
    "questions.loaded": "loaded {count:question} from a template",
    "questions.copied": "copied {count:question} from {source}",
    "game.rules_changed": "changed {fields} of the rules of {object}",
    "survey.loaded": "loaded a file: {count:question} added, changed or removed",
    "topic.added": "added the topic {object}",
    "topic.changed": "changed the topic {object}",
    "topic.removed": "removed the topic {object}",
    "topic.merged": "merged the topic {object} into {into}",
    "topics.loaded": "loaded {count:topic} from a template",
    "annotations.exported": "exported the annotations ({format}): {rows:row}",
    "judgements.imported": "entered {judgements:judgement} of {annotator} to {object}",
    "annotation.opened": "opened the annotation {object}",
    "suggestions.ordered": "ordered suggestions for {object} by {by}",
    "suggestions.hidden": "keeps suggestions for {object} from {share:.0%} of places",
    "suggestions.imported": "entered {suggestions} suggestions by {by} for {object}",
    "annotation.share_set": "set how much of more than five answers has to agree to {share}",
    "task.put_back": "looked at the flagged task {object} and put it back",
    "guideline.written": "wrote version {version} of the guideline of {object}",
    "task.decided": "decided the task {object}",
    "judges.validated": "drew {replies} judged replies of {object} for people to judge",
    "release.built": "built {object} from a release of the study",
    "release.frozen": "froze the release {object}",
    "release.succeeded": "made {object} without the words of who has withdrawn",
    "study.opened": "opened the study",
    "study.created": "created the study",
    "study.changed": "changed {fields} of the study",
    "region.added": "added the region {object}",
    "region.changed": "changed {fields} of the region {object}",
    "region.removed": "removed the region {object}",
    "activity.added": "added the activity {object}",
    "activity.changed": "changed {fields} of the activity {object}",
    "activity.removed": "removed the activity {object}",
    "answers.exported": "exported the answers ({layout}, {format}): {rows:row}",
    "consent.written": "wrote version {version} of the consent document",
    "forms.published": "published {count:form} of {object}",
    "links.made": "made {count:personal link} to {object}",
    "member.added": "added {object} as {role}",
    "member.role_changed": "made {object}, who had been {before}, {role}",
    "member.removed": "removed {object}, who had been {before}",
    "participant.withdrawn": "withdrew the participant {object}",
    "participant.words_removed": "removed {removed} of {object} from the {handler}",
    "participation.timed_out": "ended the participation of {participant}, whose time was up",
    "participation.accepted": "accepted what {participant} had sent",
    "participation.asked_again": "asked {participant} again for form {forms}",
    "participation.rejected": "rejected what {participant} had sent, as {reason}, and pays {pay}",
    "participation.pay_decided": "decided to pay {participant} {pay}",
    "participation.inclusion_decided": "decided that {participant} is {included} the results",
    "flag.decided": "decided that the failed check {check} of {participant} {decision}",
    "payments.entered": "entered {count:payment}, {amount} in all",
    "payment.entered": "paid {amount} to {participant}",
    "artifact.listed": "listed the artifact {object}",
    "artifact.left_out": "left the artifact {object} out of later games",
    "artifact.name_added": "added a name ({kind}) to the artifact {object}",
    "artifact.name_removed": "removed a name ({kind}) of the artifact {object}",
    "artifact.merged": "merged {count:artifact} into {object}",
    "artifact.merge_undone": "took {count:artifact} out of {object} again",
    "artifact.kept_apart": "keeps {count:artifact} apart, {object} among them",
    "artifacts.gathered": "gathered {namings:naming} from the answers: {made:new artifact}",
    "game.halted": "paused the game {object}",
    "game.resumed": "let the game {object} go on",
    "game.ended": "ended the game {object}",
    "game.warned": "wrote to a player (seat {seat}) of the game {object}",
    "game.struck": "struck {kind} {number} of turn {turn} in the game {object}",
    "game.ruled": "decided on clue {clue} of turn {turn} in the game {object}; allowed: {allowed}",
    "game.judged": "judged guess {guess} of turn {turn} in the game {object}; right: {right}",
    "game.removed": "removed a player (seat {seat}) from the game {object}",
    "game.proposal_listed": "listed proposal {number} of the game {object} as {artifact}",
    "game.proposal_dismissed": "left proposal {number} of the game {object} off the list",
    "game.proposal_undone": "took back the decision on proposal {number} of the game {object}",
    "bonus.added": "added a bonus of {amount} for {participant}: {why}",
    "recruiter.ended": "said “{said}” of {participant}, whose participation ended",
    "recruiter.ignored": "said “{said}” of {participant}, whose participation stays {status}",
    "recruiter_ids.emptied": "emptied the recruiters' ids of {count:participant}",
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


_WORDS: dict[str, dict[Any, str]] = {
    "reason": {
        "attention": "attention checks were failed",
        "speed": "it was far too fast to have read the questions",
        "copied": "answers were copied",
        "off_topic": "the answers have nothing to do with the questions",
        "other": "there was another reason",
    },
    "pay": {"nothing": "nothing", "time": "the time spent", "reward": "the whole reward"},
    "included": {True: "in", False: "not in"},
    "decision": {"counts": "counts", "excused": "is excused"},
}
_CODES = ("said", "status")  # told in small letters, without their underscores


def sentence(action: str, object_id: str, data: Mapping[str, Any]) -> str:
    """An action this version does not know stands for itself."""
    if action not in SENTENCES:
        return f"{action} {object_id}"
    fields = ", ".join(_FIELDS.get(name, f"the {name}") for name in data.get("fields", ()))
    told = {name: _told(name, value) for name, value in data.items()}
    return SENTENCES[action].format_map(
        {"participant": object_id, **told, "object": object_id, "fields": fields}
    )


def counted(counts: Mapping[str, int]) -> str:
    """`3 answers and 1 flag` of names in the plural, without the zeros; `nothing` for none."""
    told = [
        f"{n} {name.replace('_', ' ') if n > 1 else name.replace('_', ' ').removesuffix('s')}"
        for name, n in counts.items()
        if n
    ]
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]])) or "nothing"


class _Number(int):
    """A number that says of how many things it is."""

    def __format__(self, thing: str) -> str:
        return f"{int(self)} {thing}{'' if self == 1 else 's'}" if thing else str(int(self))


def _told(name: str, value: Any) -> Any:
    if name in _WORDS and value in _WORDS[name]:
        return _WORDS[name][value]
    match value:
        case str() if name == "check":
            return value.partition(":")[2] or value  # attention:<question key>
        case str() if name in _CODES:
            return value.replace("_", " ").lower()
        case bool():
            return "yes" if value else "no"
        case int():
            return _Number(value)
        case Mapping():
            return counted(value)
    return value
