"""Which judged replies are drawn for people."""

from collections import Counter

import pytest

from annotation.models import Assignment, Project, Task
from evaluation.models import DrawnReply
from evaluation.validation import drawing
from evaluation.validation.drawing import Candidate
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, even_release, judged_run
from tests.evaluation.validation.conftest import (
    LABELS,
    STUDY,
    command,
    judges_label,
    rarely_wrong,
    refused,
    work,
)

pytestmark = pytest.mark.django_db


def test_a_draw_sees_rare_verdicts_and_knows_what_each_stands_for(of_study):
    run = judged_run(of_study, {"mild": rarely_wrong})
    code, told = command(run.pk, "--sample", 20, "--seed", 7)
    assert (code, told["tasks"], told["kind"], told["study"]) == (0, 20, "verdict", STUDY)
    strata = {each["verdicts"]: (each["replies"], each["drawn"]) for each in told["strata"]}
    # 3 of each, then 11 more in proportion to the 1, 57 and 113 that are left.
    assert strata == {WRONG: (4, 3), PARTLY: (60, 7), CORRECT: (116, 10)}
    assert sum(row.weight for row in DrawnReply.objects.all()) == 180
    assert Project.objects.get().overlap == 2
    assert Task.objects.count() == 20


def test_the_same_seed_draws_the_same_replies_and_another_draws_others():
    some = [
        Candidate(n, (f"q{n}", "North", "0"), (WRONG if n % 9 == 0 else CORRECT,))
        for n in range(300)
    ]
    first, again = drawing.draw([some], 40, 3), drawing.draw([some[::-1]], 40, 3)
    assert first == again
    other = {each.reply for each in drawing.draw([some], 40, 4)}
    assert other != {each.reply for each in first}
    assert [each.reply for each in first] != sorted(each.reply for each in first)


def test_every_run_gives_as_many_replies_and_they_are_mixed(of_study):
    runs = [judged_run(of_study, {"mild": rarely_wrong}, name=name) for name in ("one", "two")]
    assert command(runs[0].pk, runs[1].pk, "--sample", 41)[1]["tasks"] == 41
    order = list(DrawnReply.objects.order_by("pk").values_list("reply__run", flat=True))
    assert Counter(order) == {runs[0].pk: 21, runs[1].pk: 20}
    assert order not in (sorted(order), sorted(order, reverse=True))


@pytest.mark.parametrize("n", [3, 4, 7, 20, 63])
def test_shares_of_a_draw_sum_to_its_size_and_leave_no_verdict_out(n):
    sizes = {"a": 1, "b": 12, "c": 500}
    taken = drawing.shares(sizes, n)
    assert sum(taken.values()) == n
    assert all(1 <= taken[name] <= size for name, size in sizes.items())


def test_with_more_combinations_than_fit_the_first_judge_alone_makes_the_strata(of_study):
    """Two judges of three verdicts each make six combinations, of which six replies hold none."""
    rules = {
        "mild": lambda place, region, which: LABELS[which],
        "stern": lambda place, region, which: LABELS[max(which, place % 2)],
    }
    run = judged_run(of_study, rules)
    assert len(command(run.pk, "--sample", 6)[1]["strata"]) == 3


def test_the_same_order_again_is_the_same_and_another_is_refused(of_study):
    run = judged_run(of_study, {"mild": rarely_wrong})
    first = command(run.pk, "--sample", 20, "--seed", 1)
    assert command(run.pk, "--sample", 20, "--seed", 1) == first
    assert (Task.objects.count(), Assignment.objects.count()) == (20, 40)
    assert refused(run.pk, "--sample", 20, "--seed", 2) == "validation.drawn_already"
    assert refused(run.pk, "--sample", 30, "--seed", 1) == "validation.drawn_already"


def test_what_cannot_be_drawn_is_refused_by_name(of_study, study, tmp_path):
    run = judged_run(of_study, {"mild": rarely_wrong})
    assert refused(run.pk, "--sample", 2) == "validation.sample_too_small"
    assert refused(run.pk, "--sample", 0) == "validation.sample_unusable"
    assert refused(judged_run(of_study, {}, name="bare").pk) == "validation.not_judged"
    going = judged_run(of_study, {"mild": rarely_wrong}, name="going")
    going.status = "running"
    going.save()
    assert refused(going.pk) == "validation.not_finished"
    alone = judged_run(even_release(tmp_path, "alone"), {"mild": rarely_wrong}, name="alone")
    assert refused(alone.pk) == "validation.no_study"
    assert refused(run.pk, alone.pk) == "validation.studies_differ"
    assert not Task.objects.exists()


def test_the_members_of_a_named_study_judge_a_run_over_a_release_of_none(study, members, tmp_path):
    run = judged_run(even_release(tmp_path), {"mild": rarely_wrong})
    assert command(run.pk, "--sample", 9, "--study", STUDY)[1]["tasks"] == 9
    (ann,) = members("ann")
    assert work(ann, judges_label) == 9
