"""Codes people see and type: Crockford's base 32, which has no letters that look like digits."""

import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_code(length: int = 10) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
