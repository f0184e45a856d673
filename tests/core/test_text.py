import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CommonplaceError
from core.text import alphabetical, clean, fold, script, spelt_alike, storable, words

QA_COMPOSED = "\u0958"
QA_DECOMPOSED = "\u0915\u093c"
KSSA = "\u0915\u094d\u0937"
KSSA_ZWJ = "\u0915\u094d\u200d\u0937"
KSSA_ZWNJ = "\u0915\u094d\u200c\u0937"

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "  two spaces  ",
        "line\r\nline",
        "\u000b",
        KSSA_ZWJ,
        KSSA_ZWNJ,
        QA_COMPOSED,
        QA_DECOMPOSED,
        "தொ",
        "اردو",
        "👨‍👩‍👧",
        "😀",
    ],
)
def test_what_a_person_typed_is_kept_code_point_by_code_point(typed):
    assert clean(typed) == typed
    assert storable(typed) == (typed, False)


@pytest.mark.parametrize(
    ("typed", "position", "character"),
    [("a\x00b", 1, "U+0000"), ("\ud83d", 0, "U+D83D"), ("ok\udc00", 2, "U+DC00")],
)
def test_text_no_database_holds_is_refused_from_people(typed, position, character):
    with pytest.raises(CommonplaceError) as refusal:
        clean(typed)
    assert refusal.value.code == "text.not_storable"
    assert refusal.value.data == {"position": position, "character": character}
    refusal.value.message.encode()


def test_a_models_text_is_made_storable_and_flagged():
    assert storable("a\x00b\ud800c") == ("a\ufffdb\ufffdc", True)


@given(any_text)
def test_storable_text_is_always_accepted_and_encodes(text):
    kept, changed = storable(text)
    assert clean(kept).encode().decode() == kept
    assert changed == (kept != text)
    assert len(kept) == len(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (QA_COMPOSED, QA_DECOMPOSED),
        ("\u09dc", "\u09a1\u09bc"),
        (KSSA, KSSA_ZWJ),
        (KSSA, KSSA_ZWNJ),
        ("\u0bca", "\u0bc6\u0bbe"),  # Tamil vowel sign o, whole and in two parts
        ("ＤＩＷＡＬＩ", "diwali"),
        ("Straße", "STRASSE"),
        ("ﬁre", "FIRE"),
        ("e\u0301", "É"),
        ("a\u200d\u0301", "á"),
        ("non\u2011veg", "non-veg"),
        ("1990–95", "1990-95"),
        ("grandma’s ´x´", "GRANDMA's 'x'"),
        ("“so”", '"so"'),
        ("″", '"'),
        ("soft\u00adly\ufeff", "softly"),
        ("❤\ufe0f", "❤"),
        ("\u202bاردو\u202c", "اردو"),
        (" a\u00a0\u3000b\r\n\tc\x1c\x1d\u2028d\u200b ", "a b c d"),
    ],
)
def test_texts_people_take_for_the_same_fold_to_the_same(left, right):
    assert fold(left) == fold(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("रम", "राम"),
        ("पल", "फल"),
        ("si", "şi"),
        ("a b", "ab"),
        ("दिवाली।", "दिवाली"),
        ("10", "100"),
    ],
)
def test_texts_that_differ_in_letters_stay_apart(left, right):
    assert fold(left) != fold(right)


def test_folding_leaves_a_text_of_blanks_empty():
    assert fold(" \u200d\u00a0\u2003\x1f") == ""


@given(any_text)
def test_folding_twice_changes_nothing(text):
    folded = fold(text)
    assert fold(folded) == folded
    assert unicodedata.is_normalized("NFKC", folded)


def test_every_assigned_character_folds_to_something_stable():
    characters = (chr(code) for code in range(sys.maxunicode + 1))
    assigned = [c for c in characters if unicodedata.category(c) not in {"Cn", "Co", "Lo"}]
    assert len(assigned) > 10_000
    for character in assigned:
        folded = fold(f"a{character}\u0301")
        assert fold(folded) == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("हिन्दी", ["हिन्दी"]),
        ("शुभ दिवाली।", ["शुभ", "दिवाली"]),
        ("राम॥ सीता", ["राम", "सीता"]),
        ("বাংলা ভাষা", ["বাংলা", "ভাষা"]),
        (f"{KSSA_ZWJ} {KSSA_ZWNJ}", [KSSA_ZWJ, KSSA_ZWNJ]),
        ("jalebi fafda, non-veg", ["jalebi", "fafda", "non", "veg"]),
        ("don't ‘quote’ me", ["don't", "quote", "me"]),
        ("१२ and 12 snake_case", ["१२", "and", "12", "snake", "case"]),
        ("❤\ufe0f 👨‍👩‍👧 …", []),
        ("", []),
    ],
)
def test_words_keep_marks_and_joiners_and_drop_punctuation(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    "texts",
    [
        ["Ávila", "avila 2", "Brassgate", "Zaguán", "Zorra"],
        ["resume", "résumé", "résumé 2"],
        ["कंस", "कल", "का", "की", "के", "खत"],
        ["কলকাতা", "কাশী", "ঢাকা"],
    ],
)
def test_readers_find_a_text_where_their_alphabet_has_it(texts):
    turned = texts[1:] + texts[:1]
    assert sorted(turned, key=alphabetical) == texts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Raksha Bandhan", "Rakshabandhan"),
        ("दीवाली", "Diwali"),
        ("Thakur", "ঠাকুর"),
        ("chai-walla", "Chaiwala"),
        ("Diwali", "Deepawali"),
        ("Deepavali", "Diwaali"),
    ],
)
def test_one_word_in_two_spellings_is_spelt_alike(one, other):
    assert spelt_alike([one, other]) == [[0, 1]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vishu", "Vishnu"),
        ("silk", "silk and cotton"),
        ("Pongal", "Lohri"),
        ("दिन", "दीन"),
        ("1100 rupees", "100 rupees"),
        ("pavilion", "villain"),
        ("", ""),
        ("...", "!"),
    ],
)
def test_two_words_are_not(one, other):
    assert [0, 1] not in spelt_alike([one, other])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Diwali", "Latin"),
        ("Ｄｉｗａｌｉ", "Latin"),
        ("দীপাবলি", "Bengali"),
        ("दीपावली", "Devanagari"),
        ("தீபாவளி (Deepavali)", "Latin"),
        ("दीपावली का दिया (diya)", "Devanagari"),
        ("ᱥᱟᱱᱛᱟᱲᱤ", "Ol Chiki"),
        ("春节", "CJK"),
        ("설날", "Hangul"),
        ("چائے", "Arabic"),
        ("2026!", ""),
    ],
)
def test_a_text_is_written_in_the_script_of_most_of_its_letters(text, expected):
    assert script(text) == expected
