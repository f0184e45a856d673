"""What is read from a recruiter's address, however it was mangled on the way."""

import string
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies import recruiter
from studies.recruiter import LONGEST, PERSON, SESSION, STUDY, Arrival

ANN = "5f3a9c0e1b2d4f6a8c7e9012"


@pytest.mark.parametrize(
    "given",
    [
        {PERSON: ANN, STUDY: "s1", SESSION: "x1"},
        {"prolific_pid": ANN, "Study_Id": "s1", "session_id": "x1"},
        {PERSON: f"  {ANN}\n", STUDY: "\u00a0s1", SESSION: "x1 "},
        {PERSON: "", "prolific_pid": ANN, STUDY: "s1", SESSION: "x1", "utm": "mail"},
    ],
)
def test_ids_are_read_whatever_the_case_of_names_and_the_space_around(given):
    assert recruiter.read(given) == Arrival(ANN, "s1", "x1")


@pytest.mark.parametrize("given", [{}, {PERSON: ""}, {PERSON: "   "}, {"OTHER": ANN}])
def test_nobody_is_said_to_have_come(given):
    assert recruiter.read(given) == Arrival("")


@pytest.mark.parametrize(
    "person",
    [
        "{{%PROLIFIC_PID%}}",
        "{{%25PROLIFIC_PID%25}}",
        "two words",
        "a\x00b",
        "<script>",
        "a" * (LONGEST + 1),
        "नाम",
        "a\u200db",
        "a,b",
    ],
)
def test_what_cannot_be_an_id_counts_as_not_said(person):
    assert recruiter.read({PERSON: person}) == Arrival("", unreadable=True)


def test_a_session_that_was_never_filled_in_is_none():
    placeholders = {STUDY: "{{%STUDY_ID%}}", SESSION: "{{%SESSION_ID%}}"}
    assert recruiter.read({PERSON: ANN} | placeholders) == Arrival(ANN)


_IDS = st.text(string.ascii_letters + string.digits + "_.@-", min_size=1, max_size=LONGEST)


@given(_IDS, _IDS | st.just(""), _IDS | st.just(""))
def test_what_a_page_carries_on_is_read_as_the_same_arrival(person, study, session):
    arrival = Arrival(person, study, session)
    assert recruiter.read(dict(recruiter.carried(arrival))) == arrival


@given(st.dictionaries(st.text(), st.text()))
def test_no_address_is_too_strange_to_read(given):
    arrival = recruiter.read(given)
    for said in (arrival.person, arrival.study, arrival.session):
        assert said.isascii()
        assert len(said) <= LONGEST


def test_the_address_for_the_recruiter_names_what_it_fills_in():
    address = recruiter.recruitment_address("https://example.org/join/a/b/")
    assert address.endswith(
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    filled = address.replace("{{%PROLIFIC_PID%}}", ANN)
    arrival = recruiter.read(dict(parse_qsl(urlsplit(filled).query)))
    assert (arrival.person, arrival.study, arrival.session) == (ANN, "", "")


def test_only_a_recruiter_with_an_address_is_returned_to_by_a_link():
    assert recruiter.return_address("Prolific", "ABC").endswith("/complete?cc=ABC")
    assert recruiter.return_address("village school", "ABC") == ""
