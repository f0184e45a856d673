"""Which option a reply names. Cases are told apart by what a person would make of them."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.letters import LATIN, parse_letter

OPTIONS = ("Kerala", "Assam", "Goa", "Punjab", "Bihar")
NINE = (*OPTIONS, "Odisha", "Delhi", "Sikkim", "Tripura")
OUTCOMES = {"ok", "unparsed", "ambiguous", "refused", "truncated"}


def read(text, options=OPTIONS, finish="stop", **given):
    parsed = parse_letter(text, options, finish, **given)
    return parsed.letter if parsed.outcome == "ok" else parsed.outcome


BARE = r"""B|b|B.|B!| B |(B)|[B]|{B}|<B>|"B"|'B'|“B”|«B»|【B】|「B」|B)|(B|b)|(b)|B。|**B**|*B*
|__B__|`B`|- B|> B|### B|$B$|\(B\)|\text{B}|\mathbf{B}|\boxed{B}|$\boxed{\text{B}}$|<b>B</b>
|<answer>B</answer>|```B```"""
FRAMED = r"""Option B|Option B.|option b|OPTION (B)|Choice: B|Letter B|B) Kerala|B. Assam
|B: Assam|B - Assam|B — Assam|B Assam|(B) Assam|B (Assam)|Assam (B)|B. A garland is given
|B because it is common|B, since A is wrong|Sure! B|Okay, B.|Yes, B|Thus, B|It's B.|It is (B)
|I think it's B|Definitely B|B, not A|B. Not A."""
STATED = r"""Answer: B|ANSWER: [B]|Answer - B|Answer=B|Answer → B|Answer B|Ans. B|**Answer:** B
|**Answer: B**|**Answer**: B|The answer is B|The answer is (B)|The answer is **B**.
|the answer is b|The correct answer is B: Assam|Answer: B Assam|The answer is option B) Assam
|My final answer is B.|The correct option is "B".|Final Answer: $\boxed{B}$|I choose B.
|I would go with option B.|I'd say B.|I'll pick B|We select B|Choose B|B is correct.
|"B" is the correct answer|Option B is right|B is my answer
|The answer is B because A is not typical.|The answer is B (not C)|Between A and B I choose B
|I do not know much, but the answer is B|Option A is common but option B is right
|A is wrong, the answer is B|The answer is B, rather than C"""
JSON = r"""{"answer": "B"}|{"answer": "b"}|{"answer": "(B)"}|{"answer_choice": "B"}
|{"final_answer": "B) Assam"}|{"Answer": "Option B"}|{"choice": "B"}
|{"letter": "B", "confidence": 0.9}|{"answer": {"letter": "B"}}|{"answer": ["B"]}|{"answer": 2}
|{"reasoning": "The answer is not A. Answer: C", "answer": "B"}
|Here it is: {"answer": "B"}. Thank you.|{'answer': 'B'}|{"answer": "B",}
|{'answer': 'B', 'reason': 'A is rare'}|{"उत्तर": "ख"}"""
OTHER_SCRIPTS = r"""উত্তর: খ|উত্তর খ|উত্তর হল খ|সঠিক উত্তর (খ)|সঠিক উত্তর: খ) আসাম|খ|(খ)|খ।
|খ সঠিক|বিকল্প খ|জবাব: বি|উত্তর: ২|उत्तर: (ख)|उत्तर: ब|सही उत्तर ख है।|सही उत्तर बी है|ख सही है
|विकल्प (ख)|जवाब: ख|उत्तर: B|२|(२)|২|٢|୨|௨|2|2.|(2)|Option 2|Answer: 2|2. Assam|②|Ⓑ|Ｂ|（Ｂ）
|Ｂ）Assam|𝐁|விடை: ஆ|பதில்: B|الإجابة: (ب)|جواب: ب|الإجابة هي ب|الجواب ب|Réponse : B
|La réponse est B|La respuesta es B|A resposta é B|Die Antwort ist B.|Ответ: B|Jawaban: B|答案是B
|答案：B。|正解はBです|答え：B|정답은 2번입니다|정답: 나|乙|イ|תשובה: ב|คำตอบ: ข"""
UNPARSED = r"""None of the above|All of the above|None|Both|Don't know|I don't know.
|I cannot decide|Actually unsure|Sorry|I'm sorry, but I can't answer that.
|As an AI, I cannot choose.|A good question|A sweet|a mystery|Plan B|vitamin C|D-day|E-mail
|A level|a.m.|e.g. this|N/A|AB|BB|B2|B+|AorB|B?|Is the answer B?|The answer is a mystery
|The answer is not B|The answer isn't B|Answer: not A|I don't think the answer is B
|I doubt the answer is B|If the answer is B then fine|The wrong answer is A
|The incorrect option is A.|I would not choose A.|I can't choose A.|Nobody would choose A.
|Some would choose A, others B|Not B but C|Neither A nor B|Answer: neither A nor B
|Option A is incorrect|A) is wrong|A - not correct|B is not correct|Answer: none
|Answer: I cannot|Kerala or Assam|It is probably Assam, I think|Assam is where it is done
|2 people|1. First think of the place.|The year 2
|The answer depends on the region: A in the north, B in the south.|{"answer": null}
|{"answer": true}|{"answer": ""}|{"B": "Assam"}|{"reason": "I choose A"}|{"A": {"A":
|উত্তর: কেরালা|এটা জানি না|উত্তর: খ নয়|उत्तर ख नहीं है|ख सही नहीं है|क्या?|В|...|?|-|🙂"""
AMBIGUOUS = r"""A and C|A or C|A, C|A/C|A & C|A+C|A;C|A C|A B C|[A, C]|(A) (C)|A. C.|A: C
|Options A and C|Both A and C|Either A or C|A and C are both right|Answer: B or C
|Answer: A and C are both right|The answer is A, B|Answer: A or B or C|Answer: ক বা খ
|उत्तर: क और ख|Final answer: A. Final answer: C.|\boxed{A} or \boxed{C}|{"answer": ["A", "C"]}
|{"answer": "A or C"}|{"answer": "B"} {"answer": "C"}|A. No wait, B.
|The answer is A. Or maybe B.|I choose A. I choose B.|A: no, B: yes|A is correct. B is correct.
|B) Assam, unlike C) Goa"""
LINES = [
    ("Let me think.\nB", "B"),
    ("B\n\nExplanation: Option A is incorrect because it is rare.", "B"),
    ("B) Assam\n\nThis is the custom there.", "B"),
    ('```json\n{"answer": "B"}\n```', "B"),
    ("```\nB\n```", "B"),
    ("Answer:\nB", "B"),
    ("A) Kerala\nB) Assam\nC) Goa\nAnswer: B", "B"),
    ("1. Kerala is far.\n2. Assam is near.\nAnswer: B", "B"),
    ("Answer: A\nThat forgets the harvest.\nAnswer: B", "B"),
    ("First I thought the answer is A. The answer is B.", "B"),
    ("A) Kerala\nB) Assam\nC) Goa", "ambiguous"),
    ("B\nC", "ambiguous"),
    ("Answer: A\n\nB", "ambiguous"),
    ("B\n\nThe correct answer is C.", "ambiguous"),
    ("Final answer: A\nFinal answer: C", "ambiguous"),
    ("Answer: A\nActually, B", "ambiguous"),
    ("I looked at:\nB) Assam and its custom.\nBut I cannot tell.", "unparsed"),
    ("1. First think of the place\n2. Then of the time", "unparsed"),
]


def listed(text):
    return [case for line in text.splitlines() for case in line.split("|") if case]


@pytest.mark.parametrize("text", listed(BARE) + listed(FRAMED))
def test_a_letter_alone_or_in_a_frame_is_the_answer(text):
    assert read(text) == "B"


@pytest.mark.parametrize("text", listed(STATED) + listed(JSON))
def test_a_stated_letter_is_the_answer(text):
    assert read(text) == "B"


@pytest.mark.parametrize("text", listed(OTHER_SCRIPTS))
def test_letters_digits_and_answer_words_of_other_scripts_are_read(text):
    assert read(text) == "B"


@pytest.mark.parametrize("text", listed(UNPARSED))
def test_words_are_never_taken_for_a_letter(text):
    assert read(text) == "unparsed"


@pytest.mark.parametrize("text", listed(AMBIGUOUS))
def test_several_letters_are_ambiguous(text):
    assert read(text) == "ambiguous"


@pytest.mark.parametrize(("text", "letter"), LINES)
def test_a_reply_of_several_lines_is_read_as_a_whole(text, letter):
    assert read(text) == letter


@pytest.mark.parametrize(
    "text",
    ["I think so", "I cannot decide", "I'm not sure", "I, as an AI, cannot", "Answer: I cannot"],
)
def test_a_pronoun_is_not_the_ninth_option(text):
    assert read(text, NINE) == "unparsed"
    assert read("(I)", NINE) == "I"


@pytest.mark.parametrize(
    "text", ["F", "(F)", "Answer: F", "Option F", "F) Delhi", "6", "0", "26", "Answer: छ"]
)
def test_a_letter_beyond_the_options_is_unparsed(text):
    assert read(text) == "unparsed"


def test_the_same_letter_counts_where_there_are_more_options():
    assert (read("Answer: D", OPTIONS[:3]), read("Answer: D")) == ("unparsed", "D")


# ------------------------------------------------------------------ an option's own words


@pytest.mark.parametrize(
    "text",
    ["Assam", "assam.", '"Assam"', "**ASSAM!**", "The answer is Assam.", '{"answer": "Assam"}'],
)
def test_an_options_own_text_is_that_option(text):
    parsed = parse_letter(text, OPTIONS)
    assert (parsed.outcome, parsed.letter, parsed.option_text_match) == ("ok", "B", True)
    assert parse_letter(text, OPTIONS[::-1]).letter == "D"


def test_the_words_of_an_option_are_no_letters():
    options = ("Dr. B. R. Ambedkar", "A, B and C are served", "The answer is B")
    for index, option in enumerate(options):
        assert read(option, options) == LATIN[index]
    assert read("C. A, B and C are served", options) == "C"


def test_a_text_that_two_options_share_is_ambiguous():
    assert read("Rice", ("Rice.", "Fish", "rice")) == "ambiguous"
    assert read("A) Rice", ("Rice.", "Fish", "rice")) == "A"


def test_a_number_that_is_an_option_is_that_option_and_else_a_place_in_the_list():
    assert read("2", ("2", "3", "4")) == "A"
    assert read("Answer: 2", ("2", "3", "4")) == "A"
    assert read("2", ("12", "13", "14")) == "B"
    assert read("B) 3", ("2", "3", "4")) == "B"


def test_a_letter_means_its_place_even_if_an_option_is_a_letter():
    assert read("B", ("Vitamin", "C", "B")) == "B"


ALL_CASES = [
    *itertools.chain.from_iterable(
        map(listed, (BARE, FRAMED, STATED, JSON, OTHER_SCRIPTS, UNPARSED, AMBIGUOUS))
    ),
    *(text for text, _ in LINES),
]


def test_a_reply_reads_alike_in_every_order_of_the_options():
    for text in ALL_CASES:
        readings = {
            parse_letter(text, order)
            for order in (OPTIONS, OPTIONS[::-1], OPTIONS[2:] + OPTIONS[:2])
        }
        assert len(readings) == 1, text


# ------------------------------------------------------------------ cut short, refused, reasoning


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "\u200b",
        "<think>It is B",
        "<think>It is B</think>",
        "<think>B</think>\n",
        "[THINK]B",
    ],
)
def test_a_reply_without_words_beside_its_reasoning_is_truncated(text):
    assert read(text) == "truncated"


def test_a_reply_cut_at_the_token_limit_is_truncated_even_if_a_letter_stands_there():
    assert read("B", finish="length") == "truncated"


def test_a_filtered_or_refused_reply_is_refused_whatever_it_says():
    assert read("B", finish="content_filter") == "refused"
    assert read("", refusal=True) == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "<think>A or C? Answer: C</think>B",
        "<THINKING>A</THINKING>\n\nAnswer: B",
        "so A, no.\n</think>\nB",
    ],
)
def test_reasoning_is_dropped_before_reading(text):
    assert read(text) == "B"


# ------------------------------------------------------------------ anything at all

PIECES = st.sampled_from(
    [
        *"ABIZabख২({[<\"'`*$,.:;|/-\n ",
        "answer",
        " is ",
        "not ",
        "</think>",
        "<think>",
        "\\boxed{",
        "}",
        " or ",
        "Assam",
        "wait",
    ]
)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)), st.integers(2, 26))
def test_every_reply_has_one_of_the_outcomes(text, count):
    parsed = parse_letter(text, [f"Option text {i}" for i in range(count)])
    assert parsed.outcome in OUTCOMES
    assert (parsed.letter is not None) == (parsed.outcome == "ok")
    assert parsed.letter is None or parsed.letter in LATIN[:count]


@settings(deadline=None)
@given(st.permutations(["rice", "fish curry", "wheat", "B", "2"]), st.lists(PIECES, max_size=12))
def test_only_a_match_by_text_depends_on_the_order(order, pieces):
    here = parse_letter("".join(pieces), order)
    there = parse_letter("".join(pieces), order[::-1])
    assert here == there or (here.option_text_match and there.option_text_match)


@pytest.mark.parametrize(
    "piece", ["a ", "a, ", "answer: b ", "the ", "{", '{"a":', "(", "<think>", "B\n"]
)
def test_a_reply_that_repeats_itself_is_read_in_moderate_time(piece):
    assert parse_letter(piece * 5000, OPTIONS).outcome in OUTCOMES
