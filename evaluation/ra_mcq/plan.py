"""What each request of a run shows: the order of the options, and the seed sent along.

Both are read off a SHA-256 digest of run seed, item and repeat, so they are the same on every
machine and Python version, and no two repeats share one by construction.
"""

import hashlib
import json

from evaluation.reading.answer_words import LATIN


def letters(n: int) -> tuple[str, ...]:
    """The letters of n options. Raises ValueError beyond the alphabet."""
    if not 0 <= n <= len(LATIN):
        raise ValueError(f"There are letters for 0 to {len(LATIN)} options, not for {n}.")
    return tuple(LATIN[:n])


def shown_order(seed: int, item_key: str, repeat: int, n_options: int) -> tuple[int, ...]:
    """The option index shown at each position, uniform over all orders.

    A Fisher-Yates shuffle whose choices are the digits of the digest in the factorial number
    system; for 26 options the digest's 256 bits leave a bias below 1e-50.
    """
    number = _digest("order", seed, item_key, repeat)
    order = list(range(n_options))
    for last in range(n_options - 1, 0, -1):
        number, other = divmod(number, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def request_seed(seed: int, item_key: str, repeat: int) -> int:
    """The sampling seed of one request, 0 to 2^31 - 1: what every known endpoint accepts.

    It differs between repeats, since one seed for all would make them a single sample.
    """
    return _digest("request", seed, item_key, repeat) % 2**31


def _digest(purpose: str, seed: int, item_key: str, repeat: int) -> int:
    # JSON keeps the parts apart: ("a", 11) and ("a1", 1) are different texts.
    text = json.dumps([purpose, seed, item_key, repeat])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
