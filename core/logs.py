"""What a line of the log leaves out: personal links, which open a participation to who has them."""

import logging
import re

# `studies.links`: ten characters of a code, then a signature, wherever in a line they stand.
_TOKEN = re.compile(r"\b([0-9A-Z]{4})[0-9A-Z]{6}(?:\.|%2[Ee])[\w-]{20,}", re.ASCII)


def shortened(text: str) -> str:
    """The text with the first four characters of every token, enough to tell two apart."""
    return _TOKEN.sub(r"\1…", text)


class Line(logging.Formatter):
    """The finished line, so that no argument, path or traceback is forgotten."""

    def format(self, record: logging.LogRecord) -> str:
        return shortened(super().format(record))
