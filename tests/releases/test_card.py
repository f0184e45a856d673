"""The card that goes with every export, and what the page of a release shows of it."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.urls import reverse

from annotation.services import deciding
from core.errors import CommonplaceError
from releases import canonical, services
from releases.card import fields, markdown
from releases.exporting import export_release
from releases.models import Release
from studies.services import withdraw
from tests.annotation.conftest import NO_AGREEMENT, people, world
from tests.annotation.paged import text_of
from tests.collection import answered
from tests.releases.test_freezing import decided, freeze, worded

pytestmark = pytest.mark.django_db
__all__ = ["decided", "people", "worded", "world"]
DOCS = Path(__file__).resolve().parents[2] / "docs" / "release-export.md"


@pytest.fixture
def export(tmp_path):
    """Export a release: {file name: its text} and what the command printed."""

    def call(label, format="jsonl"):
        out, where = StringIO(), tmp_path / f"{label}-{format}"
        call_command(
            "export_release", label, "--format", format, "--out", str(where), "--json", stdout=out
        )
        texts = {path.name: path.read_bytes().decode() for path in where.iterdir()}
        return texts, json.loads(out.getvalue())

    return call


def front_matter(card):
    return yaml.safe_load(card.split("---\n")[1])


def section(card, title):
    return card.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_every_file_stands_in_the_card_with_its_rows_hash_and_fields(decided, export, format):
    freeze(decided)
    texts, result = export("everyday", format)
    card = texts["README.md"]
    assert result["card"]["sha256"] == canonical.sha256(card.encode())
    listed = {Path(file["path"]).name: file for file in result["files"]}
    assert {*listed, "README.md"} == set(texts)
    assert any(name.startswith("responses") for name in listed)
    for name, file in listed.items():
        row = next(line for line in card.splitlines() if line.startswith(f"| {name} |"))
        assert row.endswith(f"| {file['rows']} | {file['sha256']} |")
        assert f"\n### {name}\n" in card


def test_the_front_matter_is_that_of_a_dataset_card(decided, export):
    freeze(decided, licence="CC-BY-4.0")
    texts, _ = export("everyday")
    assert front_matter(texts["README.md"]) == {
        "license": "cc-by-4.0",
        "language": ["en"],
        "pretty_name": decided.study.name,
        "size_categories": ["n<1K"],
        "task_categories": ["question-answering"],
        "tags": ["culture", "commonsense"],
        "configs": [
            {"config_name": "items", "data_files": "items.jsonl"},
            {"config_name": "responses", "data_files": "responses.jsonl"},
        ],
    }


def test_rates_stand_with_their_denominators_and_intervals(indica, export):
    card = export("indica")[0]["README.md"]
    counts = section(card, "Counts")
    assert "| East | 276 | 515 | 53.6 % | (49.3 % to 57.9 %) |" in counts
    assert "52 of the 132 questions compared across all regions: 39.4 %" in counts
    assert "52 of all 515 questions: 10.1 %" in counts
    assert re.search(r"\| North and Central \| \d+ \| 249 \| [\d.]+ % \| \(.+ to .+\) \|", counts)


def test_a_rate_of_one_says_why_it_has_no_interval(decided, export):
    freeze(decided)
    counts = section(export("everyday")[0]["README.md"], "Counts")
    assert "compared across all regions: 100.0 % (only one observation)" in counts


def test_the_card_tells_who_took_part_and_who_annotated(decided, export):
    freeze(decided)
    card = export("everyday")[0]["README.md"]
    collected = section(card, "How it was collected")
    assert "| Invited | 8 |" in collected
    assert "| Kept: accepted and in the results | 8 |" in collected
    assert "answers of 8 people who agreed to publication are part of it, 13 in all" in collected
    annotated = section(card, "How it was annotated")
    assert "| Agreement within a region | 2 | 2 | 3 | 3 | 0 |" in annotated
    assert "| 5 | 4 | 2 |" in annotated  # of five answers four had to agree, twice
    assert "undefined: single category" in annotated
    regions = section(card, "Regions")
    assert (
        "| harbour | Harbour | In the Harbour towns | Brassgate, Lower Quay, Saltmarket | 5 |"
        in (regions)
    )


def test_the_flow_has_a_row_for_every_way_out_on_page_and_in_the_file(decided, export, as_alice):
    answered.person(decided.activity, status="submitted")
    for status, count in (("declined", 2), ("timed_out", 3), ("accepted", 4)):
        for _person in range(count):
            ended = {"ended": answered.WHEN, "ended_reason": status}
            answered.person(decided.activity, status=status, **ended)
    freeze(decided)
    collected = section(export("everyday")[0]["README.md"], "How it was collected")
    rows = dict(re.findall(r"^\| (.+) \| (\d+) \|$", collected, re.MULTILINE))
    assert rows == {
        "Invited": "18",
        "Screened out, or no place left": "0",
        "Declined to take part": "2",
        "Dropped: gave their place back, ran out of time or were cut short": "3",
        "Not done yet": "0",
        "Sent, awaiting review": "1",
        "Rejected": "0",
        "Withdrawn": "0",
        "Accepted, kept out of the results": "4",
        "Kept: accepted and in the results": "8",
    }
    page = text_of(as_alice.get(reverse("releases:card", args=("everyday", 1))))
    for words in rows:
        assert words in page


def test_what_an_older_manifest_lumped_together_is_still_called_what_it_was(decided, export):
    release, _ = freeze(decided)
    about = json.loads(release.manifest)
    about["study"]["participants"] = {"invited": 3, "screened_out": 1, "dropped": 2, "kept": 0}
    Release.objects.filter(pk=release.pk).update(manifest=json.dumps(about))
    collected = section(export("everyday")[0]["README.md"], "How it was collected")
    assert (
        "| Neither: left, out of time, still at it, awaiting review or kept out | 2 |" in collected
    )
    assert "Not done yet" not in collected


def test_a_note_stands_apart_from_what_was_accepted(worded, export, as_alice):
    freeze(worded)
    found = section(export("everyday")[0]["README.md"], "Findings")
    assert "contradict" not in found
    assert "| different_text_agree | 1 |" in found
    pages = [reverse(f"releases:{name}", args=("everyday", 1)) for name in ("detail", "findings")]
    for page in pages:
        assert "Notes, not errors: nobody had to accept them." in text_of(as_alice.get(page))
    worded.come(worded.first, tea="With sugar.")
    freeze(worded, accepted="came late")
    page = as_alice.get(reverse("releases:findings", args=("everyday", 2)))
    assert "was accepted: “came late”" in text_of(page)
    found = section(export("everyday@2")[0]["README.md"], "Findings")
    assert "| different_text_agree | 1 | nobody has to | a note, not an error |" in found
    assert "| stale |" in found


def test_the_card_tells_what_gold_hangs_on(decided, export):
    release, _ = freeze(decided)
    within = release.about["study"]["hangs_on"]["within"]["all"]
    hangs = section(export("everyday")[0]["README.md"], "How it was annotated")
    line = next(each for each in hangs.splitlines() if each.startswith("| all regions"))
    for name in ("gold", "one_reviewer", "one_respondent", "firm"):
        assert f"{within[name]['count']} of {within[name]['of']}" in line


def test_accepted_findings_stand_with_their_reason(decided, export):
    decided.come(decided.first, tea="With sugar.")
    freeze(decided, accepted="one more | came *late*")
    found = section(export("everyday")[0]["README.md"], "Findings")
    assert "| the study team | one more \\| came \\*late\\* |" in found
    assert "| stale |" in found


def test_the_same_release_gives_the_same_bytes_which_the_page_hands_out_too(
    decided, export, as_alice
):
    freeze(decided)
    first, second = export("everyday")[0], export("everyday@1")[0]
    assert first == second
    page = as_alice.get(reverse("releases:readme", args=("everyday", 1)))
    assert page.content.decode() == first["README.md"]
    assert page["Content-Type"].startswith("text/markdown")


def test_a_superseded_release_says_which_follows_and_why(decided, export, people):
    freeze(decided)
    task = decided.task("gift", decided.first)
    (cem,) = people("cem")
    deciding.decide(task, NO_AGREEMENT, "two kinds of cloth", cem, task.inputs)
    second, _ = freeze(decided)
    old, new = (export(f"everyday@{number}")[0]["README.md"] for number in (1, 2))
    assert "> **Superseded by everyday@2.** What it was made from has changed" in old
    assert f"| Followed by | everyday@2, SHA-256 {second.sha256} |" in old
    assert "| Replaces | everyday@1 |" in new
    assert "Superseded" not in new
    assert "1 | 2 | 2 |" not in section(new, "Counts")


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_what_a_withdrawal_erased_is_left_out_and_the_card_says_so(decided, export, format):
    freeze(decided)
    gone = decided.people[0].participant
    withdraw(gone, "test")
    services.forget(gone)
    texts, result = export("everyday@1", format)
    assert f"responses.{format}" not in texts
    assert f"items.{format}" in texts
    part = Release.objects.get(version=1).parts.get(name="responses")
    assert result["erased"] == [{"file": "responses.jsonl", "at": part.purged_at.isoformat()}]
    card = texts["README.md"]
    assert "> **Superseded by everyday@2.** Somebody whose answers were in this release" in card
    assert "responses.jsonl is not among them any more. Somebody whose words were in it has" in card
    assert "everyday@2 holds the answers of those who stayed." in card
    assert not [each for each in front_matter(card)["configs"] if "responses" in each["data_files"]]
    after = export("everyday@2", format)[0]
    assert gone.code not in after[f"responses.{format}"]
    assert "answers of 7 people who agreed" in after["README.md"]


def test_no_word_of_a_participant_is_in_the_card(decided, export):
    freeze(decided)
    texts, _ = export("everyday")
    rows = [json.loads(line) for line in texts["responses.jsonl"].splitlines()]
    assert rows
    assert not [row for row in rows if row["text"] in texts["README.md"]]
    assert not [row for row in rows if row["participant"] in texts["README.md"]]


def test_an_imported_data_set_says_that_its_making_is_not_told(sample, export):
    card = export("lantern_coast")[0]["README.md"]
    for title in ("How it was collected", "How it was annotated"):
        assert section(card, title).strip().startswith("Not here.")
    assert sample.about["source"]["sha256"] in section(card, "What this is")
    assert "accepted_by" not in card
    assert "> **Simulated.**" in card
    assert "simulated" in front_matter(card)["tags"]


def test_a_built_release_names_what_it_was_built_from(sample, export):
    services.build_items("ra_mcq", sample, "coast", actor="test")
    card = export("coast")[0]["README.md"]
    assert f"| Built from | lantern_coast@1, SHA-256 {sample.sha256} |" in card
    assert "As lantern_coast@1, from which it was built." in section(card, "How it was collected")
    assert front_matter(card)["task_categories"] == ["multiple-choice"]
    assert "payload.options" in card
    assert "payload.gold" not in card


def test_a_release_frozen_before_the_manifest_said_more_has_a_card(decided, export, as_alice):
    release, _ = freeze(decided)
    about = release.about
    for region in about["regions"]:
        del region["places"]
    kept = ("slug", "country", "ethics_number", "participants")
    about["study"] = {name: about["study"][name] for name in kept}
    manifest = canonical.dumps(about)
    Release.objects.update(manifest=manifest.decode(), sha256=canonical.sha256(manifest))
    card = export("everyday")[0]["README.md"]
    assert "Its manifest does not say." in section(card, "How it was annotated")
    assert "| Kept: accepted and in the results | 8 |" in card
    assert "Places" not in section(card, "Regions")
    assert as_alice.get(reverse("releases:card", args=("everyday", 1))).status_code == 200


@pytest.mark.parametrize(
    ("said", "license"),
    [
        ("", {"license": "unknown"}),
        ("CC0-1.0", {"license": "cc0-1.0"}),
        ("cc by 4.0", {"license": "cc-by-4.0"}),
        (
            "Ask us: first",
            {
                "license": "other",
                "license_name": "ask-us-first",
                "license_details": "Ask us: first",
            },
        ),
    ],
)
def test_a_licence_without_an_identifier_keeps_its_words(sample, export, said, license):
    Release.objects.update(licence=said)
    found = front_matter(export("lantern_coast")[0]["README.md"])
    assert {name: found[name] for name in found if name.startswith("license")} == license


def test_nothing_in_a_title_becomes_markup(as_bytes, question, export):
    title = "# *Tea* | <b>\n`cups` [x](y) {z} %"
    data = as_bytes(question("a"), title=title)
    services.import_bytes(data, "x", "indica", "x", actor="test")
    Release.objects.update(title=title)
    card = export("x")[0]["README.md"]
    assert "\n# \\# \\*Tea\\* \\| \\<b> \\`cups\\` \\[x\\](y) {z} %\n" in card
    assert "  title = {\\# *Tea* | <b> cups [x](y) z \\%},\n" in card
    assert front_matter(card)["pretty_name"] == "# *Tea* | <b> `cups` [x](y) {z} %"


@pytest.mark.parametrize(
    ("text", "written"),
    [("1. of May", "1\\. of May"), ("- a", "\\- a"), ("> a", "\\> a"), ("a_b _c_", "a_b \\_c\\_")],
)
def test_no_line_begins_a_list_or_quotation_by_chance(text, written):
    assert markdown.escaped(text) == written


@pytest.mark.parametrize(
    ("rows", "name"), [(999, "n<1K"), (1000, "1K<n<10K"), (10**5, "100K<n<1M"), (10**6, "n>1M")]
)
def test_sizes_have_the_names_the_field_uses(rows, name):
    assert markdown.size(rows) == name


OF_ARTIFACTS = {
    *("clues.jsonl", "transcripts.jsonl"),
    *("artifacts.csv", "names.csv", "ratings.csv", "clues.csv", "words.csv"),
}


def names_in(row, prefix=""):
    """Dotted names of an object as deep as they are described."""
    for name, value in row.items():
        inside = isinstance(value, dict) and name in ("payload", "relations")
        yield from names_in(value, f"{prefix}{name}.") if inside else [f"{prefix}{name}"]


def test_every_field_of_every_file_is_described_and_nothing_else(decided, sample, export):
    decided.come(decided.first, tea="With sugar.")
    freeze(decided, accepted="came late")
    services.build_items("ra_mcq", sample, "coast", actor="test")
    held: dict[str, set[str]] = {}
    for label in ("everyday", "coast", "lantern_coast"):
        texts = export(label)[0]
        held.setdefault("manifest.json", set()).update(json.loads(texts.pop("manifest.json")))
        del texts["README.md"]
        for name, text in texts.items():
            rows = [json.loads(line) for line in text.split("\n") if line]
            held.setdefault(name, set()).update(each for row in rows for each in names_in(row))
        tables = export(label, "csv")[0]
        del tables["README.md"]
        for name, text in tables.items():
            held[name] = set(next(csv.reader(StringIO(text))))
    held["manifest.json"].add("supersedes")  # only after a withdrawal
    described = {name: set(each) for name, each in fields.FILES.items()}
    described["manifest.json"].remove("licence_text")  # of a data set that came with it
    described["items.jsonl"] = set(fields.of("items.jsonl", {"question", "choice"}, {}))
    assert held == {name: each for name, each in described.items() if name not in OF_ARTIFACTS}


def test_the_documentation_names_every_file_and_field():
    words = set(re.findall(r"`([^`\n]+)`", DOCS.read_text()))
    for name, described in fields.FILES.items():
        assert name in words
        assert set(described) <= words, name


def test_the_page_of_the_card_says_what_the_file_says(decided, as_alice):
    freeze(decided)
    page = as_alice.get(reverse("releases:card", args=("everyday", 1)))
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))
    assert "Somebody stands for a region who has lived more than 50 % of their life" in words
    assert "Agreement within a region 3 100.0 % (43.9 % to 100.0 %)" in words
    assert "@misc{everyday-1," in words
    release = as_alice.get(reverse("releases:detail", args=("everyday", 1))).content.decode()
    for name in ("card", "readme", "responses"):
        assert reverse(f"releases:{name}", args=("everyday", 1)) in release


def test_whoever_may_not_see_the_release_gets_no_card(decided, client, bob):
    freeze(decided)
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    for name in ("card", "readme", "responses"):
        assert client.get(reverse(f"releases:{name}", args=("everyday", 1))).status_code == 404


def test_an_export_that_cannot_be_whole_is_not_begun(decided, tmp_path, private):
    release, _ = freeze(decided)
    part = release.parts.get(name="responses")
    (private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl").write_bytes(b"{}\n")
    with pytest.raises(CommonplaceError) as refused:
        export_release(release, "jsonl", tmp_path / "out")
    assert refused.value.code == "release.bytes_changed"
    assert not (tmp_path / "out").exists()
