"""Lists page by cursor: every row once, whatever arrives meanwhile."""

import pytest

pytestmark = pytest.mark.django_db
ANSWERS = "studies/lantern_coast/answers/"


def texts(rows):
    return [row["text"] for row in rows]


def test_pages_hold_every_row_once_in_the_order_of_arrival(program, alice, answered):
    for number in range(7):
        answered(str(number))
    first = program(alice).get(ANSWERS, page_size=3).json()
    assert texts(first["results"]) == ["0", "1", "2"]
    assert texts(program(alice).rows(ANSWERS, page_size=3)) == list("0123456")


def test_rows_that_arrive_between_two_pages_come_at_the_end(program, alice, answered):
    for number in range(4):
        answered(str(number))
    alices = program(alice)
    page = alices.get(ANSWERS, page_size=2).json()
    answered("4")
    rest = alices.rows(page["next"])
    assert texts(page["results"] + rest) == list("01234")


def test_the_last_full_page_has_no_next(program, alice, answered):
    answered("0")
    answered("1")
    assert program(alice).get(ANSWERS, page_size=2).json()["next"] is None


def test_the_next_address_keeps_the_filters(program, alice, answered):
    for number in range(3):
        answered(str(number), region="marsh")
        answered("elsewhere", region="harbour")
    assert texts(program(alice).rows(ANSWERS, region="marsh", page_size=1)) == list("012")


@pytest.mark.parametrize("rows", [1, 6])
def test_a_page_costs_the_same_queries_however_many_rows(
    program, alice, answered, django_assert_max_num_queries, rows
):
    for number in range(rows):
        answered(str(number))
    alices = program(alice)
    alices.get("studies/")
    with django_assert_max_num_queries(6):
        alices.get(ANSWERS)
    with django_assert_max_num_queries(6):
        alices.get("studies/lantern_coast/participations/")
