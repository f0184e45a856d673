"""From set-up to collecting: complete or not at all, and once."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import FormVersion
from core.errors import CommonplaceError
from core.models import AuditEntry
from studies import kinds, selectors, services
from studies.models import Study
from studies.participation import Status
from studies.permissions import Role

pytestmark = pytest.mark.django_db


def open_by_command(study="lantern_coast"):
    out, code = StringIO(), 0
    try:
        call_command("open_study", study, "--json", stdout=out)
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_command_opens_a_complete_study_and_freezes_its_forms(study):
    assert open_by_command() == (
        0,
        {"study": "lantern_coast", "status": "collecting", "forms": {"everyday_life": 3}},
    )
    study.refresh_from_db()
    assert study.status == Study.Status.COLLECTING
    assert FormVersion.objects.count() == 3
    assert AuditEntry.objects.filter(action="study.opened").count() == 1


def test_a_study_is_opened_once(study):
    open_by_command()
    code, result = open_by_command()
    assert (code, result["error"]["code"]) == (1, "study.collecting_already")
    assert AuditEntry.objects.filter(action="study.opened").count() == 1
    assert FormVersion.objects.count() == 3


def test_a_study_nobody_knows_is_refused(db):
    code, result = open_by_command("nothing")
    assert (code, result["error"]["code"]) == (1, "study.unknown")


def write_prefix(study, words):
    plan = study.activities.get().survey_plan
    plan.prefix = {"en": words, "es": words}
    plan.save()


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda study: study.questions.update(status="draft"), "an accepted question"),
        (lambda study: study.consent_documents.all().delete(), "what participants are told"),
        (lambda study: study.regions.update(target=0), "how many participants"),
        (lambda study: write_prefix(study, "Here"), "The prefix in en must say"),
    ],
)
def test_an_incomplete_study_stays_in_set_up_and_says_what_is_missing(study, spoil, named):
    spoil(study)
    code, result = open_by_command()
    assert (code, result["error"]["code"]) == (1, "study.not_ready")
    assert named in " ".join(result["error"]["data"]["missing"])
    study.refresh_from_db()
    assert study.status == Study.Status.SET_UP
    assert not FormVersion.objects.exists()
    assert not AuditEntry.objects.filter(action="study.opened").exists()


def test_an_activity_this_version_cannot_run_refuses_the_opening_in_a_clear_sentence(
    study, monkeypatch
):
    monkeypatch.delitem(kinds._kinds, "game")
    study.activities.update(kind="game")
    assert "cannot run a game" in " ".join(
        fault for check in selectors.checklist(study) for fault in check.missing
    )
    with pytest.raises(CommonplaceError) as refused:
        services.open_study(study, "test")
    assert refused.value.code == "study.no_room_for_kind"
    assert "Remove the activity" in refused.value.message
    study.refresh_from_db()
    assert study.status == Study.Status.SET_UP


def test_the_study_page_offers_the_opening_and_then_counts(as_alice, study, somebody):
    where = reverse("studies:detail", args=(study.slug,))
    page = as_alice.get(where)
    assert "Open the study" in text_of(page)
    assert as_alice.get(reverse("studies:open", args=(study.slug,))).status_code == 405
    response = as_alice.post(reverse("studies:open", args=(study.slug,)))
    assert response["Location"] == where
    somebody(Status.ACTIVE)
    somebody(Status.ACCEPTED, region="moor")
    page = text_of(as_alice.get(where))
    assert "1 taking part, 1 of 20 accepted" in page
    assert "Open the study" not in page
    again = as_alice.post(reverse("studies:open", args=(study.slug,)))
    assert again.status_code == 409
    assert "open already" in text_of(again)


def test_who_may_not_recruit_cannot_open(study, bob, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    client = signed_in(bob)
    page = text_of(client.get(reverse("studies:detail", args=(study.slug,))))
    assert "can open it now" in page
    assert client.post(reverse("studies:open", args=(study.slug,))).status_code == 403
    study.refresh_from_db()
    assert study.status == Study.Status.SET_UP


def test_the_study_page_lists_the_rooms_its_reader_may_open(study, bob, owner, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    where = reverse("studies:detail", args=(study.slug,))
    export = reverse("collection:export", args=(study.slug,))
    assert export in signed_in(owner).get(where).content.decode()
    assert export not in signed_in(bob).get(where).content.decode()


def test_rooms_of_games_are_those_of_studies_with_a_game(study, owner, signed_in):
    client, where = signed_in(owner), reverse("studies:detail", args=(study.slug,))
    rooms = [reverse(f"games:{name}", args=(study.slug,)) for name in ("watch", "review")]
    assert not any(room in client.get(where).content.decode() for room in rooms)
    study.activities.update(kind="game")
    assert all(room in client.get(where).content.decode() for room in rooms)


def test_the_consent_text_of_a_file_has_paragraphs_and_no_stray_line_breaks(study):
    text = study.consent_documents.get().texts["en"]
    paragraphs = text.split("\n\n")
    assert len(paragraphs) == 3
    assert not any("\n" in paragraph for paragraph in paragraphs)


def test_the_first_role_offered_is_not_the_owners(as_alice, study):
    page = as_alice.get(reverse("studies:members", args=(study.slug,))).content.decode()
    form = page.split("Invite somebody")[1]
    assert re.search(r'<option value="(\w+)"', form)[1] == "researcher"
