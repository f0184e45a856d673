"""Artifacts through their pages: gathering, deciding, merging, names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studies import services as studies
from studies.models import Activity, Artifact, ArtifactApart, ArtifactName, Study
from studies.participation import Status
from studies.permissions import Role
from tests.collection import review_cast
from tests.collection.question_pages import at, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    made = review_cast.world()
    Activity.objects.update(phase="main")
    made.activity.refresh_from_db()
    return made


@pytest.fixture
def named(world, as_alice):
    """What two people named, gathered through the page."""
    for things in (["Diwali", "Vishu", "Lohri"], ["Deepawali", "Vishnu", "Pongal"]):
        world.come(Status.ACCEPTED, answers={"things": things}, included=True)
    as_alice.post(at("artifacts_gather"))
    return {row.names.get().text: row for row in Artifact.objects.all()}


def post(client, page, *further, **given):
    return client.post(at(page, *further), given, follow=True)


def codes(named, *names):
    return [named[name].code for name in names]


def status_of(named, name):
    return Artifact.objects.get(pk=named[name].pk).status


def test_a_region_is_called_by_its_name_on_the_list_and_on_the_page_of_one(as_alice, world, named):
    region = world.study.regions.get(slug="harbour")
    type(region).objects.filter(pk=region.pk).update(names={"en": "The Old Harbour"})
    listed = text_of(as_alice.get(at("artifacts")))
    assert listed.count("The Old Harbour") == 1 + len(named)
    one = text_of(as_alice.get(at("artifact", named["Lohri"].code)))
    assert "Artifact of The Old Harbour, original" in one
    assert "harbour" not in one


def test_what_was_named_is_gathered_once_and_listed_by_those_who_decide(as_alice, named):
    page = text_of(post(as_alice, "artifacts_gather"))
    assert "0 new namings, 0 new artifacts." in page
    assert "Deepawali" in page
    assert "not looked at yet" in page
    page = text_of(
        post(as_alice, "artifacts_decide", do="list", artifact=codes(named, "Lohri", "Pongal"))
    )
    assert "Listed: 2 artifacts." in page
    assert (status_of(named, "Lohri"), status_of(named, "Vishu")) == ("listed", "proposed")
    post(as_alice, "artifacts_decide", do="leave_out", artifact=codes(named, "Lohri"))
    assert status_of(named, "Lohri") == "left_out"


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"status": "listed"}, {"Lohri"}),
        ({"region": "harbour", "status": "proposed", "words": "VISH"}, {"Vishu", "Vishnu"}),
        ({"region": "marsh"}, set()),
        ({"region": "nowhere"}, set()),
    ],
)
def test_the_list_is_filtered_in_the_address(as_alice, named, asked, shown):
    post(as_alice, "artifacts_decide", do="list", artifact=codes(named, "Lohri"))
    lines = as_alice.get(at("artifacts"), asked).context["lines"]
    assert {name for _, name, *_ in lines} == shown


def test_the_sure_are_ticked_the_likely_are_not_and_the_rest_is_not_shown(as_alice, named):
    page = as_alice.get(at("artifacts_suggested"), {"region": "harbour"}).content.decode()
    ticked = {name for name, row in named.items() if f'value="{row.code}" checked' in page}
    assert ticked == {"Diwali", "Deepawali"}
    assert [name for name in named if name in page] == ["Diwali", "Vishu", "Deepawali", "Vishnu"]


def test_a_group_is_merged_under_the_name_chosen_and_the_merge_is_undone(as_alice, named):
    chosen = codes(named, "Diwali", "Deepawali")
    page = post(
        as_alice,
        "artifacts_decide",
        do="merge",
        artifact=chosen,
        shown=chosen[1],
        region="harbour",
    )
    assert page.redirect_chain == [(f"{at('artifacts_suggested')}?region=harbour", 302)]
    assert "Merged into “Deepawali”." in text_of(page)
    assert status_of(named, "Diwali") == "merged"
    listed = as_alice.get(at("artifacts"))
    (merge,) = listed.context["merges"]
    assert merge.names == ["Diwali"]
    for _click in range(2):
        assert "The merge is undone." in text_of(
            post(as_alice, "artifacts_undo", merge=merge.entry)
        )
    assert status_of(named, "Diwali") == "proposed"
    assert "Merged" not in text_of(as_alice.get(at("artifacts")))


def test_a_pair_nobody_ticked_is_kept_apart_as_a_whole(as_alice, named):
    among = codes(named, "Vishu", "Vishnu")
    page = post(as_alice, "artifacts_decide", do="apart", among=among, region="harbour")
    assert "Kept apart" in text_of(page)
    assert ArtifactApart.objects.count() == 1
    assert "Vishnu" not in [name for each in page.context["page"] for _, name, _ in each.lines]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"do": "merge"}, "Nothing was chosen."),
        ({"do": "merge", "artifact": ["Lohri"]}, "Choose at least two artifacts."),
        ({"do": "paint", "artifact": ["Lohri"]}, "Choose what becomes of those ticked."),
        ({"do": "list", "artifact": ["?"]}, "There is no artifact “?” in this study."),
    ],
)
def test_what_cannot_be_done_is_said_on_the_page_and_changes_nothing(as_alice, named, given, said):
    before = list(Artifact.objects.values())
    ticked = [named[each].code if each in named else each for each in given.get("artifact", [])]
    page = post(as_alice, "artifacts_decide", **(given | {"artifact": ticked}))
    assert said in text_of(page)
    assert list(Artifact.objects.values()) == before


@pytest.mark.parametrize("merge", ["", "x", "-1", "9" * 30, "0"])
def test_a_strange_merge_cannot_be_undone(as_alice, named, merge):
    assert "There is no such merge" in text_of(post(as_alice, "artifacts_undo", merge=merge))


def test_a_merge_of_another_study_is_not_undone_here(as_alice, named, world):
    post(as_alice, "artifacts_decide", do="merge", artifact=codes(named, "Diwali", "Deepawali"))
    (merge,) = as_alice.get(at("artifacts")).context["merges"]
    as_alice.post(
        reverse("studies:new"),
        {
            "slug": "elsewhere",
            "name": "Elsewhere",
            "languages": "en",
            "country": "X",
            "timezone": "UTC",
            "currency": "EUR",
            "residency_percent": 50,
            "retention_days": 90,
        },
    )
    where = reverse("collection:artifacts_undo", args=("elsewhere",))
    response = as_alice.post(where, {"merge": merge.entry}, follow=True)
    assert "There is no such merge" in text_of(response)
    assert status_of(named, "Deepawali") == "merged"


def test_an_artifact_is_listed_by_hand_with_names_and_translations(as_alice, world):
    given = {
        "region": "marsh",
        "name": "Eel supper",
        "alias": "Eel feast\nSupper of eels",
        "translation": "ईल भोज",
        "forbidden": "fish",
    }
    response = as_alice.post(at("artifact_new"), given)
    row = Artifact.objects.get()
    assert response["Location"] == at("artifact", row.code)
    assert [(name.text, name.kind, name.script) for name in row.names.all()] == [
        ("Eel supper", "name", "Latin"),
        ("Eel feast", "alias", "Latin"),
        ("Supper of eels", "alias", "Latin"),
        ("ईल भोज", "translation", "Devanagari"),
        ("fish", "forbidden", "Latin"),
    ]
    as_alice.post(at("artifact_new"), given)
    assert (Artifact.objects.count(), ArtifactName.objects.count()) == (1, 5)


def test_what_is_no_name_stands_beside_its_field(as_alice, world):
    response = as_alice.post(at("artifact_new"), {"region": "marsh", "name": "x" * 201})
    assert response.status_code == 422
    assert "at most 200 characters" in text_of(response)
    assert not Artifact.objects.exists()


def test_names_are_added_shown_and_removed_on_the_page_of_an_artifact(as_alice, named):
    where = (named["Lohri"].code,)
    post(as_alice, "artifact", *where, text="Lohdi", kind="alias")
    post(as_alice, "artifact", *where, text="लोहड़ी", kind="translation", language="hi")
    post(as_alice, "artifact", *where, text="bonfire", kind="forbidden", language="hi")
    page = post(as_alice, "artifact", *where, text="lohdi", kind="name")
    assert [(said, row.text, row.language) for said, row in page.context["names"]] == [
        ("The name it is shown by", "Lohdi", ""),
        ("Another name", "Lohri", ""),
        ("A translation", "लोहड़ी", "hi"),
        ("A word that says too much", "bonfire", ""),
    ]
    lohri = page.context["names"][1][1]
    page = post(as_alice, "name_remove", *where, name=lohri.pk)
    assert "Lohri" not in [row.text for _, row in page.context["names"]]
    shown = page.context["names"][0][1]
    assert as_alice.post(at("name_remove", *where), {"name": shown.pk}).status_code == 409
    bad = as_alice.post(
        at("artifact", *where), {"text": "x", "kind": "translation", "language": "Hindi!"}
    )
    assert bad.status_code == 422
    assert "not a language tag" in text_of(bad)


def test_the_page_of_an_artifact_says_who_named_it_in_what_words(as_alice, named):
    page = text_of(as_alice.get(at("artifact", named["Lohri"].code)))
    (source,) = named["Lohri"].sources.all()
    assert source.participant.code in page
    source.text = source.about = ""
    source.save()
    assert "removed with a withdrawal" in text_of(as_alice.get(at("artifact", named["Lohri"].code)))


def test_the_page_of_what_was_merged_leads_to_what_stands_for_it(as_alice, named):
    post(as_alice, "artifacts_decide", do="merge", artifact=codes(named, "Diwali", "Deepawali"))
    page = as_alice.get(at("artifact", named["Deepawali"].code)).content.decode()
    assert at("artifact", named["Diwali"].code) in page
    assert "Add a name" not in page
    bad = as_alice.post(
        at("artifact", named["Deepawali"].code), {"text": "Lights", "kind": "alias"}
    )
    assert bad.status_code == 422
    assert "was merged into “Diwali”" in text_of(bad)


def test_looking_changes_nothing(as_alice, named):
    before = list(Artifact.objects.values()), list(ArtifactName.objects.values())
    for page in ("artifacts", "artifacts_suggested", "artifact_new"):
        assert as_alice.get(at(page)).status_code == 200
    assert (list(Artifact.objects.values()), list(ArtifactName.objects.values())) == before


def test_pages_ask_the_database_as_often_for_many_artifacts_as_for_few(as_alice, named, world):
    few = [asked(as_alice, page) for page in ("artifacts", "artifacts_suggested")]
    things = [f"Feast number {n} of lamps" for n in range(20)] + ["Dipawali"]
    world.come(Status.ACCEPTED, answers={"things": things}, included=True)
    as_alice.post(at("artifacts_gather"))
    assert [asked(as_alice, page) for page in ("artifacts", "artifacts_suggested")] == few


def asked(client, page):
    with CaptureQueriesContext(connection) as queries:
        client.get(at(page))
    return len(queries)


def test_the_page_of_the_study_says_what_comes_next_for_the_things_that_were_named(as_alice, world):
    Study.objects.update(status="collecting")
    page = reverse("studies:detail", args=(world.study.slug,))
    world.come(Status.ACCEPTED, answers={"things": ["  ", "Kite"]}, included=True)
    assert "Next: gather what was named. Accepted answers name things." in text_of(
        as_alice.get(page)
    )
    told = text_of(post(as_alice, "artifacts_gather"))
    assert "Look next at which may be one thing, then list what is to be played with." in told
    after = text_of(as_alice.get(page))
    assert "Next: gather" not in after
    assert "1 artifact waits for a first look." in after
    kite = Artifact.objects.get()
    post(as_alice, "artifacts_decide", do="list", artifact=[kite.code])
    assert "first look" not in text_of(as_alice.get(page))


def test_what_can_never_be_a_name_is_no_next_step(as_alice, world):
    Study.objects.update(status="collecting")
    world.come(Status.ACCEPTED, answers={"things": ["x" * 300]}, included=True)
    shown = as_alice.get(reverse("studies:detail", args=(world.study.slug,)))
    assert "Next: gather" not in text_of(shown)


def test_the_list_of_regions_says_where_suggestions_wait_and_begins_there(as_alice, world):
    for things in (["Diwali"], ["Deepawali"]):
        world.come(Status.ACCEPTED, answers={"things": things}, included=True, region="marsh")
    post(as_alice, "artifacts_gather")
    shown = as_alice.get(at("artifacts_suggested"))
    assert shown.context["region"] == "marsh"
    assert "(1 to decide)" in text_of(shown)
    assert "Diwali" in text_of(shown)


def test_a_viewer_sees_no_artifacts(client, named, world, django_user_model):
    user = django_user_model.objects.create_user("vera@example.org", "a password")
    studies.invite(world.study, user.email, Role.VIEWER, "test")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    for page in ("artifacts", "artifacts_suggested", "artifact_new"):
        assert client.get(at(page)).status_code == 403
    assert client.post(at("artifacts_decide"), {"do": "list"}).status_code == 403


def test_the_path_of_a_study_leads_to_its_artifacts(as_alice, world):
    page = as_alice.get(reverse("studies:detail", args=("lantern_coast",))).content.decode()
    assert at("artifacts") in page


def test_a_region_with_artifacts_is_not_removed(as_alice, world):
    as_alice.post(at("artifact_new"), {"region": "marsh", "name": "Eel supper"})
    where = reverse("studies:region_remove", args=("lantern_coast", "marsh"))
    assert as_alice.post(where).status_code == 409
    assert world.study.regions.filter(slug="marsh").exists()
