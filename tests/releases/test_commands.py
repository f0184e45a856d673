"""The commands of releases, as other programs call them."""

import csv
import hashlib
import json
from io import StringIO

import pytest
from django.core.management import call_command

from releases.models import Release

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    """Call a command with `--json`; returns exit code and object."""

    def call(*arguments):
        out, code = StringIO(), 0
        try:
            call_command(*map(str, arguments), "--json", stdout=out, stderr=StringIO())
        except SystemExit as exit:
            code = exit.code
        return code, json.loads(out.getvalue())

    return call


@pytest.fixture
def imported(run, datasets):
    return run("import_release", "indica", datasets / "indica" / "dataset.json")


def failure(answer):
    code, result = answer
    return code, result["error"]["code"]


def test_import_release_says_what_was_read_and_kept(imported, run, datasets):
    code, result = imported
    assert code == 0
    assert result == {
        "release": "indica@1",
        "sha256": Release.objects.get().sha256,
        "created": True,
        "read": 515,
        "kept": 515,
        "refused": [],
    }
    again = run("import_release", "indica", datasets / "indica" / "dataset.json")
    assert again == (0, result | {"created": False})


def test_import_release_lists_refused_rows(run, as_file, question):
    path = as_file(question("a"), question("b", question_text=None))
    code, result = run("import_release", "indica", path, "--name", "mine")
    assert (code, result["release"], result["kept"]) == (0, "mine@1", 1)
    assert result["refused"] == [
        {
            "line": 2,
            "code": "import.missing_field",
            "reason": "The field “question_text” is missing.",
        }
    ]


def test_import_release_refuses_what_it_cannot_use(run, as_file, question, tmp_path):
    path = as_file(question("a"))
    other = as_file(question("b"), name="other.json")
    assert run("import_release", "indica", path)[0] == 0
    assert failure(run("import_release", "indica", other)) == (1, "release.name_taken")
    for place in (path, tmp_path, tmp_path / "no"):
        assert failure(run("import_release", "csv", place)) == (1, "import.unknown_format")
    assert failure(run("import_release", "indica", tmp_path / "no")) == (1, "import.unreadable")
    assert failure(run("import_release", "indica", path, "--name", "a@2")) == (
        1,
        "release.name_invalid",
    )
    assert Release.objects.count() == 1


def test_describe_release_has_every_figure_of_the_published_data(imported, run, indica_golden):
    code, result = run("describe_release", "indica")
    assert code == 0
    assert set(result) == {
        "release",
        "sha256",
        "items",
        "regions",
        "coverage",
        "pairs",
        "pairwise",
        "universal",
        "all_pairs_agree",
        "domains",
        "findings",
    }
    assert result["regions"] == ["North", "South", "East", "West", "Central"]
    assert result["coverage"]["East"] == {"answered": 276, "of": 515}
    assert result["universal"] == {"agree": 52, "all_valid": 132}
    assert len(result["findings"]) == 119
    assert result["findings"][0] == {
        "code": "same_text_disagree",
        "item": "q_005",
        "detail": result["findings"][0]["detail"],
    }


def test_describe_release_finds_versions_and_names_what_comes_near(imported, run):
    assert run("describe_release", "indica@1")[1]["release"] == "indica@1"
    for name in ("indica@2", "indica@one", "indica@", "indca", ""):
        code, result = run("describe_release", name)
        assert (code, result["error"]["code"]) == (1, "release.unknown")
    assert run("describe_release", "indca")[1]["error"]["data"]["near"] == ["indica@1"]


def test_versions_of_the_name_asked_for_are_suggested_before_other_releases(imported, run):
    run("build_items", "ra_mcq", "--from", "indica", "--name", "a-indica")
    near = run("describe_release", "indica@9")[1]["error"]["data"]["near"]
    assert near == ["indica@1", "a-indica@1"]


def test_a_bare_name_is_the_newest_that_is_not_superseded(imported, run):
    first = Release.objects.get()
    fields = {"manifest": first.manifest, "created": first.created, "name": "indica"}
    second = Release.objects.create(version=2, sha256="2" * 64, **fields)
    third = Release.objects.create(version=3, sha256="3" * 64, **fields)
    assert run("describe_release", "indica")[1]["release"] == "indica@3"
    Release.objects.filter(pk=third.pk).update(superseded_by=second)
    assert run("describe_release", "indica")[1]["release"] == "indica@2"


def test_build_items_as_published_gives_the_papers_items(imported, run, indica_golden):
    arguments = ("--from", "indica", "--name", "mcq", "--preset", "as-published")
    code, result = run("build_items", "ra_mcq", *arguments)
    golden = indica_golden["ra_mcq"]
    assert (code, result["release"], result["items"]) == (0, "mcq@1", 79)
    assert result["keys"] == golden["ids"]
    assert result["by_options"] == golden["by_options"]
    assert result["by_domain"] == golden["by_domain"]
    for region, count in golden["expected_counts_30_runs"].items():
        assert result["expected"][region] == pytest.approx(count, abs=1e-6)
    assert run("build_items", "ra_mcq", *arguments) == (0, result)


def test_build_items_by_agreement_is_the_default(imported, run):
    code, result = run("build_items", "ra_mcq", "--from", "indica@1", "--name", "mcq")
    assert (code, result["items"]) == (0, 76)
    described = run("describe_release", "mcq")[1]
    assert described["by_options"] == result["by_options"] == {"3": 47, "4": 21, "5": 8}
    assert "coverage" not in described


def test_build_items_refuses_what_it_cannot_build(imported, run):
    for code, arguments in (
        ("release.unknown", ("ra_mcq", "--from", "nothing", "--name", "mcq")),
        ("build.unknown_kind", ("poem", "--from", "indica", "--name", "mcq")),
        ("preset.unknown", ("ra_mcq", "--from", "indica", "--name", "m", "--preset", "p")),
        ("release.name_taken", ("ra_mcq", "--from", "indica", "--name", "indica")),
        ("release.name_invalid", ("ra_mcq", "--from", "indica", "--name", "a b")),
    ):
        assert failure(run("build_items", *arguments)) == (1, code)


def test_export_release_jsonl_is_the_frozen_bytes(imported, run, tmp_path):
    out = tmp_path / "out" / "deep"
    code, result = run("export_release", "indica", "--format", "jsonl", "--out", out)
    assert code == 0
    release = Release.objects.get()
    hashes = {file["path"].rsplit("/", 1)[1]: file["sha256"] for file in result["files"]}
    assert hashes == {
        "manifest.json": release.sha256,
        "items.jsonl": release.parts.get(name="items").sha256,
        "findings.jsonl": release.parts.get(name="findings").sha256,
    }
    for file in result["files"]:
        with open(file["path"], "rb") as written:
            data = written.read()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
    assert result["files"][1]["rows"] == 515


def test_export_release_csv_holds_every_text_unchanged(imported, run, tmp_path, indica_raw):
    code, result = run("export_release", "indica", "--format", "csv", "--out", tmp_path)
    assert code == 0
    rows = {}
    for file in result["files"]:
        name = file["path"].rsplit("/", 1)[1]
        with open(file["path"], encoding="utf-8", newline="") as written:
            rows[name] = list(csv.DictReader(written))
        assert len(rows[name]) == file["rows"]
    assert sorted(rows) == ["findings.csv", "gold.csv", "items.csv", "relations.csv"]
    assert [row["text"] for row in rows["items.csv"]] == [q["question_text"] for q in indica_raw]
    gold = {(row["item"], row["region"]): row["text"] for row in rows["gold.csv"]}
    for raw in indica_raw:
        for region in ("North", "South", "East", "West", "Central"):
            (text,) = raw[region]["answer"]
            assert gold[raw["question_id"], region] == ("" if text == "N/A" else text)
    assert len(rows["relations.csv"]) == 515 * 11
    assert sum(row["agree"] == "true" for row in rows["relations.csv"] if row["level"] == "all")


def test_export_release_of_items_has_their_options(imported, run, tmp_path):
    run("build_items", "ra_mcq", "--from", "indica", "--name", "mcq")
    code, result = run("export_release", "mcq", "--format", "csv", "--out", tmp_path)
    names = [file["path"].rsplit("/", 1)[1] for file in result["files"]]
    assert (code, names) == (0, ["items.csv", "options.csv", "findings.csv"])


def test_export_release_refuses_before_it_writes(imported, run, tmp_path, private):
    out = tmp_path / "out"
    (tmp_path / "file").write_text("")
    for code, arguments in (
        ("export.unknown_format", ("indica", "--format", "parchment", "--out", out)),
        ("release.unknown", ("nothing", "--format", "csv", "--out", out)),
        ("export.folder", ("indica", "--format", "csv", "--out", tmp_path / "file")),
    ):
        assert failure(run("export_release", *arguments)) == (1, code)
    part = Release.objects.get().parts.get(name="findings")
    (private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl").write_bytes(b"{}\n")
    answer = run("export_release", "indica", "--format", "jsonl", "--out", out)
    assert failure(answer) == (1, "release.bytes_changed")
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("describe_release", "indica"), "52 of 132 (39.4%) answered by all"),
        (("build_items", "ra_mcq", "--from", "indica", "--name", "m"), "m@1: 76 items"),
        (
            ("build_items", "ra_mcq", "--from", "indica", "--name", "m"),
            "expected by chance, 30 samples of each item",
        ),
        (("import_release", "indica", "{path}", "--name", "two"), "515 read, 515 kept, 0 refused"),
        (("export_release", "indica", "--format", "jsonl", "--out", "{out}"), "manifest.json"),
    ],
)
def test_people_read_sentences(imported, datasets, tmp_path, arguments, words):
    places = {"path": datasets / "indica" / "dataset.json", "out": tmp_path}
    out = StringIO()
    call_command(*(argument.format(**places) for argument in arguments), stdout=out)
    assert words in out.getvalue()
