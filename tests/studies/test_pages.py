"""The pages of a study that collects, of all studies, and of what was done."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import audit
from core.models import AuditEntry
from studies import services
from studies.history import SENTENCES, counted, sentence
from studies.models import Study
from studies.participation import Status
from studies.permissions import Role
from studies.services import moving
from tests.studies.set_up import FACTS, region, shown, text_of, where

pytestmark = pytest.mark.django_db


def test_nothing_changes_once_answers_are_collected(as_alice, study):
    Study.objects.update(status=Study.Status.COLLECTING)
    before = AuditEntry.objects.count()
    response = as_alice.post(reverse("studies:region_remove", args=(study.slug, "moor")))
    assert response.status_code == 409
    document = study.consent_documents.get()
    texts = {f"texts-{tag}": f"{text} More." for tag, text in document.texts.items()}
    ticked = {"take_part-en": "Yes", "take_part-es": "Sí"}
    address = reverse("studies:consent", args=(study.slug,))
    response = as_alice.post(address, texts | ticked)
    assert response.status_code == 422
    assert "can no longer change" in text_of(response)
    assert AuditEntry.objects.count() == before


def test_while_answers_are_collected_four_things_change_and_the_rest_is_read_only(as_alice, study):
    services.open_study(study, "test")
    pages = {
        "facts": ((), {"ethics_number": "LC-2"}, "ethics_number"),
        "region": (("moor",), {"target": "9"}, "target"),
        "activity": (
            ("everyday_life",),
            {"recruiter": "panel", "recruiter_study_id": "77"},
            "recruiter",
        ),
    }
    for page, (further, given, kept) in pages.items():
        address = reverse(f"studies:{page}", args=(study.slug, *further))
        shown = as_alice.get(address)
        assert next(iter(shown.context["form"].fields)) == kept
        assert "only what stands in this form can still change" in text_of(shown)
        assert "Remove" not in text_of(shown)
        assert as_alice.post(address, given).status_code == 302
    study.refresh_from_db()
    activity = study.activities.get()
    assert study.ethics_number == "LC-2"
    assert study.regions.get(slug="moor").target == 9
    assert (activity.recruiter, activity.recruiter_study_id) == ("panel", "77")
    page = text_of(as_alice.get(reverse("studies:audit", args=(study.slug,))))
    assert "changed the target of the region moor" in page
    assert "changed the ethics number of the study" in page
    assert "Hollin Cross" in text_of(
        as_alice.get(reverse("studies:region", args=(study.slug, "moor")))
    )


def test_a_page_open_since_before_the_opening_saves_nothing(as_alice, study):
    address = reverse("studies:region", args=(study.slug, "moor"))
    form = as_alice.get(address).context["form"]
    given = {name: field.initial or "" for name, field in form.fields.items()}
    services.open_study(study, "test")
    response = as_alice.post(address, given | {"target": "9", "names-en": "Elsewhere"})
    assert response.status_code == 422
    assert "Nothing was saved" in text_of(response)
    assert study.regions.get(slug="moor").target == 5


@pytest.mark.parametrize("page", ["region_new", "activity_new"])
def test_nothing_is_added_to_a_study_that_collects(as_alice, study, page):
    services.open_study(study, "test")
    assert as_alice.get(reverse(f"studies:{page}", args=(study.slug,))).status_code == 409


def test_a_lower_target_throws_nobody_out_and_lets_nobody_else_in(as_alice, study, somebody):
    services.open_study(study, "test")
    inside = [somebody(Status.ACTIVE, region="moor") for _number in range(3)]
    as_alice.post(reverse("studies:region", args=(study.slug, "moor")), {"target": "2"})
    late = somebody(Status.SCREENING, region="moor")
    moving.admit(late, study.regions.get(slug="moor"))
    for row in inside:
        row.refresh_from_db()
    assert {row.status for row in inside} == {Status.ACTIVE}
    assert late.status == Status.QUOTA_FULL


def test_texts_in_a_dropped_language_do_not_stand_in_the_way(as_alice, study):
    region = study.regions.get(slug="moor")
    region.names = region.names | {"hi": "दलदल"}
    region.save()
    address = reverse("studies:region", args=(study.slug, "moor"))
    form = as_alice.get(address).context["form"]
    given = {name: field.initial or "" for name, field in form.fields.items()}
    before = AuditEntry.objects.count()
    as_alice.post(address, given)
    assert AuditEntry.objects.count() == before
    region.refresh_from_db()
    assert region.names["hi"] == "दलदल"


def test_an_open_study_without_people_says_to_invite_some(as_alice, study, somebody):
    detail, links = (reverse(f"studies:{page}", args=(study.slug,)) for page in ("detail", "links"))
    assert "Next: invite people" not in text_of(as_alice.get(detail))
    services.open_study(study, "test")
    page = as_alice.get(detail)
    assert "Next: invite people" in text_of(page)
    assert f'<a role="button" href="{links}">Invite people</a>' in page.content.decode()
    somebody(Status.INVITED)
    assert "Next: invite people" not in text_of(as_alice.get(detail))


def test_a_region_stands_below_the_regions_in_the_way_back(as_alice, study):
    crumbs = as_alice.get(reverse("studies:region", args=(study.slug, "moor"))).context["crumbs"]
    assert ("Regions", reverse("studies:regions", args=(study.slug,))) in crumbs


def test_the_completion_codes_are_shown_to_who_gives_them_to_the_recruiter(as_alice, study):
    activity = study.activities.get()
    page = text_of(as_alice.get(reverse("studies:activity", args=(study.slug, activity.slug))))
    assert len(set(activity.codes.values())) == 8
    assert all(code in page for code in activity.codes.values())


def test_everything_that_was_done_is_told_in_sentences(coast, bob):
    study = Study.objects.get()
    coast.post(where("facts"), FACTS | {"names-en": "A coast", "retention_days": "31"})
    coast.post(where("region_new"), region("harbour", "Quay"))
    coast.post(where("region", "harbour"), region("harbour", "Quay\nPier", target="6"))
    coast.post(where("region_remove", "harbour"))
    services.invite(study, bob.email, Role.VIEWER, "alice@example.org")
    page = text_of(coast.get(where("audit")))
    for told in (
        "alice@example.org created the study",
        "added alice@example.org as owner",
        "changed the name, the retention of the study",
        "added the region harbour",
        "changed the target, the places of the region harbour",
        "removed the region harbour",
        "added bob@example.org as viewer",
    ):
        assert told in page
    actions = set(AuditEntry.objects.filter(study="coast").values_list("action", flat=True))
    assert actions <= set(SENTENCES)


def test_a_simulated_study_says_so_on_every_page(as_alice):
    given = FACTS | {"slug": "coast", "name": "The coast", "simulated": "on"}
    as_alice.post(reverse("studies:new"), given)
    for address in (reverse("studies:list"), where("detail"), where("regions"), where("members")):
        assert "Simulated" in text_of(as_alice.get(address))


def test_who_may_only_look_finds_no_way_to_change(study, bob, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    client = signed_in(bob)
    page = client.get(reverse("studies:detail", args=(study.slug,))).content.decode()
    assert reverse("studies:regions", args=(study.slug,)) not in page
    assert "Harbour" in page
    members = client.get(reverse("studies:members", args=(study.slug,))).content.decode()
    assert "member" not in "".join(re.findall(r'action="([^"]*)"', members))


def test_the_lists_say_what_to_do_when_they_are_empty(as_alice, bob, signed_in):
    assert "Set up a study" in text_of(as_alice.get(reverse("studies:list")))
    assert "an owner of one has added you" in text_of(signed_in(bob).get(reverse("studies:list")))


def test_what_waits_is_the_first_thing_to_do_on_the_study_the_list_and_the_first_page(
    as_alice, study, somebody
):
    services.open_study(study, "test")
    review = reverse("collection:review", args=(study.slug,))
    pages = [("studies:detail", study.slug), ("studies:list",), ("console:home",)]
    assert not any("for review" in text_of(shown(as_alice, *page)) for page in pages)
    for _number in range(2):
        somebody(Status.SUBMITTED)
    for page in pages:
        html_of = shown(as_alice, *page).content.decode()
        assert "2 wait for review." in html_of
        primary = re.findall(r'<a role="button" href="([^"]*)"', html_of)
        assert primary == [review], page
    detail = shown(as_alice, *pages[0])
    assert 'class="needs" aria-current="step"' in detail.content.decode()
    assert "Review 2 waiting" in text_of(detail)
    assert "2 taking part, 0 of " in text_of(shown(as_alice, "studies:list"))


def test_who_may_not_review_is_not_told_to(study, somebody, bob, signed_in):
    services.open_study(study, "test")
    services.invite(study, bob.email, Role.VIEWER, "test")
    somebody(Status.SUBMITTED)
    client = signed_in(bob)
    for page in (("studies:detail", study.slug), ("studies:list",), ("console:home",)):
        assert "for review" not in text_of(shown(client, *page))


def test_the_list_of_studies_asks_the_same_few_questions_however_long_it_is(
    as_alice, study, somebody
):
    services.open_study(study, "test")
    somebody(Status.SUBMITTED)

    def asked():
        with CaptureQueriesContext(connection) as queries:
            shown(as_alice, "studies:list")
        return len(queries)

    before = asked()
    for number in range(3):
        given = FACTS | {"slug": f"coast{number}", "name": "The coast"}
        as_alice.post(reverse("studies:new"), given)
    page = text_of(shown(as_alice, "studies:list"))
    assert page.count("being set up") == 3
    assert "1 waits for review." in page
    assert asked() == before


def test_languages_regions_and_activities_are_called_by_their_names(as_alice, study):
    detail = text_of(shown(as_alice, "studies:detail", study.slug))
    assert "Read it in Spanish (es)" in detail
    assert "English (en), Spanish (es)" in detail
    region, activity = study.regions.get(slug="moor"), study.activities.get()
    for page, row, name in (
        ("studies:region", region, region.names["en"]),
        ("studies:activity", activity, activity.name),
    ):
        response = shown(as_alice, page, study.slug, row.slug)
        assert f"<h1>{name}</h1>" in response.content.decode()
        assert response.context["crumbs"][-1][0] == name


def test_what_can_no_longer_change_is_a_list_of_facts(as_alice, study):
    services.open_study(study, "test")
    further = {"facts": (), "region": ("moor",), "activity": ("everyday_life",), "consent": ()}
    for page, names in further.items():
        html_of = shown(as_alice, f"studies:{page}", study.slug, *names).content.decode()
        assert '<dl class="facts">' in html_of
        assert "<dl>" not in html_of
    facts = text_of(shown(as_alice, "studies:facts", study.slug))
    assert "Languages English (en), Spanish (es)" in facts


def test_a_sentence_to_tick_is_not_labelled_as_an_invitation(as_alice, study):
    page = text_of(shown(as_alice, "studies:consent", study.slug))
    assert "The sentence for “take part” in English (en)" in page


@pytest.mark.parametrize(
    ("action", "data", "told"),
    [
        ("rejected", {"reason": "attention", "pay": "time"}, "and pays the time spent"),
        ("rejected", {"reason": "off_topic", "pay": "nothing"}, "have nothing to do with the q"),
        ("pay_decided", {"pay": "reward"}, "decided to pay AB the whole reward"),
        ("inclusion_decided", {"included": False}, "decided that AB is not in the results"),
        ("asked_again", {"forms": "1, 2"}, "asked AB again for form 1, 2"),
    ],
)
def test_decisions_are_told_in_words(action, data, told):
    assert told in sentence(f"participation.{action}", "X", {"participant": "AB", **data})


def test_what_was_removed_is_told_in_words():
    assert counted({"answers": 1, "export_files": 2, "flags": 0}) == "1 answer and 2 export files"
    assert counted({"answers": 0}) == "nothing"
    flag = {"participant": "AB", "check": "attention:look", "decision": "excused"}
    assert sentence("flag.decided", "X", flag) == (
        "decided that the failed check look of AB is excused"
    )
    loaded = sentence("survey.loaded", "coast", {"count": 11})
    assert loaded == "loaded a file: 11 questions added, changed or removed"


def test_the_recruiter_is_spelt_as_it_spells_itself(as_alice, study):
    audit.record("prolific", "study.opened", "study", study.slug, study=study.slug)
    assert "Prolific" in text_of(shown(as_alice, "studies:audit", study.slug))
    assert "Paste this address into Prolific" in text_of(
        shown(as_alice, "studies:links", study.slug)
    )
