"""The words and letters replies are made of, in many languages; `letters.py` is their grammar."""

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# One series a line, first option first. Digits of every script count as well, from one. Cyrillic
# is left out: В looks like B and stands third.
SERIES = (
    tuple(LATIN.lower()),
    tuple("কখগঘঙচছজঝঞ"),  # Bengali, Assamese
    ("এ", "বি", "সি", "ডি", "ই"),  # Latin letters by their Bengali names
    tuple("कखगघङचछजझञ"),  # Devanagari
    tuple("अबसद"),  # Hindi examination papers
    ("ए", "बी", "सी", "डी", "ई"),  # Latin letters by their Hindi names
    tuple("କଖଗଘଙ"),  # Odia
    tuple("அஆஇஈஉ"),  # Tamil
    tuple("أبجده"),
    ("ا",),  # Arabic, Urdu, Persian
    ("اے", "بی", "سی", "ڈی", "ای"),  # Latin letters by their Urdu names
    tuple("אבגדה"),
    tuple("กขคงจ"),
    tuple("가나다라마"),
    tuple("甲乙丙丁戊"),
    tuple("アイウエオ"),
)


def _listed(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(","))


ANSWER_WORDS = _listed(
    """answer, ans, ans., answer choice, answer option, answer letter, answer key, उत्तर, जवाब,
    जबाब, উত্তর, উত্তৰ, জবাব, விடை, பதில், సమాధానం, జవాబు, ಉತ್ತರ, ഉത്തരം, જવાબ, ਉੱਤਰ, ਜਵਾਬ,
    ଉତ୍ତର, උත්තරය, پاسخ, جواب, الجواب, الإجابة, إجابة, respuesta, réponse, resposta, a resposta,
    antwort, risposta, svar, jawaban, jawapan, waleran, jibu, amsa, መልስ, cevap, yanıt, cavab,
    ответ, απάντηση, תשובה, คำตอบ, đáp án, 答案, 答え, 正解, 回答, 정답, 답"""
)
FINAL_WORDS = _listed("final answer, final choice, अंतिम उत्तर, চূড়ান্ত উত্তর, 最终答案, respuesta final")
OPTION_WORDS = _listed(
    """option, options, choice, letter, number, selection, pick, guess, विकल्प, ऑप्शन, বিকল্প,
    অপশন, விருப்பம், opción, opção, opsi, pilihan, الخيار, آپشن, 选项, 選択肢"""
)
# Keys of a JSON reply, beside the answer words.
ANSWER_KEYS = _listed("selected, selected letter, selected option, correct answer, response")
CHOICE_VERBS = _listed(
    "choose, chose, select, selected, pick, go with, am going with, opt for, say"
)
LINKS = _listed(
    """is, was, are, would be, will be, should be, must be, :, =, -, ->, =>, →, হল, হলো, হচ্ছে,
    হবে, है, हैं, आहे, ہے, es, est, é, ist, è, är, adalah, ialah, ni, هو, هي, است, là, คือ,
    是, 为, 為, は, 은, 는"""
)
# Words that leave the meaning of an answer as it is.
QUALIFIERS = _listed(
    """the, my, our, correct, right, best, most likely, most appropriate, most suitable, suitable,
    appropriate, accurate, also, chosen, selected, final, clearly, definitely, probably, either,
    both, to the question, to this question, in my region, for my region, सही, मेरा, সঠিক,
    আমার, la, el, le, l', die, correcte, correcta, correta, bonne, richtige, الصحيحة, صحیح,
    正确, 最佳"""
)
LEAD_INS = _listed(
    """so, thus, therefore, hence, sure, ok, okay, yes, well, hmm, certainly, of course, here is,
    here's, i think, i believe, i guess, 我认为, it is, it's, it must be, that is, that's"""
)
# Copulas that come after the letter.
ENDINGS = _listed("है, हैं, হবে, ہے, است, 입니다, 번, です, だ, ஆகும், হয়")
# Words between letters offered together.
JOINS = _listed("and, or, और, या, এবং, বা, অথবা, ও, اور, یا, und, oder, et, ou, 或, 和")
REASONS = _listed("because, since, due to, given that, क्योंकि, কারণ, 因为, porque")
# A reason with one of these may take the answer back.
HEDGES = _listed("but, however, though, although, if, unless, otherwise, except, or")
# These need no verb between.
RIGHT_AFTER = _listed("सही, ठीक, সঠিক, ঠিক, درست, صحیح")
# A later sentence that begins with one of these takes the answer back.
RETRACTIONS = _listed(
    """not, nope, none, never mind, wrong, incorrect, false, unlikely, wait, actually, correction,
    instead, rather, or, but, however, alternatively, otherwise, on second thought, is not, isn't,
    is wrong, is incorrect, is false, this is not, that is not, it is not, that is wrong,
    this is wrong, नहीं, गलत, না,
    নয়, ভুল, نہیں, غلط, ✗, ✘, ❌"""
)

# A label beside the letter ("B) Kerala") with one of these says something else.
NO_LABEL = _listed(
    """actually, all, any, both, but, cannot, can't, depends, doubtful, don't, either, every, false,
    hmm, however, if, it, just, maybe, neither, never, no, none, nope, not, nothing, or, other,
    others, perhaps, possibly, sorry, sure, this, unclear, unknown, unlikely, unsure, varies,
    wait, wrong, yes, नहीं, गलत, না, নয়, ভুল"""
)
