"""The simulated participants, and how each goes through the pages: from the link to the last form.

They only send, as a browser without script does, and go where that leads. Whoever comes a second
time finds everything done and changes nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

from django.test import Client
from django.urls import reverse

from collection.kinds import AnswerKind
from collection.selectors import current_forms
from console.demo import things, wording
from console.demo.content import customs
from core.errors import CommonplaceError
from studies import links
from studies.models import Activity, Participation, Study
from studies.participation import Status
from studies.services.entering import this_year
from studies.setup import ActivityKind
from studies.taking_part.forms import ELSEWHERE

Fields = dict[str, Any]


class Conduct(StrEnum):
    KEEPS = "answers everything"
    SLIPS = "answers everything, and one attention check wrongly"
    CARELESS = "fails both attention checks"
    WITHDRAWS = "withdraws after the answers were accepted"
    LEAVES = "gives the place back before the first question"
    MOVED = "has lived in the region for half of a life, which is not more than half"


@dataclass(frozen=True)
class Person:
    """`seat` says which of a region's five practices they keep."""

    name: str  # what the recruiter calls them
    region: str
    seat: int
    language: str = "en"
    conduct: Conduct = Conduct.KEEPS
    publishes: bool = True

    @property
    def rng(self) -> Random:
        return Random(self.name)  # noqa: S311  (a simulation)


def _region(region: str, hindi: tuple[int, ...] = (), slips: int = -1) -> list[Person]:
    return [
        Person(
            f"simulated-{region}-{seat + 1}",
            region,
            seat,
            "hi" if seat in hindi else "en",
            Conduct.SLIPS if seat == slips else Conduct.KEEPS,
            publishes=(region, seat) != ("moor", 4),
        )
        for seat in range(5)
    ]


HARBOUR, TERRACES = _region("harbour", slips=2), _region("terraces")
MARSH, MOOR = _region("marsh", hindi=(0, 1, 2, 3, 4)), _region("moor", hindi=(0, 2))
CARELESS = Person("simulated-terraces-careless", "terraces", 4, conduct=Conduct.CARELESS)
LEAVING = Person("simulated-moor-leaving", "moor", 0, conduct=Conduct.LEAVES)
MOVED = Person("simulated-moved", "harbour", 0, conduct=Conduct.MOVED)
WITHDRAWING = Person("simulated-marsh-withdrawing", "marsh", 4, "hi", Conduct.WITHDRAWS)

# The last of the terraces and of the marsh come when a place has fallen free again.
FIRST = [MOVED, LEAVING, *HARBOUR, *TERRACES[:4], CARELESS, *MARSH[:4], WITHDRAWING, *MOOR]
LATER = [TERRACES[4], MARSH[4]]


@dataclass(frozen=True)
class Visit:
    """Somebody's browser at their personal link."""

    person: Person
    activity: Activity
    client: Client
    link: str

    @property
    def participation(self) -> Participation:
        """As it is now."""
        return links.participation_of(self.link.rstrip("/").rpartition("/")[2])

    def send(self, address: str, fields: Fields) -> str:
        return send(self.client, f"{self.link}{address}", fields)

    @property
    def answering(self) -> bool:
        """Whether there are questions for them: they were let in, and have not sent everything."""
        return self.participation.status == Status.ACTIVE


def take_part(person: Person, study: Study) -> None:
    """Everything a person does until their answers are with the study team."""
    visit = enter(person, _survey(study))
    if person.conduct is Conduct.LEAVES:
        visit.send("leave/", {"choice": "give_back"})
        return
    visit.send("screening/", _lived(person, study))
    if visit.answering:
        _answer(visit)


def withdraw(person: Person, study: Study) -> None:
    enter(person, _survey(study)).send("leave/", {"choice": "withdraw"})


def _survey(study: Study) -> Activity:
    return study.activities.get(kind=ActivityKind.SURVEY)


def send(client: Client, address: str, fields: Fields) -> str:
    """Where it leads. Raises `demo.refused`."""
    response = client.post(address, fields)
    if not 300 <= response.status_code < 400:
        raise CommonplaceError(
            "demo.refused",
            "A page refused what a simulated person sent, so the demonstration could not be "
            "finished. Run the command again; if it says the same, report it.",
            address=address,
            status=response.status_code,
        )
    return str(response["Location"])


def enter(person: Person, activity: Activity) -> Visit:
    """By the recruiter's link, in their language, with consent given."""
    study = activity.study
    client = Client(SERVER_NAME="localhost")
    arrival = {"PROLIFIC_PID": person.name, "SESSION_ID": f"session-of-{person.name}"}
    join = reverse("taking_part:join", args=(study.slug, activity.slug))
    link = send(client, join, arrival | {"language": person.language})
    visit = Visit(person, activity, client, link)
    agreed: Fields = {"document": study.consent_documents.latest("pk").pk, "take_part": "on"}
    agreed |= {"publish": "on"} if person.publishes else {}
    agreed |= {"outside_model": "on"} if person.rng.random() < 0.8 else {}
    visit.send("consent/", agreed)
    return visit


def _lived(person: Person, study: Study) -> Fields:
    """A life in a place of the region, for some after a childhood elsewhere."""
    rng, now = person.rng, this_year(study)
    age = 2 * rng.randrange(10, 38)
    born = came = now - age
    place = rng.choice(list(study.places.filter(region__slug=person.region).order_by("pk"))).name
    fields: Fields = {"rows": "2", "born": str(born)}
    if person.conduct is Conduct.MOVED or rng.random() < 0.3:
        came += age // 2 if person.conduct is Conduct.MOVED else rng.randrange(2, 8)
        fields |= _stay(0, ELSEWHERE, born, came)
    return fields | _stay(1, place, came, now)


def _stay(row: int, place: str, start: int, end: int) -> Fields:
    years = {f"stay-{row}-from_year": str(start), f"stay-{row}-to_year": str(end)}
    return {f"stay-{row}-place": place} | years


def _answer(visit: Visit) -> None:
    """Form after form, each at the address the one before led to."""
    documents = {form.number: form.document for form in current_forms(visit.activity)}
    rng, where = visit.person.rng, f"{visit.link}forms/1/"
    while "/forms/" in where:
        fields: Fields = {"action": "send"}
        number = int(where.rstrip("/").rpartition("/")[2])
        for question in documents[number]["questions"]:
            fields |= _fields(question, visit.person, rng)
        where = send(visit.client, where, fields)


def _fields(question: dict[str, Any], person: Person, rng: Random) -> Fields:
    key = question["key"]
    if question["check"]:
        return {f"answer-{key}": _attention(question, person)}
    if question["kind"] == AnswerKind.ARTIFACTS:
        named = rng.sample(things.surveyed(person.region), 3)
        return {f"name-{key}": [rng.choice(each.names[person.language]) for each in named]}
    practice = customs()[key].kept_by(person.region, person.seat)
    said = practice.value or wording.put(practice, person.language, rng)
    return {f"answer-{key}": said}


def _attention(question: dict[str, Any], person: Person) -> str:
    expected: str = question["check"]["expected"]
    slip = person.conduct is Conduct.SLIPS and question["key"] == "attention_blue"
    if person.conduct is Conduct.CARELESS or slip:
        return next(each["id"] for each in question["options"] if each["id"] != expected)
    return expected
