"""What a recruiter's address says of the person who comes by it, and where it wants them back.

Recruiters fill three parameters in. People lose them on the way: an address copied by hand has
none, one that was never filled in still has its placeholders, and some programs change the case
of names. What cannot be an id counts as not said.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PERSON, STUDY, SESSION = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
LONGEST = 120  # characters of an id
PROLIFIC = "prolific"
_ID = re.compile(rf"[\w.@:+~=-]{{1,{LONGEST}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The ids of the person, of the study and of this one submission, each empty where it was
    not said; `unreadable` where something was said of the person that is no id."""

    person: str
    study: str = ""
    session: str = ""
    unreadable: bool = False


def read(given: Mapping[str, str]) -> Arrival:
    """The parameters, whatever the case of their names."""
    said: dict[str, str] = {}
    for name, value in given.items():
        if value.strip():
            said.setdefault(name.strip().upper(), value.strip())
    person = _id(said.get(PERSON, ""))
    return Arrival(
        person=person,
        study=_id(said.get(STUDY, "")),
        session=_id(said.get(SESSION, "")),
        unreadable=PERSON in said and not person,
    )


def carried(arrival: Arrival) -> list[tuple[str, str]]:
    """What `read` reads again as the same arrival."""
    ids = ((PERSON, arrival.person), (STUDY, arrival.study), (SESSION, arrival.session))
    return [(name, value) for name, value in ids if value]


def recruitment_address(join: str) -> str:
    """The address to paste into the recruiter, who replaces the placeholders."""
    return f"{join}?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in (PERSON, STUDY, SESSION))


def called(name: str) -> str:
    """A recruiter's name as people write it."""
    return PROLIFIC.title() if name.casefold() == PROLIFIC else name


def return_address(recruiter: str, code: str) -> str:
    """Where the person hands the completion code in by following a link; empty where the
    recruiter has no such address."""
    if recruiter.casefold() != PROLIFIC:
        return ""
    return f"https://app.prolific.com/submissions/complete?cc={code}"


def _id(text: str) -> str:
    return text if _ID.fullmatch(text) else ""
