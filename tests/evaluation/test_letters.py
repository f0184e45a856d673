"""Which option a reply names. Cases are told apart by what a person would make of them."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.reading.answer_words import LATIN
from evaluation.reading.letters import Parsed, parse_letter

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
|B: Assam|B - Assam|B — Assam|B Assam|(B) Assam|B (Assam)|Assam (B)
|B because it is common|B, since A is wrong|Sure! B|Okay, B.|Yes, B|Thus, B|It's B.|It is (B)
|I think it's B|Definitely B|B, not A|B. Not A."""
STATED = r"""Answer: B|ANSWER: [B]|Answer - B|Answer=B|Answer → B|Answer B|Ans. B|**Answer:** B
|**Answer: B**|**Answer**: B|The answer is B|The answer is (B)|The answer is **B**.
|the answer is b|The correct answer is B: Assam|Answer: B Assam|The answer is option B) Assam
|My final answer is B.|The correct option is "B".|Final Answer: $\boxed{B}$|I choose B.
|I would go with option B.|I'd say B.|I'll pick B|We select B|Choose B|B is correct.
|"B" is the correct answer|Option B is right|B is my answer
|The answer is B because A is not typical.|The answer is B (not C)|The answer is B, rather than C
|So, the most appropriate answer is B|In my region, the answer is B"""
JSON = r"""{"answer": "B"}|{"answer": "b"}|{"answer": "(B)"}|{"answer_choice": "B"}
|{"final_answer": "B) Assam"}|{"Answer": "Option B"}|{"choice": "B"}
|{"letter": "B", "confidence": 0.9}|{"answer": {"letter": "B"}}|{"answer": ["B"]}|{"answer": 2}
|{"reasoning": "The answer is not A. Answer: C", "answer": "B"}
|Here it is: {"answer": "B"}. Thank you.|{'answer': 'B'}|{"answer": "B",}
|{"उत्तर": "ख"}"""
OTHER_SCRIPTS = r"""উত্তর: খ|উত্তর খ|উত্তর হল খ|সঠিক উত্তর (খ)|খ|(খ)|খ।
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
|{"answer": "A or C"}|{"answer": "B"} {"answer": "C"}
|The answer is A. Or maybe B.|I choose A. I choose B.|A is correct. B is correct."""
# Not one of these says, in words that need no judgement, that one letter is the answer.
NOT_AN_ANSWER = r"""Worst answer: A|Least appropriate answer: D|I select B as the wrong one
|All but A are correct|Everything but A is correct|Any option other than A is correct
|It is false that A is correct|People wrongly think A is correct|A is correct? No.
|A is never correct|Is the answer A.|Would I choose A.|Answer A is wrong
|A is correct if it is a wedding|For weddings, answer: A. For births, answer: B
|If it is a wedding, the answer is A; otherwise, the answer is B|Choose A for births
|Answer: B (north) or C (south)|Answer: B (north), C (south)|B (if rural), otherwise C
|A; B in villages|A (B in villages)|The answer is B; C in villages|B, or C if rural
|Some say the answer is A, others say C|My friend thinks the answer is A
|It's tempting to say the answer is A|"The answer is A." is a lie
|Many people believe the answer is A, but that is a myth.|A because many say so, but C is right
|A: no|A. No.|A. Unlikely.|A. ✗|A ✗|A - no|(A) no|A) nope|A, no|A - 50|B: this is not it
|The answer is B, which is wrong|I choose B... no, I can't decide|The answer is A. No.
|A. No wait, B.
|A: no, B: yes|B) Assam, unlike C) Goa|B) Assam is wrong|B. A garland is given
|Hepatitis B is correct|Vitamin C is the best|Plan B is the answer|Dr. A is correct
|Between A and B I choose B|I do not know much, but the answer is B
|Option A is common but option B is right|A is wrong, the answer is B
|{'answer': 'B', 'reason': 'A is rare'}"""
NOT_AN_ANSWER_LINES = [
    "A\nNo.",
    "A\nC is also correct.",
    "A\nC is possible as well.",
    "Answer: A\nC could fit.",
    "A\nC?",
    "A\n\nHowever, C is common.",
    "Answer: A. Alternatively C",
    "Answer 1: A. Answer 2: C",
    "The answer is not:\nA",
    "It cannot be\nA",
    "Answer: A\nI choose B",
    "The best answer is A. The worst answer is D.",
    "Best answer: A\nSecond best answer: B",
    "Answer: A\nAlternative answer: B",
    "Answer: A\nRunner-up answer: C",
    "Correct answer: A\nLess likely answer: D",
    "B) Assam\n\nThe correct answer is C",
]
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
    ("Answer: A\nAnswer: B", "B"),
    ("Not A.\nB", "B"),
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


@pytest.mark.parametrize("text", listed(NOT_AN_ANSWER) + NOT_AN_ANSWER_LINES)
def test_a_letter_amid_words_that_may_change_its_meaning_is_no_answer(text):
    assert read(text) in ("unparsed", "ambiguous")


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
    "text",
    ["F", "(F)", "Answer: F", "Option F", "F) Delhi", "6", "0", "26", "Answer: छ", "\U00010d41"],
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
        map(
            listed,
            (BARE, FRAMED, STATED, JSON, OTHER_SCRIPTS, UNPARSED, AMBIGUOUS, NOT_AN_ANSWER),
        )
    ),
    *(text for text, _ in LINES),
    *NOT_AN_ANSWER_LINES,
]


def test_a_reply_reads_alike_in_every_order_of_the_options():
    for text in ALL_CASES:
        readings = {
            parse_letter(text, order)
            for order in (OPTIONS, OPTIONS[::-1], OPTIONS[2:] + OPTIONS[:2])
        }
        assert len(readings) == 1, text


MIXED = [
    "B\nAssam is correct.",
    "Assam is correct.\nB",
    "Answer: Assam\nB",
    "B\nAnswer: Assam",
    "Answer: Assam or B",
    '{"answer": "B", "choice": "Assam"}',
]


@pytest.mark.parametrize("text", MIXED)
def test_a_letter_in_one_place_and_a_text_in_another_are_ambiguous_in_every_order(text):
    outcomes = {parse_letter(text, order).outcome for order in itertools.permutations(OPTIONS)}
    assert outcomes == {"ambiguous"}


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

TEXTS = ["rice", "fish curry", "wheat", "B", "2"]
PHRASES = r"""answer|Answer: |The answer is | is |not |</think>|<think>|\boxed{| or |wait
| is correct.|Assam|{"answer": " """
PIECES = st.sampled_from([*"ABIZabख২({[<\"'`*$,.:;|/-\n }", *listed(PHRASES), *TEXTS])


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)), st.integers(2, 26))
def test_every_reply_has_one_of_the_outcomes(text, count):
    parsed = parse_letter(text, [f"Option text {i}" for i in range(count)])
    assert parsed.outcome in OUTCOMES
    assert (parsed.letter is not None) == (parsed.outcome == "ok")
    assert parsed.letter is None or parsed.letter in LATIN[:count]


@settings(deadline=None, max_examples=300)
@given(st.permutations(TEXTS), st.lists(PIECES, max_size=8))
def test_the_order_of_the_options_changes_the_letter_of_a_match_by_text_alone(order, pieces):
    text = "".join(pieces)
    here, there = parse_letter(text, sorted(order)), parse_letter(text, order)
    assert here.outcome == there.outcome
    if here.option_text_match or there.option_text_match:
        assert sorted(order)[LATIN.index(here.letter)] == order[LATIN.index(there.letter)]
    else:
        assert here == there


REPEATED = r"""a |A, |A or |so |so. |answer: b |B because |(|[|{|{"a":|<answer>|<b>|<think>|</think>
|\boxed{|```a|Assam |Assam is correct. |答案是B| |ﷺ"""


@pytest.mark.parametrize("piece", [*listed(REPEATED), "the answer is\n", "B\n", "\n", "\u200b"])
def test_a_megabyte_that_repeats_itself_does_not_hold_up_a_worker(piece):
    text = piece * (1_000_000 // len(piece))
    began = time.monotonic()
    parse_letter(text, OPTIONS)
    assert time.monotonic() - began < 10  # no measure: reading at a square would take hours


def test_what_was_cut_out_of_a_long_reply_joins_no_sentence():
    assert read("Answer: B\n" + "It is so. " * 2000) == "B"
    assert read("It is so. " * 2000 + "\nAnswer: B") == "B"
    for length in range(2950, 3000):
        assert read(f"{'x' * 5000} it is false that A is correct. {'x' * length}.") == "unparsed"


@pytest.mark.parametrize("text", ["B", "b.", "(B)", "**B**", "Answer: B"])
def test_the_short_way_of_usual_replies_reads_the_same_as_the_long_one(text):
    assert parse_letter(text, OPTIONS) == parse_letter(" " * 20 + text, OPTIONS)


@pytest.mark.parametrize(
    "reply",
    ["B) Kerala", "(B) Kerala.", "B. Kerala", "The answer is B) Kerala", "সঠিক উত্তর: খ) আসাম"],
)
def test_a_letter_with_a_short_label_is_that_letter_whatever_the_options_say(reply):
    assert parse_letter(reply, ["Red", "Green", "Blue"]) == Parsed("ok", "B")


@pytest.mark.parametrize(
    "reply",
    [
        "B) Not sure",
        "B. No.",
        "B. Wait",
        "B) It depends",
        "B) none of the above",
        "B) C",
        "B) Kerala or Assam",
        "Worst answer: B) Kerala",
        "B) Kerala\nC) Assam",
        "E) Kerala",
    ],
)
def test_a_label_that_says_something_else_is_no_answer(reply):
    assert parse_letter(reply, ["Red", "Green", "Blue"]).outcome in ("unparsed", "ambiguous")
