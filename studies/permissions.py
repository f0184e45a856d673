"""Who may do what in a study: one table from roles to capabilities."""

from enum import StrEnum


class Capability(StrEnum):
    VIEW = "view"
    SET_UP = "set_up"
    READ_AUDIT = "read_audit"
    MANAGE_MEMBERS = "manage_members"


class Role(StrEnum):
    OWNER = "owner"
    RESEARCHER = "researcher"
    ANNOTATOR = "annotator"
    MODERATOR = "moderator"
    VIEWER = "viewer"


CAPABILITIES: dict[Role, frozenset[Capability]] = {
    Role.OWNER: frozenset(Capability),
    Role.RESEARCHER: frozenset({Capability.VIEW, Capability.SET_UP, Capability.READ_AUDIT}),
    Role.ANNOTATOR: frozenset({Capability.VIEW}),
    Role.MODERATOR: frozenset({Capability.VIEW}),
    Role.VIEWER: frozenset({Capability.VIEW}),
}
