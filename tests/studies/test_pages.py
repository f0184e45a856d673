"""Setting a study up through its pages, without a script, as an administrator does."""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import audit
from core.models import AuditEntry
from studies import services
from studies.history import SENTENCES, counted, sentence
from studies.models import Participant, Region, Study
from studies.participation import Status
from studies.permissions import Role
from studies.services import moving
from tests.sample_study import SAMPLE

pytestmark = pytest.mark.django_db

FACTS = {
    "languages": "en, hi",
    "country": "Lantern Coast",
    "timezone": "Asia/Kolkata",
    "currency": "INR",
    "residency_percent": "50",
    "retention_days": "30",
    "ethics_number": "",
}


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def region(slug, places, **fields):
    texts = {"names-en": slug.title(), "names-hi": "तट", "phrases-en": "there", "phrases-hi": "वहाँ"}
    numbers = {"target": "5", "language": "hi", "position": "1"}
    return {"slug": slug, "places": places, "aliases": ""} | texts | numbers | fields


def where(page, *further):
    return reverse(f"studies:{page}", args=("coast", *further))


@pytest.fixture
def coast(as_alice):
    """A study just created through its page."""
    given = FACTS | {"slug": "coast", "name": "The coast"}
    response = as_alice.post(reverse("studies:new"), given)
    assert response["Location"] == where("detail")
    return as_alice


def next_step(client):
    response = client.get(where("detail"))
    step = response.context["next"]
    return step.title if step else "nothing"


def test_a_study_is_set_up_page_by_page_and_each_time_the_next_step_is_named(coast):
    assert Study.objects.get().memberships.get().role == Role.OWNER
    assert next_step(coast) == "Facts"
    coast.post(where("facts"), FACTS | {"names-en": "The coast", "names-hi": "तट"})
    assert next_step(coast) == "Regions"
    coast.post(where("region_new"), region("harbour", "Quay\nSaltmarket"))
    assert "at least two regions" in text_of(coast.get(where("detail")))
    coast.post(where("region_new"), region("moor", "Windlow"))
    assert next_step(coast) == "Activity"
    activity = {"slug": "survey", "names-en": "Survey", "names-hi": "सर्वे", "kind": "survey"}
    reward = {"phase": "pilot", "reward": "hourly", "amount": "480", "minutes": "25"}
    coast.post(where("activity_new"), activity | reward | {"recruiter": ""})
    assert next_step(coast) == "Consent"
    texts = {"texts-en": "We ask.", "texts-hi": "हम पूछते हैं।"}
    ticked = {"take_part-en": "I take part.", "take_part-hi": "मैं भाग लेता हूँ।"}
    coast.post(where("consent"), texts | ticked)
    assert next_step(coast) == "Questions"
    words = {"text-en": "What is said?", "text-hi": "क्या कहा जाता है?"}
    use = {"key": "said", "kind": "long", "status": "accepted", "position": "1"}
    coast.post(reverse("collection:question_new", args=("coast",)), words | use)
    assert next_step(coast) == "nothing"
    page = text_of(coast.get(where("detail")))
    assert "The set-up is complete." in page
    assert "480.00 INR an hour, 200.00 INR in all" in page


def test_the_page_says_which_translation_is_missing(coast):
    coast.post(where("region_new"), region("harbour", "Quay", **{"names-hi": ""}))
    assert "the name of Harbour in Hindi (hi)" in text_of(coast.get(where("detail")))


def test_a_field_to_put_right_keeps_what_was_typed_and_saves_nothing(coast):
    given = region("harbour", "Quay\nquay")
    response = coast.post(where("region_new"), given)
    assert response.status_code == 422
    page = response.content.decode()
    assert "listed twice" in page
    assert "तट" in page
    assert 'href="#id_places"' in page
    assert not Region.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("languages", "en english!", "is not a language tag"),
        ("languages", "English, Hindi", "“English” is not a language tag; did you mean en"),
        ("timezone", "", "This field is required"),
        ("languages", " ", "This field is required"),
        ("currency", "XYZ", "not one of the available choices"),
        ("residency_percent", "40", "greater than or equal to 50"),
        ("timezone", "Mars/Base", "not one of the available choices"),
        ("slug", "Coast Line", "cannot be a short name"),
        ("country", "a\x00b", "Null characters"),
    ],
)
def test_facts_are_refused_beside_their_field(as_alice, field, value, sentence):
    given = FACTS | {"slug": "coast", "name": "The coast", field: value}
    response = as_alice.post(reverse("studies:new"), given)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Study.objects.exists()


def test_a_place_with_a_name_too_long_is_refused_on_the_page(coast):
    response = coast.post(where("region_new"), region("harbour", "Q" * 121))
    assert response.status_code == 422
    assert "longer than 120" in text_of(response)


def test_a_short_name_is_taken_once(coast):
    given = FACTS | {"slug": "coast", "name": "Another"}
    response = coast.post(reverse("studies:new"), given)
    assert response.status_code == 422
    assert "Choose another short name" in text_of(response)
    coast.post(where("region_new"), region("harbour", "Quay"))
    again = coast.post(where("region_new"), region("harbour", "Elsewhere"))
    assert again.status_code == 422
    assert Region.objects.get().places.get().name == "Quay"


def test_a_place_of_another_region_is_refused_on_the_page(coast):
    coast.post(where("region_new"), region("harbour", "Quay"))
    response = coast.post(where("region_new"), region("moor", "Windlow\nQUAY"))
    assert response.status_code == 422
    assert "lies in harbour already" in text_of(response)
    assert Region.objects.count() == 1


LINES = "Quay | hi: घाट\r\n\r\nSaltmarket"


def places_field(client, slug):
    page = client.get(where("region", slug)).content.decode()
    return html.unescape(re.search(r'id="id_places"[^>]*>\s*([^<]*)<', page).group(1))


def test_places_are_written_in_several_languages_and_come_back_as_they_are(coast):
    coast.post(where("region_new"), region("harbour", LINES))
    quay, market = Region.objects.get().places.all()
    assert (quay.name, quay.names) == ("Quay", {"en": "Quay", "hi": "घाट"})
    assert (market.name, market.names) == ("Saltmarket", {"en": "Saltmarket"})
    shown = places_field(coast, "harbour")
    assert shown == "Quay | hi: घाट\nSaltmarket"
    entries = AuditEntry.objects.count()
    coast.post(where("region", "harbour"), region("harbour", shown))
    assert AuditEntry.objects.count() == entries
    coast.post(where("region", "harbour"), region("harbour", shown.replace("घाट", "पुराना घाट")))
    quay.refresh_from_db()
    assert quay.names["hi"] == "पुराना घाट"
    assert AuditEntry.objects.latest("pk").data["fields"] == ["places"]


def test_a_line_nobody_changed_keeps_its_names_in_other_languages_than_the_studys(coast):
    coast.post(where("region_new"), region("harbour", LINES))
    Study.objects.update(languages=["hi"])
    shown = places_field(coast, "harbour")
    assert shown == "Quay | hi: घाट\nSaltmarket"
    coast.post(where("region", "harbour"), region("harbour", shown))
    assert Region.objects.get().places.first().names == {"en": "Quay", "hi": "घाट"}


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ("\r\nQuay\r\nPier | घाट", "Line 3: “घाट” does not say its language."),
        ("Quay\r\nPier | es: Muelle", "Line 2: “es” is no language of this study."),
        ("Quay | h!: घाट", "Line 1: “h!” is not a language tag"),
        ("Quay | hi: घाट | hi: तट", "Line 1: There are two names in “hi”."),
        ("Quay | hi:", "Line 1: A place has no name."),
        ("| hi: घाट", "Line 1: A place has no name."),
        ("Quay | hi: घाट\r\n\r\nPier | hi: घाट", "Line 3: The place “घाट” is listed twice."),
        ("Quay\r\nPier | hi: quay", "Line 2: The place “quay” is listed twice."),
        ("Quay | hi: " + "घ" * 121, "Line 1: “घघघ"),
        (" \r\n ", "Write one place at least"),
    ],
)
def test_a_line_of_places_is_refused_by_its_number(coast, places, sentence):
    response = coast.post(where("region_new"), region("harbour", places))
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Region.objects.exists()


@pytest.mark.parametrize(
    "places", ["Pier | hi: घाट", "Pier | hi: QUAY", "घाट", "Pier\r\nWindlow | hi: quay"]
)
def test_no_two_places_of_a_study_are_called_alike_in_any_language(coast, places):
    coast.post(where("region_new"), region("harbour", "Quay | hi: घाट"))
    response = coast.post(where("region_new"), region("moor", places))
    assert response.status_code == 422
    assert "lies in harbour already" in text_of(response)
    assert Region.objects.count() == 1


def test_a_region_is_changed_and_removed(coast):
    coast.post(where("region_new"), region("harbour", "Quay\nSaltmarket"))
    coast.post(where("region", "harbour"), region("harbour", "Quay", target="9"))
    row = Region.objects.get()
    assert (row.target, [place.name for place in row.places.all()]) == (9, ["Quay"])
    coast.post(where("region_remove", "harbour"))
    assert not Region.objects.exists()


def test_a_region_with_participants_stays(as_alice, study):
    Participant.objects.create(study=study, region=study.regions.get(slug="moor"), language="en")
    response = as_alice.post(reverse("studies:region_remove", args=(study.slug, "moor")))
    assert response.status_code == 409
    assert study.regions.filter(slug="moor").exists()


def test_the_currency_stays_while_rewards_stand_in_it(as_alice, study):
    given = FACTS | {"languages": "en es", "names-en": "Coast", "names-es": "Costa"}
    response = as_alice.post(reverse("studies:facts", args=(study.slug,)), given)
    assert response.status_code == 422
    assert "Remove the activities first" in text_of(response)
    study.refresh_from_db()
    assert (study.currency, study.country) == ("EUR", "Lantern Coast")


def test_a_name_in_a_language_that_was_dropped_comes_back_with_it(as_alice, study):
    address = reverse("studies:facts", args=(study.slug,))
    given = FACTS | {"currency": "EUR", "names-en": "Coast", "names-es": "Costa"}
    as_alice.post(address, given | {"languages": "en"})
    as_alice.post(address, given | {"languages": "en es"})
    study.refresh_from_db()
    assert study.names == {"en": "Coast", "es": "Costa"}


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


def test_a_starting_text_is_offered_filled_in_and_keeps_the_study_shut_while_blanks_are_left(coast):
    assert "Use a starting text" in text_of(coast.get(where("consent")))
    page = coast.get(where("consent"), {"start": ""})
    form = page.context["form"]
    given = {name: field.initial or "" for name, field in form.fields.items()}
    assert "[Name of your institution]" in given["texts-en"]
    assert given["texts-hi"] == ""
    assert not Study.objects.get().consent_documents.exists()
    coast.post(where("consent"), given)
    faults = text_of(coast.get(where("detail")))
    assert "what belongs in place of [Name of your institution] in the consent text" in faults
    assert "Use a starting text" not in text_of(coast.get(where("consent")))
    filled = re.sub(r"\[[^]]*\]", "something", given["texts-en"])
    coast.post(where("consent"), given | {"texts-en": filled + " See [1]."})
    assert "what belongs in place of" not in text_of(coast.get(where("detail")))


def test_a_starting_text_is_not_offered_where_english_is_not_spoken(as_alice, study):
    study.consent_documents.all().delete()
    Study.objects.update(languages=["es"])
    page = text_of(as_alice.get(reverse("studies:consent", args=(study.slug,))))
    assert "Use a starting text" not in page


def test_only_kinds_of_activity_that_can_run_are_offered(coast, study):
    form = coast.get(where("activity_new")).context["form"]
    assert form.fields["kind"].choices == [("survey", "survey")]
    study.activities.update(kind="game")
    address = reverse("studies:activity", args=(study.slug, "everyday_life"))
    kinds = [value for value, _ in coast.get(address).context["form"].fields["kind"].choices]
    assert kinds == ["survey", "game"]


def test_an_open_study_without_people_says_to_invite_some(as_alice, study, somebody):
    detail, links = (reverse(f"studies:{page}", args=(study.slug,)) for page in ("detail", "links"))
    assert "Next: invite people" not in text_of(as_alice.get(detail))
    services.open_study(study, "test")
    page = as_alice.get(detail)
    assert "Next: invite people" in text_of(page)
    assert f'<a role="button" href="{links}">Invite people</a>' in page.content.decode()
    somebody(Status.INVITED)
    assert "Next: invite people" not in text_of(as_alice.get(detail))


def test_an_unfinished_set_up_stands_above_what_comes_after_it(coast):
    page = coast.get(where("detail")).content.decode()
    assert page.index('id="set-up"') < page.index('id="collect"')
    services.load_file(SAMPLE, "test")
    opened = services.open_study(Study.objects.get(slug="lantern_coast"), "test")
    page = coast.get(reverse("studies:detail", args=(opened.slug,))).content.decode()
    assert page.index('id="collect"') < page.index('id="set-up"')


def test_a_region_stands_below_the_regions_in_the_way_back(as_alice, study):
    crumbs = as_alice.get(reverse("studies:region", args=(study.slug, "moor"))).context["crumbs"]
    assert ("Regions", reverse("studies:regions", args=(study.slug,))) in crumbs


def test_a_box_to_tick_stands_beside_its_words(as_alice):
    page = as_alice.get(reverse("studies:new")).content.decode()
    assert re.search(r"<label><input[^>]*checkbox[^>]*> All participants will be sim", page)


def test_fields_of_texts_name_their_language(coast):
    page = text_of(coast.get(where("region_new")))
    assert "Name in Hindi (hi)" in page


def test_a_consent_sentence_in_the_second_language_alone_is_refused(as_alice, study):
    given = {"texts-en": "We ask.", "take_part-en": "Yes", "audio-es": "Sí"}
    response = as_alice.post(reverse("studies:consent", args=(study.slug,)), given)
    assert response.status_code == 422
    assert "Write it in English (en) too" in text_of(response)


def test_saving_a_page_unchanged_writes_nothing(as_alice, study):
    before = AuditEntry.objects.count()
    for page, further in (("region", "moor"), ("activity", "everyday_life"), ("consent", None)):
        address = reverse(f"studies:{page}", args=(study.slug, *filter(None, [further])))
        form = as_alice.get(address).context["form"]
        given = {name: field.initial or "" for name, field in form.fields.items()}
        assert as_alice.post(address, given).status_code == 302
    assert AuditEntry.objects.count() == before


def test_fields_carry_their_language_and_direction(as_alice, study):
    Study.objects.update(languages=["en", "ur"])
    page = as_alice.get(reverse("studies:consent", args=(study.slug,))).content.decode()
    field = re.search(r'<textarea[^>]*name="texts-ur"[^>]*>', page)
    assert field
    assert 'lang="ur"' in field[0]
    assert 'dir="rtl"' in field[0]


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


def shown(client, name, *args):
    return client.get(reverse(name, args=args))


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
    assert "2 in, 0 of " in text_of(shown(as_alice, "studies:list"))


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


def test_the_questions_are_a_step_of_the_set_up_from_the_beginning(coast):
    assert [each.title for each in coast.get(where("detail")).context["checks"]] == [
        "Facts",
        "Regions",
        "Activity",
        "Consent",
        "Questions",
    ]
    assert "an activity, which comes first" in text_of(coast.get(where("detail")))


def test_places_without_a_name_in_a_language_are_named_and_stop_nobody(coast):
    coast.post(where("region_new"), region("harbour", "Quay | hi: घाट\nSaltmarket\nPier"))
    coast.post(where("region_new"), region("moor", "Windlow"))
    page = coast.get(where("detail"))
    assert "It can stay so: 3 places have no name in Hindi (hi)." in text_of(page)
    (check,) = (each for each in page.context["checks"] if each.title == "Regions")
    assert check.done


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
