"""How long a reply takes to be read: the usual ones, framed ones, and a megabyte of nonsense.

Run from the root of the repository: `python -m perf.letters`.
"""

import timeit
from functools import partial

from evaluation.reading.letters import parse_letter

OPTIONS = (
    "A lamp is lit.",
    "A jar of lemons is given.",
    "Boats are decorated.",
    "Bread is shared.",
)
REPLIES = {
    "bare letter": "B",
    "answer: letter": "Answer: B",
    "sentence": "The answer is B.",
    "letter and text": "B. A jar of lemons is given.",
    "paragraph": "Let us see. Many people would say so. " * 8 + "\n\nThe answer is (C).",
    "a megabyte": "<answer>" * 125_000,
}


def main() -> None:
    for name, text in REPLIES.items():
        number = 1 if len(text) > 10_000 else 200
        best = min(timeit.repeat(partial(parse_letter, text, OPTIONS), number=number, repeat=5))
        print(f"{name:<16} {best / number * 1e6:>10.1f} microseconds")


if __name__ == "__main__":
    main()
