"""A release that holds questions beside artifacts: benchmarks of questions ask its questions."""

import pytest

from core.errors import CommonplaceError
from evaluation import benchmarks, services
from evaluation.selectors import planning
from releases.models import Item
from tests.annotation.conftest import people, world
from tests.evaluation.conftest import do
from tests.releases.test_freezing import decided
from tests.releases.test_mixed import mixed

__all__ = ["decided", "mixed", "people", "world"]

pytestmark = pytest.mark.django_db


def order(name, release, **given):
    return services.Order(name, release.label, "stub/one", {"samples": 2, **given})


def test_rasa_asks_the_questions_and_leaves_the_artifacts_alone(mixed, stub, release):
    stub({})
    run = do(services.start_run(order("rasa", mixed), "test"))
    assert run.release == mixed
    asked = set(run.samples.values_list("item__kind", flat=True))
    assert asked == {"question"}
    assert planning.items(run).count() == mixed.items.filter(kind="question").count()
    assert run.samples.count() == planning.planned(run)


def test_choices_are_built_from_the_questions_alone(release, stub):
    stub({})
    keys = set(release.items.values_list("key", flat=True))
    Item.objects.create(
        release=release, key="lantern", position=9999, kind="artifact", labels={}, payload={}
    )
    run = do(services.start_run(order("ra_mcq", release), "test"))
    assert run.samples.exists()
    assert set(run.samples.values_list("item__key", flat=True)) <= keys


@pytest.mark.parametrize("name", ["rasa", "ra_mcq"])
def test_a_release_without_questions_is_refused_in_a_sentence(name, mixed):
    mixed.items.filter(kind="question").delete()
    benchmark = benchmarks.find(name)
    with pytest.raises(CommonplaceError) as refused:
        benchmark.derive(mixed, benchmark.read_settings({}), "test")
    assert refused.value.code == "benchmark.wrong_release"
    assert "holds no questions" in refused.value.message
