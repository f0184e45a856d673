"""The published question format: what is read, what is refused, what stops the import."""

import json

import pytest

from core.errors import CommonplaceError
from releases import importers

UNUSABLE_KEYS = [
    *("a\nb", "a\x7fb", "a\u2028b", " a", "a\u00a0", "\u200b"),
    *(".", "..", "../a", "a/./b", "a/.."),
]


def parsed(data):
    return importers.parse("indica", data)


def refused(parsed):
    return [(row["line"], row["code"]) for row in parsed.refused]


def test_the_published_file_is_read_whole(indica_parsed):
    assert indica_parsed.read == len(indica_parsed.items) == 515
    assert indica_parsed.refused == []
    assert [region["slug"] for region in indica_parsed.regions] == [
        "North",
        "South",
        "East",
        "West",
        "Central",
    ]
    assert indica_parsed.regions[1]["phrases"] == {"en": "In South India"}
    assert indica_parsed.licence == "CC-BY-4.0"


def test_texts_are_kept_exactly_as_in_the_file(indica_parsed, indica_raw):
    for row, raw in zip(indica_parsed.items, indica_raw, strict=True):
        assert row["payload"]["text"]["en"] == raw["question_text"]
        for region, answers in row["payload"]["gold"].items():
            texts = [answer["text"]["en"] for answer in answers or ()]
            assert texts == ([] if raw[region]["answer"] == ["N/A"] else raw[region]["answer"])


def test_regions_of_any_name_and_number_come_from_the_data(question, as_bytes):
    names = [f"vale_{number}" for number in range(7)]
    answers = {name: f"people greet in way {name}." for name in names}
    found = parsed(as_bytes(question("a", answers), question("b", answers)))
    assert [region["slug"] for region in found.regions] == names
    assert len(found.items[0]["payload"]["relations"]["pairs"]) == 21
    assert found.regions[0]["names"] == {"en": "vale 0"}


def test_a_pair_is_the_same_in_either_order_of_its_names(question, as_bytes):
    swapped = question("a")
    swapped["pairwise_agreements"] = {
        "Plain_Hill": {"agreement": True},
        "Coast_Hill": {"agreement": False},
        "Plain_Coast": {"agreement": False},
    }
    pairs = parsed(as_bytes(swapped)).items[0]["payload"]["relations"]["pairs"]
    assert {"a": "Hill", "b": "Plain", "agree": True} in pairs


def test_region_names_may_hold_the_separator_of_pairs(question, as_bytes):
    answers = {"hill": "a.", "hill_coast": "b.", "far_coast": "c."}
    found = parsed(as_bytes(question("a", answers, agree=[("hill_coast", "far_coast")])))
    agreeing = [p for p in found.items[0]["payload"]["relations"]["pairs"] if p["agree"]]
    assert agreeing == [{"a": "hill_coast", "b": "far_coast", "agree": True}]


def test_several_answers_are_several_gold_texts(question, as_bytes):
    row = question("a", Hill={"answer": ["In the Hill, one.", "In the Hill, two. "]})
    gold = parsed(as_bytes(row)).items[0]["payload"]["gold"]["Hill"]
    assert [answer["text"]["en"] for answer in gold] == ["In the Hill, one.", "In the Hill, two. "]


def test_the_anchor_phrase_is_how_most_answers_open(question, as_bytes):
    rows = [question(str(number)) for number in range(4)]
    rows[0]["Hill"] = {"answer": ["Up here, people bow."]}
    assert parsed(as_bytes(*rows)).regions[0]["phrases"] == {"en": "In the Hill"}


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("People bow, then sit.", "In Hill"),
        ("People bow.", "In Hill"),
        ("Yes, people always bow.", "In Hill"),
        ("Most people of the Hill bow twice, then sit.", "In Hill"),
        ("All over the downhill side, people bow.", "In Hill"),
        ("In the Hill villages, people bow.", "In the Hill villages"),
        ("On the HILLY side, people bow.", "On the HILLY side"),
    ],
)
def test_an_anchor_phrase_is_an_opening_that_names_the_region_and_little_else(
    question, as_bytes, text, phrase
):
    rows = [question(str(number), Hill={"answer": [text]}) for number in range(4)]
    assert parsed(as_bytes(*rows)).regions[0]["phrases"] == {"en": phrase}


def test_a_name_of_a_letter_is_not_found_inside_other_words(question, as_bytes):
    row = question("a", {"A": "bow.", "N": "bow."}, A={"answer": ["Always, people bow."]})
    phrases = [region["phrases"]["en"] for region in parsed(as_bytes(row)).regions]
    assert phrases == ["In A", "In the N"]


@pytest.mark.parametrize("column", ["In the Hill, people bow.", None, [], {}, {"answer": "Bow."}])
def test_a_region_of_the_wrong_shape_everywhere_is_still_a_region(question, as_bytes, column):
    rows = [question(key) | {"Hill": column} for key in "abcd"]
    with pytest.raises(CommonplaceError) as caught:
        parsed(as_bytes(*rows))
    assert caught.value.code == "import.nothing_kept"
    assert {row["code"] for row in caught.value.data["refused"]} == {"import.answer_shape"}
    found = parsed(as_bytes(*rows, question("e")))
    assert [region["slug"] for region in found.regions] == ["Hill", "Coast", "Plain"]
    assert refused(found) == [(line, "import.answer_shape") for line in (1, 2, 3, 4)]


def test_a_misshapen_column_the_flags_name_is_not_lost_where_others_lack_it(question, as_bytes):
    row = question("a")
    row["pairwise_agreements"]["Hill_Island"] = {"agreement": True}
    found = parsed(as_bytes(row | {"Island": "Wave."}, question("b"), question("c")))
    assert refused(found) == [(1, "import.unknown_region")]


@pytest.mark.parametrize("name", ["", " ", "_", "\u200b", "Hill ", "Hi\nll"])
def test_a_region_nobody_could_read_is_refused(question, as_bytes, name):
    with pytest.raises(CommonplaceError) as caught:
        parsed(as_bytes(question("a", {name: "bow.", "Coast": "wave."})))
    assert caught.value.code == "import.region_name"


@pytest.mark.parametrize("language", ['"><script>', "", " de", "de\n", "en_GB", "a" * 9, 7, None])
def test_a_language_that_is_no_tag_is_refused(question, as_bytes, language):
    with pytest.raises(CommonplaceError) as caught:
        parsed(as_bytes(question("a"), language=language))
    assert caught.value.code == "import.language"


@pytest.mark.parametrize("language", ["bn", "pt-BR", "zh-Hant-TW", "x-lantern"])
def test_a_language_may_be_any_tag(question, as_bytes, language):
    assert parsed(as_bytes(question("a"), language=language)).language == language


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"question_text": None}, "import.missing_field"),
        ({"question_topic": None}, "import.missing_field"),
        ({"Coast": None}, "import.missing_field"),
        ({"pairwise_agreements": None}, "import.missing_field"),
        ({"universal_agreement": None}, "import.missing_field"),
        ({"question_id": 7}, "import.field_type"),
        ({"question_text": "  "}, "import.field_type"),
        ({"question_id": "k" * 121}, "import.key_length"),
        ({"question_text": "a\x00b"}, "text.not_storable"),
        *(({"question_id": key}, "import.key_form") for key in UNUSABLE_KEYS),
        ({"Island": {"answer": ["In the Island, people wave."]}}, "import.unknown_region"),
        ({"universal_agreement": "false"}, "import.flag_type"),
        ({"universal_agreement": 0}, "import.flag_type"),
        ({"pairwise_agreements": []}, "import.flag_type"),
        ({"pairwise_agreements": {"Hill_Coast": {"agreement": "true"}}}, "import.flag_type"),
        ({"pairwise_agreements": {"Hill_Coast": True}}, "import.flag_type"),
        ({"pairwise_agreements": {}}, "import.missing_field"),
        ({"pairwise_agreements": {"Hill_Isle": {"agreement": True}}}, "import.missing_field"),
        ({"pairwise_agreements": {"Hill_Hill": {"agreement": True}}}, "import.duplicate_pair"),
        ({"Hill": {"answer": "In the Hill, people bow."}}, "import.answer_shape"),
        ({"Hill": {"answer": []}}, "import.answer_shape"),
        ({"Hill": {"answer": [""]}}, "import.answer_shape"),
        ({"Hill": {"answer": [None]}}, "import.answer_shape"),
        ({"Hill": {"answer": ["N/A", "In the Hill, people bow."]}}, "import.answer_shape"),
        ({"Hill": "In the Hill, people bow."}, "import.answer_shape"),
        ({"Hill": 10**400}, "import.answer_shape"),
    ],
)
def test_a_faulty_question_is_refused_alone(question, as_bytes, change, code):
    data = as_bytes(question("a"), question("b") | question("b", **change), question("c"))
    if None in change.values():
        data = as_bytes(question("a"), question("b", **change), question("c"))
    found = parsed(data)
    assert refused(found) == [(2, code)]
    assert found.refused[0]["reason"].endswith(".")
    assert [row["key"] for row in found.items] == ["a", "c"]


def test_a_pair_named_in_both_orders_is_refused(question, as_bytes):
    row = question("a")
    row["pairwise_agreements"]["Coast_Hill"] = {"agreement": True}
    found = parsed(as_bytes(row, question("b")))
    assert refused(found) == [(1, "import.duplicate_pair")]


def test_a_repeated_key_is_refused_and_the_first_stays(question, as_bytes):
    found = parsed(as_bytes(question("a"), question("a", question_text="Another?")))
    assert refused(found) == [(2, "import.duplicate_key")]
    assert found.items[0]["payload"]["text"]["en"] == "What do people do (a)?"


@pytest.mark.parametrize(
    ("once", "twice"),
    [
        ('"question_id": "b"', '"question_id": "b", "question_id": "c"'),
        ('{"agreement": false}', '{"agreement": true, "agreement": false}'),
        ('"Hill_Coast": ', '"Hill_Coast": {"agreement": true}, "Hill_Coast": '),
        ('"Hill": {', '"Hill": {"answer": ["N/A"], '),
    ],
)
def test_a_field_named_twice_is_refused_instead_of_silently_lost(question, as_bytes, once, twice):
    first, second = (as_bytes(question(key)).decode() for key in "ab")
    second = second.replace(once, twice, 1)
    data = first.removesuffix("]}") + ", " + second.removeprefix('{"questions": [')
    assert refused(parsed(data.encode())) == [(2, "import.duplicate_field")]


def test_something_else_than_an_object_is_refused(question, as_bytes):
    assert refused(parsed(as_bytes(question("a"), "a string", question("b")))) == [
        (2, "import.question_type")
    ]


def test_a_lone_surrogate_is_refused(question, as_bytes):
    data = as_bytes(question("a"), question("b", question_text="SURROGATE"))
    found = parsed(data.replace(b"SURROGATE", b"a\\ud800b"))
    assert refused(found) == [(2, "text.not_storable")]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"LONE": {"answer": ["Wave."]}}, "import.unknown_region"),
        ({"pairwise_agreements": {"LONE": True}}, "import.flag_type"),
    ],
)
def test_a_refusal_can_be_shown_whatever_it_quotes(question, as_bytes, change, code):
    data = as_bytes(question("a"), question("b", **change), question("c"))
    found = parsed(data.replace(b"LONE", b"\\ud800"))
    assert refused(found) == [(2, code)]
    assert found.refused[0]["reason"].encode()


def test_a_flag_of_an_unknown_region_keeps_the_question(question, as_bytes):
    row = question("a")
    row["pairwise_agreements"]["Hill_Island"] = row["pairwise_agreements"].pop("Hill_Coast")
    found = parsed(as_bytes(row, question("b")))
    assert found.refused == []
    assert {"a": "Hill", "b": "Island", "agree": False} in (
        found.items[0]["payload"]["relations"]["pairs"]
    )


def test_a_missing_flag_between_a_region_and_na_is_no_fault(question, as_bytes):
    row = question("a", {"Hill": "bow.", "Coast": None, "Plain": "wave."})
    del row["pairwise_agreements"]["Hill_Coast"]
    assert parsed(as_bytes(row, question("b"))).refused == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\x00", "import.not_text"),
        (b"", "import.not_json"),
        (b'{"questions": [', "import.not_json"),
        (b"[" * 100_000, "import.not_json"),
        (b'{"questions": [' + b'{"a":' * 100_000, "import.not_json"),
        (b'{"questions": [' + b"9" * 5000 + b"]}", "import.not_json"),
        (b'{"questions": [NaN]}', "import.not_json"),
        (b'{"questions": [-Infinity]}', "import.not_json"),
        (b'{"questions": [1e999]}', "import.no_regions"),
        (b'{"questions": [1], "questions": [2]}', "import.duplicate_field"),
        (b'{"questions": [{"\\ud800": {"answer": ["Bow."]}}]}', "text.not_storable"),
        (b"[]", "import.top_level"),
        (b"{}", "import.top_level"),
        (b'{"questions": {}}', "import.top_level"),
        (b'{"questions": []}', "import.top_level"),
        (b'{"questions": [{"question_id": "a"}]}', "import.no_regions"),
        (b'{"questions": [1, 2]}', "import.no_regions"),
        (b'{"questions": [{"Hill": {"answer": ["In the Hill, bow."]}}]}', "import.nothing_kept"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(data, code):
    with pytest.raises(CommonplaceError) as caught:
        parsed(data)
    assert caught.value.code == code


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(CommonplaceError) as caught:
        importers.parse("spreadsheet", b"{}")
    assert caught.value.code == "import.unknown_format"
    assert "indica" in caught.value.data["known"]


def test_a_byte_order_mark_is_no_fault(question, as_bytes):
    assert parsed(b"\xef\xbb\xbf" + as_bytes(question("a"))).read == 1


def test_a_file_may_say_its_title_language_and_licence(question, as_bytes):
    about = {"title": "Grüße", "language": "de", "licence": "CC0-1.0"}
    found = parsed(as_bytes(question("a"), **about))
    assert (found.title, found.language, found.licence) == ("Grüße", "de", "CC0-1.0")
    assert json.dumps(found.items[0]["payload"]["text"]) == '{"de": "What do people do (a)?"}'
