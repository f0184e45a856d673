"""Orders, resumes and judgements that cannot be, or that come at a bad moment."""

import json
import zipfile

import pytest

from core import clock, jobs
from core.errors import CommonplaceError
from core.models import Job, Worker
from evaluation import reports, selectors, services
from evaluation.models import Verdict
from inference.prompts import load_pack, shipped, sync_prompts
from inference.stub.behaviour import Behaviour, parse
from tests.evaluation.conftest import do, order, run_it
from tests.evaluation.judged import even_release, judged_run

pytestmark = pytest.mark.django_db


def judged(release, *judges, **changes):
    given = {"samples": 3, "limit": 3, **changes.pop("given", {})}
    return services.Order("rasa", release.label, "stub/one", given, judges=judges, **changes)


def test_a_run_that_lacks_samples_is_not_finished_by_judging_it(release, stub):
    one = stub({"shares": {"server_error": 1.0}})
    run = do(services.start_run(judged(release), "test"))
    assert run.status == "paused"
    one.behaviour = Behaviour()
    with pytest.raises(CommonplaceError) as caught:
        services.rejudge(run, ["stub/judge"], "test")
    assert caught.value.code == "run.incomplete"
    run = do(services.resume_run(run, "test"))
    assert do(services.rejudge(run, ["stub/judge"], "test")).status == "finished"


def test_a_judge_that_was_not_done_is_not_left_behind_by_a_further_one(release, stub):
    one = stub()
    run = do(services.start_run(judged(release), "test"))
    one.behaviour = parse({"shares": {"server_error": 1.0}})
    run = do(services.rejudge(run, ["stub/first"], "test"))
    assert run.status == "paused"
    one.behaviour = Behaviour()
    run = do(services.rejudge(run, ["stub/second"], "test"))
    assert run.status == "finished"
    assert [selectors.unjudged(run, judge).count() for judge in run.judges.all()] == [0, 0]


def test_judges_named_in_another_turn_all_judge_what_lacks_their_verdict(release, stub):
    stub()
    run = do(services.start_run(judged(release, "stub/a", "stub/b"), "test"))
    Verdict.objects.all().delete()
    run = do(services.rejudge(run, ["stub/b", "stub/a"], "test"))
    assert run.status == "finished"
    assert [selectors.unjudged(run, judge).count() for judge in run.judges.all()] == [0, 0]


def test_a_run_that_is_being_worked_on_is_not_judged_anew(release, stub):
    stub()
    run = services.start_run(judged(release), "test")
    Worker.objects.create(name="w", last_seen=clock.now())
    with pytest.raises(CommonplaceError) as caught:
        services.rejudge(run, ["stub/judge"], "test")
    assert caught.value.code == "run.active"


def test_a_judge_nobody_knows_is_refused_before_anything_is_written(release, stub):
    stub()
    for name in ("nowhere/judge", "judge", ""):
        with pytest.raises(CommonplaceError):
            services.start_run(judged(release, name), "test")
    assert not Job.objects.exists()


def test_a_judge_that_answers_with_a_page_pauses_before_anything_is_generated(release, stub):
    one = stub({"shares": {"html": 1.0}})
    run = do(services.start_run(judged(release, "stub/judge"), "test"))
    assert (run.status, run.error["code"]) == ("paused", "endpoint.not_an_api")
    assert run.samples.count() == 0
    one.behaviour = Behaviour()
    assert do(services.resume_run(run, "test")).status == "finished"


def test_a_judge_that_begins_to_answer_with_pages_gives_no_verdict(release, stub):
    one = stub()
    run = do(services.start_run(judged(release), "test"))
    do(services.rejudge(run, ["stub/judge"], "test"))
    Verdict.objects.all().delete()  # the trial stays in the cache
    one.behaviour = parse({"shares": {"html": 1.0}})
    run = do(services.rejudge(selectors.find_run(run.pk), ["stub/other"], "test"))
    assert (run.status, run.error["code"]) == ("paused", "endpoint.not_an_api")
    assert Verdict.objects.count() == 0


def test_an_endpoint_that_is_gone_at_a_resume_is_named(release, stub, settings):
    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    kept, settings.ENDPOINTS = settings.ENDPOINTS, {}
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(selectors.find_run(run.pk), "test")
    assert caught.value.code.startswith("endpoint.")
    settings.ENDPOINTS = kept
    assert do(services.resume_run(selectors.find_run(run.pk), "test")).status == "finished"


def test_a_release_superseded_meanwhile_is_still_the_one_that_is_run(release, stub):
    from releases.services import SAMPLE, import_release

    stub()
    run = services.start_run(order(release), "test")
    services.cancel_run(run, "test")
    newer = import_release(SAMPLE, "indica", "newer", actor="test").release
    run.release.superseded_by = newer
    run.release.save(update_fields=["superseded_by"])
    resumed = do(services.resume_run(selectors.find_run(run.pk), "test"))
    assert resumed.status == "finished"
    assert resumed.release == run.release


def test_a_worker_without_the_key_does_not_end_a_run_others_are_at(release, stub, monkeypatch):
    from inference import leases

    stub(key_variable="COMMONPLACE_TEST_KEY_THAT_IS_NOT_SET")
    run = services.start_run(order(release), "test")
    other = jobs.enqueue(services.JOB_KIND, key="other hand", args={"run": run.pk})
    Job.objects.filter(pk=other.pk).update(status="running", attempts=1, heartbeat=clock.now())
    leases.hold(run.model.endpoint_id, other.pk, run.purpose, most=1, places=1)
    assert do(run).status == "running"


def test_without_the_cache_a_judge_is_tried_once_a_run(release, stub):
    one = stub()
    run = do(services.start_run(judged(release, "stub/a", "stub/b", use_cache=False), "test"))
    assert run.status == "finished"
    assert one.stats()["judged"] == 2 * run.replies.count() + 2


def test_nothing_is_left_to_resume_of_a_finished_run(release, stub):
    stub()
    run = run_it(release)
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(run, "test")
    assert caught.value.code == "run.finished"
    assert reports.report(run)["answered"] == run.samples_planned


def test_a_model_whose_replies_were_made_elsewhere_does_not_judge_itself_either(stub, tmp_path, db):
    sync_prompts()
    stub()
    run = judged_run(even_release(tmp_path), {}, limit=1, source="imported")
    run.model, run.model_label = None, "stub/one"
    run.save()
    with pytest.raises(CommonplaceError) as caught:
        services.rejudge(run, ["stub/one"], "test")
    assert caught.value.code == "judge.same_model"


def test_judging_again_with_a_pack_that_holds_no_prompt_for_it_is_refused(release, stub, tmp_path):
    def packed(name):
        with zipfile.ZipFile(tmp_path / "pack.zip", "w") as file:
            file.writestr(f"{name}.en.txt", f"{shipped()[name, 'en']} Be brief.")
        return load_pack(tmp_path / "pack.zip")

    stub()
    run = do(services.start_run(judged(release), "test"))
    with pytest.raises(CommonplaceError) as caught:
        services.rejudge(run, ["stub/judge"], "test", packed("rasa/question"))
    assert caught.value.code == "prompt.pack_unused"
    services.rejudge(run, ["stub/judge"], "test", pack := packed("rasa/judge"))
    assert [entry.judge.prompt for entry in run.run_judges.all()] == pack


def test_replies_made_elsewhere_are_judged_and_a_pause_in_that_is_resumed(stub, tmp_path, db):
    sync_prompts()
    release = even_release(tmp_path)
    lines = [
        {"item": f"q{n:02}", "region": region, "repeat": repeat, "reply": f"Tea of the {region}."}
        for n in range(6)
        for region in ("North", "South")
        for repeat in (1, 2)
    ]
    lines += [{**lines[0], "region": "Moon"}, {**lines[0], "region": ""}, lines[0]]
    data = "\n".join(map(json.dumps, lines)).encode()
    made = services.import_outputs(
        "rasa", release.label, data, preset=None, model_label="elsewhere/big", actor="test"
    )
    assert [each.code for each in made.refused] == [
        "import.unknown_region",
        "import.missing_field",
        "import.duplicate",
    ]
    run = made.run
    assert (run.samples.count(), run.replies.count(), run.model) == (24, 12, None)
    body = '{"error": {"code": "insufficient_quota", "message": "q"}}'
    one = stub({"canned": [{"share": 0.5, "status": 429, "body": body}]}, in_flight=1)
    paused = do(services.rejudge(run, ["stub/judge"], "test"))
    assert (paused.status, paused.error["code"]) == ("paused", "endpoint.quota_exhausted")
    one.behaviour = Behaviour()
    resumed = do(services.resume_run(paused, "test"))
    assert resumed.status == "finished", resumed.error
    assert Verdict.objects.filter(outcome="ok").count() == resumed.replies.count() == 12
    assert resumed.manifest["sent"] == {}
    report = reports.report(resumed)
    assert report["judges"]["stub/judge"]["n"] == report["answered"] == 24
    with pytest.raises(CommonplaceError) as caught:
        services.resume_run(resumed, "test")
    assert caught.value.code == "run.finished"
