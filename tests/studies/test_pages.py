"""Setting a study up through its pages, without a script, as an administrator does."""

import re

import pytest
from django.urls import reverse

from core.models import AuditEntry
from studies import services
from studies.history import SENTENCES
from studies.models import Participant, Region, Study
from studies.permissions import Role

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
    assert "the name of harbour in hi" in text_of(coast.get(where("detail")))


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


def test_a_consent_sentence_in_the_second_language_alone_is_refused(as_alice, study):
    given = {"texts-en": "We ask.", "take_part-en": "Yes", "audio-es": "Sí"}
    response = as_alice.post(reverse("studies:consent", args=(study.slug,)), given)
    assert response.status_code == 422
    assert "Write it in en too" in text_of(response)


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
    for sentence in (
        "alice@example.org created the study",
        "added alice@example.org as owner",
        "changed the name, the retention of the study",
        "added the region harbour",
        "changed the target, the places of the region harbour",
        "removed the region harbour",
        "added bob@example.org as viewer",
    ):
        assert sentence in page
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
