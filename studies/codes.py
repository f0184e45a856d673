"""Codes people see and type: Crockford's base 32, which has no letters that look like digits."""

import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_AS_TYPED = str.maketrans("OIL", "011", " -\t\r\n")


def new_code(length: int = 10) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def typed(text: str) -> str:
    """What somebody typed, as a code: in either case, with blanks, O for 0, I or L for 1."""
    return text.upper().translate(_AS_TYPED)
