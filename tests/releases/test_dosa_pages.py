"""A release of published folders of artifacts: its parts, pages, card and tables."""

import io
import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from releases import canonical, selectors, services, storing
from tests.releases.folders import HEAD, code_of, made, zipped

__all__ = ["made"]


@pytest.fixture
def dosa(db, made):
    """A small release: two regions, a name of both, one in both sets, a licence."""
    root = made(
        {
            "DATA_LICENSE.md": "# Free for the Hill\n\nDo as you like.\n",
            "data/hill/original_artifacts.csv": (
                f'{HEAD}Honey or Nectar,"It is sweet.\nBees make it."\nGoat <old>,It climbs.\n'
            ),
            "data/hill/expanded_artifacts.csv": f"{HEAD}Fog ,\nHoney or Nectar,It is sweet.\n",
            "data/hill/notes.txt": "a remark",
            "data/coast/original_artifacts.csv": f"{HEAD}Goat <old>,It is far.\n",
        }
    )
    return services.import_release(root, "dosa", actor="test").release


def page(client, release, name, *more, **asked):
    given = (release.name, release.version, *more)
    answer = client.get(reverse(f"releases:{name}", args=given), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_part_clues_has_a_row_a_clue_numbered_within_its_artifact(dosa):
    rows = canonical.rows(storing.read(dosa.parts.get(name="clues")))
    held = [(row["artifact"], row["region"], row["number"], row["text"]) for row in rows]
    assert held == [
        ("coast.original.1", "coast", 1, "It is far."),
        ("hill.original.1", "hill", 1, "It is sweet."),
        ("hill.original.1", "hill", 2, "Bees make it."),
        ("hill.original.2", "hill", 1, "It climbs."),
        ("hill.expanded.2", "hill", 1, "It is sweet."),
    ]
    assert {row["giver"] for row in rows} == {None}


def test_its_page_speaks_of_artifacts_alone(dosa, as_alice):
    text = page(as_alice, dosa, "detail")
    assert "3 original and 2 expanded artifacts of 2 regions, with 5 clues." in " ".join(
        text.split()
    )
    assert "Read the artifacts" in text
    words = re.sub(r"<[^>]+>", " ", text.split("<main")[1].split("</main")[0])
    assert not re.search("question|gold|universal", words, re.IGNORECASE)
    assert "Files of the source not read" in text
    assert reverse("releases:licence", args=("dosa", 1)) in text


def test_the_list_is_searched_and_narrowed_by_region_set_and_finding(dosa, as_alice):
    def keys(**asked):
        text = page(as_alice, dosa, "questions", **asked)
        held = dosa.items.values_list("key", flat=True)
        return [key for key in held if f'class="mono">{key}<' in text]

    assert len(keys()) == 5
    assert keys(text="nectar bees") == ["hill.original.1"]
    assert keys(region="coast") == ["coast.original.1"]
    assert keys(origin="expanded") == ["hill.expanded.1", "hill.expanded.2"]
    assert keys(finding="in_both_sets") == ["hill.original.1", "hill.expanded.2"]
    assert keys(finding="in_two_regions") == ["coast.original.1", "hill.original.2"]
    text = page(as_alice, dosa, "questions")
    assert "<h1>Artifacts</h1>" in text
    assert "All domains" not in text
    assert "All questions" not in text


def test_the_page_of_an_artifact_shows_names_clues_and_findings_told_elsewhere(dosa, as_alice):
    text = page(as_alice, dosa, "item", "hill.expanded.2")
    assert "Honey or Nectar" in text
    assert "Nectar</dd>" in text
    assert "It is sweet." in text
    assert "both original and expanded" in text
    assert "Which regions agree" not in text
    assert "Answers by region" not in text
    bare = page(as_alice, dosa, "item", "hill.expanded.1")
    assert "No clue describes it." in bare
    assert "begins or ends with a blank" in bare


def test_a_name_in_angle_brackets_is_text_on_every_page(dosa, as_alice):
    for text in (
        page(as_alice, dosa, "item", "hill.original.2"),
        page(as_alice, dosa, "questions"),
        page(as_alice, dosa, "findings"),
    ):
        assert "Goat &lt;old&gt;" in text
        assert "<old>" not in text


def test_the_findings_of_a_region_without_an_item_have_their_place(dosa, as_alice):
    text = page(as_alice, dosa, "findings")
    assert "coast/expanded_artifacts.csv" in text
    assert "“Honey or Nectar”, hill" in text
    only = page(as_alice, dosa, "findings", code="missing_file")
    assert "lacks a file of this region" in only


def test_the_card_speaks_of_artifacts_and_names_the_text_of_the_licence(dosa, as_alice):
    text = page(as_alice, dosa, "readme")
    assert "3 original and 2 expanded artifacts" in text
    assert "with 5 clues" in text
    assert "| All regions | 3 | 2 | 5 |" in text
    assert "Its text is LICENSE.md" in text
    assert "license_name: free-for-the-hill" in text
    assert "task_categories" not in text
    assert not re.search("question|gold", text.partition("## Files and fields")[0], re.IGNORECASE)
    assert "1 artifact has no clue." in text
    assert page(as_alice, dosa, "card")


def test_the_text_of_the_licence_goes_with_the_data(dosa, as_alice, tmp_path):
    answer = as_alice.get(reverse("releases:licence", args=("dosa", 1)))
    assert answer.content.decode() == "# Free for the Hill\n\nDo as you like.\n"
    for format in ("jsonl", "csv"):
        out = StringIO()
        folder = tmp_path / format
        given = ("dosa", "--format", format, "--out", folder, "--json")
        call_command("export_release", *map(str, given), stdout=out)
        told = json.loads(out.getvalue())["licence"]
        text = (folder / "LICENSE.md").read_bytes()
        assert (told["path"], told["sha256"]) == (
            str(folder / "LICENSE.md"),
            canonical.sha256(text),
        )


def test_tables_of_artifacts_clues_and_names_are_exported(dosa, tmp_path):
    call_command("export_release", "dosa", "--format", "csv", "--out", str(tmp_path / "t"))
    tables = {path.name: path.read_text() for path in (tmp_path / "t").glob("*.csv")}
    assert set(tables) == {
        *("items.csv", "artifacts.csv", "names.csv", "ratings.csv", "clues.csv", "findings.csv"),
    }
    assert "hill.original.1,hill,original,Honey or Nectar" in tables["artifacts.csv"]
    assert "hill.original.1,alias,Nectar,,Latin" in tables["names.csv"]
    assert "hill.original.1,hill,2,Bees make it.,,,,," in tables["clues.csv"]


def test_the_statistics_count_artifacts_of_each_set_by_region(dosa, as_alice):
    answer = as_alice.get(reverse("releases:statistics", args=("dosa", 1, "csv")))
    text = b"".join(answer.streaming_content).decode()
    assert '"artifacts, expanded",hill,2,2,1.0' in text
    assert '"artifacts, original",coast,1,3,' in text


def test_the_index_is_rebuilt_from_the_bytes(dosa):
    before = selectors.rows(dosa)
    dosa.items.filter(key="hill.original.1").delete()
    services.rebuild_index(dosa)
    assert selectors.rows(dosa) == before


def test_nothing_is_built_from_artifacts(dosa):
    assert code_of(lambda: services.build_items("ra_mcq", dosa, "x", actor="x")) == (
        "build.wrong_source"
    )


def test_the_page_of_importing_takes_a_zip_and_says_so(db, made, as_alice):
    address = reverse("releases:import")
    assert "a folder, as a .zip" in as_alice.get(address).content.decode()
    root = made({"hill/original_artifacts.csv": f"{HEAD}Goat,It climbs.\n"})
    upload = io.BytesIO(zipped(root))
    upload.name = "hill.zip"
    done = as_alice.post(address, {"format": "dosa", "file": upload, "name": "hill"})
    assert (done.status_code, done["Location"]) == (302, "/releases/hill/1/")
    table = io.BytesIO(b"artifact,clues\n")
    table.name = "original_artifacts.csv"
    refused = as_alice.post(address, {"format": "dosa", "file": table})
    assert refused.status_code == 422
    assert "upload one .zip file of it" in " ".join(refused.content.decode().split())


def test_the_page_of_a_new_run_opens_for_it_with_every_benchmark(dosa, as_alice):
    answer = as_alice.get(reverse("evaluation:new"), {"release": "dosa@1"})
    assert answer.status_code == 200
    for benchmark in ("ra_mcq", "rasa"):
        asked = {"release": "dosa@1", "benchmark": benchmark}
        assert as_alice.get(reverse("evaluation:new"), asked).status_code == 200
