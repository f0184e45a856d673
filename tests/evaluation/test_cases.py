"""Replies, faults and settings of the case list, each through a whole run."""

import json
import zipfile

import pytest

from core.errors import CommonplaceError
from evaluation import reports, selectors, services
from evaluation.models import Verdict
from inference.models import Call
from inference.prompts import load_pack, shipped
from inference.stub.behaviour import Behaviour, parse
from tests.evaluation.conftest import do, run_it

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def says(text, finish="stop"):
    """A behaviour that answers whatever is asked with `text`."""
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"index": 0, "finish_reason": finish, "message": message}]}
    return {"canned": [{"share": 1, "status": 200, "body": json.dumps(body)}]}


def rasa(release, *judges, **changes):
    given = {"samples": 2, "limit": 1, **changes.pop("given", {})}
    return services.Order("rasa", release.label, "stub/one", given, judges=judges, **changes)


def judged(release, *judges, **changes):
    return do(services.start_run(rasa(release, *judges, **changes), "test"))


def only(run):
    (reply,) = run.replies.all()
    return reply


# --- 37, 38: letters ----------------------------------------------------------------------------

LETTERS = ["$B$", "**B**", "(B)", r"\boxed{B}", "Option B.", "The answer is (B)", '"B"', "b"]
LETTERS += ["B) Kerala", "Answer: A. No, wait.\nAnswer: B"]
SCRIPTS = ["উত্তর: খ", "उत्तर: (ख)", "২", "Ｂ"]
WORDS = ["None of the above", "Don't know", "I cannot decide", "Actually unsure", "Sorry"]


@pytest.mark.parametrize("text", LETTERS + SCRIPTS)
def test_a_letter_in_any_frame_or_script_is_the_second_option(release, stub, text):
    stub(says(text))
    run = run_it(release, given={"samples": 1, "limit": 1})
    (sample,) = run.samples.all()
    assert sample.reply.outcome == "ok"
    assert sample.choice == sample.shown[1]


@pytest.mark.parametrize("text", WORDS)
def test_words_are_no_letter(release, stub, text):
    stub(says(text))
    run = run_it(release, given={"samples": 1, "limit": 1})
    assert only(run).outcome in ("unparsed", "refused")
    assert reports.report(run)["answered"] == 0


def test_two_letters_are_ambiguous(release, stub):
    stub(says("A and C"))
    assert only(run_it(release, given={"samples": 1, "limit": 1})).outcome == "ambiguous"


# --- 39, 40: judges -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```json\n{"label": "CORRECT"}\n```', "CORRECT"),
        ('Let me see. {"label": "partially-correct",} That is all.', "PARTIALLY_CORRECT"),
        ("{'label': 'INCORRECT', 'sure': True}", "INCORRECT"),
        ('{"label": "CORRECT"} No: {"label": "INCORRECT"}', "INCORRECT"),
        ("I would rather not say.", ""),
        ('{"label": "MAYBE"}', ""),
    ],
)
def test_a_judge_is_read_in_any_wrapping_and_never_by_default(release, stub, text, value):
    stub(says(text))
    run = judged(release, "stub/judge")
    assert set(Verdict.objects.values_list("value", flat=True)) == ({value} if value else set())
    assert run.status == ("finished" if value else "paused")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, '{"error": {"message": "CORRECT"}}'),
        (400, '{"error": {"message": "CORRECT"}}'),
        (500, "CORRECT"),
        (200, "<html>CORRECT</html>"),
    ],
)
def test_an_error_of_the_judge_is_no_verdict(release, stub, settings, status, body):
    settings.RETRY_ATTEMPTS = 2
    one = stub()
    run = judged(release)
    one.behaviour = parse({"canned": [{"share": 1, "status": status, "body": body}]})
    run = do(services.rejudge(run, ["stub/judge"], "test"))
    assert run.status == "paused"
    assert not Verdict.objects.exclude(value="").exists()


# --- 41: the cache ------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [{"temperature": 0.5}, {"top_p": 0.5}, {"max_tokens": 77}])
def test_another_setting_asks_anew(release, stub, changed):
    stub()
    judged(release)
    assert selectors.calls(judged(release)) == 0
    assert selectors.calls(judged(release, given=changed)) > 0


def test_another_base_url_asks_anew(release, stub):
    stub()
    judged(release)
    stub()  # on another port
    assert selectors.calls(judged(release)) > 0


# --- 42, 43: several replies at once ------------------------------------------------------------


def test_rate_limits_lose_none_of_several_replies_at_once(release, stub, settings):
    settings.TIME_SCALE = 20
    one = stub({"n": "cap:4", "shares": {"rate_limited": 0.1}, "retry_after": "1"})
    run = judged(release, given={"samples": 30, "limit": 4})
    assert run.status == "finished", run.error
    assert selectors.outcomes(run)["ok"] == run.samples_planned
    assert Call.objects.count() == one.stats()["requests"]


@pytest.mark.parametrize(
    ("text", "finish"), [("", "stop"), ("Rice wi", "length"), ("<think>let me", "stop")]
)
def test_what_says_nothing_is_truncated_and_judged_by_nobody(release, stub, text, finish):
    one = stub(says(text, finish))
    run = judged(release)
    assert selectors.outcomes(run)["truncated"] == run.samples_planned
    one.behaviour = Behaviour()
    run = do(services.rejudge(run, ["stub/judge"], "test"))
    assert (run.status, Verdict.objects.count()) == ("finished", 0)


def test_a_refused_parameter_pauses_a_judge_with_the_endpoints_words(release, stub):
    one = stub()
    run = judged(release)
    said = "temperature is not supported here"
    body = json.dumps({"error": {"message": said, "param": "temperature"}})
    one.behaviour = parse({"canned": [{"share": 1, "status": 400, "body": body}]})
    run = do(services.rejudge(run, ["stub/judge"], "test"))
    assert (run.status, run.error["code"]) == ("paused", "endpoint.parameter_refused")
    assert said in run.error["message"]


# --- 45, 47 -------------------------------------------------------------------------------------


def test_a_report_of_nothing_right_is_plain_json(release, stub):
    stub({"short": {"accuracy": 0.0}})
    run = judged(release, "stub/judge", given={"samples": 1, "limit": 3})
    report = json.dumps(reports.report(run), allow_nan=False)
    assert "NaN" not in report
    for judge in reports.report(run)["judges"].values():
        low, high = judge["intervals"]["full"]
        assert low <= judge["full"] <= high
        assert low < high


def test_several_replies_at_once_carry_no_seed_and_differ(release, stub):
    stub({"short": {"distinct": 1000}})
    run = services.start_run(rasa(release, given={"samples": 20}), "test")
    assert {ask.request.seed for ask in selectors.plan(run)} == {None}
    run = do(run)
    for item, variant in run.samples.values_list("item", "variant").distinct():
        mine = run.samples.filter(item=item, variant=variant)
        assert len(set(mine.values_list("reply", flat=True))) > 10


# --- Bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rasa/question", "rasa/judge"])
def test_a_pack_with_an_unknown_placeholder_is_refused(tmp_path, name):
    pack = tmp_path / "pack.zip"
    with zipfile.ZipFile(pack, "w") as file:
        file.writestr(f"{name}.en.txt", shipped()[name, "en"] + "\n{{nonsense}} {nonsense}")
    with pytest.raises(CommonplaceError) as caught:
        load_pack(pack)
    assert caught.value.code.startswith("prompt.")
    assert "nonsense" in caught.value.message
