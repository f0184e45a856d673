"""From a study file to a model's report: people, two annotators, an adjudicator, a release, a run.

The people and the model are simulated; what they do is a request to a page, or a command.
"""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import GoldAnswer, GoldRelation, Task
from collection.models import Answer
from evaluation import reports, services
from evaluation.models import Run
from evaluation.viewing import evidence
from releases import storing
from releases.models import Release
from studies.models import Participation, Study
from studies.permissions import Role
from studies.services import invite
from tests.evaluation.conftest import do, stub

pytestmark = pytest.mark.django_db
__all__ = ["stub"]

SLUG = "journey"
PER_REGION = 3
# What each region takes for granted, as three people say it. The word in capitals is the practice.
SAID = {
    "visit": {
        "harbour": ["RING the bell twice.", "they Ring the bell twice", "ring  the bell, once!"],
        "terraces": ["CALL from the gate.", "One calls from the gate", "call from the gate"],
        "marsh": ["KNOCK on the rail.", "We knock on the rail.", "knock on the rail"],
    },
    "soup": {
        "harbour": ["With EEL.", "eel, always", "Eel."],
        "terraces": ["With BEANS.", "beans", "Beans and nothing else"],
        "marsh": ["With REED roots.", "reed roots", "Reed roots."],
    },
    "shoes": {
        "harbour": ["OUTSIDE the door.", "outside", "Outside, on the mat"],
        "terraces": ["On a SHELF.", "a shelf", "On the shelf in the hall"],
        "marsh": ["They stay ON.", "on", "They keep them on"],
    },
    "bread": {
        "harbour": ["The OLDEST cuts it.", "the oldest", "The oldest of the house."],
        "terraces": ["The OLDEST cuts it.", "oldest one", "The oldest."],
        "marsh": ["The OLDEST cuts it.", "Whoever is oldest", "the oldest person"],
    },
}
REGIONS = ("harbour", "terraces", "marsh")
ASKED_APART = ("visit", "soup", "shoes")  # on which the three differ
FILE = """\
study: journey
names: {en: A small journey}
languages: [en]
country: Lantern Coast
timezone: Atlantic/Azores
currency: EUR
simulated: true
residency: {more_than_percent: 50}
regions:
  harbour: {names: {en: Harbour}, phrases: {en: in the Harbour}, places: [Brassgate], target: 3}
  terraces: {names: {en: Terraces}, phrases: {en: on the Terraces}, places: [Figwall], target: 3}
  marsh: {names: {en: Marsh}, phrases: {en: in the Marsh}, places: [Eelfoot], target: 3}
activities:
  everyday:
    kind: survey
    names: {en: Everyday}
    recruiter: prolific
    reward: {kind: flat, amount: 3.00, minutes: 10}
consent: {texts: {en: We ask.}, purposes: {take_part: {en: Yes}, publish: {en: Yes}}}
survey:
  topics: {home: {names: {en: At home}}}
  questions:
    visit: {kind: long, topic: home, texts: {en: How does a guest say that they have come?}}
    soup: {kind: long, topic: home, texts: {en: What is soup made with?}}
    shoes: {kind: short, topic: home, texts: {en: Where do the shoes of guests stay?}}
    bread: {kind: short, topic: home, texts: {en: Who cuts the bread?}}
    check:
      kind: one
      texts: {en: Please choose B here.}
      options: {a: {en: A}, b: {en: B}}
      check: {type: instructed, expected: b}
"""
PLACES = {"harbour": "Brassgate", "terraces": "Figwall", "marsh": "Eelfoot"}


def test_what_people_answer_becomes_gold_a_release_and_a_report_of_a_model(
    alice, as_alice, django_user_model, stub, tmp_path
):
    study = the_study_is_loaded_and_opened(tmp_path)
    people_answer(study)
    everybody_is_accepted(study, as_alice)

    ann, ben, cem = the_annotators_are_added(study, django_user_model)
    the_kind_is_opened(study, "agreement", as_alice)
    both_judge(study, "agreement", [(ann, lenient), (ben, strict)])
    nothing_freezes_while_something_is_open(study)
    the_adjudicator_decides(study, cem)
    for kind in ("pair", "universal"):
        the_kind_is_opened(study, kind, as_alice)
        both_judge(study, kind, [(ann, compared), (ben, compared)])
    gold_is_what_was_decided(study)

    release = the_release_holds_the_gold(study)
    towards_harbour = run(release, stub, tmp_path, {"harbour": 6})
    towards_marsh = run(release, stub, tmp_path, {"marsh": 6})
    the_report_follows_the_models_lean(towards_harbour, towards_marsh)
    a_figure_leads_back_to_gold_and_answers(study, towards_harbour)


# --- from the file to accepted answers --------------------------------------------------------


def the_study_is_loaded_and_opened(folder):
    path = folder / "study.yaml"
    path.write_text(FILE)
    assert command("load_study", path)["created"]
    assert command("open_study", SLUG)["status"] == "collecting"
    return Study.objects.get(slug=SLUG)


def people_answer(study):
    for region in REGIONS:
        for person in range(PER_REGION):
            page = comes_in(study, f"{region}-{person}", PLACES[region])
            said = {f"answer-{key}": SAID[key][region][person] for key in SAID}
            sent = Client().post(f"{page}forms/1/", said | {"answer-check": "b", "action": "send"})
            assert (sent.status_code, sent["Location"]) == (303, page)
    comes_in(study, "somebody-from-elsewhere", "-")
    statuses = list(Participation.objects.order_by("pk").values_list("status", flat=True))
    assert statuses == ["submitted"] * 9 + ["screened_out"]
    assert Answer.objects.filter(question__check_rule__isnull=True).count() == 9 * len(SAID)


def comes_in(study, name, place):
    """By the recruiter's link, through consent and screening; the personal page."""
    arrival = {"PROLIFIC_PID": name, "SESSION_ID": f"session-{name}"}
    client, join = Client(), reverse("taking_part:join", args=(SLUG, "everyday"))
    page = client.post(join, arrival)["Location"]
    document = study.consent_documents.get().pk
    agreed = {"document": document, "take_part": "on", "publish": "on"}
    assert client.post(f"{page}consent/", agreed).status_code == 303
    lived = {"born": "1980", "stay-0-place": place}
    lived |= {"stay-0-from_year": "1980", "stay-0-to_year": "2026"}
    assert client.post(f"{page}screening/", lived).status_code == 303
    return page


def everybody_is_accepted(study, client):
    waiting = Participation.objects.filter(status="submitted").values_list("code", flat=True)
    address = reverse("collection:review_accept_many", args=(SLUG,))
    assert client.post(address, {"code": list(waiting)}).status_code == 302
    assert study.activities.get().participations.filter(included=True).count() == 9


# --- from answers to gold ---------------------------------------------------------------------


def the_annotators_are_added(study, users):
    """Two who annotate and one who decides, each with a browser."""
    roles = {"ann": Role.ANNOTATOR, "ben": Role.ANNOTATOR, "cem": Role.RESEARCHER}
    browsers = []
    for name, role in roles.items():
        user = users.objects.create_user(f"{name}@example.org", "a password")
        invite(study, user.email, role, "test")
        browsers.append(Client())
        browsers[-1].force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return browsers


def the_kind_is_opened(study, kind, client):
    address = reverse("annotation:open", args=(SLUG, kind))
    assert client.post(address, {"overlap": "2"}).status_code == 302


def both_judge(study, kind, annotators):
    """Each goes on to the next task until none is left, and sends what they read off it."""
    tasks = Task.objects.filter(project__study=study, project__kind=kind)
    for client, reading in annotators:
        judged = 0
        page = client.post(reverse("annotation:next", args=(SLUG, kind)))["Location"]
        while "/tasks/" in page:
            path = page.partition("?")[0]
            assert client.get(path).status_code == 200
            task = tasks.get(source_key=path.rstrip("/").rpartition("/")[2])
            fields = reading(task) | {"action": "send", "seen": task.inputs}
            sent = client.post(path, fields)
            assert sent.status_code == 302, sent.content.decode()
            page, judged = sent["Location"], judged + 1
        assert judged == tasks.count() > 0


def practice(task):
    """The region's, spelled in capitals by the first who answered."""
    first = SAID[task.question.key][task.region.slug][0]
    return next(word for word in first.split() if word.strip(".").isupper()).strip(".")


def agreeing(task, answers):
    return {
        "choice": "agreement",
        "concept-0": f"It is {practice(task).lower()}.",
        "support-0": [str(each.pk) for each in answers],
    }


def lenient(task):
    """Takes every answer that names the practice."""
    answers = Answer.objects.filter(pk__in=task.payload["answers"])
    return agreeing(task, [each for each in answers if practice(task).lower() in each.folded])


def strict(task):
    """Takes ringing once for something else than ringing twice."""
    answers = Answer.objects.filter(pk__in=task.payload["answers"]).exclude(folded__contains="once")
    return agreeing(task, answers)


def compared(task):
    """What a pair, or all, have in common: the same words are the same practice."""
    gold = GoldAnswer.objects.filter(pk__in=task.payload["gold"])
    alike = len({each.texts[0] for each in gold}) == 1
    if task.project.kind == "pair":
        return {"choice": "agree" if alike else "differ"}
    return {"choice": "universal" if alike else "none"}


def nothing_freezes_while_something_is_open(study):
    (open_task,) = Task.objects.filter(project__study=study).exclude(status="decided")
    assert (open_task.source_key, open_task.status) == ("visit.harbour", "disputed")
    assert GoldAnswer.objects.count() == 11
    refused = command("freeze_release", SLUG, exit=1)["error"]
    assert refused["code"] == "release.findings_open"
    assert "undecided" in {each["code"] for each in refused["data"]["findings"]}
    assert not Release.objects.exists()


def the_adjudicator_decides(study, client):
    task = Task.objects.get(source_key="visit.harbour")
    address = reverse("annotation:dispute", args=(SLUG, "agreement", task.source_key))
    assert client.get(address).status_code == 200
    decided = strict(task) | {"reason": "Once is a different sign.", "seen": task.inputs}
    assert client.post(address, decided | {"action": "decide"}).status_code == 302
    first_passes = [each.judgements.get().value for each in task.assignments.order_by("slot")]
    assert [len(each["concepts"][0]["answers"]) for each in first_passes] == [3, 2]


def gold_is_what_was_decided(study):
    assert not Task.objects.filter(project__study=study).exclude(status="decided").exists()
    for gold in GoldAnswer.objects.all():
        assert gold.texts == [f"It is {practice(gold).lower()}."]
        assert (gold.n, gold.threshold, gold.stale) == (3, 2, False)
        contested = (gold.question.key, gold.region.slug) == ("visit", "harbour")
        assert gold.support.count() == (2 if contested else 3)
    agreeing_pairs = GoldRelation.objects.filter(level="pair", value__choice="agree")
    assert {each.question.key for each in agreeing_pairs} == {"bread"}
    universal = GoldRelation.objects.get(level="all", value__choice="universal")
    assert universal.question.key == "bread"


# --- from gold to a report ----------------------------------------------------------------------


def the_release_holds_the_gold(study):
    frozen = command("freeze_release", SLUG, "--licence", "CC-BY-4.0")
    assert (frozen["release"], frozen["kept"], frozen["findings"]) == (f"{SLUG}@1", 4, [])
    release = Release.objects.get(name=SLUG)
    assert (release.simulated, release.licence) == (True, "CC-BY-4.0")
    flow = release.about["study"]["participants"]
    assert (flow["invited"], flow["screened_out"], flow["kept"]) == (10, 1, 9)
    responses = storing.read(release.parts.get(name="responses")).splitlines()
    texts = {json.loads(line)["text"] for line in responses}
    assert texts == {text for key in SAID for region in REGIONS for text in SAID[key][region]}
    described = command("describe_release", SLUG)
    assert (described["items"], described["pairs"]) == (4, 12)
    return release


def run(release, stub, folder, weights):
    """A finished run of a simulated model that leans as `weights` say, and its report."""
    built = command("build_items", "ra_mcq", "--from", release.label, "--name", "built")
    assert built["items"] == len(ASKED_APART)
    items = folder / "items.jsonl"
    items.write_bytes(storing.read(Release.objects.get(name="built").parts.get(name="items")))
    stub({"choice": {"weights": weights, "items": str(items)}})
    order = services.Order(
        "ra_mcq", release.label, "stub/m", {"samples": 20}, seed=1, use_cache=False
    )
    done = do(services.start_run(order, "test"))
    assert done.status == "finished", done.error
    report = command("report", done.pk)
    assert (report["simulated"], report["answered"]) == (True, 20 * len(ASKED_APART))
    return report


def the_report_follows_the_models_lean(towards_harbour, towards_marsh):
    for report, favourite in ((towards_harbour, "harbour"), (towards_marsh, "marsh")):
        ratios = report["ratio"]
        assert max(ratios, key=ratios.get) == favourite
        assert ratios[favourite] > 1.5
        assert all(ratios[region] < 1 for region in REGIONS if region != favourite)
        assert report["intervals"][favourite]["ratio"] is None  # three questions say too little
        assert reports.finding(report) == "Too few questions answered to tell the regions apart"


def a_figure_leads_back_to_gold_and_answers(study, report):
    """Every choice that the harbour's figure counts, back to what people of the harbour wrote."""
    done = Run.objects.get(pk=report["run"])
    counted = 0
    for sample in done.samples.select_related("item", "reply"):
        shown = evidence.of_sample(done, sample)
        if shown["regions"] != ["harbour"]:
            continue
        counted += 1
        gold = GoldAnswer.objects.get(
            question__key=shown["source_item"].key, region__slug="harbour"
        )
        (chosen,) = (option["text"] for option in shown["options"] if option["chosen"])
        assert dict(shown["gold"])["harbour"] == gold.texts == [chosen]
        words = [each.answer.folded for each in gold.support.select_related("answer")]
        assert len(words) >= gold.threshold
        assert all(practice(gold).lower() in each for each in words)
    assert counted == report["observed"]["harbour"] > 0


def command(*arguments, exit=0):
    """The object a command prints with `--json`, having exited so."""
    out, code = StringIO(), 0
    try:
        call_command(*map(str, arguments), "--json", stdout=out, stderr=StringIO())
    except SystemExit as left:
        code = left.code
    assert code == exit, out.getvalue()
    return json.loads(out.getvalue())
