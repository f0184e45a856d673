"""Gold, pair and universal counts of a synthetic study, against what its plan alone says.

25 people say at their pages what was drawn for them; two annotators judge what the tasks show, a
third decides where they differ, and the result is frozen, shown and exported. Here with 31
questions; tests/system goes the same way with 611.
"""

import json
import re
from collections import Counter, defaultdict
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from accounts.services import create_token
from accounts.tokens import Scope
from annotation import kinds
from annotation.models import Project, Task
from annotation.services import judging, queueing
from studies.models import Participation
from studies.permissions import Role
from studies.services import invite
from tests.api.conftest import Program
from tests.journeys import synthetic_plan as planned
from tests.journeys.synthetic import (
    PEOPLE,
    PER_REGION,
    REGIONS,
    SLUG,
    answer_everything,
    come_in,
    command,
    opened,
    region_of,
)

pytestmark = pytest.mark.django_db

CARELESS = 0.06  # share of agreements that one annotator overlooks or words differently


def test_gold_of_31_questions_is_what_their_plan_says(as_alice, django_user_model, tmp_path):
    gold_is_what_the_plan_says(31, as_alice, django_user_model, tmp_path)


def gold_is_what_the_plan_says(questions, client, users, folder):
    plan = planned.drawn(questions)
    outcome = planned.outcome(plan)
    every_rule_decides_something(outcome)
    study, homes = everybody_answers(plan, questions, folder)
    codes = all_but_two_come_into_the_results(homes, client)
    ann, ben = (member(study, users, name, Role.ANNOTATOR) for name in ("ann", "ben"))
    cem = member(study, users, "cem", Role.RESEARCHER)
    for kind in kinds.of_gold():
        opening = reverse("annotation:open", args=(SLUG, kind.name))
        assert client.post(opening, {"overlap": "2"}).status_code == 302
        two_judge(kind, ann, ben)
        a_third_decides_what_they_differ_in(kind, disputes(kind.name, outcome), cem)
    gold_is(outcome, codes, cem)
    release = the_release_holds(outcome, client)
    the_published_format_holds(outcome, release, folder)


def every_rule_decides_something(outcome):
    """Otherwise the plan would not be worth following."""
    agreed = {(case.n, len(case.people)) for case in outcome.cases.values() if case.practice}
    assert {(5, 5), (5, 4), (4, 4), (4, 3), (3, 2), (2, 2)} <= agreed
    assert {case.n for case in outcome.cases.values() if not case.practice} >= {1, 2, 3, 4, 5}
    for person in (planned.REJECTED, planned.WITHDRAWN):
        left = [case.n for (_, where), case in outcome.cases.items() if where == region_of(person)]
        assert max(left) == PER_REGION - 1
    assert {(a, b, agree) for (_, a, b), agree in outcome.pairs.items()} == {
        (a, b, agree) for a, b in planned.PAIRS for agree in (True, False)
    }
    assert set(outcome.universal.values()) == {"universal", "partial", "none"}
    assert len(outcome.kept) < len(outcome.cases) / len(REGIONS)
    assert all(disputes(kind.name, outcome) for kind in kinds.of_gold())


# --- from the plan to accepted answers --------------------------------------------------------


def everybody_answers(plan, questions, folder):
    """The study, and everybody's browser with the address of their page."""
    study, documents = opened(folder, [("long", "short")[n % 2] for n in range(questions)])
    homes = []
    for person in range(PEOPLE):
        client, home, _ = come_in(person)

        def fields(question, person=person):
            key = question["key"]
            said = plan[key, person]
            return {f"answer-{key}": said[1]} if said else {f"skip-{key}": "1"}

        answer_everything(client, home, documents, fields)
        homes.append((client, home))
    return study, homes


def all_but_two_come_into_the_results(homes, reviewer):
    """One is rejected, one withdraws when all is done; participants' pseudonyms, by person."""
    rows = [
        Participation.objects.select_related("participant").get(
            code=re.findall(r"/p/(\w+)", home)[0]
        )
        for _, home in homes
    ]
    said = {"reason": "off_topic", "text": "These are answers to other questions.", "pay": "reward"}
    rejecting = reverse("collection:review_reject", args=(SLUG, rows[planned.REJECTED].code))
    assert reviewer.post(rejecting, said).status_code == 302
    accepting = reverse("collection:review_accept_many", args=(SLUG,))
    assert reviewer.post(accepting, {"code": [row.code for row in rows]}).status_code == 302
    client, home = homes[planned.WITHDRAWN]
    assert client.post(f"{home}leave/", {"choice": "withdraw"}).status_code == 303
    assert Counter(Participation.objects.values_list("status", flat=True)) == {
        "accepted": PEOPLE - 2,
        "rejected": 1,
        "withdrawn": 1,
    }
    return [row.participant.code for row in rows]


# --- from answers to gold ---------------------------------------------------------------------


def member(study, users, name, role):
    user = users.objects.create_user(f"{name}@example.org", "a password")
    invite(study, user.email, role, "test")
    return user


def program(user):
    return Program(create_token(user, "test", list(Scope), "test")[1])


def two_judge(kind, ann, ben):
    """Each takes what the queue gives until nothing is left, reads what is shown, fills in the
    form and sends it."""
    project = Project.objects.select_related("study").get(kind=kind.name)
    for user, reading in ((ann, READINGS[kind.name]), (ben, HASTY[kind.name])):
        while row := queueing.take(project, user):
            form = reading(kind.shown(row.task, {}), row.task.source_key)
            read = kind.read(row.task, lambda name, form=form: form.get(name, []))
            assert not read.faults
            judging.submit(row, read.value, seen=row.task.inputs)


def a_third_decides_what_they_differ_in(kind, differing, cem):
    tasks = Task.objects.filter(project__kind=kind.name).exclude(status="decided")
    assert {task.source_key for task in tasks} == differing
    client = Client()
    client.force_login(cem, backend="django.contrib.auth.backends.ModelBackend")
    for task in tasks.select_related("project__study"):
        form = READINGS[kind.name](kind.shown(task, {}), task.source_key)
        more = {"reason": "As they say.", "seen": task.inputs, "action": "decide"}
        address = reverse("annotation:dispute", args=(SLUG, kind.name, task.source_key))
        assert client.post(address, form | more).status_code == 302


def agreement(shown, _key):
    """The practice that enough answers say, in one sentence, with the answers that say it."""
    saying = defaultdict(list)
    for answer in shown["answers"]:
        saying[planned.meant("\n".join(answer.lines))].append(str(answer.pk))
    wanted = planned.needed(len(shown["answers"]))
    for practice, answers in saying.items():
        if len(answers) >= wanted:
            text = planned.told(practice)
            return {"choice": ["agreement"], "concept-0": [text], "support-0": answers}
    return {"choice": ["none"]}


def hasty_agreement(shown, key):
    read = agreement(shown, key)
    if not is_careless(key) or read["choice"] == ["none"]:
        return read
    overlooked = len(shown["answers"]) % 2
    return {"choice": ["none"]} if overlooked else read | {"concept-0": ["They wear it."]}


def is_careless(key):
    return Random(key).random() < CARELESS


def pair(shown, _key):
    a, b = practices(shown)
    return {"choice": ["agree" if a == b else "differ"]}


def hasty_pair(shown, _key):
    """Takes what overlaps for the same."""
    a, b = practices(shown)
    return {"choice": ["agree" if a & b else "differ"]}


def universal(shown, _key):
    said = practices(shown)
    most = Counter(said).most_common(1)[0][0]
    by = [row.region.slug for row, each in zip(shown["gold"], said, strict=True) if each == most]
    choice = planned.shared(said)
    return {"choice": [choice], "region": by if choice == "partial" else []}


def hasty_universal(shown, key):
    """Takes four of five regions for all."""
    return {"choice": ["universal"]} if most_say(practices(shown)) else universal(shown, key)


def most_say(practices):
    return Counter(practices).most_common(1)[0][1] == len(REGIONS) - 1


def practices(shown):
    return [planned.meant(text) for row in shown["gold"] for text in row.texts]


READINGS = {"agreement": agreement, "pair": pair, "universal": universal}
HASTY = {"agreement": hasty_agreement, "pair": hasty_pair, "universal": hasty_universal}


def disputes(kind, outcome):
    """The tasks in which the hasty reading differs, from the plan."""
    gold = outcome.gold
    if kind == "agreement":
        return {key for key in map(".".join, gold) if is_careless(key)}
    if kind == "pair":
        return {
            f"{key}.{a}.{b}"
            for (key, a, b), agree in outcome.pairs.items()
            if not agree and gold[key, a] & gold[key, b]
        }
    return {key for key in outcome.universal if most_say([gold[key, region] for region in REGIONS])}


def gold_is(outcome, codes, reader):
    """Every decision, as the API tells it to who may decide."""
    rows = program(reader).rows
    address, most = f"studies/{SLUG}/gold/", 1000
    found = {}
    for row in rows(address, level="region", page_size=most):
        said = [sorted(each) for each in row["support"]]
        found[row["question"], *row["regions"]] = row["n"], row["threshold"], row["texts"], said
    assert found == {
        where: (
            case.n,
            case.needed,
            [planned.told(case.practice)] if case.practice else [],
            [sorted(codes[person] for person in case.people)] if case.practice else [],
        )
        for where, case in outcome.cases.items()
        if case.n >= 2
    }
    pairs = rows(address, level="pair", page_size=most)
    assert {
        (row["question"], *row["regions"]): row["value"]["choice"] == "agree" for row in pairs
    } == outcome.pairs
    everywhere = rows(address, level="all", page_size=most)
    assert {row["question"]: row["value"]["choice"] for row in everywhere} == outcome.universal


# --- from gold to files -----------------------------------------------------------------------


def the_release_holds(outcome, client):
    """The same counts by command, on the release's page and in its files."""
    frozen = command("freeze_release", SLUG, "--licence", "CC-BY-4.0")
    assert (frozen["kept"], frozen["findings"]) == (len(outcome.kept), [])
    counts = outcome.counts()
    described = command("describe_release", SLUG)
    assert {name: described[name] for name in counts} == counts
    page = client.get(reverse("releases:detail", args=(SLUG, 1))).content.decode()
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    for region, count in counts["coverage"].items():
        assert f" {region} {count['answered']} {count['of']} " in text
    for each in counts["pairwise"]:
        assert f" {each['a']} and {each['b']} {each['agree']} {each['both']} " in text
    assert f"Universal questions {counts['universal']['agree']} " in text
    compared = counts["universal"]["all_valid"]
    assert f"Of the {compared} questions compared across all regions" in text
    return frozen["release"]


def the_published_format_holds(outcome, release, folder):
    """The exported items, written down as data sets of this kind are published, and read again."""
    command("export_release", release, "--format", "jsonl", "--out", folder / "export")
    lines = (folder / "export" / "items.jsonl").read_text().splitlines()
    questions = [published(json.loads(line)) for line in lines]
    assert {
        (question["question_id"], region): question[region]["answer"]
        for question in questions
        for region in REGIONS
        if question[region]["answer"] != ["N/A"]
    } == {where: [planned.told(practice)] for where, practice in outcome.gold.items()}
    path = folder / "dataset.json"
    path.write_text(json.dumps({"questions": questions}))
    imported = command("import_release", "indica", path, "--name", "again")
    assert (imported["kept"], imported["refused"]) == (len(outcome.kept), [])
    counts = outcome.counts()
    described = command("describe_release", "again")
    assert {name: described[name] for name in counts} == counts


def published(item):
    payload, gold = item["payload"], item["payload"]["gold"]
    relations = payload["relations"]
    return {
        "question_id": item["key"],
        "question_text": payload["text"]["en"],
        **{f"question_{name}": label for name, label in item["labels"].items()},
        **{
            region: {"answer": [each["text"]["en"] for each in gold[region] or ()] or ["N/A"]}
            for region in REGIONS
        },
        "pairwise_agreements": {
            f"{each['a']}_{each['b']}": {"agreement": each["agree"]} for each in relations["pairs"]
        },
        "universal_agreement": relations["all"],
    }
