"""Rows of the games that are measured; run inside the product, by `manage.py shell`."""

import json

from games.models import GameEvent, Utterance
from perf.playing import REGIONS
from studies.models import Study
from studies.services import list_artifact

ACTOR = "measuring"
FIRST = ("Amber", "Birch", "Copper", "Dusk", "Ember", "Flint")
SECOND = ("kettle", "ladder", "pillow", "saddle")


def list_artifacts(slug: str) -> None:
    """24 of every region, one name each."""
    study = Study.objects.get(slug=slug)
    for region in study.regions.filter(slug__in=REGIONS):
        for first in FIRST:
            for second in SECOND:
                list_artifact(study, region, f"{first}{region.slug} {second}", ACTOR)


def print_followed(slug: str) -> None:
    """The numbers of all commands that were followed, and the clues that were said, as JSON."""
    of_study = {"game__activity__study__slug": slug}
    nonces = GameEvent.objects.filter(**of_study).exclude(nonce="").values_list("nonce", flat=True)
    clues = Utterance.objects.filter(**of_study, kind="clue", verdict="said")
    said = list(clues.values_list("text", flat=True))
    print(json.dumps({"nonces": list(nonces), "clues": said}))
