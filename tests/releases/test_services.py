"""Freezing: what is stored, what is the same, what is refused."""

import hashlib
import json
import os
import threading
from pathlib import Path

import pytest
from django.db import connection
from django.urls import reverse

from core.errors import CommonplaceError
from core.models import AuditEntry
from releases import canonical, selectors, services, storing
from releases.models import Finding, Item, Part, Release

ABOUT = {"licence": "CC0-1.0", "title": "Small"}


def index(release):
    """The rows below a release, without their ids."""
    items = release.items.values_list("position", "key", "kind", "labels", "payload", "folded")
    findings = release.findings.values_list("code", "item", "detail", "accepted_by", "reason")
    return list(items), list(findings)


def refusal(caught):
    return caught.value.code


@pytest.fixture
def small(db, question, as_bytes):
    """Two questions, one of them with three different answers."""
    answers = {"Hill": "bow.", "Coast": "wave.", "Plain": "nod."}
    data = as_bytes(question("a", answers), question("b", agree=[("Hill", "Coast")]), **ABOUT)
    return services.import_bytes(data, "small.json", "indica", "small", actor="test").release


def test_an_import_freezes_bytes_whose_hashes_name_them(small, private):
    assert small.status == Release.Status.FROZEN
    assert small.sha256 == hashlib.sha256(small.manifest.encode()).hexdigest()
    assert small.label == "small@1"
    for stated in small.about["parts"]:
        part = small.parts.get(name=stated["name"])
        data = storing.read(part)
        assert hashlib.sha256(data).hexdigest() == stated["sha256"] == part.sha256
        assert (len(data), data.count(b"\n")) == (stated["bytes"], stated["rows"])
        assert (private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl").exists()


def test_the_manifest_says_where_the_release_comes_from(small, question, as_bytes):
    about = small.about
    assert about["source"]["format"] == "indica"
    assert about["source"]["file"] == "small.json"
    assert (about["source"]["read"], about["source"]["refused"]) == (2, 0)
    assert (about["licence"], about["title"], about["language"]) == ("CC0-1.0", "Small", "en")
    assert (about["groups"], about["simulated"], about["schema_version"]) == ({}, False, 1)
    assert [region["slug"] for region in about["regions"]] == ["Hill", "Coast", "Plain"]


def test_the_same_bytes_give_the_same_release(indica, indica_bytes):
    again = services.import_bytes(indica_bytes, "renamed.json", "indica", actor="someone")
    assert (again.release, again.created) == (indica, False)
    assert (again.read, again.kept, again.refused) == (515, 515, [])
    assert Release.objects.count() == 1
    assert Item.objects.count() == 515
    assert AuditEntry.objects.filter(action="release.imported").count() == 1


def test_the_same_bytes_under_another_name_are_another_release(small, question, as_bytes):
    answers = {"Hill": "bow.", "Coast": "wave.", "Plain": "nod."}
    data = as_bytes(question("a", answers), question("b", agree=[("Hill", "Coast")]), **ABOUT)
    other = services.import_bytes(data, "small.json", "indica", "other", actor="test")
    assert other.created
    assert other.release.sha256 != small.sha256
    assert other.release.parts.get(name="items").sha256 == small.parts.get(name="items").sha256


def test_other_bytes_under_a_taken_name_are_refused_and_nothing_changes(small, question, as_bytes):
    before = index(small)
    with pytest.raises(CommonplaceError) as caught:
        services.import_bytes(as_bytes(question("z")), "z.json", "indica", "small", actor="test")
    assert refusal(caught) == "release.name_taken"
    assert Release.objects.get() == small
    assert index(small) == before


@pytest.mark.parametrize(
    "name", ["", "a b", "a@1", "a/b", "-a", ".a", "a" * 81, "a\n", "\u09be", "a\u200b", "\ud800"]
)
def test_a_name_that_could_not_be_asked_for_is_refused(db, question, as_bytes, name):
    with pytest.raises(CommonplaceError) as caught:
        services.import_bytes(as_bytes(question("a")), "a.json", "indica", name, actor="test")
    assert refusal(caught) == "release.name_invalid"
    assert caught.value.message.encode()
    assert not Release.objects.exists()


@pytest.mark.parametrize("name", ["কলকাতা", "हिन्दी-१", "tiếng.việt", "e\u0301"])
def test_a_name_may_be_of_any_script_and_has_pages(as_alice, question, as_bytes, name):
    data = as_bytes(question("a"))
    release = services.import_bytes(data, "a.json", "indica", name, actor="test").release
    for page in ("detail", "questions", "findings"):
        address = reverse(f"releases:{page}", args=(name, 1))
        assert as_alice.get(address).status_code == 200
    assert release.label == f"{name}@1"


def test_a_file_that_cannot_be_read_is_refused(db, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (
        *(tmp_path / "missing.json", tmp_path, tmp_path / "pipe", Path("/dev/zero")),
        tmp_path / "\udcff.json",
    ):
        with pytest.raises(CommonplaceError) as caught:
            services.import_release(path, "indica", actor="test")
        assert refusal(caught) == "import.unreadable"
        assert json.dumps(caught.value.as_dict(), ensure_ascii=False).encode()


def test_a_file_name_that_is_no_text_is_kept_as_far_as_it_is(db, question, as_bytes):
    data = as_bytes(question("a"))
    release = services.import_bytes(data, "\udcffa.json", "indica", "a", actor="test").release
    assert release.about["source"]["file"] == "\N{REPLACEMENT CHARACTER}a.json"


def test_a_file_beyond_the_limit_is_refused(db, tmp_path, monkeypatch):
    monkeypatch.setattr("releases.services.importing.LARGEST_FILE", 10)
    (tmp_path / "big.json").write_bytes(b"{" * 11)
    with pytest.raises(CommonplaceError) as caught:
        services.import_release(tmp_path / "big.json", "indica", actor="test")
    assert refusal(caught) == "import.too_large"


def test_a_whole_file_fault_leaves_nothing_behind(db, private):
    with pytest.raises(CommonplaceError):
        services.import_bytes(b"{}", "a.json", "indica", "a", actor="test")
    assert not Release.objects.exists()
    assert not Part.objects.exists()
    assert not private.exists()


def test_refused_rows_are_told_and_the_rest_is_frozen(db, question, as_bytes):
    data = as_bytes(question("a"), question("b", universal_agreement="no"), question("c"))
    result = services.import_bytes(data, "x.json", "indica", "x", actor="test")
    assert (result.read, result.kept) == (3, 2)
    assert [row["line"] for row in result.refused] == [2]
    assert result.release.about["source"]["refused"] == 1
    again = services.import_bytes(data, "x.json", "indica", "x", actor="test")
    assert (again.created, again.refused) == (False, result.refused)


def test_the_index_is_what_a_rebuild_from_the_bytes_gives(indica):
    before = index(indica)
    indica.items.filter(position__lt=100).delete()
    indica.items.filter(position=200).update(key="changed", folded="")
    Finding.objects.filter(release=indica).update(code="changed")
    services.rebuild_index(indica)
    assert index(indica) == before
    assert len(before[0]) == 515


def test_tampered_bytes_are_noticed_and_the_index_stays(small, private):
    part = small.parts.get(name="items")
    path = private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl"
    whole, before = path.read_bytes(), index(small)
    for damage in (whole.replace(b"bow", b"cow"), whole[:-1], b"", None):
        path.unlink(missing_ok=True)
        if damage is not None:
            path.write_bytes(damage)
        for use in (
            lambda: storing.read(part),
            lambda: services.rebuild_index(small),
            lambda: services.build_items("ra_mcq", small, "items", actor="test"),
        ):
            with pytest.raises(CommonplaceError) as caught:
                use()
            assert refusal(caught) == "release.bytes_changed"
    assert index(small) == before


def test_a_damaged_file_is_mended_by_writing_the_right_bytes_again(small, private):
    part = small.parts.get(name="items")
    data = storing.read(part)
    (private / "parts" / part.sha256[:2] / f"{part.sha256}.jsonl").write_bytes(b"half")
    assert storing.write(data) == part.sha256
    assert storing.read(part) == data


@pytest.mark.django_db(transaction=True)
def test_imports_at_the_same_time_make_one_release(question, as_bytes):
    data, results, faults = as_bytes(question("a"), question("b")), [], []

    def run():
        try:
            results.append(services.import_bytes(data, "a.json", "indica", "a", actor="test"))
        except CommonplaceError as error:
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert sorted(result.created for result in results) == [False, False, False, True]
    assert Release.objects.get().items.count() == 2


def test_built_items_are_a_release_with_its_parent_and_recipe(small):
    built = services.build_items("ra_mcq", small, "items", "agreement", 7, actor="test")
    assert built.parent == small
    assert built.about["parent"] == {"release": "small@1", "sha256": small.sha256}
    assert built.about["recipe"] == {"kind": "ra_mcq", "preset": "agreement", "seed": 7}
    assert built.licence == "CC0-1.0"
    assert built.title == "Multiple choice from Small, by agreement"
    other = services.build_items("ra_mcq", small, "other", "as-published", actor="test")
    assert other.title == "Multiple choice from Small, as published"
    (item,) = built.items.all()
    assert (item.key, item.kind, item.payload["source"]) == ("a", "choice", "a")
    assert item.payload["options"][1] == {"text": {"en": "Wave."}, "regions": ["Coast"]}


@pytest.mark.parametrize("preset", ["agreement", "as-published"])
def test_a_question_with_more_options_than_letters_is_left_out_with_a_finding(
    db, question, as_bytes, preset
):
    many = {f"vale_{number}": f"people greet in way {number}." for number in range(27)}
    data = as_bytes(question("a", many), question("b", many | {"vale_0": None}))
    source = services.import_bytes(data, "many.json", "indica", "many", actor="test").release
    built = services.build_items("ra_mcq", source, "items", preset, actor="test")
    assert [item.key for item in built.items.all()] == ["b"]
    found = built.findings.get(code="too_many_options")
    assert (found.item, found.detail) == ("a", {"options": 27})


def test_the_same_recipe_under_the_same_name_gives_the_same_release_and_another_is_refused(small):
    first = services.build_items("ra_mcq", small, "items", actor="test")
    assert services.build_items("ra_mcq", small, "items", "agreement", actor="test") == first
    with pytest.raises(CommonplaceError) as caught:
        services.build_items("ra_mcq", small, "items", "as-published", actor="test")
    assert refusal(caught) == "release.name_taken"


def test_a_built_release_can_be_rebuilt_from_its_bytes(indica):
    built = services.build_items("ra_mcq", indica, "items", "as-published", actor="test")
    before = index(built)
    built.items.all().delete()
    services.rebuild_index(built)
    assert index(built) == before


@pytest.mark.parametrize(
    ("kind", "preset", "code"),
    [
        ("guess", None, "build.unknown_kind"),
        ("choice", None, "build.unknown_kind"),
        ("ra_mcq", "mine", "preset.unknown"),
    ],
)
def test_an_unknown_recipe_is_refused(small, kind, preset, code):
    with pytest.raises(CommonplaceError) as caught:
        services.build_items(kind, small, "items", preset, actor="test")
    assert refusal(caught) == code


def test_items_are_built_from_questions_only_and_never_empty(small, question, as_bytes):
    built = services.build_items("ra_mcq", small, "items", actor="test")
    with pytest.raises(CommonplaceError) as caught:
        services.build_items("ra_mcq", built, "again", actor="test")
    assert refusal(caught) == "build.wrong_source"
    alike = services.import_bytes(as_bytes(question("a")), "x", "indica", "alike", actor="test")
    with pytest.raises(CommonplaceError) as caught:
        services.build_items("ra_mcq", alike.release, "none", "as-published", actor="test")
    assert refusal(caught) == "build.nothing_built"


def test_what_was_done_stands_in_the_audit_trail(small):
    services.build_items("ra_mcq", small, "items", actor="alice@example.org")
    imported, built = AuditEntry.objects.order_by("id")
    assert (imported.action, imported.object_id) == ("release.imported", "small@1")
    assert (built.actor, built.action, built.object_id) == (
        "alice@example.org",
        "release.built",
        "items@1",
    )


def test_the_sample_is_simulated_consistent_and_can_be_asked(sample):
    again = services.import_sample("test")
    assert (again.release, again.created, again.refused) == (sample, False, [])
    assert (sample.label, sample.simulated) == ("lantern_coast@1", True)
    described = selectors.describe(sample)
    assert described["items"] >= 24
    assert len(described["regions"]) == 4
    assert len(described["domains"]) >= 4
    assert described["universal"]["agree"] > 0
    assert min(c["answered"] for c in described["coverage"].values()) < described["items"]
    built = services.build_items("ra_mcq", sample, "coast-items", actor="test")
    assert built.simulated
    assert built.items.count() >= 10
    assert not built.findings.exists()


def test_every_frozen_row_is_canonical(indica):
    data = storing.read(indica.parts.get(name="items"))
    assert canonical.lines(canonical.rows(data)) == data


def test_two_options_of_equal_text_are_a_finding_of_the_built_release(db, question, as_bytes):
    answers = {"Hill": "bow.", "Coast": "bow.", "Plain": "nod."}
    source = services.import_bytes(as_bytes(question("a", answers)), "a", "indica", actor="t")
    built = services.build_items("ra_mcq", source.release, "items", actor="test")
    (finding,) = built.findings.all()
    assert (finding.code, finding.item) == ("same_text_disagree", "a")
    assert finding.detail == {"a": "Hill", "b": "Coast"}
