"""The language a text of people is tagged with."""

import pytest

from studies import scripts


@pytest.mark.parametrize(
    ("text", "region", "others", "said"),
    [
        ("পাটিসাপটা", "bn", ["en", "bn"], "bn"),
        ("পাটিসাপটা", "en", ["en", "bn"], "bn"),
        ("পাটিসাপটা", "en", ["en", "hi"], "und-Beng"),
        ("Patishapta", "bn", ["en", "bn"], "und-Latn"),
        ("Patishapta", "bn-Latn", ["bn-Latn"], "bn-Latn"),
        ("Lantern bread", "en", ["en", "es"], "en"),
        ("ठेकुआ", "mai", ["en", "mai"], "mai"),
        ("ਪਰੌਂਠਾ", "pa", ["pa"], "pa"),
        ("すし", "ja", ["ja"], "ja"),
        ("寿司", "ja", ["ja"], "ja"),
        ("123", "bn", ["en", "bn"], "bn"),
        ("ᱫᱟᱠᱟ", "tlh", ["tlh"], "tlh"),
    ],
)
def test_a_text_is_in_a_language_of_its_people_that_is_written_so(text, region, others, said):
    assert scripts.tag(text, region, others) == said
