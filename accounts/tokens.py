"""What an API token is: a secret shown once, the scopes it carries, and how long it is good for.

Only the SHA-256 of the secret is stored. It is random and long, so a slow hash would protect
nothing and cost every request.
"""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from enum import StrEnum

from core.errors import CommonplaceError

MARK = "cp_"  # lets people and secret scanners recognise one
SHOWN = 9  # characters of it that lists may show
DAYS = 90
LONGEST_DAYS = 3650
LONGEST_NAME = 120


class Scope(StrEnum):
    STUDIES_READ = "studies:read"
    PARTICIPATIONS_READ = "participations:read"
    PARTICIPATIONS_WRITE = "participations:write"
    ANSWERS_READ = "answers:read"
    ANNOTATION_READ = "annotation:read"
    ANNOTATION_WRITE = "annotation:write"
    RELEASES_READ = "releases:read"
    RUNS_READ = "runs:read"
    RUNS_WRITE = "runs:write"


MEANINGS = {
    Scope.STUDIES_READ: "read studies and their set-up",
    Scope.PARTICIPATIONS_READ: "read who takes part, by code",
    Scope.PARTICIPATIONS_WRITE: "make personal links",
    Scope.ANSWERS_READ: "read answers",
    Scope.ANNOTATION_READ: "read tasks, judgements and gold",
    Scope.ANNOTATION_WRITE: "enter judgements",
    Scope.RELEASES_READ: "read releases and their items",
    Scope.RUNS_READ: "read benchmark runs and reports",
    Scope.RUNS_WRITE: "start benchmark runs",
}


def new_secret() -> str:
    """46 characters: the mark and 256 random bits."""
    return MARK + secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def prefix(secret: str) -> str:
    """The part a list shows, so that somebody can tell their tokens apart."""
    return secret[:SHOWN]


def bearer(header: str) -> str | None:
    """The secret of an `Authorization` header; None where it is of another scheme."""
    scheme, _, secret = header.strip().partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def read_name(name: str) -> str:
    """Raises `token.name`."""
    if not 1 <= len(name.strip()) <= LONGEST_NAME:
        raise CommonplaceError(
            "token.name", f"Name the token, in at most {LONGEST_NAME} characters, by what uses it."
        )
    return name.strip()


def read_scopes(given: Iterable[str]) -> list[Scope]:
    """Scopes in their own order, each once. Raises `token.unknown_scope`, `token.no_scope`."""
    wanted = set(given)
    if unknown := sorted(wanted - set(Scope)):
        raise CommonplaceError(
            "token.unknown_scope",
            f"There is no scope “{unknown[0]}”. Choose from: {', '.join(Scope)}.",
            unknown=unknown,
            allowed=[scope.value for scope in Scope],
        )
    if not wanted:
        raise CommonplaceError(
            "token.no_scope",
            f"A token without a scope opens nothing. Choose from: {', '.join(Scope)}.",
            allowed=[scope.value for scope in Scope],
        )
    return [scope for scope in Scope if scope in wanted]


def read_studies(given: Iterable[str], visible: Sequence[str]) -> list[str]:
    """Studies a token is limited to, each once. Raises `token.unknown_study`."""
    wanted = list(dict.fromkeys(given))
    if unknown := [slug for slug in wanted if slug not in visible]:
        raise CommonplaceError(
            "token.unknown_study",
            f"The owner of the token has no study “{unknown[0]}”. Add them to it first, or leave "
            "it out.",
            unknown=unknown,
        )
    return wanted


def read_days(days: int) -> int:
    """Raises `token.days`."""
    if not 1 <= days <= LONGEST_DAYS:
        raise CommonplaceError(
            "token.days", f"A token is good for 1 to {LONGEST_DAYS} days, and then ends.", days=days
        )
    return days
