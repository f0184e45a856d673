"""The simulated study of a crowd: made once, then people are invited to it, and what they left is
read."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from collection.models import Answer
from console.simulating.person import Invited
from console.simulating.tally import Stored
from core.errors import CommonplaceError
from games.models import GameEvent, Seat, Utterance
from studies import links
from studies.models import Activity, Participation, Study
from studies.services import list_artifact, load_file, make_links, open_study

STUDY_FILE = Path(__file__).parent / "study.yaml"
SLUG, SURVEY, GAME = "simulated_crowd", "customs", "taboo"
ACTOR = "simulation"  # in the audit trail
AT_ONCE = 1000  # links
THINGS = {
    "harbour": (
        *("Bellbuoy supper", "Tarring day", "Gull whistle", "Quay lantern", "Netmender stool"),
        *("Herring plait", "Rope bracelet", "Sail quilt", "Pilot biscuit", "Anchor dance"),
    ),
    "marsh": (
        *("Reed flute", "Eel pie", "Stilt race", "Peat cake", "Heron mask"),
        *("Willow cradle", "Frog choir", "Mud oven", "Sedge hat", "Punt wedding"),
    ),
}
PLACES = {"harbour": "Brassgate", "marsh": "Eelfoot"}
BORN, UNTIL = "1980", "2020"


def prepare() -> Study:
    """The study, open; made where there is none. Raises `simulate.not_simulated` where its short
    name is taken by a study of people."""
    study = Study.objects.filter(slug=SLUG).first()
    if study is not None and not study.simulated:
        raise CommonplaceError(
            "simulate.not_simulated",
            f"The study {SLUG} is not a simulated one, and simulated people never take part in a "
            "study of real people. Choose another installation.",
            study=SLUG,
        )
    if study is None or study.status == Study.Status.SET_UP:
        study = load_file(STUDY_FILE, ACTOR).study
        for region in study.regions.all():
            for name in THINGS[region.slug]:
                list_artifact(study, region, name, ACTOR)
        study = open_study(study, ACTOR)
    return study


def invite(study: Study, participants: int, pairs: int) -> tuple[list[Invited], list[Invited]]:
    """Paths of links of who will answer and of who will play, regions in turn."""
    regions = list(THINGS)
    answering = _links(study.activities.get(slug=SURVEY), participants)
    playing = _links(study.activities.get(slug=GAME), 2 * pairs)
    return (
        [
            Invited(link, _lived(regions[place % len(regions)]))
            for place, link in enumerate(answering)
        ],
        [
            Invited(link, {"region": regions[place // 2 % len(regions)]})
            for place, link in enumerate(playing)
        ],
    )


def stored(invited: Sequence[Invited]) -> Stored:
    """What the database holds of these people, by the links they came with."""
    by_code = {_code(each.link): each.link for each in invited}
    rows = Participation.objects.filter(activity__study__slug=SLUG)
    who = {pk: by_code[code] for pk, code in rows.values_list("pk", "code") if code in by_code}
    sitting: dict[int, dict[int, str]] = defaultdict(dict)
    seats = Seat.objects.filter(participation__in=rows)
    for game, number, participation in seats.values_list("game", "number", "participation"):
        if participation in who:
            sitting[game][number] = who[participation]
    return Stored(
        nonces=_nonces(sitting),
        answers=_answers(who),
        partners={
            link: seats[1 - number]
            for seats in sitting.values()
            for number, link in seats.items()
            if len(seats) == 2
        },
        said=" ".join(
            Utterance.objects.filter(
                game__activity__study__slug=SLUG, kind="clue", verdict="said"
            ).values_list("text", flat=True)
        ),
    )


def _links(activity: Activity, count: int) -> Iterator[str]:
    for made in range(0, count, AT_ONCE):
        for row in make_links(activity, min(AT_ONCE, count - made), ACTOR):
            yield links.personal(row)


def _code(link: str) -> str:
    return link.rstrip("/").rpartition("/")[2].partition(".")[0]


def _lived(region: str) -> dict[str, str]:
    return {
        "rows": "1",
        "born": BORN,
        "stay-0-place": PLACES[region],
        "stay-0-from_year": BORN,
        "stay-0-to_year": UNTIL,
    }


def _nonces(sitting: dict[int, dict[int, str]]) -> dict[str, set[str]]:
    followed: dict[str, set[str]] = defaultdict(set)
    events = GameEvent.objects.filter(game__activity__study__slug=SLUG).exclude(nonce="")
    for game, seat, nonce in events.values_list("game", "seat", "nonce"):
        if seat in sitting.get(game, {}):
            followed[sitting[game][seat]].add(nonce)
    return followed


def _answers(who: dict[int, str]) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    rows = Answer.objects.filter(submission__participation__activity__study__slug=SLUG)
    columns = ("submission__participation", "question__key", "text")
    for participation, key, text in rows.values_list(*columns):
        if participation in who:
            texts[who[participation]][key] = text
    return texts
