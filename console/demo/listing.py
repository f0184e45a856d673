"""What the study team of the demonstration makes of the things that people have named."""

from collection.services.artifacts import gather
from console.demo import ACTOR, things
from console.demo.things import Thing
from studies import artifacts
from studies.models import Artifact, ArtifactName, Region, Study
from studies.services.artifacts import Called, list_artifact
from studies.services.merging import merge

Kind = ArtifactName.Kind


def list_things(study: Study) -> int:
    """Gather what was named, take the spellings of one thing together and list it; how many
    things are listed."""
    gather(study, ACTOR)
    for region in study.regions.order_by("position"):
        for thing in things.surveyed(region.slug):
            enlist(study, region, thing)
    return study.artifacts.filter(status=Artifact.Status.LISTED).count()


def enlist(study: Study, region: Region, thing: Thing) -> None:
    """Under the first name in the language of the region, with all others beside it."""
    language = region.language or study.languages[0]
    first, *others = thing.names[language]
    listed = list_artifact(study, region, first, ACTOR)
    apart = {
        row.code
        for names in thing.names.values()
        for name in names
        if (row := artifacts.find(region, name)) and row != listed
    }
    if apart:
        merge(study, apart, listed.code, ACTOR)
    list_artifact(study, region, first, ACTOR, _further(thing, language, others))


def _further(thing: Thing, language: str, aliases: list[str]) -> list[Called]:
    abroad = [
        Called(name, Kind.TRANSLATION, tag)
        for tag, names in thing.names.items()
        for name in names
        if tag != language
    ]
    forbidden = [Called(word, Kind.FORBIDDEN) for word in thing.forbidden]
    return [*map(Called, aliases), *abroad, *forbidden]
