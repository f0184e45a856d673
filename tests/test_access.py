"""Every URL × role: who may open what. A new URL without a row here fails the test."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.services import projects
from evaluation import services
from inference.prompts import sync_prompts
from releases.services import import_sample
from tests import sample_study

SIGN_IN = "to sign-in"

# name -> what (anonymous, a signed-in user, a superuser) get for a GET; POST-only pages say 405.
EXPECTED = {
    "core:healthz": (200, 200, 200),
    "console:home": (SIGN_IN, 200, 200),
    "accounts:sign_in": (200, 302, 302),
    "accounts:sign_out": (SIGN_IN, 405, 405),
    "accounts:password_change": (SIGN_IN, 200, 200),
    "accounts:welcome": (200, 200, 200),
    "accounts:tokens": (SIGN_IN, 200, 200),
    "accounts:token_revoke": (SIGN_IN, 405, 405),
    "api:schema": (200, 200, 200),
    "api:studies": (401, 200, 200),
    "api:study": (401, 404, 200),
    "api:annotation": (401, 404, 200),
    "api:annotation_share": (401, 404, 405),
    "api:participations": (401, 404, 200),
    "api:links": (401, 404, 405),
    "api:answers": (401, 404, 200),
    "api:tasks": (401, 404, 200),
    "api:judgements": (401, 404, 200),
    "api:gold": (401, 404, 200),
    "api:gold_hangs_on": (401, 404, 200),
    "api:suggestions": (401, 404, 200),
    "api:releases": (401, 200, 200),
    "api:release": (401, 200, 200),
    "api:items": (401, 200, 200),
    "api:runs": (401, 200, 200),
    "api:run": (401, 200, 200),
    "api:report": (401, 200, 200),
    "api:samples": (401, 200, 200),
    "api:rejudge": (401, 405, 405),
    "api:resume": (401, 405, 405),
    "api:cancel": (401, 405, 405),
    "api:unknown": (401, 404, 404),
    "studies:list": (SIGN_IN, 200, 200),
    "studies:new": (SIGN_IN, 403, 200),
    "studies:detail": (SIGN_IN, 404, 200),
    "studies:open": (SIGN_IN, 405, 405),
    "studies:facts": (SIGN_IN, 404, 200),
    "studies:regions": (SIGN_IN, 404, 200),
    "studies:region_new": (SIGN_IN, 404, 200),
    "studies:region": (SIGN_IN, 404, 200),
    "studies:activities": (SIGN_IN, 404, 200),
    "studies:activity_new": (SIGN_IN, 404, 200),
    "studies:activity": (SIGN_IN, 404, 200),
    "studies:consent": (SIGN_IN, 404, 200),
    "studies:members": (SIGN_IN, 404, 200),
    "studies:audit": (SIGN_IN, 404, 200),
    "studies:region_remove": (SIGN_IN, 405, 405),
    "studies:activity_remove": (SIGN_IN, 405, 405),
    "studies:member_invite": (SIGN_IN, 405, 405),
    "studies:member_role": (SIGN_IN, 405, 405),
    "studies:member_remove": (SIGN_IN, 405, 405),
    "studies:payments": (SIGN_IN, 404, 200),
    "studies:payments_paid": (SIGN_IN, 405, 405),
    "studies:payment_bonus": (SIGN_IN, 405, 405),
    "studies:payment_list": (SIGN_IN, 404, 200),
    "studies:withdrawals": (SIGN_IN, 404, 200),
    "study_freeze": (SIGN_IN, 404, 200),
    "hook_prolific": (405, 405, 405),
    "collection:questions": (SIGN_IN, 404, 200),
    "collection:question_new": (SIGN_IN, 404, 200),
    "collection:questions_alike": (SIGN_IN, 404, 200),
    "collection:questions_load": (SIGN_IN, 405, 405),
    "collection:questions_copy": (SIGN_IN, 404, 200),
    "collection:question": (SIGN_IN, 404, 200),
    "collection:topics": (SIGN_IN, 404, 200),
    "collection:topic_new": (SIGN_IN, 404, 200),
    "collection:topic": (SIGN_IN, 404, 200),
    "collection:plan": (SIGN_IN, 404, 200),
    "collection:preview": (SIGN_IN, 404, 200),
    "collection:status": (SIGN_IN, 405, 405),
    "collection:move": (SIGN_IN, 405, 405),
    "collection:topics_load": (SIGN_IN, 405, 405),
    "collection:topic_remove": (SIGN_IN, 405, 405),
    "collection:topic_merge": (SIGN_IN, 405, 405),
    "collection:publish": (SIGN_IN, 405, 405),
    "collection:export": (SIGN_IN, 404, 200),
    "collection:export_progress": (SIGN_IN, 404, 200),
    "collection:export_file": (SIGN_IN, 404, 404),
    "collection:export_manifest": (SIGN_IN, 404, 404),
    "collection:artifacts": (SIGN_IN, 404, 200),
    "collection:artifacts_suggested": (SIGN_IN, 404, 200),
    "collection:artifacts_gather": (SIGN_IN, 405, 405),
    "collection:artifacts_decide": (SIGN_IN, 405, 405),
    "collection:artifacts_undo": (SIGN_IN, 405, 405),
    "collection:artifact_new": (SIGN_IN, 404, 200),
    "collection:artifact": (SIGN_IN, 404, 404),
    "collection:name_remove": (SIGN_IN, 405, 405),
    "collection:review": (SIGN_IN, 404, 200),
    "collection:review_one": (SIGN_IN, 404, 404),
    "collection:review_accept_many": (SIGN_IN, 405, 405),
    "collection:review_accept": (SIGN_IN, 405, 405),
    "collection:review_ask_again": (SIGN_IN, 405, 405),
    "collection:review_reject": (SIGN_IN, 405, 405),
    "collection:review_pay": (SIGN_IN, 405, 405),
    "collection:review_include": (SIGN_IN, 405, 405),
    "collection:review_flag": (SIGN_IN, 405, 405),
    "collection:monitor": (SIGN_IN, 404, 200),
    "collection:monitor_counts": (SIGN_IN, 404, 200),
    "collection:monitor_file": (SIGN_IN, 404, 200),
    "annotation:projects": (SIGN_IN, 404, 200),
    "annotation:open": (SIGN_IN, 405, 405),
    "annotation:next": (SIGN_IN, 405, 405),
    "annotation:task": (SIGN_IN, 404, 404),
    "annotation:disputes": (SIGN_IN, 404, 200),
    "annotation:dispute": (SIGN_IN, 404, 404),
    "annotation:share": (SIGN_IN, 405, 405),
    "annotation:read_flag": (SIGN_IN, 405, 405),
    "annotation:put_back": (SIGN_IN, 405, 405),
    "annotation:gold": (SIGN_IN, 404, 200),
    "annotation:trace": (SIGN_IN, 404, 404),
    "annotation:reliability": (SIGN_IN, 404, 200),
    "annotation:hanging": (SIGN_IN, 404, 200),
    "annotation:guideline": (SIGN_IN, 404, 200),
    "annotation:suggestions": (SIGN_IN, 404, 200),
    "studies:links": (SIGN_IN, 404, 200),
    "taking_part:join": (409, 409, 409),
    "taking_part:home": (404, 404, 404),
    "taking_part:consent": (404, 404, 404),
    "taking_part:decline": (404, 404, 404),
    "taking_part:screening": (404, 404, 404),
    "taking_part:language": (404, 404, 404),
    "taking_part:leave": (404, 404, 404),
    "collection:form": (404, 404, 404),
    "collection:save": (404, 404, 404),
    "games:play": (404, 404, 404),
    "games:here": (404, 404, 404),
    "games:rules": (SIGN_IN, 404, 404),  # the sample study has no game
    "games:rules_of": (SIGN_IN, 404, 404),
    "games:watch": (SIGN_IN, 404, 200),
    "games:watch_part": (SIGN_IN, 404, 200),
    "games:watch_game": (SIGN_IN, 404, 404),
    "games:watch_game_part": (SIGN_IN, 404, 404),
    "games:watch_act": (SIGN_IN, 405, 405),
    "games:proposals": (SIGN_IN, 404, 200),
    "games:propose": (SIGN_IN, 405, 405),
    "games:review": (SIGN_IN, 404, 200),
    "games:review_accept_many": (SIGN_IN, 405, 405),
    "games:review_one": (SIGN_IN, 404, 404),
    "games:review_include": (SIGN_IN, 405, 405),
    "games:review_accept": (SIGN_IN, 405, 405),
    "games:review_reject": (SIGN_IN, 405, 405),
    "games:review_pay": (SIGN_IN, 405, 405),
    "games:transcripts": (SIGN_IN, 404, 200),
    "games:results": (SIGN_IN, 404, 200),
    "games:results_artifacts": (SIGN_IN, 404, 200),
    "games:results_file": (SIGN_IN, 404, 404),
    "releases:list": (SIGN_IN, 200, 200),
    "releases:import": (SIGN_IN, 403, 200),
    "releases:detail": (SIGN_IN, 200, 200),
    "releases:questions": (SIGN_IN, 200, 200),
    "releases:item": (SIGN_IN, 200, 200),
    "releases:findings": (SIGN_IN, 200, 200),
    "releases:part": (SIGN_IN, 200, 200),
    "releases:responses": (SIGN_IN, 404, 404),
    "releases:transcripts": (SIGN_IN, 404, 404),
    "releases:transcript": (SIGN_IN, 404, 404),
    "releases:card": (SIGN_IN, 200, 200),
    "releases:readme": (SIGN_IN, 200, 200),
    "releases:licence": (SIGN_IN, 404, 404),
    "releases:statistics": (SIGN_IN, 200, 200),
    "releases:build": (SIGN_IN, 405, 405),
    "inference:models": (SIGN_IN, 200, 200),
    "evaluation:list": (SIGN_IN, 200, 200),
    "evaluation:new": (SIGN_IN, 403, 200),
    "evaluation:compare": (SIGN_IN, 200, 200),
    "evaluation:detail": (SIGN_IN, 200, 200),
    "evaluation:progress": (SIGN_IN, 200, 200),
    "evaluation:spend": (SIGN_IN, 200, 200),
    "evaluation:manifest": (SIGN_IN, 200, 200),
    "evaluation:failures": (SIGN_IN, 200, 200),
    "evaluation:pause": (SIGN_IN, 405, 405),
    "evaluation:rejudge": (SIGN_IN, 405, 405),
    "evaluation:reparse": (SIGN_IN, 405, 405),
    "evaluation:resume": (SIGN_IN, 405, 405),
    "evaluation:cancel": (SIGN_IN, 405, 405),
    "evaluation:batch": (SIGN_IN, 405, 405),
    "evaluation:batch_requests": (SIGN_IN, 403, 404),
    "evaluation:batch_results": (SIGN_IN, 405, 405),
    "evaluation:validation": (SIGN_IN, 200, 200),
    "evaluation:samples": (SIGN_IN, 200, 200),
    "evaluation:sample": (SIGN_IN, 404, 404),
    "evaluation:download": (SIGN_IN, 200, 200),
}


def names(resolver=None, prefix=""):
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace == "admin":
                continue  # tests/core/test_admin.py walks it row by row
            space = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            yield from names(pattern, space)
        elif isinstance(pattern, URLPattern):
            yield prefix + (pattern.name or "")


ALL = sorted(set(names()))


@pytest.fixture
def address(db, settings):
    """The address of a URL name, with objects that exist."""
    settings.ENDPOINTS = {"stub": {"base_url": "http://127.0.0.1:9/v1", "key_variable": ""}}
    sync_prompts()
    release = import_sample("test").release
    run = services.start_run(services.Order("ra_mcq", release.label, "stub/m"), "test")
    study = sample_study.load()
    project = projects.open_project(study, "agreement", "test")
    values = {
        "study": study.slug,
        "region": study.regions.first().slug,
        "activity": study.activities.first().slug,
        "question": study.questions.first().key,
        "topic": study.topics.first().code,
        "name": release.name,
        "version": release.version,
        "key": release.items.first().key,
        "part": "items",
        "run": run.pk,
        "sample": 0,
        "api_token": 0,
        "export": 0,
        "code": "0",
        "kind": project.kind,
        "source_key": "nothing",
        "table": "regions",
        "format": "csv",
        "uidb64": "x",
        "token": "y",
        "number": 1,
    }

    def find(name):
        keys = get_resolver()
        for part in name.split(":")[:-1]:
            keys = keys.namespace_dict[part][1]
        wanted = keys.reverse_dict.getlist(name.split(":")[-1])[0][0][0][1]
        return reverse(name, kwargs={key: values[key] for key in wanted})

    return find


def _sign_in(client, user):
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")


def outcome(response):
    if response.status_code == 302 and response["Location"].startswith("/accounts/sign-in/?"):
        return SIGN_IN
    return response.status_code


def test_the_table_names_every_url_there_is():
    assert sorted(EXPECTED) == ALL


@pytest.mark.parametrize("role", [0, 1, 2], ids=["anonymous", "signed in", "superuser"])
def test_every_url_opens_for_whom_it_should(client, alice, bob, address, role):
    got = {}
    for name in ALL:
        where = address(name)
        client.logout()
        if role:
            _sign_in(client, (bob, alice)[role - 1])
        response = client.get(where)
        got[name] = outcome(response)
        policy = response.headers.get("Content-Security-Policy", "")
        assert "unsafe" not in policy, name
        assert "default-src 'self'" in policy, name
    assert got == {name: expected[role] for name, expected in EXPECTED.items()}


@pytest.mark.parametrize(
    "name", ["evaluation:resume", "evaluation:cancel", "evaluation:new", "releases:build"]
)
def test_nobody_but_a_superuser_starts_or_stops_work(client, bob, address, name):
    where = address(name)
    assert outcome(client.post(where)) == SIGN_IN
    _sign_in(client, bob)
    assert client.post(where).status_code == 403


def test_nothing_sent_by_a_stranger_to_a_study_reaches_it(client, bob, address):
    for name in [name for name in ALL if name.startswith("studies:")]:
        where = address(name)
        client.logout()
        assert outcome(client.post(where)) == SIGN_IN, name
        _sign_in(client, bob)
        assert client.post(where).status_code in (403, 404, 405), name


@pytest.mark.parametrize(
    "where",
    ["/releases/a%00/1/", "/runs/?page=%00", "/runs/1/samples/?item=%00", "/studies/%00/"],
)
def test_an_address_with_a_nul_is_refused_in_words(as_alice, where):
    response = as_alice.get(where)
    assert response.status_code == 400
    assert b"address.not_text" in response.content


def test_no_get_writes_a_row(as_alice, address):
    for name in ALL:
        if name == "accounts:sign_out":
            continue
        where = address(name)
        with CaptureQueriesContext(connection) as queries:
            as_alice.get(where)
        said = [query["sql"] for query in queries]
        assert not [sql for sql in said if sql.startswith(("INSERT", "UPDATE", "DELETE"))], name
