"""Studies to be played in, with people who were let in already; run by `manage.py shell -c`.

`clues` is an ordinary one. In `hours` a turn has ten clues and one guess, and there is much to
describe.
"""

import json
from io import StringIO
from pathlib import Path

REGIONS = ("harbour", "marsh", "hills", "woods", "plain")
PEOPLE = {"clues": 60, "hours": 2}  # of each region
ARTIFACTS = {"clues": 6, "hours": 64}
MODERATOR, PASSWORD = "moderator@example.org", "a password to moderate with"
STUDY = """\
study: {slug}
names: {{en: A game to be played}}
languages: [en]
country: Lantern Coast
timezone: Atlantic/Azores
currency: EUR
residency: {{more_than_percent: 50}}
regions:
{regions}
activities:
  taboo:
    kind: game
    names: {{en: A game of clues}}
    reward: {{kind: hourly, amount: 900.00, minutes: 25}}
consent:
  texts: {{en: We ask what people in your part of the country take for granted.}}
  purposes:
    take_part: {{en: I have read this and want to take part.}}
game:
  practice: false
  ready_seconds: 600
  clue_seconds: 1800
  guess_seconds: 1800
  rate_seconds: 600
  play_seconds: 14400
  grace_seconds: 30
  after_seconds: 3600
  wait_seconds: 3600
{rules}
"""
REGION = """\
  {slug}:
    names: {{en: {slug}}}
    phrases: {{en: in the {slug}}}
    places: [{slug} town]
    target: 1000
"""
RULES = {"clues": "  deck: 3", "hours": "  clues: 10\n  guesses: 1\n  deck: 40"}
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def make(folder: str) -> None:
    """Open both studies and print `{study: {region: [token, …]}}`."""
    from django.core.management import call_command

    made = {}
    for slug in PEOPLE:
        regions = "".join(REGION.format(slug=region) for region in REGIONS)
        path = Path(folder) / f"{slug}.yaml"
        path.write_text(STUDY.format(slug=slug, regions=regions.rstrip(), rules=RULES[slug]))
        call_command("load_study", path, stdout=StringIO())
        _list_artifacts(slug)
        call_command("open_study", slug, stdout=StringIO())
        made[slug] = _let_in(slug)
    _moderator()
    print(json.dumps(made))


def _list_artifacts(slug: str) -> None:
    from core.text import fold
    from studies.models import Artifact, ArtifactName, Study

    study = Study.objects.get(slug=slug)
    for region in study.regions.all():
        rows = Artifact.objects.bulk_create(
            Artifact(study=study, region=region, status="listed") for _n in range(ARTIFACTS[slug])
        )
        names = [_name(number) for number in range(len(rows))]
        ArtifactName.objects.bulk_create(
            ArtifactName(artifact=row, text=name, folded=fold(name), kind="name")
            for row, name in zip(rows, names, strict=True)
        )


def _name(number: int) -> str:
    """Names of which none is spelt like another."""
    first, rest = divmod(number, len(CONSONANTS))
    return f"{CONSONANTS[rest]}{VOWELS[first]}{CONSONANTS[-1 - rest]}{VOWELS[-1 - first]}q".title()


def _let_in(slug: str) -> dict[str, list[str]]:
    from studies import links
    from studies.models import Activity, Participant, Participation
    from studies.participation import Status

    activity = Activity.objects.get(study__slug=slug)
    people: dict[str, list[str]] = {}
    for region in activity.study.regions.all():
        them = Participant.objects.bulk_create(
            Participant(study=activity.study, region=region, language="en")
            for _person in range(PEOPLE[slug])
        )
        rows = Participation.objects.bulk_create(
            Participation(
                participant=who, activity=activity, status=Status.ACTIVE, slot_region=region
            )
            for who in them
        )
        people[region.slug] = [links.token(row) for row in rows]
    return people


def _moderator() -> None:
    from accounts.models import User
    from studies.models import Membership, Study
    from studies.permissions import Role

    user = User.objects.create_user(MODERATOR, PASSWORD)
    for study in Study.objects.all():
        Membership.objects.create(study=study, user=user, role=Role.MODERATOR)
