"""The rows as administrators read them: all there are, none to change, no recruiter's id."""

import re

import pytest
from django.urls import reverse

from accounts.models import User
from accounts.services import create_token
from annotation.models import (
    Assignment,
    Decision,
    GoldAnswer,
    GoldRelation,
    GoldSupport,
    Guideline,
    Judgement,
    Project,
    Task,
)
from collection.models import (
    Answer,
    Export,
    FormVersion,
    QualityFlag,
    Question,
    QuestionText,
    Submission,
    SurveyPlan,
    Topic,
)
from core import audit, clock
from core.admin import ReadOnlyAdmin, site
from core.models import AuditEntry, Tick, Worker
from evaluation import services as evaluation
from evaluation.models import (
    DrawnReply,
    Judge,
    Reply,
    RunJudge,
    Sample,
    Validation,
    Verdict,
)
from games.models import Game, GameEvent, GamePlan, Seat, Ticket, Turn, Utterance, Vetting
from inference.models import Budget, Call, Completion, LanguageModel, Lease
from inference.prompts import sync_prompts
from releases.models import Contribution, Finding
from releases.services import import_sample
from studies import services as studies
from studies.models import (
    Artifact,
    ArtifactApart,
    ArtifactName,
    ArtifactSource,
    Consent,
    LedgerEntry,
    Participant,
    Participation,
    RecruiterIdentity,
    Residence,
)
from tests import sample_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MODELS = sorted(site._registry, key=lambda model: model._meta.label)
TEXT = "क\u200dष \u0958 ہم கொ 👩‍👩‍👧 a\x0bb <b>&"


def page(model, name, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


@pytest.fixture
def rows(alice, settings):
    """One row at least of everything that is registered."""
    settings.ENDPOINTS = {"stub": {"base_url": "http://127.0.0.1:9/v1", "key_variable": ""}}
    now = clock.now()
    create_token(alice, "nightly", ["studies:read"], "test")
    sync_prompts()
    release = import_sample("test").release
    run = evaluation.start_run(evaluation.Order("ra_mcq", release.label, "stub/m"), "test")
    item = run.release.items.first()
    Finding.objects.get_or_create(release=release, code="not_transitive", item=item.key)
    reply = Reply.objects.create(run=run, item=item, sha="0", text="A", outcome="ok")
    Sample.objects.create(run=run, item=item, repeat=0, reply=reply)
    model = LanguageModel.objects.get()
    call = Call.objects.create(
        model=model, purpose="run 1", request_key="0", repeat=0, at=now, ms=1
    )
    Completion.objects.create(request_key="0", repeat=0, text="A", finish="stop", call=call)
    _have_judged(run, reply, now)
    Worker.objects.create(name="one", last_seen=now)
    Tick.objects.get_or_create(name="sweep", defaults={"due": now})
    audit.record("test", "study.created", "study", "x")
    _take_part(sample_study.load(), now)


def _have_judged(run, reply, now):
    """A judge and its verdict, and what a working job holds."""
    judge = Judge.objects.create(kind="rule", label="r", signal="correctness", hash="0")
    RunJudge.objects.create(run=run, judge=judge, number=1)
    Verdict.objects.create(judge=judge, reply=reply, outcome="ok", value="CORRECT")
    budget = Budget.objects.create(cap=1)
    endpoint = LanguageModel.objects.get().endpoint
    Lease.objects.create(endpoint=endpoint, job=run.job, budget=budget, purpose="run 1", seen=now)


def _take_part(study, now):
    activity, region = study.activities.first(), study.regions.first()
    studies.invite(study, "alice@example.org", "owner", "test")
    who = Participant.objects.create(study=study, region=region, language="en")
    RecruiterIdentity.objects.create(
        study=study, participant=who, recruiter="prolific", external_id="the-recruiters-id"
    )
    row = Participation.objects.create(
        participant=who, activity=activity, recruiter_session="the-recruiters-session"
    )
    Residence.objects.create(participant=who, from_year=1990, to_year=2000)
    consent = study.consent_documents.first()
    Consent.objects.create(participant=who, document=consent, language="en", purposes=[], at=now)
    LedgerEntry.objects.create(
        participation=row, kind="reward", amount_minor=1, currency="EUR", key="k", at=now
    )
    artifact = Artifact.objects.create(study=study, region=region)
    ArtifactName.objects.create(artifact=artifact, text="Kite", folded="kite", kind="name")
    ArtifactSource.objects.create(artifact=artifact, participant=who)
    ArtifactApart.objects.create(study=study, first="kite", second="knit")
    _play(row, region, artifact, now)
    topic = Topic.objects.create(study=study, code="visits", position=1)
    question = Question.objects.create(
        study=study, key="guests", kind="long", position=1, topic=topic
    )
    QuestionText.objects.create(question=question, language="en", text="What?", folded="what?")
    SurveyPlan.objects.get_or_create(activity=activity)
    form = FormVersion.objects.create(
        activity=activity, number=1, version=1, document={}, sha256="0", published=now
    )
    submission = Submission.objects.create(
        participation=row, form_version=form, number=1, language="en", started=now, touched=now
    )
    answer = Answer.objects.create(
        submission=submission, question=question, text=TEXT, value=[TEXT]
    )
    project = _judge(study, answer, now)
    drawn = Validation.objects.create(project=project, seed=0, size=1, created=now)
    reply = Reply.objects.get()
    DrawnReply.objects.create(validation=drawn, reply=reply, stratum="[]", replies=1, drawn=1)
    release = import_sample("test").release
    Contribution.objects.get_or_create(release=release, participant=who)
    QualityFlag.objects.create(submission=submission, check_name="attention:guests")
    Export.objects.create(study=study, layout="long", format="csv", asked=now, asked_by="test")


def _play(row, region, artifact, now):
    """A game in which a word was said."""
    GamePlan.objects.create(activity=row.activity)
    about = {"activity": row.activity, "region": region}
    Ticket.objects.create(participation=row, language="en", deadline=now, **about)
    game = Game.objects.create(state={}, rules={}, cards={}, **about)
    Seat.objects.create(game=game, number=0, participation=row, player="human")
    Turn.objects.create(game=game, number=1, giver=0, artifact=artifact)
    Utterance.objects.create(game=game, turn=1, kind="clue", number=1, seat=0, verdict="said")
    GameEvent.objects.create(game=game, seq=1, kind="dealt")
    Vetting.objects.create(game=game, seat=0, artifact=artifact, known=True, shared="ours")


def _judge(study, answer, now):
    """A task on an answer, judged, decided and gold."""
    regions = study.regions.order_by("pk")[:2]
    project = Project.objects.create(study=study, kind="agreement", created=now)
    guideline = Guideline.objects.create(project=project, version=1, text="Read.", created=now)
    task = Task.objects.create(project=project, source_key="guests.harbour", position=1)
    place = Assignment.objects.create(
        task=task,
        project=project,
        position=1,
        slot=1,
        annotator=User.objects.first(),
        status="submitted",
    )
    Judgement.objects.create(assignment=place, value={}, ms=1, guideline=guideline, at=now)
    decision = Decision.objects.create(task=task, by="rule", value={}, at=now)
    about = {"question": answer.question, "decision": decision}
    gold = GoldAnswer.objects.create(region=regions[0], n=2, threshold=2, **about)
    GoldSupport.objects.create(gold=gold, answer=answer, concept=0)
    GoldRelation.objects.create(
        level="pair", region_a=regions[0], region_b=regions[1], value={}, **about
    )
    return project


def test_an_administrator_reads_every_list_and_every_row(as_alice, rows):
    for model in MODELS:
        row = model.objects.order_by("pk").first()
        assert row is not None, f"`rows` makes no {model.__name__}"
        for where in (page(model, "changelist"), page(model, "change", row.pk)):
            answer = as_alice.get(where)
            assert answer.status_code == 200, where
            _needs_nothing_forbidden(answer)


def test_every_list_is_called_by_the_plural_of_what_it_holds(as_alice):
    front = as_alice.get(reverse("admin:index")).content.decode()
    for name in ("Audit entries", "Replies", "API tokens", "Studies", "Ledger entries"):
        assert f">{name}</a>" in front
    assert not re.search(r">\w*[^aeiou]ys</a>", front)


def test_an_administrator_adds_changes_and_deletes_nothing(as_alice, rows):
    for model in MODELS:
        before = list(model.objects.order_by("pk").values())
        pk = before[0][model._meta.pk.name]
        for name, args, sent in (
            ("add", (), {}),
            ("delete", (pk,), {"post": "yes"}),
            *([] if model is User else [("change", (pk,), {})]),
        ):
            assert as_alice.post(page(model, name, *args), sent).status_code == 403, name
        chosen = {"action": "delete_selected", "_selected_action": pk, "post": "yes"}
        as_alice.post(page(model, "changelist"), chosen)
        assert list(model.objects.order_by("pk").values()) == before


def _needs_nothing_forbidden(answer):
    text = answer.content.decode()
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=\"|javascript:", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text)
    assert not re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)', text)
    assert "the-recruiters-" not in text


def test_nobody_else_comes_in(client, bob):
    pages = [page(model, "changelist") for model in MODELS]
    pages += [page(model, "change", 1) for model in MODELS]
    for where in pages:
        assert client.get(where)["Location"] == f"/accounts/sign-in/?next={where}"
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    for where in pages:
        assert client.get(where, follow=True).status_code == 403
        assert client.post(where, follow=True).status_code == 403


def test_who_is_not_signed_in_is_led_to_our_own_page_and_back(client, alice):
    answer = client.get("/admin/studies/study/", follow=True)
    assert answer.redirect_chain[-1][0] == "/accounts/sign-in/?next=/admin/studies/study/"
    given = {
        "username": alice.email,
        "password": "a long password",
        "next": "/admin/studies/study/",
    }
    answer = client.post("/accounts/sign-in/", given, follow=True)
    assert (answer.status_code, answer.request["PATH_INFO"]) == (200, "/admin/studies/study/")


def test_every_row_of_the_house_is_there_but_how_recruiters_know_people():
    from django.apps import apps

    houses = ("core", "accounts", "studies", "collection", "games")
    houses += ("inference", "releases", "evaluation")
    missing = {
        model.__name__
        for house in houses
        for model in apps.get_app_config(house).get_models()
        if model not in site._registry
    }
    assert missing == {"RecruiterIdentity", "RecruiterSession", "IdempotentRequest"}
    assert all(isinstance(each, ReadOnlyAdmin) for each in site._registry.values())


def test_an_answer_of_any_script_stands_unchanged_on_its_page_and_in_no_list(as_alice, rows):
    shown = as_alice.get(page(Answer, "change", Answer.objects.get().pk)).content.decode()
    assert TEXT.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in shown
    assert "ہم" not in as_alice.get(page(Answer, "changelist")).content.decode()


def test_an_account_can_be_closed_and_opened_and_nothing_else_changes(as_alice, bob):
    where = page(User, "change", bob.pk)
    answer = as_alice.post(where, {"email": "x@example.org", "is_superuser": "on"})
    assert answer.status_code == 302
    bob.refresh_from_db()
    assert (bob.email, bob.is_superuser, bob.is_active) == ("bob@example.org", False, False)
    as_alice.post(where, {"is_active": "on"})
    bob.refresh_from_db()
    assert bob.is_active
    assert list(
        AuditEntry.objects.filter(object_id=bob.email).order_by("pk").values_list("action", "actor")
    ) == [("account.closed", "alice@example.org"), ("account.opened", "alice@example.org")]


def test_nobody_closes_their_own_account(as_alice, alice):
    answer = as_alice.post(page(User, "change", alice.pk), {})
    assert answer.status_code == 400
    assert b"account.own" in answer.content
    alice.refresh_from_db()
    assert alice.is_active


def test_no_password_no_hash_and_no_completion_code_is_shown(as_alice, rows, alice):
    from accounts.models import ApiToken
    from studies.models import Activity

    user = as_alice.get(page(User, "change", alice.pk)).content.decode()
    token, activity = ApiToken.objects.get(), Activity.objects.first()
    assert alice.password not in user
    assert token.hash not in as_alice.get(page(ApiToken, "change", token.pk)).content.decode()
    shown = as_alice.get(page(Activity, "change", activity.pk)).content.decode()
    assert activity.codes
    assert not [code for code in activity.codes.values() if code in shown]
