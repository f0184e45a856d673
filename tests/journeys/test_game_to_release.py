"""From what people name to a published game, and out again: a survey of things, their list, a game
of two, a moderator, a release, and a player who withdraws.

The people are simulated; what they and the team do is a request to a page, or a command.
"""

import json
import re
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from core import jobs
from core.models import Job
from games.models import Game, Utterance
from releases import canonical, storing
from releases.models import Release
from studies.models import Artifact, Participant, Participation, Study
from studies.participation import Status

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SLUG = "things"
FILE = """\
study: things
names: {en: Things everybody knows}
languages: [en]
country: Lantern Coast
timezone: Atlantic/Azores
currency: EUR
simulated: true
residency: {more_than_percent: 50}
regions:
  harbour: {names: {en: Harbour}, phrases: {en: in the Harbour}, places: [Brassgate], target: 3}
  marsh: {names: {en: Marsh}, phrases: {en: in the Marsh}, places: [Eelfoot], target: 3}
activities:
  named: {kind: survey, phase: main, names: {en: Things}, recruiter: prolific,
    reward: {kind: flat, amount: 3.00, minutes: 10}}
  played: {kind: game, phase: main, names: {en: A game of clues}, recruiter: prolific,
    reward: {kind: hourly, amount: 12.00, minutes: 30}}
consent: {texts: {en: We ask.}, purposes: {take_part: {en: Yes}, publish: {en: Yes}}}
survey:
  topics: {home: {names: {en: At home}}}
  questions:
    known: {kind: artifacts, topic: home, texts: {en: Which things does everybody know?}}
game: {practice: false}
"""
NAMED = [["Fog bread", "Net blessing"], ["Fogbread"], ["Net blessing", "Fog bread"]]
APPEALED = "You smell the flour in the whole street"
SAID = {
    "Fog bread": (APPEALED,),
    "Net blessing": ("It is done before the first boat leaves", "The oldest woman speaks it"),
}
CLOCK, ABOUT = "Tide clock", "It hangs in the market and has one hand"


def test_what_people_name_is_played_published_and_withdrawn_again(as_alice, tmp_path):
    study = the_study_is_loaded_and_opened(tmp_path)
    three_people_name_things(study)
    as_alice.post(at("collection:review_accept_many"), {"code": codes(Status.SUBMITTED)})
    the_things_are_gathered_and_two_spellings_become_one(as_alice)

    players = [Player("first"), Player("second")]
    the_cards_are_dealt(players)
    for _turn in SAID:
        a_turn_is_played(players, as_alice)
    they_look_back_and_one_proposes(players)
    the_proposal_is_accepted(as_alice)

    release = frozen()
    clues = exported(release, tmp_path / "before")
    assert clues["Fog bread"] == list(SAID["Fog bread"])
    assert clues["Net blessing"] == list(SAID["Net blessing"])
    assert clues[CLOCK] == [ABOUT]

    bread = next(each for each in players if each.thing == "Fog bread")
    bread.withdraws()
    the_release_is_superseded(release)
    left = exported(f"{SLUG}@2", tmp_path / "after")
    assert left["Fog bread"] == []
    assert left["Net blessing"] == list(SAID["Net blessing"])
    for path in (tmp_path / "after").glob("*.jsonl"):
        assert APPEALED not in path.read_text()
        assert bread.code not in path.read_text()


# --- from the file to a list of things ----------------------------------------------------------


def the_study_is_loaded_and_opened(folder):
    path = folder / "study.yaml"
    path.write_text(FILE)
    command("load_study", path)
    command("open_study", SLUG)
    return Study.objects.get()


def come(activity, name):
    """From the recruiter's link to consent; the browser, and the personal page."""
    client = Client()
    arrival = {"PROLIFIC_PID": name, "SESSION_ID": f"session-of-{name}"}
    home = client.post(reverse("taking_part:join", args=(SLUG, activity)), arrival)["Location"]
    document = Study.objects.get().consent_documents.get()
    agreed = {"document": document.pk, "take_part": "on", "publish": "on"}
    assert client.post(f"{home}consent/", agreed).status_code == 303
    return client, home


def three_people_name_things(study):
    for number, things in enumerate(NAMED):
        client, home = come("named", f"person-{number}")
        lived = {"born": "1980", "stay-0-place": "Brassgate"}
        lived |= {"stay-0-from_year": "1980", "stay-0-to_year": "2026"}
        client.post(f"{home}screening/", lived)
        sent = client.post(f"{home}forms/1/", {"action": "send", "name-known": things})
        assert (sent.status_code, sent["Location"]) == (303, home)


def the_things_are_gathered_and_two_spellings_become_one(team):
    team.post(at("collection:artifacts_gather"))
    assert names() == {"Fog bread", "Net blessing", "Fogbread"}
    suggested = team.get(at("collection:artifacts_suggested"), {"region": "harbour"})
    assert "Fogbread" in suggested.content.decode()
    both = [artifact("Fog bread").code, artifact("Fogbread").code]
    merge = {"do": "merge", "artifact": both, "into": both[0]}
    team.post(at("collection:artifacts_decide"), merge)
    assert artifact("Fogbread") == artifact("Fog bread")
    listed = [artifact("Fog bread").code, artifact("Net blessing").code]
    team.post(at("collection:artifacts_decide"), {"do": "list", "artifact": listed})
    flour = {"text": "flour", "kind": "forbidden"}
    added = team.post(at("collection:artifact", artifact("Fog bread").code), flour)
    assert added.status_code == 302


# --- the game -----------------------------------------------------------------------------------


class Player:
    """Somebody at the page of the game, who fills in the forms that stand on it."""

    def __init__(self, name):
        self.client, self.home = come("played", name)
        self.client.post(f"{self.home}screening/", {"region": "harbour"})
        self.code = re.search(r"Your code in this study: <[^>]+>(\w+)", self.page)[1]
        self.send("enter")

    @property
    def page(self):
        return unescape(self.client.get(f"{self.home}game/").content.decode())

    @property
    def describes(self):
        return "you describe" in self.page

    def send(self, do, **fields):
        forms = re.findall(r"<form.*?</form>", self.page, re.S)
        (form,) = [each for each in forms if f'name="do" value="{do}"' in each][:1]
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        sent = self.client.post(f"{self.home}game/", hidden | {"do": do} | fields)
        assert sent.status_code == 303, unescape(sent.content.decode())

    def withdraws(self):
        self.client.post(f"{self.home}leave/", {"choice": "withdraw"})
        for job in Job.objects.filter(status=Job.Status.QUEUED).values_list("pk", flat=True):
            jobs.execute(job)


def the_cards_are_dealt(players):
    """Both are ready; each has one thing, and only who describes it first can see which."""
    for each in players:
        each.send("ready")
    first, other = sorted(players, key=lambda each: not each.describes)
    first.thing = next(thing for thing in SAID if thing in first.page)
    other.thing = next(thing for thing in SAID if thing != first.thing)
    assert not any(thing in other.page for thing in SAID)


def a_turn_is_played(players, moderator):
    """The clues of the thing, one after the other; the second guess is right."""
    giver, guesser = sorted(players, key=lambda each: not each.describes)
    said = SAID[giver.thing]
    for clue in said:
        giver.send("clue", text=clue)
        if clue == APPEALED:
            assert "Your partner does not read this." in giver.page
            assert clue not in guesser.page
            giver.send("appeal")
            a_moderator_lets_it_pass(moderator)
        assert clue in guesser.page
        if clue == said[0]:
            guesser.send("guess", text="The harbour bell")
        if clue != said[-1]:
            guesser.send("next")
    guesser.send("guess", text=giver.thing.upper())
    guesser.send("rate", accuracy="4", quality="5")


def a_moderator_lets_it_pass(moderator):
    said = Utterance.objects.get(text=APPEALED)
    assert APPEALED in unescape(moderator.get(at("games:watch")).content.decode())
    ruling = {"do": f"rule {said.turn} {said.number} yes"}
    moderator.post(at("games:watch_act", said.game.code), ruling)


def they_look_back_and_one_proposes(players):
    first, second = players
    for each in players:
        for _thing in SAID:
            each.send("vet", known="yes", shared="ours")
    first.send("propose", name=CLOCK, about=ABOUT)
    second.send("verify", belongs="yes")
    for each in players:
        each.send("finish")
    assert Game.objects.get().ended_reason == "played"


def the_proposal_is_accepted(team):
    proposal = Utterance.objects.get(text=CLOCK)
    team.post(at("games:propose"), {"proposal": proposal.pk, "do": "accept"})
    assert (artifact(CLOCK).origin, artifact(CLOCK).status) == ("expanded", "listed")


# --- the release --------------------------------------------------------------------------------


def frozen():
    label = command("freeze_release", SLUG, "--licence", "CC-BY-4.0")["release"]
    assert label == f"{SLUG}@1"
    bread = Release.objects.get().items.get(key=artifact("Fog bread").code)
    assert [each["text"] for each in bread.payload["names"]] == ["Fogbread", "flour"]
    return label


def exported(label, folder):
    """The clues of every artifact, by its name, as the exported files have them."""
    command("export_release", label, "--format", "jsonl", "--out", folder)
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    clues = [json.loads(line) for line in (folder / "clues.jsonl").read_text().splitlines()]
    found = {
        each["payload"]["name"]["en"]: [clue["text"] for clue in each["payload"]["clues"]]
        for each in items
    }
    assert sorted(each["text"] for each in clues) == sorted(
        text for texts in found.values() for text in texts
    )
    return found


def the_release_is_superseded(label):
    """Case 22: one side of a shared game goes, from the transcript as well; the other stays."""
    old, new = Release.objects.order_by("version")
    assert (old.label, old.superseded_by) == (label, new)
    assert Participant.objects.filter(status=Participant.Status.WITHDRAWN).count() == 1
    (game,) = canonical.rows(storing.read(new.parts.get(name="transcripts")))
    words = {each["text"] for each in game["words"] if each["kind"] == "clue"}
    assert words == {"", *SAID["Net blessing"]}
    assert game["players"].count(None) == 1


# --- shared -------------------------------------------------------------------------------------


def at(page, *more):
    return reverse(page, args=(SLUG, *more))


def names():
    return {row.names.get().text for row in Artifact.objects.all()}


def artifact(name):
    return Artifact.objects.exclude(status="merged").get(names__text=name)


def codes(status):
    return list(Participation.objects.filter(status=status).values_list("code", flat=True))


def command(*arguments):
    out = StringIO()
    call_command(*map(str, arguments), "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())
