"""What the environment says, read once, with errors that name the variable and what it may be.

Nothing set: SQLite, one web process, one worker child, everything below one data folder.
`DATABASE_URL` and `REDIS_URL` set: PostgreSQL and Redis, any number of processes.
Combinations that could lose a message refuse to start.
"""

import fcntl
import hashlib
import json
import math
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


@dataclass(frozen=True)
class Profile:
    """Which of the allowed deployments this is."""

    name: str  # embedded | single | scaled
    database_url: str
    redis_url: str


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name, str(default)).lower()
    if value in TRUE | FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name}={value!r} is not understood: use 1 or 0.")


def number(name: str, default: float, *, least: float = 0) -> float:
    value = text(name, str(default))
    try:
        result = float(value)
    except ValueError:
        result = float("nan")
    if not (math.isfinite(result) and result >= least):
        raise ImproperlyConfigured(f"{name}={value!r} is not understood: use a number ≥ {least:g}.")
    return result


def whole(name: str, default: int, *, least: int = 0) -> int:
    result = number(name, default, least=least)
    if result != int(result):
        raise ImproperlyConfigured(
            f"{name}={text(name)!r} is not understood: use a whole number ≥ {least}."
        )
    return int(result)


def heartbeat() -> tuple[float, float]:
    """How often a player's page says that it is there, and how long it may say nothing; seconds."""
    beat = number("COMMONPLACE_GAME_HEARTBEAT", 5, least=0.1)
    idle_after = number("COMMONPLACE_GAME_IDLE_AFTER", 3 * beat)
    if idle_after < 3 * beat:
        raise ImproperlyConfigured(
            f"COMMONPLACE_GAME_IDLE_AFTER={idle_after:g} is less than three times "
            f"COMMONPLACE_GAME_HEARTBEAT={beat:g}: players would be lost by one late message; "
            "set it higher, or let the heart beat more often."
        )
    return beat, idle_after


def json_object(name: str) -> dict[str, Any]:
    value = text(name, "{}")
    try:
        result = json.loads(value)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not valid JSON ({error}): use an object.") from error
    if not isinstance(result, dict):
        raise ImproperlyConfigured(f"{name} must be a JSON object, not {type(result).__name__}.")
    return result


def profile() -> Profile:
    """The deployment that DATABASE_URL, REDIS_URL and WEB_PROCESSES ask for, if it is allowed."""
    database_url, redis_url = text("DATABASE_URL"), text("REDIS_URL")
    web_processes = whole("WEB_PROCESSES", 1, least=1)
    postgres = urlsplit(database_url).scheme in {"postgres", "postgresql"}
    if database_url and not postgres and urlsplit(database_url).scheme != "sqlite":
        raise ImproperlyConfigured(
            "DATABASE_URL must begin with postgres:// (or sqlite:///): "
            "other databases are not supported."
        )
    if redis_url and not postgres:
        raise ImproperlyConfigured(
            "REDIS_URL is set but DATABASE_URL is not PostgreSQL: SQLite serves one web process "
            "and one worker without Redis; set DATABASE_URL or unset REDIS_URL."
        )
    if web_processes > 1 and not redis_url:
        raise ImproperlyConfigured(
            f"WEB_PROCESSES={web_processes} without REDIS_URL would lose messages: "
            "set DATABASE_URL (PostgreSQL) and REDIS_URL, or use one web process."
        )
    name = "scaled" if redis_url else "single" if postgres else "embedded"
    return Profile(name, database_url, redis_url)


def secret_key(data: Path, profile: Profile) -> str:
    """SECRET_KEY, or for the embedded profile one made once and kept in the data folder."""
    given = text("SECRET_KEY")
    if given:
        return given
    if profile.name != "embedded":
        raise ImproperlyConfigured(
            "SECRET_KEY is not set: with PostgreSQL every process must be given the same one, "
            'for example from `python -c "import secrets; print(secrets.token_urlsafe(50))"`.'
        )
    descriptor = os.open(data / "secret_key", os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # of processes that start together one makes the key
        key = file.read().strip()
        if not key:
            key = secrets.token_urlsafe(50)
            file.write(key)
    return key


def channel_prefix(key: str, profile: Profile) -> str:
    """What the names of this installation's channels begin with. Redis tells what is published to
    every database of a server, so that others who share it would hear our players' screens."""
    database = urlsplit(profile.database_url).path
    return "commonplace-" + hashlib.sha256(f"{key} {database}".encode()).hexdigest()[:16]
