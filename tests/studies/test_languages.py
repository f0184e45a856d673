"""Language tags, texts in several languages, and the order of fallback."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CommonplaceError
from studies import languages


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("en", "en"),
        ("HI-latn", "hi-Latn"),
        ("pt-br", "pt-BR"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("sl-rozaj-biske", "sl-rozaj-biske"),
        ("en-x-Coast", "en-x-coast"),
        ("es-419", "es-419"),
        ("no", "no"),
    ],
)
def test_a_tag_is_kept_in_its_recommended_spelling(written, kept):
    assert languages.tag(written) == kept
    assert languages.tag(kept) == kept


@pytest.mark.parametrize(
    "written", ["", "e", "english language", "en_GB", "en-", "12", "en--us", "klingon"]
)
def test_what_is_no_tag_is_refused(written):
    with pytest.raises(CommonplaceError) as refused:
        languages.tag(written)
    assert refused.value.code == "language.tag"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Hindi", "hi (हिंदी)"),
        ("english", "en (English)"),
        ("বাংলা", "bn (বাংলা)"),
        ("Gujarati", "gu"),
        ("Deutsch", "de (Deutsch)"),
    ],
)
def test_the_name_of_a_language_is_refused_with_the_tag_it_means(written, meant):
    with pytest.raises(CommonplaceError) as refused:
        languages.tag(written)
    assert f"“{written}” is not a language tag; did you mean {meant}?" in refused.value.message


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("hi", "Hindi (hi)"),
        ("hi-Latn", "Hindi (hi-Latn)"),
        ("zh-Hant", "Traditional Chinese (zh-Hant)"),
        ("or", "Odia (or)"),
        ("qaa", "qaa"),
        ("x-coast", "x-coast"),
    ],
)
def test_a_language_is_named_in_english_with_its_tag(tag, name):
    assert languages.in_english(tag) == name


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("a text", "language.map"),
        ({"en": " \n"}, "language.empty_text"),
        ({"en": 7}, "language.empty_text"),
        ({"english!": "x"}, "language.tag"),
        ({"pt-BR": "x", "pt-br": "y"}, "language.twice"),
        ({"en": "a\x00b"}, "text.not_storable"),
    ],
)
def test_a_map_that_is_none_is_refused(given, code):
    with pytest.raises(CommonplaceError) as refused:
        languages.texts(given)
    assert refused.value.code == code


def test_a_text_is_kept_as_typed():
    assert languages.texts({"HI": "  क्\u200dष "}) == {"hi": "  क्\u200dष "}


@pytest.mark.parametrize(
    ("given", "code"), [([], "language.none"), (["en", "EN"], "language.twice")]
)
def test_a_study_has_languages_and_each_once(given, code):
    with pytest.raises(CommonplaceError) as refused:
        languages.tags(given)
    assert refused.value.code == code


_MAPS = st.dictionaries(st.sampled_from(["en", "es", "hi", "ur"]), st.text(min_size=1))


@given(_MAPS, st.permutations(["en", "es", "hi", "ur"]))
def test_the_text_shown_is_the_first_of_the_wanted_order(texts, order):
    tag, text = languages.choose(texts, order)
    assert (tag, text) == next(((t, texts[t]) for t in order if t in texts), ("", ""))


def test_a_text_in_no_wanted_language_is_still_shown():
    assert languages.choose({"ur": "ساحل"}, ["en"]) == ("ur", "ساحل")


@pytest.mark.parametrize(
    ("tag", "direction"),
    [("ur", "rtl"), ("ur-Latn", "ltr"), ("pa-Arab", "rtl"), ("en", "ltr"), ("x-ar", "ltr")],
)
def test_direction_comes_from_the_tag(tag, direction):
    assert languages.direction(tag) == direction
