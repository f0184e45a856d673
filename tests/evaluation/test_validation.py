"""People judge a sample of what judges judged, and the report says how far they agree."""

import csv
import io
import json
import re
from collections import Counter
from fractions import Fraction

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Judgement, Project, Task
from annotation.services.projects import refresh_study
from evaluation import reports
from evaluation.models import DrawnReply, Judge, Verdict
from evaluation.validation import drawing
from evaluation.validation.drawing import Candidate
from evaluation.validation.weighing import Both, against_people
from releases.models import Release
from studies import services
from studies.permissions import Role
from tests import sample_study
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, even_release, judged_run

pytestmark = pytest.mark.django_db

STUDY = "lantern_coast"
BACKEND = "django.contrib.auth.backends.ModelBackend"
WORDS = {CORRECT: "correct", PARTLY: "partially correct", WRONG: "incorrect"}
LABELS = (CORRECT, PARTLY, WRONG)


def rarely_wrong(place, region, which):
    """Of 180 replies 4 are incorrect, 60 partially correct."""
    if which == 0 and region == "North" and place < 4:
        return WRONG
    return PARTLY if which == 1 else CORRECT


@pytest.fixture
def study(alice):
    return sample_study.load()


@pytest.fixture
def of_study(study, tmp_path):
    """A release that belongs to the study."""
    release = even_release(tmp_path)
    Release.objects.filter(pk=release.pk).update(study=study)
    return Release.objects.get(pk=release.pk)


@pytest.fixture
def members(study, django_user_model):
    def make(*names, role=Role.ANNOTATOR):
        made = []
        for name in names:
            user = django_user_model.objects.create_user(f"{name}@example.org", "a password")
            services.invite(study, user.email, role, "test")
            client = Client()
            client.force_login(user, backend=BACKEND)
            made.append(client)
        return made

    return make


def command(*arguments):
    """(exit, the object that is printed)."""
    out, code = io.StringIO(), 0
    try:
        call_command("validate_judges", *map(str, arguments), "--json", stdout=out)
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


def refused(*arguments):
    code, told = command(*arguments)
    assert code == 1
    return told["error"]["code"]


def where(name, *arguments):
    return reverse(f"annotation:{name}", args=(STUDY, "verdict", *arguments))


def report(run):
    out = io.StringIO()
    call_command("report", str(run.pk), "--format=json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def of_judge(run, name="lab/mild"):
    return report(run)["judges"][name]["people"]


def drawn(task_key):
    return DrawnReply.objects.get(pk=Task.objects.get(source_key=task_key).payload["drawn"])


def judges_label(task_key):
    return Verdict.objects.get(reply=drawn(task_key).reply, decision=None).value


def work(client, says):
    """Go through the whole queue; `says(task's key)` is a label."""
    done = 0
    page = client.post(where("next"), follow=True)
    while page.context and "row" in page.context:
        key = page.context["row"].task.source_key
        page = client.post(
            where("task", key), {"choice": WORDS[says(key)], "action": "send"}, follow=True
        )
        done += 1
    return done


# --- The draw -----------------------------------------------------------------------------------


def test_a_draw_sees_rare_verdicts_and_knows_what_each_stands_for(of_study):
    run = judged_run(of_study, {"mild": rarely_wrong})
    code, told = command(run.pk, "--sample", 20, "--seed", 7)
    assert (code, told["tasks"], told["kind"], told["study"]) == (0, 20, "verdict", STUDY)
    strata = {each["verdicts"]: (each["replies"], each["drawn"]) for each in told["strata"]}
    # 3 of each, then 11 more in proportion to the 1, 57 and 113 that are left.
    assert strata == {WRONG: (4, 3), PARTLY: (60, 7), CORRECT: (116, 10)}
    assert sum(row.weight for row in DrawnReply.objects.all()) == 180
    assert Project.objects.get().overlap == 2
    assert Task.objects.count() == 20


def test_the_same_seed_draws_the_same_replies_and_another_draws_others():
    some = [
        Candidate(n, (f"q{n}", "North", "0"), (WRONG if n % 9 == 0 else CORRECT,))
        for n in range(300)
    ]
    first, again = drawing.draw([some], 40, 3), drawing.draw([some[::-1]], 40, 3)
    assert first == again
    other = {each.reply for each in drawing.draw([some], 40, 4)}
    assert other != {each.reply for each in first}
    assert [each.reply for each in first] != sorted(each.reply for each in first)


def test_every_run_gives_as_many_replies_and_they_are_mixed(of_study):
    runs = [judged_run(of_study, {"mild": rarely_wrong}, name=name) for name in ("one", "two")]
    assert command(runs[0].pk, runs[1].pk, "--sample", 41)[1]["tasks"] == 41
    order = list(DrawnReply.objects.order_by("pk").values_list("reply__run", flat=True))
    assert Counter(order) == {runs[0].pk: 21, runs[1].pk: 20}
    assert order not in (sorted(order), sorted(order, reverse=True))


@pytest.mark.parametrize("n", [3, 4, 7, 20, 63])
def test_shares_of_a_draw_sum_to_its_size_and_leave_no_verdict_out(n):
    sizes = {"a": 1, "b": 12, "c": 500}
    taken = drawing.shares(sizes, n)
    assert sum(taken.values()) == n
    assert all(1 <= taken[name] <= size for name, size in sizes.items())


def test_with_more_combinations_than_fit_the_first_judge_alone_makes_the_strata(of_study):
    """Two judges of three verdicts each make six combinations, of which six replies hold none."""
    rules = {
        "mild": lambda place, region, which: LABELS[which],
        "stern": lambda place, region, which: LABELS[max(which, place % 2)],
    }
    run = judged_run(of_study, rules)
    assert len(command(run.pk, "--sample", 6)[1]["strata"]) == 3


def test_the_same_order_again_is_the_same_and_another_is_refused(of_study):
    run = judged_run(of_study, {"mild": rarely_wrong})
    first = command(run.pk, "--sample", 20, "--seed", 1)
    assert command(run.pk, "--sample", 20, "--seed", 1) == first
    assert (Task.objects.count(), Assignment.objects.count()) == (20, 40)
    assert refused(run.pk, "--sample", 20, "--seed", 2) == "validation.drawn_already"
    assert refused(run.pk, "--sample", 30, "--seed", 1) == "validation.drawn_already"


def test_what_cannot_be_drawn_is_refused_by_name(of_study, study, tmp_path):
    run = judged_run(of_study, {"mild": rarely_wrong})
    assert refused(run.pk, "--sample", 2) == "validation.sample_too_small"
    assert refused(run.pk, "--sample", 0) == "validation.sample_unusable"
    assert refused(judged_run(of_study, {}, name="bare").pk) == "validation.not_judged"
    going = judged_run(of_study, {"mild": rarely_wrong}, name="going")
    going.status = "running"
    going.save()
    assert refused(going.pk) == "validation.not_finished"
    alone = judged_run(even_release(tmp_path, "alone"), {"mild": rarely_wrong}, name="alone")
    assert refused(alone.pk) == "validation.no_study"
    assert refused(run.pk, alone.pk) == "validation.studies_differ"
    assert not Task.objects.exists()


def test_the_members_of_a_named_study_judge_a_run_over_a_release_of_none(study, members, tmp_path):
    run = judged_run(even_release(tmp_path), {"mild": rarely_wrong})
    assert command(run.pk, "--sample", 9, "--study", STUDY)[1]["tasks"] == 9
    (ann,) = members("ann")
    assert work(ann, judges_label) == 9


# --- Judging ------------------------------------------------------------------------------------


def blur(key):
    """What Ann says: as the judge does, but of every fourth she says "incorrect"."""
    return WRONG if drawn(key).pk % 4 == 0 else judges_label(key)


def sharp(key):
    """What Ben says: as Ann, but of every fifth "partially correct"."""
    return PARTLY if drawn(key).pk % 5 == 0 else blur(key)


def by_hand(run):
    """What people came to: where the two differ, Cem says "correct"."""
    found = []
    for row in DrawnReply.objects.filter(reply__run=run).select_related("reply__item"):
        key = f"answer-{row.pk}"
        said = blur(key) if blur(key) == sharp(key) else CORRECT
        found.append((row, said, judges_label(key)))
    return found


def decide_all(client):
    """As the third person: every dispute is "correct"."""
    for task in Task.objects.filter(status="disputed"):
        address = where("dispute", task.source_key)
        page = client.get(address)
        assert page.status_code == 200
        sent = {"choice": "correct", "reason": "It says so.", "action": "decide"}
        assert client.post(address, sent | {"seen": task.inputs}).status_code == 302


def test_two_judge_a_third_decides_and_the_figures_are_those_counted_by_hand(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 20, "--seed", 7)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    assert of_judge(run)["raw"] == {"value": None, "reason": "empty"}
    assert (work(ann, blur), work(ben, sharp)) == (20, 20)
    differing = Task.objects.filter(status="disputed").count()
    assert 0 < differing < 20
    halfway = of_judge(run)
    assert (halfway["drawn"], halfway["decided"]) == (20, 20 - differing)
    assert halfway["annotators"]["percent"]["value"] == (20 - differing) / 20
    decide_all(cem)

    people = of_judge(run)
    rows = by_hand(run)
    weigh = sum(row.weight for row, *_ in rows)
    same = sum(row.weight for row, said, judged in rows if said == judged)
    assert (people["decided"], people["replies"], people["raw"]["n"]) == (20, 20, 20)
    assert people["raw"]["value"] == pytest.approx(float(same / weigh))
    assert people["raw"]["low"] < people["raw"]["value"] < people["raw"]["high"]
    of_people, of_mild = Counter(), Counter()
    for row, said, judged in rows:
        of_people[said] += row.weight
        of_mild[judged] += row.weight
    chance = sum(of_people[each] * of_mild[each] for each in LABELS) / weigh**2
    assert people["kappa"]["value"] == pytest.approx(float((same / weigh - chance) / (1 - chance)))
    counted = Counter((said, judged) for _, said, judged in rows)
    assert people["table"] == {a: {b: counted[a, b] for b in LABELS} for a in LABELS}
    assert sum(sum(each.values()) for each in people["shares"].values()) == pytest.approx(1)


def test_figures_weigh_back_what_was_drawn_oftener():
    """Two of 10 incorrect verdicts were drawn, both wrong; two of 90 others, both right."""
    rows = [Both(f"q{n}", CORRECT, WRONG, Fraction(10, 2)) for n in range(2)]
    rows += [Both(f"r{n}", CORRECT, CORRECT, Fraction(90, 2)) for n in range(2)]
    found = against_people(rows, LABELS)
    assert found["raw"]["value"] == 0.9
    assert found["raw"]["n"] == 4
    assert found["shares"][CORRECT] == {CORRECT: 0.9, PARTLY: 0.0, WRONG: 0.1}
    assert found["table"][CORRECT] == {CORRECT: 2, PARTLY: 0, WRONG: 2}


def test_a_decision_is_a_verdict_of_people_beside_it_and_another_replaces_it(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    for client in (ann, ben):
        work(client, judges_label)
    people = Judge.objects.get(kind="person")
    assert people.label == "people"
    theirs = Verdict.objects.filter(judge=people)
    assert theirs.count() == 8
    assert all(
        row.decision.task.payload["drawn"] == row.reply.drawn.pk
        and row.value == Verdict.objects.get(reply=row.reply, decision=None).value
        for row in theirs
    )
    assert of_judge(run)["raw"]["value"] == 1.0
    task = Task.objects.order_by("pk").first()
    label = CORRECT if judges_label(task.source_key) != CORRECT else WRONG
    sent = {"choice": WORDS[label], "reason": "Looked again.", "seen": task.inputs}
    sent |= {"action": "decide", "decision": task.decisions.get(current=True).pk}
    assert cem.post(where("dispute", task.source_key), sent).status_code == 302
    assert theirs.get(decision__task=task).value == label
    assert theirs.count() == 8
    assert of_judge(run)["raw"]["value"] < 1


def test_people_of_a_draw_do_not_stand_unweighed_among_the_judges(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    assert report(run)["agreement"] == []


# --- Blindness ----------------------------------------------------------------------------------


def test_nothing_an_annotator_is_shown_tells_model_run_or_verdict(of_study, members):
    rules = {"mild": lambda place, region, which: LABELS[which]}
    runs = [judged_run(of_study, rules, name=name) for name in ("onyx", "topaz")]
    command(runs[0].pk, runs[1].pk, "--sample", 12)
    (ann,) = members("ann")
    page = ann.post(where("next"), follow=True)
    for _ in range(12):
        key = page.context["row"].task.source_key
        text = page.content.decode()
        assert "Tea of the" in text
        assert drawn(key).reply.text in text
        tells_nothing(text)
        sent = {"choice": "correct", "action": "send"}
        page = ann.post(where("task", key), sent, follow=True)
    assert Judgement.objects.count() == 12
    for text in told(ann):
        tells_nothing(text)


def test_who_is_to_judge_replies_sees_no_samples_of_the_run_until_all_are_decided(
    of_study, members, as_alice
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 4)
    ann, ben = members("ann", "ben")
    (cem,) = members("cem", role=Role.RESEARCHER)
    run.settings |= {"prompts": {}, "base_url": "http://127.0.0.1:9/v1", "model": "one"}
    run.save()
    pages = [f"/runs/{run.pk}/{part}" for part in ("samples/", "failures/")]
    pages += [f"/runs/{run.pk}/download/samples.csv", f"/api/v1/runs/{run.pk}/samples/"]
    for address in pages:
        assert (as_alice.get(address).status_code, cem.get(address).status_code) == (200, 200)
        refused = ann.get(address)
        assert refused.status_code == 403, address
        assert "samples" in refused.content.decode()
        assert "lab/mild" not in refused.content.decode()
    assert ann.get(f"/runs/{run.pk}/").status_code == 200
    for client in (ann, ben):
        work(client, judges_label)
    assert [ann.get(address).status_code for address in pages] == [200] * len(pages)


def test_every_form_of_the_report_says_how_far_judges_say_what_people_say(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    assert "people" not in printed(run, "md")
    command(run.pk, "--sample", 6)
    waiting = "lab/mild and people: no verdict to compare yet (0 of 6 drawn replies decided"
    assert waiting in printed(run, "md")
    for client in members("ann", "ben"):
        work(client, judges_label)
    for form in ("md", "html"):
        text = printed(run, form)
        assert "lab/mild says what people say of an estimated 100.0 %" in text
        assert "6 of 6 drawn replies decided by people" in text
    (table,) = [each for each in reports.tables([reports.report(run)]) if each.name == "people"]
    (row,) = table.rows
    told = dict(zip(table.columns, row, strict=True))
    assert (told["judge"], told["drawn"], told["decided"], told["raw"]) == ("lab/mild", 6, 6, 1.0)


def printed(run, form):
    out = io.StringIO()
    call_command("report", str(run.pk), f"--format={form}", stdout=out, stderr=io.StringIO())
    return out.getvalue()


def tells_nothing(text):
    for word in ("onyx", "topaz", "lab/", "mild", *LABELS, "/runs/1", "stratum", "weight"):
        assert word not in text, word


def told(client):
    """All that programs are told of the annotation."""
    for name in ("tasks/?kind=verdict", "judgements/?kind=verdict", "annotation/"):
        answer = client.get(f"/api/v1/studies/{STUDY}/{name}")
        assert answer.status_code == 200, name
        yield answer.content.decode()


def test_the_same_answer_is_shown_in_the_same_bytes_whoever_gave_it_and_whatever_was_said(
    of_study, members
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann,) = members("ann")
    key = ann.post(where("next"), follow=True).context["row"].task.source_key

    def seen():
        pages = [ann.get(where("task", key)), ann.get(f"/studies/{STUDY}/annotation/")]
        once = r'name="csrfmiddlewaretoken" value="[^"]+"'
        return [re.sub(once, "", page.content.decode()) for page in pages] + list(told(ann))

    before = seen()
    theirs = Verdict.objects.filter(reply=drawn(key).reply)
    theirs.update(value=WRONG if theirs.get().value != WRONG else CORRECT)
    DrawnReply.objects.update(stratum="another", replies=1000, drawn=1)
    run.model_label, run.seed, run.simulated = "another/model", 99, True
    run.save()
    assert seen() == before


# --- Pages --------------------------------------------------------------------------------------


def test_the_page_of_the_run_leads_to_the_draw_and_the_draw_to_the_figures(
    of_study, members, as_alice
):
    run = judged_run(of_study, {"mild": rarely_wrong}, simulated=True)
    address = reverse("evaluation:validation", args=[run.pk])
    assert address in as_alice.get(f"/runs/{run.pk}/").content.decode()
    assert as_alice.post(address, {"size": "0", "seed": "1"}).status_code == 422
    assert not Task.objects.exists()
    done = as_alice.post(address, {"size": "20", "seed": "7", "runs": ""}, follow=True)
    assert "20 replies were drawn" in done.content.decode()
    for client in members("ann", "ben"):
        work(client, judges_label)
    text = as_alice.get(address).content.decode()
    assert "100.0 %" in text
    assert "Simulated" in text


def test_only_an_administrator_draws_and_only_who_sees_the_run_sees_the_page(
    of_study, members, client, bob
):
    run = judged_run(of_study, {"mild": rarely_wrong})
    address = reverse("evaluation:validation", args=[run.pk])
    (lea,) = members("lea", role=Role.RESEARCHER)
    assert lea.get(address).status_code == 200
    assert lea.post(address, {"size": "20", "seed": "7"}).status_code == 403
    client.force_login(bob, backend=BACKEND)
    assert client.get(address).status_code == 404
    assert not Task.objects.exists()


def test_every_choice_has_its_key_and_the_page_says_which(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann,) = members("ann")
    text = ann.post(where("next"), follow=True).content.decode()
    for key, value in (("c", "correct"), ("p", "partially correct"), ("i", "incorrect")):
        assert re.search(rf'value="{value}"[^>]*aria-keyshortcuts="{key}"', text)
        assert re.search(rf"<kbd>{key.upper()}</kbd></dt><dd>{value}", text)
    assert "they do not agree" not in text


def test_verdicts_of_people_stand_in_the_way_of_no_release(of_study, members, as_alice):
    """The annotation of judges makes no gold, so it is neither a finding nor in what gold hangs
    on, and it has no suggestions; what was decided of a task can be looked up."""
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    assert as_alice.get(f"/studies/{STUDY}/annotation/hangs-on/").status_code == 200
    freeze = as_alice.get(f"/studies/{STUDY}/freeze/")
    assert freeze.status_code == 200
    assert "answer-" not in freeze.content.decode()
    assert as_alice.get(where("suggestions")).status_code == 400
    key = Task.objects.order_by("pk").first().source_key
    trail = as_alice.get(where("trace", key))
    assert "Answer to judge" in trail.content.decode()
    assert as_alice.get(where("gold")).status_code == 200
    assert as_alice.get(where("reliability")).status_code == 200
    assert (
        "drew 8 judged replies of run" in as_alice.get(f"/studies/{STUDY}/audit/").content.decode()
    )


def test_what_annotators_said_of_answers_is_exported_with_the_rest(of_study, members, tmp_path):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    for client in members("ann", "ben"):
        work(client, judges_label)
    path = tmp_path / "annotations.csv"
    call_command("export_annotations", STUDY, "--format=csv", f"--out={path}", stdout=io.StringIO())
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert Counter(row["row"] for row in rows) == {"first pass": 16, "decision": 8}
    assert {row["kind"] for row in rows} == {"verdict"}


def test_a_verdict_of_people_goes_with_the_reply_it_is_about(of_study, members):
    run = judged_run(of_study, {"mild": rarely_wrong})
    command(run.pk, "--sample", 8)
    (ann, ben), (cem,) = members("ann", "ben"), members("cem", role=Role.RESEARCHER)
    for client in (ann, ben):
        work(client, judges_label)
    gone = DrawnReply.objects.first()
    key = f"answer-{gone.pk}"
    gone.delete()
    refresh_study(Project.objects.get().study_id)
    assert Verdict.objects.filter(judge__kind="person").count() == 7
    assert (of_judge(run)["drawn"], of_judge(run)["replies"]) == (7, 7)
    assert "nothing left to judge" in cem.get(where("trace", key)).content.decode()
