"""A study file is taken whole, or refused by line with what is allowed."""

import re
from pathlib import Path

import pytest

from core.errors import CommonplaceError
from studies import setup, study_file

ROOT = Path(__file__).resolve().parents[2]


def refusal(text):
    with pytest.raises(CommonplaceError) as refused:
        study_file.parse(text if isinstance(text, bytes) else text.encode())
    return refused.value


def line_of(text, part):
    return next(n for n, line in enumerate(text.splitlines(), start=1) if part in line)


def test_the_sample_is_read_whole(sample_text):
    read = study_file.parse(sample_text.encode())
    assert [region.slug for region in read.regions] == ["harbour", "terraces", "marsh", "moor"]
    assert [region.position for region in read.regions] == [1, 2, 3, 4]
    assert read.regions[2].language == "es"
    assert read.activities[0].amount_minor == 1250
    assert list(read.consent.purposes) == ["take_part", "publish", "audio", "outside_model"]
    assert not read.simulated
    lower_quay = read.regions[0].places[1]
    assert lower_quay == setup.PlaceFacts("Lower Quay", {"en": "Lower Quay", "es": "Muelle Bajo"})
    assert read.regions[0].places[0] == setup.PlaceFacts("Brassgate", {"en": "Brassgate"})


def test_a_typo_in_a_key_suggests_the_near_one(sample_text):
    text = sample_text.replace("    phrases: {en: on the T", "    phrase: {en: on the T")
    error = refusal(text)
    assert error.code == "study_file.unknown_key"
    assert error.data["did_you_mean"] == "phrases"
    assert error.data["line"] == line_of(text, "phrase:")
    assert error.data["key"] == "regions.terraces.phrase"
    assert "Did you mean “phrases”?" in error.message
    assert f"Line {error.data['line']}" in error.message


def test_one_region_alone_is_refused_with_the_reason(sample_text):
    text = re.sub(r"  terraces:.*?(?=activities:)", "", sample_text, flags=re.S)
    error = refusal(text)
    assert error.code == "study_file.one_region"
    assert error.data["value"] == "harbour"
    assert "compares regions" in error.message


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("kind: survey", "kind: quiz", "activities.everyday_life.kind"),
        ("kind: hourly", "kind: weekly", "activities.everyday_life.reward.kind"),
        ("amount: 12.50", "amount: 12.505", "activities.everyday_life.reward.amount"),
        ("currency: EUR", "currency: EURO", "currency"),
        ("Atlantic/Azores", "Atlantic/Lantern", "timezone"),
        ("languages: [en, es]", "languages: [en, en]", "languages"),
        ("languages: [en, es]", "languages: [english!, es]", "languages.1"),
        ("languages: [en, es] ", "languages: en ", "languages"),
        ("more_than_percent: 50", "more_than_percent: 30", "residency.more_than_percent"),
        ("retention_days: 60", "retention_days: soon", "retention_days"),
        ("simulated: false", "simulated: maybe", "simulated"),
        ("study: lantern_coast", "study: Lantern Coast", "study"),
        ("study: lantern_coast", "study: new", "study"),
        ("study: lantern_coast", "study: null", "study"),
        ("study: lantern_coast", "study: ~", "study"),
        ("study: lantern_coast", "study:", "study"),
        ("country: Lantern Coast", "country: NULL", "country"),
        ("{en: Marsh, es: Marisma}", "{en: null, es: Marisma}", "regions.marsh.names.en"),
        ("target: 5", "target: 000000000005" + "0" * 5000, "regions.harbour.target"),
        ("  marsh:", "  Marsh Land:", "regions.Marsh Land"),
        ("language: es", "language: fr", "regions.marsh.language"),
        ("{en: Marsh, es: Marisma}", "{es: Marisma}", "regions.marsh.names"),
        ("{en: Marsh, es: Marisma}", "{en: '', es: Marisma}", "regions.marsh.names"),
        ("{en: Marsh, es: Marisma}", "Marsh", "regions.marsh.names"),
        ("Eelfoot, Longplank", "Eelfoot, eelfoot", "regions.marsh.places.3"),
        ("Eelfoot, Longplank", "Eelfoot, {en: A, es: eelfoot}", "regions.marsh.places.3"),
        ("Eelfoot, Longplank", "Eelfoot, {es: Tabla}", "regions.marsh.places.3"),
        ("Eelfoot, Longplank", "Eelfoot, {en: A, es: ''}", "regions.marsh.places.3.es"),
        ("Eelfoot, Longplank", "Eelfoot, [Longplank]", "regions.marsh.places.3"),
        ("Eelfoot, Longplank", "Eelfoot, A|B", "regions.marsh.places.3"),
        ("Eelfoot, Longplank", "Eelfoot, Windlow", "regions.moor"),
        ("Eelfoot, Longplank", "Eelfoot, {en: A, es: Windlow}", "regions.moor"),
        ("Eelfoot, Longplank", "Eelfoot, Muelle  BAJO", "regions.marsh"),
        ("target: 5", "target: 0", "regions.harbour.target"),
        ("country: Lantern Coast", 'country: "a\\0b"', "country"),
        ("country: Lantern Coast", "country: []", "country"),
    ],
)
def test_a_value_is_refused_by_line_and_key(sample_text, old, new, key):
    assert old in sample_text
    text = sample_text.replace(old, new, 1)
    error = refusal(text)
    assert (error.code, error.data["key"]) == ("study_file.value", key)
    assert error.data["line"] >= 1
    assert error.data["value"] is not None
    assert f"Line {error.data['line']}, {key}: " in error.message


def test_nothing_in_quotes_is_a_text(sample_text):
    text = sample_text.replace("country: Lantern Coast", 'country: "null"', 1)
    assert study_file.parse(text.encode()).facts.country == "null"


def test_what_is_allowed_is_listed(sample_text):
    error = refusal(sample_text.replace("kind: survey", "kind: quiz"))
    assert error.data["allowed"] == ["survey", "game"]
    assert error.data["value"] == "quiz"
    assert "survey, game" in error.message


def test_a_text_in_a_language_the_study_has_not_is_refused(sample_text):
    for old, new in (("es: Marisma", "fr: Marais"), ("es: Muelle Bajo", "fr: Quai")):
        error = refusal(sample_text.replace(old, new))
        assert error.code == "study_file.unknown_key"
        assert error.data["allowed"] == ["en", "es"]


def test_a_place_is_refused_on_its_own_line(sample_text):
    listed = "\n      - Eelfoot\n      - en: Longplank\n        es: eelfoot"
    text = sample_text.replace("[Reedham Landing, Eelfoot, Longplank]", listed)
    error = refusal(text)
    assert error.data["line"] == line_of(text, "- en: Longplank")
    assert "“eelfoot” is listed twice" in error.message


@pytest.mark.parametrize(
    ("key", "dotted"),
    [
        ("currency", "currency"),
        ("target", "regions.harbour.target"),
        ("take_part", "consent.purposes.take_part"),
        ("reward", "activities.everyday_life.reward"),
    ],
)
def test_a_missing_key_is_named(sample_text, key, dotted):
    lines = sample_text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip().startswith(f"{key}:"))
    gone = 3 if key == "take_part" else 1
    error = refusal("\n".join(lines[:at] + lines[at + gone :]))
    assert error.code == "study_file.missing_key"
    assert f"“{dotted}”" in error.message


def test_a_key_that_stands_twice_is_refused_and_never_overwrites(sample_text):
    error = refusal(sample_text.replace("    target: 5", "    target: 5\n    target: 50", 1))
    assert error.code == "study_file.key_twice"
    assert error.data["key"] == "regions.harbour.target"


def test_a_language_called_no_stays_a_language(sample_text):
    text = re.sub(r"\bes:", "no:", sample_text).replace("[en, es]", "[en, no]")
    read = study_file.parse(text.replace("language: es", "language: no").encode())
    assert read.facts.languages == ["en", "no"]
    assert read.regions[2].language == "no"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "study_file.not_yaml"),
        (b"study: [a", "study_file.not_yaml"),
        (b"a: 1\n\tb: 2", "study_file.not_yaml"),
        (b"study: \x00", "study_file.not_yaml"),
        (b"study: \xff", "study_file.not_text"),
        (b"just a sentence", "study_file.value"),
        (b"a: 1\n---\nb: 2", "study_file.not_yaml"),
        (b"#" * (study_file.LARGEST_FILE + 1), "study_file.too_large"),
        (b"study: &a [*a]", "study_file.missing_key"),
    ],
)
def test_what_is_no_study_file_is_refused(data, code):
    assert refusal(data).code == code


def test_nothing_in_a_file_is_ever_run(sample_text):
    text = sample_text.replace("country: Lantern Coast", "country: !!python/name:os.system x")
    assert study_file.parse(text.encode()).facts.country == "x"


def test_the_document_lists_every_key_the_reader_knows():
    keys = (ROOT / "docs" / "study-file.md").read_text().split("## Keys")[1].split("## ")[0]
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", keys))))
    known = {*study_file._STUDY, *study_file._REGION, *study_file._ACTIVITY, *setup.Purpose}
    assert known <= told
