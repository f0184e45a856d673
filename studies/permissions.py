"""Who may do what in a study: one table from roles to capabilities."""

from enum import StrEnum


class Capability(StrEnum):
    VIEW = "view"
    SET_UP = "set_up"
    READ_AUDIT = "read_audit"
    MANAGE_MEMBERS = "manage_members"
    RECRUIT = "recruit"  # open the study, make links, withdraw somebody who asks for it
    MONITOR = "monitor"
    REVIEW = "review"  # read answers, decide on inclusion and payment
    EXPORT = "export"
    ANNOTATE = "annotate"  # judge tasks, seeing one's own judgements
    FREEZE = "freeze"  # make a release of what was decided
    ADJUDICATE = "adjudicate"  # open annotation, see first passes, decide
    MODERATE = "moderate"  # watch games live, warn, pause, end, decide on appeals


class Role(StrEnum):
    OWNER = "owner"
    RESEARCHER = "researcher"
    ANNOTATOR = "annotator"
    MODERATOR = "moderator"
    VIEWER = "viewer"


CAPABILITIES: dict[Role, frozenset[Capability]] = {
    Role.OWNER: frozenset(Capability),
    Role.RESEARCHER: frozenset(Capability) - {Capability.MANAGE_MEMBERS},
    Role.ANNOTATOR: frozenset({Capability.VIEW, Capability.ANNOTATE}),
    Role.MODERATOR: frozenset({Capability.VIEW, Capability.MONITOR, Capability.MODERATE}),
    Role.VIEWER: frozenset({Capability.VIEW, Capability.MONITOR}),
}
