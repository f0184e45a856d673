"""From the link to a place: the text about the study, consent, and where somebody has lived."""

import re

import pytest
from django.urls import reverse

from core import clock
from studies.models import (
    Consent,
    ConsentDocument,
    Participant,
    Region,
    Residence,
    Study,
)
from studies.participation import ENDINGS, Code, Status
from studies.setup import Purpose
from tests.studies.reading import HISTORY, words

pytestmark = pytest.mark.django_db


def test_from_the_link_to_a_place_with_one_thing_at_a_time(newcomer, collecting):
    page = newcomer.page()
    assert "about 25 minutes" in page
    assert "12.50 EUR an hour, by measured time: 5.21 EUR for 25 minutes" in page
    assert collecting.ethics_number in page
    assert newcomer.post()["Location"] == newcomer.address("home")
    assert "We keep a code in place of your name" in newcomer.page()
    newcomer.agree(publish="on")
    assert "Where have you lived?" in newcomer.page()
    newcomer.post("screening", HISTORY)
    page = newcomer.page()
    assert "3 of 12 forms done, about 25 minutes left" in page
    assert newcomer.client.get("/").status_code == 302  # the console is for others
    assert f"http://testserver{newcomer.address('home')}" in page
    assert newcomer.row.participant.region is None or newcomer.status == Status.ACTIVE
    assert Residence.objects.get().place.name == "Windlow"
    assert Participant.objects.get().region.slug == "moor"


def test_agreeing_twice_is_one_consent_with_what_was_ticked(newcomer):
    newcomer.post()
    assert newcomer.agree(publish="on", outside_model="on").status_code == 303
    assert newcomer.agree().status_code == 303
    consent = Consent.objects.get()
    assert consent.purposes == [Purpose.TAKE_PART, Purpose.PUBLISH, Purpose.OUTSIDE_MODEL]
    assert newcomer.status == Status.SCREENING


def test_without_the_first_tick_nobody_is_in_and_the_page_says_where_to_look(newcomer):
    newcomer.post()
    document = ConsentDocument.objects.get()
    response = newcomer.post("consent", {"document": document.pk, "publish": "on"})
    page = response.content.decode()
    assert response.status_code == 422
    assert '<a href="#id_take_part">' in page
    assert 'aria-describedby="id_take_part_error"' in page
    assert re.search(r'name="publish"[^>]*checked', page)
    assert not Consent.objects.exists()


def newer_than(old):
    """The next version of a consent document, with another text."""
    ConsentDocument.objects.create(
        study=old.study,
        version=2,
        texts={"en": "It takes an hour."},
        purposes=old.purposes,
        sha256="2" * 64,
        created=clock.now(),
    )


def test_a_document_that_changed_meanwhile_is_shown_before_anybody_agrees_to_it(newcomer):
    newcomer.post()
    old = ConsentDocument.objects.get()
    newer_than(old)
    response = newcomer.post("consent", {"document": old.pk, "take_part": "on"})
    assert "This text has changed" in words(response)
    assert "It takes an hour." in words(response)
    assert "checked" not in response.content.decode()
    assert newcomer.status == Status.CONSENTING
    newcomer.agree()
    assert Consent.objects.get().document.version == 2


def test_declining_is_a_button_and_keeps_no_consent(newcomer, collecting):
    newcomer.post()
    newcomer.post("decline")
    assert newcomer.status == Status.DECLINED
    assert collecting.activities.get().codes[Code.NO_CONSENT] in newcomer.page()
    assert not Consent.objects.exists()


def test_the_consent_text_is_shown_in_the_language_and_direction_it_has(newcomer, collecting):
    document = ConsentDocument.objects.get()
    texts = {"en": "Welcome.\n\nThank you.", "ur": "خوش آمدید"}
    ConsentDocument.objects.filter(pk=document.pk).update(texts=texts)
    Study.objects.update(languages=["en", "ur", "hi"])
    newcomer.post()
    assert "<p>Welcome.</p>" in newcomer.get().content.decode()
    newcomer.post("language", {"language": "ur"})
    page = newcomer.get().content.decode()
    assert '<html lang="ur" dir="rtl">' in page
    assert 'lang="ur" dir="rtl"><p>خوش آمدید</p>' in page
    newcomer.post("language", {"language": "hi"})
    page = newcomer.get().content.decode()
    assert '<html lang="hi" dir="ltr">' in page
    assert 'lang="en" dir="ltr"><p>Welcome.</p>' in page


def test_places_are_listed_by_the_alphabet_and_no_region_is_named(screened):
    page = screened.get().content.decode()
    options = re.findall(r'<option value="([^"]+)"', page.split("</select>")[0])
    assert options == [*sorted(options[:-1]), "-"]
    assert len(options) == 13
    for region in Region.objects.all():
        assert region.names["en"] not in page
    assert "optgroup" not in page


def test_places_are_called_and_ordered_as_in_the_participants_language(screened, collecting):
    called = {"Brassgate": "Zaguán", "Windlow": "Ávila", "Three Wells": "Tres Pozos"}
    for name, text in called.items():
        collecting.places.filter(name=name).update(names={"en": name, "es": text})
    page = screened.post("screening", HISTORY | {"language": "es"}).content.decode()
    options = re.findall(
        r'<option value="([^"]+)"(?: selected)?>([^<]+)<', page.split("</select>")[0]
    )
    assert options[0] == ("Windlow", "Ávila")
    assert options[1] == ("Eelfoot", "Eelfoot")  # no Spanish name: that of the study's first
    assert options[-2] == ("Brassgate", "Zaguán")
    assert '<option value="Windlow" selected>Ávila<' in page
    screened.post("screening", HISTORY)
    assert Residence.objects.get().place.name == "Windlow"


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"born": ""}, "id_born", "Write the year you were born."),
        ({"born": "80"}, "id_born", "with four digits"),
        ({"born": "soon"}, "id_born", "Write the year in digits"),
        ({"born": "2999"}, "id_born", "with four digits"),
        ({"stay-0-place": ""}, "id_stay-0-place", "Choose a place"),
        ({"stay-0-place": "Atlantis"}, "id_stay-0-place", "Choose a place"),
        ({"stay-0-from_year": ""}, "id_stay-0-from_year", "Write the year you came here."),
        ({"stay-0-to_year": ""}, "id_stay-0-to_year", "Write the year you left"),
        ({"stay-0-from_year": "1979"}, "id_stay-0-from_year", "before the year you were born"),
        ({"stay-0-to_year": "1979"}, "id_stay-0-to_year", "before the year you came here"),
        ({"stay-0-to_year": "9" * 400}, "id_stay-0-to_year", "has not come yet"),
        ({"stay-3-to_year": "1990"}, "id_stay-3-place", "Choose a place"),
    ],
)
def test_a_fault_stands_beside_its_field_and_on_top_and_nothing_typed_is_lost(
    screened, change, field, said
):
    sent = HISTORY | {"stay-1-place": "-", "stay-1-from_year": "2020", "stay-1-to_year": "2021"}
    response = screened.post("screening", sent | change)
    page = response.content.decode()
    assert response.status_code == 422
    assert f'<a href="#{field}">' in page.split("<form id=")[0]
    assert re.search(rf'aria-describedby="[^"]*\b{field}_error"', page)
    assert said in words(response)
    for name, value in (sent | change).items():
        if value and value != "Atlantis":
            assert value in page, name
    assert screened.status == Status.SCREENING


def test_a_history_without_a_place_is_asked_for_one(screened):
    response = screened.post("screening", {"born": "1980", "rows": "4"})
    assert response.status_code == 422
    assert "one place at least" in words(response)


def test_more_rows_come_with_what_was_typed_and_without_complaint(screened):
    response = screened.post("screening", HISTORY | {"born": "198", "more": "1"})
    page = response.content.decode()
    assert response.status_code == 200
    assert page.count("<fieldset") == 8
    assert 'value="198"' in page
    assert '<option value="Windlow" selected>' in page
    assert 'role="alert"' not in page
    assert (
        screened.post("screening", {"rows": "9" * 9, "more": "1"}).content.count(b"<fieldset") == 40
    )


def test_switching_the_language_while_typing_keeps_what_was_typed(screened):
    response = screened.post("screening", HISTORY | {"language": "es"})
    page = response.content.decode()
    assert '<html lang="es"' in page
    assert '<option value="Windlow" selected>' in page
    assert Participant.objects.get().language == "es"
    assert screened.status == Status.SCREENING


def test_years_may_be_typed_in_the_digits_of_any_script(screened):
    screened.post("screening", HISTORY | {"born": "१९८०", "stay-0-from_year": "১৯৮০"})
    assert screened.status == Status.ACTIVE


def test_who_has_no_region_is_thanked_and_told_they_did_nothing_wrong(screened, collecting):
    screened.post("screening", HISTORY | {"stay-0-place": "-"})
    assert screened.status == Status.SCREENED_OUT
    page = screened.page()
    assert "You did nothing wrong." in page
    assert collecting.activities.get().codes[Code.SCREENED_OUT] in page
    assert not Residence.objects.exists()


def test_where_no_place_is_left_the_page_says_so(screened, collecting):
    Region.objects.update(target=0)
    screened.post("screening", HISTORY)
    assert screened.status == Status.QUOTA_FULL
    assert collecting.activities.get().codes[Code.QUOTA_FULL] in screened.page()


def test_the_language_is_switched_from_any_page_and_leads_back_to_it(newcomer):
    leave = f"http://testserver{newcomer.address('leave')}"
    response = newcomer.post("language", {"language": "es"}, headers={"Referer": leave})
    assert response["Location"] == newcomer.address("leave")
    for strange in ("http://elsewhere.example/", f"//elsewhere.example{leave}", "::", ""):
        response = newcomer.post("language", {"language": "en"}, headers={"Referer": strange})
        assert response["Location"] == newcomer.address("home")
    newcomer.post("language", {"language": "xx"})
    assert Participant.objects.get().language == "en"


@pytest.mark.parametrize("status", [*ENDINGS, Status.ACTIVE, Status.SUBMITTED, Status.REDO])
def test_the_text_about_the_study_with_its_address_stays_within_reach(
    collecting, somebody, reading, status
):
    page = reading(somebody(status)).page()
    assert "The text about the study" in page
    assert "listening@lantern-coast.example" in page


def test_the_text_that_stays_is_the_one_that_was_agreed_to(screened):
    old = ConsentDocument.objects.get()
    newer_than(old)
    screened.post("screening", HISTORY)
    assert "We keep a code in place of your name" in screened.page()
    assert "It takes an hour." not in screened.page()


def test_the_first_page_says_what_the_study_is_about(newcomer, collecting, client):
    joining = reverse("taking_part:join", args=("lantern_coast", "everyday_life"))
    about = "We ask what people in your part of the Lantern Coast take for granted"
    for page in (newcomer.page(), words(client.get(joining, {"PROLIFIC_PID": "A1"}))):
        assert about in page
        assert "We keep a code in place of your name" not in page
    in_spanish = client.get(joining, {"PROLIFIC_PID": "A1", "language": "es"})
    assert "Preguntamos qué da por sentado" in words(in_spanish)
    ConsentDocument.objects.update(texts={"en": "Information\n\nIt is about soup.\n\n" + "x" * 200})
    page = newcomer.page()
    assert "Information It is about soup." in page
    ConsentDocument.objects.all().delete()
    assert newcomer.get().status_code == 200


def test_the_last_year_of_a_stay_says_what_to_write_of_a_place_somebody_lives_in(screened):
    page = screened.get().content.decode()
    assert "This year, if you still live there." in page
    assert 'aria-describedby="id_stay-0-to_year_helptext"' in page
