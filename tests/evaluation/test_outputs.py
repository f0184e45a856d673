"""Outputs made elsewhere, imported through the command and scored."""

import csv
import io
import itertools
import json

import pytest
from django.core.management import call_command

from evaluation.models import Run
from releases.services import import_release

pytestmark = pytest.mark.django_db

RA_MCQ = "golden_synthetic_RA_MCQ_results.jsonl"


def command(name, *args, **options):
    """(exit code, what was printed as JSON) of a command."""
    out = io.StringIO()
    try:
        call_command(name, *args, "--json", stdout=out, stderr=io.StringIO(), **options)
        code = 0
    except SystemExit as exit:
        code = exit.code
    return code, json.loads(out.getvalue())


@pytest.fixture
def indica(db, datasets):
    import_release(datasets / "indica" / "dataset.json", "indica", actor="test")
    return datasets / "indica"


def ours(**changes):
    """A line of our own format."""
    row = {"item": "q_004", "repeat": 1, "options": {"A": ["North"]}, "reply": "A"}
    return json.dumps({**row, **changes})


def theirs(mapping):
    """A line of the published format with this mapping."""
    row = {"question_id": "q_004", "run_number": 1, "raw_response": "A"}
    return json.dumps({**row, "current_shuffled_mapping": mapping})


def test_the_golden_log_gives_every_published_figure(indica):
    code, imported = command(
        "import_outputs",
        "ra_mcq",
        str(indica / RA_MCQ),
        "--release=indica",
        "--preset=as-published",
    )
    assert (code, imported["read"], imported["kept"], imported["refused"]) == (0, 2370, 2370, [])
    code, report = command("report", str(imported["run"]))
    golden = json.loads((indica / "golden_synthetic_expected.json").read_text())
    test, rates = golden["chi_square"], golden["overall_bias"]
    assert report["model"] == "synthetic"
    assert report["unusable"] == golden["skipped"] == 34
    assert report["answered"] == golden["processed"]
    assert report["chi2"] == pytest.approx(79.4158, abs=5e-5)
    assert report["p"] == pytest.approx(test["p_value"], rel=1e-6)
    assert report["df"] == test["degrees_of_freedom"]
    for place, region in enumerate(test["regions"]):
        assert report["observed"][region] == pytest.approx(test["observed_counts"][place])
        assert report["expected"][region] == pytest.approx(test["expected_counts"][place])
        assert report["residual"][region] == pytest.approx(test["standardized_residuals"][place])
        assert report["rate_when_available"][region] == pytest.approx(
            rates[region]["selection_rate"]
        )
        assert report["share"][region] == pytest.approx(
            test["observed_counts"][place] / sum(test["observed_counts"])
        )
        low, high = report["intervals"][region]["ratio"]
        assert low < report["ratio"][region] < high


def test_a_log_with_the_wrong_preset_says_which_lines_do_not_fit(indica):
    code, imported = command("import_outputs", "ra_mcq", str(indica / RA_MCQ), "--release=indica")
    assert code == 0
    assert imported["kept"] < imported["read"]
    assert {row["code"] for row in imported["refused"]} <= {
        "import.options_differ",
        "import.unknown_item",
    }


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("not json", "import.not_json"),
        ('{"question_id": "q_004"}', "import.missing_field"),
        (ours(repeat=0), "import.repeat"),
        (ours(repeat=10**30), "import.repeat"),
        (ours(reply=None), "import.not_a_text"),
        (ours(options={"A": 5}), "import.mapping"),
        (ours(options={"A": [5]}), "import.mapping"),
        ("[" * 100_000, "import.not_json"),
        (theirs("-" * 200_000 + "1"), "import.mapping"),
        (theirs("{1: 'North', 'A': 'South'}"), "import.mapping"),
        (theirs("{[1]: 2}"), "import.mapping"),
        ("x" * 1_000_001, "import.too_long"),
        (ours(item="none"), "import.unknown_item"),
        (ours(options={"B": ["North"]}), "import.mapping"),
    ],
)
def test_a_line_that_cannot_be_used_is_refused_by_number_and_the_rest_is_kept(
    indica, tmp_path, line, code
):
    good = (indica / RA_MCQ).read_text().splitlines()[:3]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([good[0], line, *good[1:]]))
    exit_code, imported = command(
        "import_outputs", "ra_mcq", str(path), "--release=indica", "--preset=as-published"
    )
    assert (exit_code, imported["kept"]) == (0, 3)
    assert [(row["line"], row["code"]) for row in imported["refused"]] == [(2, code)]


def test_names_no_database_can_hold_are_made_storable_and_downloads_still_work(
    indica, tmp_path, as_alice
):
    row = json.loads((indica / RA_MCQ).read_text().splitlines()[0])
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**row, "model": "a\0b\ud800", "raw_response": "A\0"}))
    _, imported = command(
        "import_outputs", "ra_mcq", str(path), "--release=indica", "--preset=as-published"
    )
    assert imported["kept"] == 1
    for name in ("samples.csv", "regions.xlsx", "outcomes.jsonl"):
        assert as_alice.get(f"/runs/{imported['run']}/download/{name}").getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        {"item": "\ud800" * 9000},
        {"options": {str(n): ["North"] for n in range(60_000)}},  # letters to U+D800 and beyond
    ],
)
def test_a_reason_that_repeats_a_line_can_be_printed_and_is_short(indica, tmp_path, changes):
    path = tmp_path / "log.jsonl"
    path.write_text(f"{(indica / RA_MCQ).read_text().splitlines()[0]}\n{ours(**changes)}")
    code, imported = command(
        "import_outputs", "ra_mcq", str(path), "--release=indica", "--preset=as-published"
    )
    (refused,) = imported["refused"]
    assert (code, imported["kept"]) == (0, 1)
    assert len(refused["reason"].encode()) < 2000


def test_a_repeat_that_comes_twice_is_refused_the_second_time(indica, tmp_path):
    line = (indica / RA_MCQ).read_text().splitlines()[0]
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line}\n{line}\n")
    _, imported = command(
        "import_outputs", "ra_mcq", str(path), "--release=indica", "--preset=as-published"
    )
    assert [row["code"] for row in imported["refused"]] == ["import.duplicate"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe\x00", "import.not_text"),
        (b"", "import.nothing_kept"),
        (b"x", "import.nothing_kept"),
    ],
)
def test_a_file_without_a_usable_line_leaves_nothing_behind(indica, tmp_path, content, code):
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    exit_code, answer = command("import_outputs", "ra_mcq", str(path), "--release=indica")
    assert (exit_code, answer["error"]["code"]) == (1, code)
    assert not Run.objects.exists()


def test_an_absent_file_and_an_unknown_run_are_coded_sentences(indica):
    code, answer = command("import_outputs", "ra_mcq", "/no/such/file", "--release=indica")
    assert (code, answer["error"]["code"]) == (1, "import.unreadable")
    code, answer = command("report", "999")
    assert (code, answer["error"]["code"]) == (1, "run.unknown")


# --- cases.md 23, through the report's doors ---------------------------------------------------

AWKWARD = (
    "comma, here",
    'a "quote"',
    '=HYPERLINK("http://x")',
    "+91 98",
    "-5",
    "@SUM",
    "007a",
    "দক্ষিণ",
)


@pytest.fixture
def awkward(db, tmp_path):
    """A run by a model with an awkward name over regions with awkward names."""
    regions = AWKWARD
    question = {
        "question_id": "q",
        "question_text": "What, then?",
        "question_domain": "d",
        "question_subcategory": "s",
        "question_topic": "t",
        "pairwise_agreements": {
            f"{a}_{b}": {"agreement": False} for a, b in itertools.combinations(regions, 2)
        },
        "universal_agreement": False,
        **{name: {"answer": [f"In {name}, answer {n}."]} for n, name in enumerate(regions)},
    }
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"questions": [question]}))
    import_release(path, "indica", "awkward", actor="test")
    letters = {chr(65 + n): [name] for n, name in enumerate(regions)}
    rows = [
        {"item": "q", "repeat": n, "options": letters, "reply": "B", "model": "=cmd|' /C calc'!A0"}
        for n in range(1, 4)
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)))
    return command("import_outputs", "ra_mcq", str(log), "--release=awkward")[1]["run"]


def test_the_reports_csv_holds_names_byte_for_byte(awkward):
    out = io.StringIO()
    call_command("report", str(awkward), "--format=csv", stdout=out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
    assert [row["region"] for row in rows] == list(AWKWARD)
    assert {row["model"] for row in rows} == {"=cmd|' /C calc'!A0"}
    assert {len(row) for row in rows} == {17}


def test_the_spreadsheet_download_is_neutralised_and_says_so(awkward, as_alice):
    raw = as_alice.get(f"/runs/{awkward}/download/regions.csv")
    safe = as_alice.get(f"/runs/{awkward}/download/regions.safe.csv")
    raw_rows = list(csv.DictReader(io.StringIO(raw.getvalue().decode(), newline="")))
    safe_rows = list(csv.DictReader(io.StringIO(safe.getvalue().decode("utf-8-sig"), newline="")))
    assert [row["region"] for row in raw_rows] == list(AWKWARD)
    for before, after in zip(raw_rows, safe_rows, strict=True):
        assert after["model"] == "'" + before["model"]
        assert after["neutralised_cells"]
        if before["region"][0] in "=+-@":
            assert after["region"] == "'" + before["region"]


def test_the_xlsx_download_opens_and_holds_text_as_text(awkward, as_alice):
    import openpyxl

    response = as_alice.get(f"/runs/{awkward}/download/regions.xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(response.getvalue())).worksheets[0]
    cells = [row[3] for row in sheet.iter_rows(min_row=2)]
    assert [cell.value for cell in cells] == list(AWKWARD)
    assert {cell.data_type for cell in cells} == {"s"}


def test_one_question_gives_no_interval_and_no_test_but_reasons(awkward):
    _, report = command("report", str(awkward))
    assert report["intervals"][AWKWARD[0]]["ratio"] is None
    assert report["intervals"][AWKWARD[0]]["reason"]
    assert report["clustered"]["value"] is None
    assert report["clustered"]["reason"]


@pytest.mark.parametrize("format", ["json", "html", "md", "csv"])
def test_every_format_of_one_report_and_of_two_side_by_side(awkward, format):
    for ids in ([awkward], [awkward, awkward]):
        out = io.StringIO()
        call_command("report", *map(str, ids), f"--format={format}", stdout=out)
        assert len(out.getvalue()) > 200
        if format == "json":
            found = json.loads(out.getvalue())
            assert ("comparison" in found) == (len(ids) > 1)
        if format == "html":
            assert "<style>" in out.getvalue()
            assert "http://" not in out.getvalue().replace("http://x", "").replace(
                "http://www.w3.org", ""
            )
