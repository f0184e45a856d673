"""Pages of releases through the browser's door."""

import csv
import re
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core import clock
from releases import canonical, services
from releases.models import Part, Release

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_bob(client, bob):
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    return client


def address(page, release, *further):
    return reverse(f"releases:{page}", args=(release.name, release.version, *further))


def text_of(response):
    words = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", words)


def shown_keys(response):
    return [line.item.key for line in response.context["lines"]]


def test_nobody_sees_a_release_without_signing_in(client, sample):
    for where in (
        reverse("releases:list"),
        address("detail", sample),
        address("questions", sample),
        address("part", sample, "items"),
        reverse("releases:import"),
    ):
        response = client.get(where)
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("accounts:sign_in"))


def test_everyone_signed_in_sees_every_page_of_a_release(as_bob, sample):
    built = services.build_items("ra_mcq", sample, "coast-items", actor="test")
    assert "lantern_coast@1" in text_of(as_bob.get(reverse("releases:list")))
    for release in (sample, built):
        key = release.items.first().key
        for where in (
            address("detail", release),
            address("questions", release),
            address("item", release, key),
            address("findings", release),
        ):
            response = as_bob.get(where)
            assert response.status_code == 200, where
            assert "Simulated" in text_of(response)
        assert as_bob.get(address("statistics", release, "csv")).status_code == 200


def test_an_empty_list_says_what_to_do(as_alice):
    response = as_alice.get(reverse("releases:list"))
    assert "There is no release yet" in text_of(response)
    assert reverse("releases:import") in response.content.decode()


def test_the_release_page_shows_every_rate_with_its_n(as_bob, indica):
    words = text_of(as_bob.get(address("detail", indica)))
    assert "Of the 132 questions compared across all regions 39.4 %" in words
    assert "Of all 515 questions 10.1 %" in words
    assert "(64.6 to 72.6), n 515" in words  # West
    assert "North and Central agree most often" in words
    assert "22.6 % (13.5 % to 35.5 %)" in words  # Traffic, of all its questions
    assert "To check, 20 times" in words


def test_a_release_that_does_not_exist_is_not_found(as_bob, sample):
    for where in (
        "/releases/nothing/1/",
        "/releases/lantern_coast/2/questions/",
        address("item", sample, "nothing"),
        address("part", sample, "nothing"),
    ):
        assert as_bob.get(where).status_code == 404


def test_agreeing_regions_share_a_letter_a_colour_and_words(as_bob, sample):
    response = as_bob.get(address("item", sample, "lc_005"))
    cells = {cell.region: cell for cell in response.context["line"].cells}
    assert (cells["Harbour"].letter, cells["Terraces"].letter) == ("A", "A")
    assert (cells["Marsh"].letter, cells["Moor"].letter) == ("B", "B")
    assert cells["Harbour"].colour != cells["Marsh"].colour
    assert "Harbour A , same as Terraces" in text_of(response)
    alone = as_bob.get(address("item", sample, "lc_001")).context["line"]
    assert {(cell.letter, cell.colour) for cell in alone.cells} == {("", 0)}


def test_a_card_claims_no_agreement_the_table_of_pairs_denies(as_bob, indica):
    words = text_of(as_bob.get(address("item", indica, "q_005")))
    assert "East A , same as West; through West grouped with North, South, Central " in words
    assert "North A , same as South, West, Central; through West grouped with East " in words
    assert "one group because each agrees with another of it" in words


def test_a_group_joined_only_by_way_of_a_third_says_so(as_bob, sample):
    response = as_bob.get(address("item", sample, "lc_009"))
    assert response.context["line"].incomplete
    words = text_of(response)
    assert "Harbour A , same as Terraces; through Terraces grouped with Moor" in words
    assert "Terraces A , same as Harbour, Moor " in words
    assert "Not every pair agrees" in words
    assert "Harbour and Moor by way of Terraces" in words


def test_an_item_shows_its_neighbours_flags_and_all_its_gold_texts(as_bob, question, as_bytes, db):
    both = {"answer": ["In the Hill, one bows.", "In the Hill, one waves."]}
    data = as_bytes(question("a"), question("b/2 ?", Hill=both), question("c"))
    release = services.import_bytes(data, "x", "indica", "x", actor="test").release
    response = as_bob.get(address("item", release, "b/2 ?"))
    words = text_of(response)
    assert "one bows." in words
    assert "one waves." in words
    assert "Hill and Plain Not the same" in words
    assert (response.context["before"].key, response.context["after"].key) == ("a", "c")


def test_questions_are_narrowed_by_every_filter(as_bob, sample):
    def keys(**query):
        return shown_keys(as_bob.get(address("questions", sample), query))

    assert len(keys()) == 25
    assert len(keys(page=2)) == 5
    assert keys(domain="Learning") == ["lc_023", "lc_024", "lc_025"]
    assert keys(agreement="universal") == ["lc_002", "lc_008", "lc_019", "lc_023"]
    assert "lc_001" in keys(agreement="regional")
    assert "lc_009" in keys(agreement="unanswered")
    assert "lc_001" not in keys(agreement="unanswered")
    assert keys(finding="not_transitive") == ["lc_009"]
    assert keys(text="BRASS  bell") == ["lc_001"]
    assert keys(text="brass frogs") == []
    assert keys(text="lc_007") == ["lc_007"]
    assert keys(domain="Learning", agreement="universal") == ["lc_023"]


def test_search_finds_text_of_any_script_and_case(as_bob, question, as_bytes, db):
    data = as_bytes(
        question("a", question_text="অতিথি এলে কী দেওয়া হয়?"),
        question("b", question_text="क़ानून क्या है?"),
        question("c", question_text="Was trinkt man zum FRÜHSTÜCK?"),
    )
    release = services.import_bytes(data, "x", "indica", "x", actor="test").release
    where = address("questions", release)
    for text, key in (("দেওয়া", "a"), ("क़ानून", "b"), ("frühstück", "c")):
        assert shown_keys(as_bob.get(where, {"text": text})) == [key]


@pytest.mark.parametrize(
    "query",
    [
        {"page": "999"},
        {"page": "x"},
        {"domain": "Nowhere"},
        {"agreement": "perhaps"},
        {"finding": "made_up"},
        {"text": "%_'\"\\"},
    ],
)
def test_an_address_with_nonsense_still_has_a_page(as_bob, sample, query):
    assert as_bob.get(address("questions", sample), query).status_code == 200


def test_findings_can_be_read_one_kind_at_a_time(as_bob, indica):
    response = as_bob.get(address("findings", indica), {"code": "not_transitive"})
    assert len(response.context["rows"]) == 12
    assert "Only one kind is shown: Two regions each agree with a third" in text_of(response)
    assert f'href="{address("findings", indica)}">Show all kinds' in response.content.decode()
    nothing = as_bob.get(address("findings", indica), {"code": "made_up"})
    assert "No finding of this kind" in text_of(nothing)


def statistics_of(response):
    rows = csv.DictReader(StringIO(response.getvalue().decode()))
    return {(row["statistic"], row["of"]): row for row in rows}


def test_the_statistics_download_names_every_denominator(as_bob, indica):
    response = as_bob.get(address("statistics", indica, "csv"))
    assert response["Content-Type"].startswith("text/csv")
    of = statistics_of(response)
    education = of["universal, of all questions", "Education"]
    assert (education["count"], education["n"]) == ("8", "58")
    assert float(education["share"]) == pytest.approx(0.1379, abs=1e-4)
    assert of["universal, of answered by all", "all"]["n"] == "132"
    assert of["agree, of both answered", "North, Central"]["n"] == "249"


def test_counts_of_a_design_have_no_interval(as_bob, indica):
    built = services.build_items("ra_mcq", indica, "mcq", "as-published", actor="test")
    of = statistics_of(as_bob.get(address("statistics", built, "csv")))
    three = of["items, by number of options", "3"]
    assert (three["count"], three["n"]) == ("47", "79")
    chance = [row for (name, _), row in of.items() if name.startswith("expected by chance")]
    assert sum(float(row["count"]) for row in chance) == pytest.approx(79 * 30)
    assert {(row["low"], row["high"], row["reason"]) for row in of.values()} == {
        ("", "", "by_design")
    }


def test_every_figure_offers_its_numbers_in_every_format(as_bob, indica):
    response = as_bob.get(address("detail", indica))
    for figure in response.context["figures"]:
        assert [label for label, _ in figure.downloads] == [
            "CSV",
            "CSV for spreadsheets",
            "XLSX",
            "JSON lines",
        ]
        for _, where in figure.downloads:
            assert as_bob.get(where).getvalue()
    assert as_bob.get(address("statistics", indica, "doc")).status_code == 404


def test_the_page_of_built_items_promises_no_more_than_was_done(as_bob, indica):
    built = services.build_items("ra_mcq", indica, "mcq", "as-published", actor="test")
    words = text_of(as_bob.get(address("detail", built)))
    assert "Multiple choice from indica, as published" in words
    assert "79 multiple-choice items; the regions' names are taken out of the options." in words
    assert "also a region&#x27;s name; it may mean something else. To check, 3 times" in words
    assert "Options that do not fit the agreement flags" in words
    assert "answers and the agreement flags contradict" not in words
    assert "Expected by chance, 30 samples of each item" in words


def test_a_built_item_has_no_letters_since_they_are_drawn_for_every_sample(as_bob, indica):
    built = services.build_items("ra_mcq", indica, "mcq", actor="test")
    shared = next(
        item for item in built.items.all() if len(item.payload["options"][0]["regions"]) > 1
    )
    first, other, *_ = shared.payload["options"][0]["regions"]
    page = as_bob.get(address("item", built, shared.key))
    assert f"{first} same option as {other}" in text_of(page)
    assert "<strong>A</strong>" not in page.content.decode()


def test_a_release_without_a_title_says_its_name_once(as_bob, indica):
    assert "Release indica@1 indica 515 items" in text_of(as_bob.get(reverse("releases:list")))
    words = text_of(as_bob.get(address("detail", indica)))
    assert "Release indica@1 indica 515 questions" in words


def test_who_may_run_finds_the_way_from_a_release_to_a_benchmark(as_alice, bob, sample):
    link = f"{reverse('evaluation:new')}?release=lantern_coast%401"
    assert link in as_alice.get(address("detail", sample)).content.decode()
    chosen = as_alice.get(link).context["form"]["release"].value()
    assert chosen == sample.label
    as_alice.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    assert link not in as_alice.get(address("detail", sample)).content.decode()


def test_a_part_is_downloaded_byte_for_byte(as_bob, sample):
    response = as_bob.get(address("part", sample, "items"))
    assert response.status_code == 200
    assert canonical.sha256(response.content) == sample.parts.get(name="items").sha256
    assert "lantern_coast@1-items.jsonl" in response["Content-Disposition"]


def test_an_erased_part_is_gone_and_names_the_successor(as_bob, sample):
    successor = Release.objects.create(
        name="lantern_coast",
        version=2,
        manifest=sample.manifest,
        sha256="2" * 64,
        created=clock.now(),
    )
    Release.objects.filter(pk=sample.pk).update(superseded_by=successor)
    Part.objects.filter(release=sample, name="items").update(purged_at=clock.now())
    response = as_bob.get(address("part", sample, "items"))
    assert response.status_code == 410
    assert "lantern_coast@2" in text_of(response)
    assert "Erased" in text_of(as_bob.get(address("detail", sample)))


def test_a_damaged_part_is_not_handed_out(as_bob, sample, private):
    part = sample.parts.get(name="items")
    (private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl").write_bytes(b"{}")
    response = as_bob.get(address("part", sample, "items"))
    assert response.status_code == 500
    assert "release.bytes_changed" in text_of(response)


def upload(client, data, name="mine", format="indica"):
    file = SimpleUploadedFile("x.json", data, "application/json")
    form = {"format": format, "name": name, "file": file}
    return client.post(reverse("releases:import"), form)


def test_a_superuser_imports_by_upload(as_alice, question, as_bytes):
    assert as_alice.get(reverse("releases:import")).status_code == 200
    data = as_bytes(question("a"))
    response = upload(as_alice, data)
    release = Release.objects.get()
    assert (response.status_code, response["Location"]) == (302, address("detail", release))
    assert release.about["source"]["file"] == "x.json"
    again = upload(as_alice, data)
    assert again.status_code == 302
    assert Release.objects.count() == 1


def test_refused_rows_of_an_upload_are_shown(as_alice, question, as_bytes):
    data = as_bytes(question("a"), question("b", question_text=None))
    words = text_of(upload(as_alice, data))
    assert "1 of 2 rows are now in mine@1; 1 could not be used." in words
    assert "The field “question_text” is missing." in words


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"not json", "mine", "The file is not JSON"),
        (b"{}", "mine", "a list named"),
        (b"{}", "a b", "cannot name a release"),
        (b"", "mine", "The submitted file is empty"),
    ],
)
def test_a_faulty_upload_says_what_to_do_and_keeps_nothing(as_alice, data, name, words):
    response = upload(as_alice, data, name)
    assert response.status_code == 422
    assert words in text_of(response).replace("&quot;", '"')
    assert not Release.objects.exists()


def test_an_upload_without_a_file_is_refused_beside_its_field(as_alice):
    response = as_alice.post(reverse("releases:import"), {"format": "indica"})
    assert response.status_code == 422
    assert "This field is required" in text_of(response)


def test_a_superuser_builds_items(as_alice, sample):
    form = {"release": "lantern_coast@1", "name": "coast", "preset": "agreement"}
    response = as_alice.post(reverse("releases:build"), form)
    built = Release.objects.get(name="coast")
    assert response["Location"] == address("detail", built)
    assert built.parent == sample


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"release": "nothing"}, 404, "release.unknown"),
        ({"preset": "mine"}, 400, "build.incomplete"),
        ({"name": ""}, 400, "build.incomplete"),
        ({"name": "a b"}, 400, "release.name_invalid"),
        ({"name": "lantern_coast"}, 409, "release.name_taken"),
    ],
)
def test_a_faulty_recipe_is_an_error_page(as_alice, sample, change, status, code):
    form = {"release": "lantern_coast@1", "name": "coast", "preset": "agreement"} | change
    response = as_alice.post(reverse("releases:build"), form)
    assert response.status_code == status
    assert code in text_of(response)
    assert Release.objects.get() == sample


def test_only_superusers_import_and_build(as_bob, sample, question, as_bytes):
    assert as_bob.get(reverse("releases:import")).status_code == 403
    assert upload(as_bob, as_bytes(question("a"))).status_code == 403
    form = {"release": "lantern_coast@1", "name": "coast", "preset": "agreement"}
    assert as_bob.post(reverse("releases:build"), form).status_code == 403
    page = as_bob.get(address("detail", sample)).content.decode()
    assert reverse("releases:build") not in page
    assert Release.objects.get() == sample


def test_building_is_never_a_get(as_alice):
    assert as_alice.get(reverse("releases:build")).status_code == 405


def test_no_page_carries_inline_style(as_bob, indica):
    for page in ("detail", "questions", "findings"):
        assert "style=" not in as_bob.get(address(page, indica)).content.decode()


def test_text_from_a_file_is_escaped(as_bob, question, as_bytes, db):
    evil = "<script>alert(1)</script>"
    data = as_bytes(question("a", question_text=evil, question_domain=evil), title=evil)
    release = services.import_bytes(data, evil, "indica", "x", actor="t").release
    for where in ("detail", "questions", "findings"):
        assert evil not in as_bob.get(address(where, release)).content.decode()
