"""Several processes at the same queue, on whatever database the installation has."""

import json
from collections import Counter

import pytest

from perf.installation import COUNTRY, QUESTION

TURNS, TASKS = 100, 210


@pytest.fixture
def study(empty, tmp_path):
    text = COUNTRY.format(slug="queue", people=5, per_form=15)
    file = tmp_path / "queue.yaml"
    file.write_text(text + QUESTION.format(number=1))
    for order in (("load_study", file), ("open_study", "queue")):
        assert empty.manage(*order)[0] == 0
    return empty


def shell(study, code):
    return study.start("shell", "-v", 0, "-c", code)


def said(process):
    assert process.end() == 0, process.err.read_text()
    return json.loads(process.lines()[-1])


@pytest.mark.parametrize(
    ("overlap", "people", "tabs"), [(1, 2, 1), (2, 2, 1), (1, 3, 2), (2, 3, 2)]
)
def test_processes_that_ask_at_once_never_hold_a_task_more_often_than_it_may_be(
    study, tmp_path, overlap, people, tabs
):
    filled = f"fill('queue', {TASKS if tabs == 1 else 20}, {people}, {overlap})"
    assert shell(study, f"from perf.tasks import fill; {filled}").end() == 0
    go = tmp_path / "go"
    workers = {
        (person, tab): shell(
            study,
            "from tests.system.annotators import work; "
            f"work('annotator{person}@example.org', {TURNS}, {str(go)!r}, {tabs})",
        )
        for person in range(people)
        for tab in range(tabs)
    }
    for worker in workers.values():
        assert worker.ready() == "ready"
    go.touch()
    given: dict[int, set[int]] = {person: set() for person in range(people)}
    for (person, _tab), worker in workers.items():
        given[person].update(said(worker))
    served = Counter(task for tasks in given.values() for task in tasks)
    assert max(served.values()) <= overlap
    held = said(shell(study, "from perf.tasks import held; held('queue')"))
    assert held["most"] <= overlap
    if tabs == 1:
        assert [len(tasks) for tasks in given.values()] == [min(TURNS, TASKS)] * people
    assert held["judgements"] <= sum(served.values())
