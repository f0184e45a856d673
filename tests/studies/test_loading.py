"""load_study through the command's door: whole or not at all, and twice is once."""

import importlib
import json
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command

from core.models import AuditEntry
from studies.models import (
    Activity,
    ConsentDocument,
    Membership,
    Participant,
    Place,
    Region,
    Residence,
    Study,
)

pytestmark = pytest.mark.django_db
ROWS = (Study, Region, Place, Activity, ConsentDocument, Membership, AuditEntry)


@pytest.fixture
def load(tmp_path):
    """Write a text to a file and load it: (exit, the object printed)."""

    def run(text, *arguments):
        path = tmp_path / "study.yaml"
        path.write_text(text)
        out, code = StringIO(), 0
        try:
            call_command("load_study", str(path), "--json", *arguments, stdout=out)
        except SystemExit as exit:
            code = exit.code
        return code, json.loads(out.getvalue())

    return run


def rows():
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in ROWS}


def test_a_file_becomes_a_study_owned_by_the_first_administrator(load, sample_text, alice):
    code, result = load(sample_text)
    assert (code, result["created"]) == (0, True)
    assert result["regions"] == ["harbour", "terraces", "marsh", "moor"]
    assert result["url"] == "/studies/lantern_coast/"
    study = Study.objects.get()
    assert [m.user for m in study.memberships.filter(role="owner")] == [alice]
    assert study.places.count() == 12
    assert study.activities.get().amount_minor == 1250


def test_an_installation_without_accounts_loads_a_study_too(load, sample_text, db):
    assert load(sample_text)[0] == 0
    assert not Membership.objects.exists()


def test_an_owner_can_be_named(load, sample_text, alice, bob):
    load(sample_text, "--owner", "BOB@example.org")
    assert Membership.objects.get().user == bob


def test_an_owner_nobody_knows_stops_everything(load, sample_text, db):
    code, result = load(sample_text, "--owner", "nobody@example.org")
    assert (code, result["error"]["code"]) == (1, "account.unknown")
    assert not Study.objects.exists()


def test_loading_the_same_file_twice_changes_nothing_and_says_so(load, sample_text, alice, capsys):
    load(sample_text)
    before = rows()
    assert load(sample_text)[1] | {"changes": [], "created": False} == load(sample_text)[1]
    assert rows() == before


def test_a_changed_file_updates_what_differs_and_nothing_else(load, sample_text, alice):
    load(sample_text)
    codes = Activity.objects.get().codes
    text = sample_text.replace("target: 5", "target: 8", 1).replace("12.50", "13")
    code, result = load(text.replace("Windlow", "Windlow Green"))
    assert code == 0
    assert sorted(result["changes"]) == [
        "activity everyday_life: amount_minor",
        "region harbour: target",
        "region moor: places",
    ]
    assert Region.objects.get(slug="harbour").target == 8
    assert Activity.objects.get().codes == codes


def test_what_a_place_is_called_in_another_language_changes_and_comes_and_goes(
    load, sample_text, alice
):
    load(sample_text)
    row = Place.objects.get(name="Lower Quay")
    assert row.names == {"en": "Lower Quay", "es": "Muelle Bajo"}
    for names in ("{en: Lower Quay, es: Muelle}", "Lower Quay", "{es: Muelle, en: Lower Quay}"):
        text = sample_text.replace("{en: Lower Quay, es: Muelle Bajo}", names)
        assert load(text)[1]["changes"] == ["region harbour: places"]
        assert load(text)[1]["changes"] == []
    row.refresh_from_db()
    assert row.names == {"en": "Lower Quay", "es": "Muelle"}


def test_places_from_before_they_had_languages_are_called_as_in_the_first(load, sample_text, alice):
    text = sample_text.replace("{en: Lower Quay, es: Muelle Bajo}", "Lower Quay")
    load(text)
    Place.objects.update(names={})
    migration = importlib.import_module("studies.migrations.0004_places_in_languages")
    migration.name_in_first_language(apps, None)
    assert Place.objects.get(name="Lower Quay").names == {"en": "Lower Quay"}
    assert load(text)[1]["changes"] == ["region terraces: places"]


def test_names_can_change_hands_between_places_of_two_regions(load, sample_text, alice):
    load(sample_text)
    text = sample_text.replace("es: Muelle Bajo", "es: Tres Pozos", 1)
    text = text.replace("Wells, es: Tres Pozos", "Wells, es: Muelle Bajo")
    code, result = load(text)
    assert (code, result["changes"]) == (0, ["region harbour: places", "region terraces: places"])
    assert Place.objects.get(name="Three Wells").names["es"] == "Muelle Bajo"


def test_a_place_can_move_to_another_region(load, sample_text, alice):
    load(sample_text)
    text = sample_text.replace(", Saltmarket", "").replace("[Hollin", "[Saltmarket, Hollin")
    back = load(text)[1]["changes"], load(sample_text)[1]["changes"]
    assert back[0] == ["region harbour: places", "region moor: places"]
    assert Place.objects.get(name="Saltmarket").region.slug == "harbour"
    assert load(sample_text)[1]["changes"] == []


def test_a_region_left_out_is_removed(load, sample_text, alice):
    load(sample_text)
    start, end = sample_text.index("  terraces:"), sample_text.index("  marsh:")
    _, result = load(sample_text[:start] + sample_text[end:])
    assert "region terraces: removed" in result["changes"]
    assert not Region.objects.filter(slug="terraces").exists()


def test_other_consent_words_are_a_new_version_and_the_old_one_stays(load, sample_text, alice):
    load(sample_text)
    _, result = load(sample_text.replace("about 25 minutes", "about 30 minutes"))
    assert result["changes"] == ["consent: texts"]
    assert [d.version for d in ConsentDocument.objects.all()] == [2, 1]


def test_a_fault_at_the_end_of_the_work_leaves_nothing_behind(load, sample_text, alice):
    load(sample_text)
    participant = Participant.objects.create(study=Study.objects.get(), language="en")
    place = Place.objects.get(name="Windlow")
    Residence.objects.create(participant=participant, place=place, from_year=1990, to_year=2010)
    before = rows()
    text = sample_text.replace("target: 5", "target: 9").replace("Windlow, ", "")
    code, result = load(text)
    assert (code, result["error"]["code"]) == (1, "place.in_use")
    assert rows() == before


def test_a_study_that_collects_takes_only_a_file_that_changes_nothing(load, sample_text, alice):
    load(sample_text)
    Study.objects.update(status=Study.Status.COLLECTING)
    before = rows()
    assert load(sample_text) == (0, load(sample_text)[1] | {"changes": []})
    for text in (
        sample_text.replace("in the Harbour towns", "in the Harbours"),
        sample_text.replace("amount: 12.50", "amount: 13"),
        sample_text.replace("retention_days: 60", "retention_days: 61"),
        sample_text.replace("about 25 minutes", "about 30 minutes"),
    ):
        code, result = load(text)
        assert (code, result["error"]["code"]) == (1, "study.not_in_set_up")
    assert rows() == before


def test_a_file_raises_a_target_and_names_the_recruiter_while_the_study_collects(
    load, sample_text, alice
):
    load(sample_text)
    Study.objects.update(status=Study.Status.COLLECTING)
    text = sample_text.replace("target: 5", "target: 60", 1).replace("LC-2026-014", "LC-2026-015")
    text = text.replace("recruiter: prolific", "recruiter: panel\n    recruiter_study_id: 77")
    _, result = load(text)
    assert result["changes"] == [
        "study: ethics_number",
        "region harbour: target",
        "activity everyday_life: recruiter",
        "activity everyday_life: recruiter_study_id",
    ]
    assert load(text)[1]["changes"] == []
    told = AuditEntry.objects.filter(action__endswith=".changed").values_list("action", flat=True)
    assert sorted(told) == ["activity.changed", "region.changed", "study.changed"]


def test_a_file_with_the_name_of_a_language_in_place_of_its_tag_is_refused(
    load, sample_text, alice
):
    code, result = load(sample_text.replace("languages: [en, es]", "languages: [en, Spanish]"))
    assert (code, result["error"]["code"]) == (1, "study_file.value")
    assert "did you mean es (español)?" in result["error"]["message"]


def test_whether_people_are_simulated_is_decided_once(load, sample_text, alice):
    load(sample_text)
    code, result = load(sample_text.replace("simulated: false", "simulated: true"))
    assert (code, result["error"]["code"]) == (1, "study.simulated_is_fixed")


def test_a_person_reads_what_happened(sample_text, alice, tmp_path):
    path = tmp_path / "study.yaml"
    said = []
    for text in (sample_text, sample_text, sample_text.replace("60 ", "61 ")):
        path.write_text(text)
        out = StringIO()
        call_command("load_study", str(path), stdout=out)
        said.append(out.getvalue())
    assert said[0].startswith("Created lantern_coast with 4 regions")
    assert said[0].endswith(
        "Next: open_study lantern_coast, or look at it at /studies/lantern_coast/.\n"
    )
    assert "nothing was changed" in said[1]
    assert "study: retention_days" in said[2]


def test_a_file_that_does_not_say_all_ends_with_what_is_still_needed(load, sample_text, alice):
    without = sample_text.partition("\nsurvey:")[0]
    code, result = load(without)
    assert code == 0
    assert result["next"].startswith("Next: complete it at /studies/lantern_coast/. Still needed: ")


def test_a_study_that_is_open_has_no_next_step_to_load(load, sample_text, alice):
    load(sample_text)
    Study.objects.update(status="collecting")
    assert load(sample_text)[1]["next"] == ""
