"""A study, what it is set up with, who works on it, who takes part, and what they name."""

from studies.models.appended import Appended
from studies.models.artifacts import Artifact, ArtifactApart, ArtifactName, ArtifactSource
from studies.models.people import (
    Consent,
    LedgerEntry,
    Participant,
    Participation,
    RecruiterIdentity,
    RecruiterSession,
    Residence,
)
from studies.models.study import (
    Activity,
    ConsentDocument,
    Membership,
    Place,
    Region,
    Study,
    StudyQuerySet,
)

__all__ = [
    "Activity",
    "Appended",
    "Artifact",
    "ArtifactApart",
    "ArtifactName",
    "ArtifactSource",
    "Consent",
    "ConsentDocument",
    "LedgerEntry",
    "Membership",
    "Participant",
    "Participation",
    "Place",
    "RecruiterIdentity",
    "RecruiterSession",
    "Region",
    "Residence",
    "Study",
    "StudyQuerySet",
]
