"""The published folders of artifacts: what is read, what is refused, what contradicts itself."""

import io
import json
import re
import shutil
import zipfile
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.errors import CommonplaceError
from releases import artifacts, canonical, importers, selectors, services, storing
from releases.importers import folder as folders
from releases.models import Release

HEAD = "artifact,clues\n"


@pytest.fixture(scope="session")
def published(datasets):
    return datasets / "dosa"


@pytest.fixture
def made(tmp_path):
    """Makes a folder of files by their paths; texts are written as UTF-8."""

    def made(files):
        root = tmp_path / "made"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return made


def read(path):
    return importers.parse_folder("dosa", path)


def zipped(root):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted(root.rglob("*")):
            archive.write(path, path.relative_to(root.parent))
    return data.getvalue()


def code_of(call, *given):
    with pytest.raises(CommonplaceError) as refused:
        call(*given)
    return refused.value.code


def names(parsed):
    return [item["payload"]["name"]["en"] for item in parsed.items]


def clues(parsed, number=0):
    return [clue["text"] for clue in parsed.items[number]["payload"]["clues"]]


# --- The published folder -------------------------------------------------------------------------


def test_the_published_folder_is_read_whole(published):
    parsed = read(published)
    assert (parsed.read, len(parsed.items), parsed.refused) == (569, 569, [])
    origins = Counter(item["payload"]["origin"] for item in parsed.items)
    assert origins == {"original": 244, "expanded": 325}
    assert len(parsed.regions) == 16
    assert parsed.regions[0] == {
        "slug": "andhra_pradesh",
        "names": {"en": "Andhra Pradesh"},
        "phrases": {"en": "In Andhra Pradesh"},
    }
    assert all(item["payload"]["clues"] for item in parsed.items)
    assert len({item["key"] for item in parsed.items}) == 569
    assert parsed.licence == "CDLA-Permissive-2.0"


def test_the_inner_folder_and_a_zip_of_the_outer_one_are_the_same_source(published):
    outer, inner = read(published), read(published / "data")
    packed = importers.parse("dosa", zipped(published))
    assert outer.sha256 == inner.sha256 == packed.sha256
    assert outer.items == inner.items == packed.items
    assert outer.licence_text == inner.licence_text == packed.licence_text != ""


def test_the_inner_folder_alone_has_the_licence_it_was_published_under(published, tmp_path):
    shutil.copytree(published / "data", tmp_path / "copied")
    alone = read(tmp_path / "copied")
    assert (alone.licence, alone.licence_text) == ("CDLA-Permissive-2.0", "")


def test_files_that_are_no_tables_are_named_and_hold_no_artifact_of_their_own(published):
    parsed = read(published)
    assert "gujarat/Notes.txt" in parsed.passed_over
    assert "uttar_pradesh/up_clues.xlsx" in parsed.passed_over
    assert {name.rsplit(".", 1)[1] for name in parsed.passed_over} == {"txt", "xlsx"}


def test_describing_it_counts_artifacts_by_region(published, db):
    out = StringIO()
    call_command("import_release", "dosa", published, "--json", stdout=out)
    imported = json.loads(out.getvalue())
    assert (imported["release"], imported["created"], imported["kept"]) == ("dosa@1", True, 569)
    again = StringIO()
    call_command("import_release", "dosa", published / "data", "--json", stdout=again)
    assert json.loads(again.getvalue()) == imported | {"created": False}
    out = StringIO()
    call_command("describe_release", "dosa", "--json", stdout=out)
    described = json.loads(out.getvalue())
    counts = {each["region"]: each for each in described["artifacts"]}
    assert len(described["artifacts"]) == 16
    assert counts["assam"] == {"region": "assam", "original": 11, "expanded": 56}
    assert counts["delhi"] == {"region": "delhi", "original": 10, "expanded": 0}
    assert sum(each["original"] for each in described["artifacts"]) == 244
    assert sum(each["expanded"] for each in described["artifacts"]) == 325
    assert not described.keys() & {"coverage", "pairs", "universal", "by_options"}
    codes = Counter(each["code"] for each in described["findings"])
    assert codes == {
        "missing_file": 1,
        "in_both_sets": 2,
        "in_two_regions": 8,
        "surrounding_space": 17,
        "markup_like_name": 1,
    }
    (missing,) = [each for each in described["findings"] if each["code"] == "missing_file"]
    assert missing["detail"] == {"region": "delhi", "file": "delhi/expanded_artifacts.csv"}


def test_people_read_the_counts_of_each_region(published, db):
    services.import_release(published, "dosa", actor="test")
    out = StringIO()
    call_command("describe_release", "dosa", stdout=out)
    assert "11 original, 56 expanded artifacts" in out.getvalue()


# --- Odd files ------------------------------------------------------------------------------------


def test_columns_come_in_either_order_with_or_without_a_mark_of_byte_order(made):
    root = made(
        {
            "data/hill/original_artifacts.csv": "\ufeffclues,artifact\nIt is sweet.,Honey\n",
            "data/hill/expanded_artifacts.csv": "Artifact , CLUES\nGoat,It climbs.\n",
        }
    )
    assert names(read(root)) == ["Honey", "Goat"]


def test_clues_are_the_lines_of_a_cell_whatever_ends_them(made):
    cell = '"One.\r\nTwo. \n\n  \rThree"'
    root = made({"hill/original_artifacts.csv": f"artifact,clues\r\nGoat,{cell}\r\n"})
    assert clues(read(root)) == ["One.", "Two. ", "Three"]


def test_names_and_clues_are_kept_to_the_letter(made):
    name, clue = " नौटंकी <गाँव> ", "It is\u2028played क़ at night"
    root = made({"hill/original_artifacts.csv": f'{HEAD}{name},"{clue}"\n'})
    parsed = read(root)
    assert (names(parsed), clues(parsed)) == ([name], [clue])
    found = artifacts.findings(parsed.items, "en")
    assert [each["code"] for each in found] == ["surrounding_space", "markup_like_name"]


def test_a_name_that_says_one_or_another_has_both_as_aliases(made):
    rows = 'Bread or Loaf,It is baked.\nTea/Chai,It is hot.\n"Salt or ",It is white.\nOrgan,Loud.\n'
    parsed = read(made({"hill/original_artifacts.csv": HEAD + rows}))
    aliases = [[each["text"] for each in item["payload"]["names"]] for item in parsed.items]
    assert aliases == [["Bread", "Loaf"], ["Tea", "Chai"], [], []]


def test_a_key_tells_the_row_and_not_the_name(made):
    rows = "Honey,Sweet.\n,Nothing.\nGoat,It climbs.\n"
    parsed = read(made({"hill/original_artifacts.csv": HEAD + rows}))
    assert [item["key"] for item in parsed.items] == ["hill.original.1", "hill.original.3"]
    (refused,) = parsed.refused
    assert (refused["line"], refused["code"]) == (2, "import.no_name")
    assert refused["reason"].startswith("hill/original_artifacts.csv: ")
    assert parsed.read == 3


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("Goat\n", "import.row_width"),
        ("Goat,It climbs.,often\n", "import.row_width"),
        ("\u200b,It climbs.\n", "import.no_name"),
        ("Go\0at,It climbs.\n", "text.not_storable"),
        (f"Goat,{'x' * 200_000}\n", "import.csv"),
    ],
)
def test_a_faulty_row_is_refused_alone(made, rows, code):
    parsed = read(made({"hill/original_artifacts.csv": f"{HEAD}Honey,Sweet.\n{rows}"}))
    assert names(parsed) == ["Honey"]
    assert [(row["line"], row["code"]) for row in parsed.refused] == [(2, code)]


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (b"", "import.columns"),
        (b"name,clues\nGoat,It climbs.\n", "import.columns"),
        (b"artifact,clues,note\nGoat,It climbs.,x\n", "import.columns"),
        ("artifact,clues\nGoat,It climbs.\n".encode("utf-16"), "import.not_text"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_and_the_others_are_kept(made, table, code):
    root = made(
        {
            "hill/original_artifacts.csv": f"{HEAD}Honey,Sweet.\n",
            "hill/expanded_artifacts.csv": table,
        }
    )
    parsed = read(root)
    assert names(parsed) == ["Honey"]
    assert [row["code"] for row in parsed.refused] == [code]


def test_a_name_in_both_sets_and_one_of_two_regions_are_each_found_once(made):
    root = made(
        {
            "hill/original_artifacts.csv": f"{HEAD}Honey,Sweet.\nGoat,It climbs.\n",
            "hill/expanded_artifacts.csv": f"{HEAD} HONEY ,Sweet.\n",
            "coast/original_artifacts.csv": f"{HEAD}goat,It climbs.\n",
        }
    )
    parsed = read(root)
    found = {each["code"]: each for each in artifacts.findings(parsed.items, "en")}
    assert found["in_both_sets"]["item"] == "hill.original.1"
    assert found["in_both_sets"]["detail"]["items"] == ["hill.original.1", "hill.expanded.1"]
    assert found["in_two_regions"]["detail"]["regions"] == ["coast", "hill"]
    assert [each["detail"]["file"] for each in parsed.findings] == ["coast/expanded_artifacts.csv"]


def test_a_folder_that_holds_no_regions_or_several_sets_of_them_is_refused(made):
    assert code_of(read, made({"notes.txt": "nothing"})) == "import.no_regions"
    two = {f"{each}/hill/original_artifacts.csv": f"{HEAD}Goat,Climbs.\n" for each in ("a", "b")}
    assert code_of(read, made(two)) == "import.several_folders"


def test_a_folder_without_a_usable_row_is_refused_with_the_reasons(made):
    with pytest.raises(CommonplaceError) as refused:
        read(made({"hill/original_artifacts.csv": f"{HEAD},Sweet.\n"}))
    assert refused.value.code == "import.nothing_kept"
    assert [row["code"] for row in refused.value.data["refused"]] == ["import.no_name"]


def test_a_licence_of_another_name_is_told_by_its_first_line(made):
    root = made(
        {
            "DATA_LICENSE.md": "\n# Free for the Hill\n\nDo as you like.\n",
            "data/hill/original_artifacts.csv": f"{HEAD}Goat,It climbs.\n",
        }
    )
    assert read(root).licence == "Free for the Hill"


def test_a_link_is_not_followed(made, tmp_path):
    root = made({"hill/expanded_artifacts.csv": f"{HEAD}Goat,It climbs.\n"})
    secret = tmp_path / "secret.csv"
    secret.write_text(f"{HEAD}Secret,Hush.\n")
    (root / "hill" / "original_artifacts.csv").symlink_to(secret)
    assert code_of(read, root) == "import.unreadable"


def test_what_grows_beyond_the_limit_when_unpacked_is_refused(made, monkeypatch):
    monkeypatch.setattr(folders, "LARGEST", 1000)
    root = made({"hill/original_artifacts.csv": f"{HEAD}Goat,{'x' * 5000}\n"})
    assert code_of(read, root) == "import.too_large"
    assert code_of(importers.parse, "dosa", zipped(root)) == "import.too_large"


def test_a_folder_of_very_many_files_is_refused(made, monkeypatch):
    monkeypatch.setattr(folders, "MOST_FILES", 2)
    files = {f"hill/{number}.txt": "" for number in range(3)}
    assert code_of(read, made(files)) == "import.too_many_files"


@pytest.mark.django_db
def test_a_file_where_a_folder_is_wanted_and_the_reverse_are_refused_plainly(made):
    root = made({"hill/original_artifacts.csv": f"{HEAD}Goat,It climbs.\n"})
    table = root / "hill" / "original_artifacts.csv"
    assert code_of(lambda: services.import_release(table, "dosa", actor="x")) == (
        "import.not_a_folder"
    )
    assert code_of(lambda: services.import_release(root, "indica", actor="x")) == (
        "import.unreadable"
    )
    assert not Release.objects.exists()


@pytest.mark.django_db
def test_other_bytes_under_a_taken_name_are_refused(made):
    root = made({"hill/original_artifacts.csv": f"{HEAD}Goat,It climbs.\n"})
    first = services.import_release(root, "dosa", actor="x")
    (root / "hill" / "notes.txt").write_text("a remark")
    assert not services.import_release(root, "dosa", actor="x").created
    (root / "hill" / "original_artifacts.csv").write_text(f"{HEAD}Goat,It climbs!\n")
    assert code_of(lambda: services.import_release(root, "dosa", actor="x")) == "release.name_taken"
    assert first.release.label == "dosa@1"


# --- The release ----------------------------------------------------------------------------------


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
