"""Which language a short text of people is tagged with, as far as one can say it: by the languages
they speak and the script they wrote in, never by a guess from its words.

Whatever is said anywhere is also written in Latin letters. Such a text is therefore nobody's
language but where the region itself is addressed in one that is written so.
"""

from collections.abc import Sequence

from django.conf.locale import LANG_INFO

from core.text import script

UNKNOWN = "und"  # ISO 639-2, undetermined
LATIN = "Latin"

# Unicode's names of scripts and their codes of ISO 15924.
CODES = {
    LATIN: "Latn",
    "Arabic": "Arab",
    "Armenian": "Armn",
    "Bengali": "Beng",
    "CJK": "Hani",
    "Cyrillic": "Cyrl",
    "Devanagari": "Deva",
    "Ethiopic": "Ethi",
    "Georgian": "Geor",
    "Greek": "Grek",
    "Gujarati": "Gujr",
    "Gurmukhi": "Guru",
    "Hangul": "Hang",
    "Hebrew": "Hebr",
    "Hiragana": "Hira",
    "Kannada": "Knda",
    "Katakana": "Kana",
    "Khmer": "Khmr",
    "Lao": "Laoo",
    "Malayalam": "Mlym",
    "Meetei Mayek": "Mtei",
    "Myanmar": "Mymr",
    "Ol Chiki": "Olck",
    "Oriya": "Orya",
    "Sinhala": "Sinh",
    "Tamil": "Taml",
    "Telugu": "Telu",
    "Thaana": "Thaa",
    "Thai": "Thai",
    "Tibetan": "Tibt",
}

# Of larger languages whose own name Django does not tell, and of those with more than one script.
_USUAL = {
    "am": {"Ethiopic"},
    "as": {"Bengali"},
    "gu": {"Gujarati"},
    "ha": {LATIN},
    "ja": {"CJK", "Hiragana", "Katakana"},
    "lo": {"Lao"},
    "mai": {"Devanagari"},
    "mt": {LATIN},
    "or": {"Oriya"},
    "pa": {"Gurmukhi"},
    "ps": {"Arabic"},
    "sat": {"Ol Chiki"},
    "sd": {"Arabic"},
    "si": {"Sinhala"},
    "so": {LATIN},
    "yo": {LATIN},
    "zu": {LATIN},
}


def tag(text: str, region: str, others: Sequence[str] = ()) -> str:
    """The language of a text by somebody of a region: the region's where it is written so, else
    the first of the `others` of the study that is, unless in Latin letters; else its script
    alone, as in `und-Latn`. The region's where there is no letter, or nobody has told us how
    that language is written."""
    written, expected = script(text), usual(region)
    if not written or not expected or written in expected:
        return region
    if written != LATIN:
        for other in others:
            if written in usual(other):
                return other
    code = CODES.get(written)
    return f"{UNKNOWN}-{code}" if code else UNKNOWN


def usual(language: str) -> set[str]:
    """The scripts a language is written in, as Unicode names them; none where it is not known."""
    first, *rest = language.split("-")
    named = {name for name, code in CODES.items() if code in rest}
    own = LANG_INFO.get(language.lower(), LANG_INFO.get(first, {})).get("name_local", "")
    return named or _USUAL.get(first) or {script(own)} - {""}
