"""Setting a study up through its pages, without a script, as an administrator does."""

import html
import re

import pytest
from django.urls import reverse

from core.models import AuditEntry
from studies import kinds, services
from studies.models import Participant, Region, Study
from studies.permissions import Role
from tests.sample_study import SAMPLE
from tests.studies.set_up import FACTS, next_step, region, text_of, where

pytestmark = pytest.mark.django_db


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


def test_only_kinds_of_activity_that_can_run_are_offered(coast, study, monkeypatch):
    form = coast.get(where("activity_new")).context["form"]
    assert form.fields["kind"].choices == [("survey", "survey"), ("game", "game")]
    monkeypatch.delitem(kinds._kinds, "game")
    form = coast.get(where("activity_new")).context["form"]
    assert form.fields["kind"].choices == [("survey", "survey")]
    study.activities.update(kind="game")
    address = reverse("studies:activity", args=(study.slug, "everyday_life"))
    offered = [value for value, _ in coast.get(address).context["form"].fields["kind"].choices]
    assert offered == ["survey", "game"]


def test_an_unfinished_set_up_stands_above_what_comes_after_it(coast):
    page = coast.get(where("detail")).content.decode()
    assert page.index('id="set-up"') < page.index('id="collect"')
    services.load_file(SAMPLE, "test")
    opened = services.open_study(Study.objects.get(slug="lantern_coast"), "test")
    page = coast.get(reverse("studies:detail", args=(opened.slug,))).content.decode()
    assert page.index('id="collect"') < page.index('id="set-up"')


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
