"""Bytes of a release are the same everywhere."""

import hashlib

import pytest

from releases import canonical


def test_keys_are_sorted_and_nothing_is_escaped():
    assert canonical.dumps({"b": "চা é", "a": [1, None, True]}) == (
        '{"a":[1,null,true],"b":"চা é"}'.encode()
    )


def test_equal_content_is_equal_bytes_whatever_the_order_of_keys():
    assert canonical.dumps({"x": {"p": 1, "q": 2}}) == canonical.dumps({"x": {"q": 2, "p": 1}})


def test_rows_come_back_even_with_line_separators_in_them():
    rows = [{"text": "one\u2028two\u0085three\nfour\r\n"}, {"text": ""}]
    data = canonical.lines(rows)
    assert data.count(b"\n") == 2
    assert canonical.rows(data) == rows


def test_no_rows_are_no_bytes():
    assert canonical.lines([]) == b""
    assert canonical.rows(b"") == []


def test_a_number_that_is_none_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        canonical.dumps(float("nan"))


def test_the_hash_is_sha_256_of_the_bytes():
    assert canonical.sha256("চা".encode()) == hashlib.sha256("চা".encode()).hexdigest()
