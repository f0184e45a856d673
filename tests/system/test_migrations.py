"""Migrations that move what an installation holds, on its rows."""

import json

RUNS = {
    1: (5_000_000, [300, 700, None]),  # one call at no known price
    2: (None, [50]),
    3: (2_000, []),
    11: (400, [900]),  # spent more than it was given; none of it is run 1's
}


def test_a_cap_becomes_a_budget_with_what_was_spent_of_it_and_a_cap_again(installation):
    work = f"from tests.system.capped_runs import migrate; migrate({RUNS!r})"
    process = installation.start("shell", "--no-imports", "-c", work)
    assert process.end() == 0, process.err.read_text()
    budgets, caps, again = json.loads(process.lines()[-1])
    assert budgets == [
        *([1, 5_000_000, 1000, 0], [2, None, None, None], [3, 2000, 0, 0], [11, 400, 900, 0]),
        3,
    ]
    assert caps == [[1, 5_000_000], [2, None], [3, 2000], [11, 400]]
    assert again == budgets
