"""How people put things: the same practice in many words, with the slips of a hurried hand."""

from random import Random

from console.demo.content import Practice

BEFORE = {
    "en": ("", "", "", "Usually ", "I think ", "Mostly "),
    "hi": ("", "", "", "आम तौर पर ", "मेरे ख़याल से ", "ज़्यादातर "),
}
SLIPS = 0.15  # of long texts
LONG = 12  # characters from which a text bears an opening or a slip
STOPS = ".।"


def put(practice: Practice, language: str, rng: Random) -> str:
    """One person's words for a practice, drawn from `rng`."""
    text = rng.choice(practice.said[language])
    if len(text) > LONG:
        before = rng.choice(BEFORE[language])
        text = before + text[:1].lower() + text[1:] if before else text
        if rng.random() < SLIPS:
            text = _slip(text, rng)
    if rng.random() < 0.4:
        text = text.rstrip(STOPS)
    return text.lower() if rng.random() < 0.2 else text


def _slip(text: str, rng: Random) -> str:
    """A letter twice, two in the wrong order, or, in scripts whose signs belong to the letter
    before them, a space too many."""
    if not text.isascii():
        return text.replace(" ", "  ", 1)
    place = rng.choice([i for i in range(1, len(text) - 1) if text[i : i + 2].isalpha()])
    if rng.random() < 0.5:
        return text[:place] + text[place] + text[place:]
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
