"""The published folders of artifacts: what is read, what is refused, what contradicts itself."""

import json
import shutil
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from core.errors import CommonplaceError
from releases import artifacts, importers, services
from releases.importers import folder as folders
from releases.models import Release
from tests.releases.folders import HEAD, code_of, made, zipped

__all__ = ["made"]


@pytest.fixture(scope="session")
def published(datasets):
    return datasets / "dosa"


def read(path):
    return importers.parse_folder("dosa", path)


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
