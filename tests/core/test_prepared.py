"""A prepared query says what its queryset says, whatever it is called with."""

from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.db.models import Count, Max, Q
from django.test.utils import CaptureQueriesContext

from core import clock
from core.prepared import Prepared
from studies.models import Place, Region, Study
from tests import sample_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(alice):
    return sample_study.load()


def test_rows_and_foreign_rows_are_those_of_the_queryset(study):
    def build_places(study, name):
        return Place.objects.select_related("region").filter(~Q(name=name), study=study)

    places = Prepared(build_places, int, str)
    for name in ("Windlow", "nowhere", "O'Hara \N{SYMBOL FOR SUBSTITUTE}0 %s"):
        wanted = list(build_places(study.pk, name))
        found = places.all(study.pk, name)
        assert found == wanted
        assert [vars_of(row) for row in found] == [vars_of(row) for row in wanted]
        with CaptureQueriesContext(connection) as queries:
            assert [row.region for row in found] == [row.region for row in wanted]
        assert not queries


def vars_of(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_json_and_instants_are_read_as_the_queryset_reads_them(study):
    found = Prepared(lambda pk: Study.objects.filter(pk=pk), int).first(study.pk)
    assert vars_of(found) == vars_of(Study.objects.get(pk=study.pk))
    assert found._state.db == "default"
    assert not found._state.adding
    found.save()


def test_deferred_columns_stay_deferred(study):
    found = Prepared(lambda pk: Study.objects.filter(pk=pk).defer("names"), int).first(study.pk)
    assert found.get_deferred_fields() == {"names"}
    assert found.names == study.names


def test_annotations_and_rows_of_values(study):
    def build(study):
        return Region.objects.filter(study=study).annotate(many=Count("places")).order_by("slug")

    wanted = [(row.slug, row.many) for row in build(study.pk)]
    assert [(row.slug, row.many) for row in Prepared(build, int).all(study.pk)] == wanted
    named = Prepared(lambda study: build(study).values_list("slug", "many"), int)
    assert named.rows(study.pk) == wanted
    newest = Prepared(
        lambda pk: (
            Study.objects.filter(pk=pk)
            .values("pk")
            .annotate(last=Max("created"))
            .values_list("last")
        ),
        int,
    )
    assert newest.rows(study.pk) == [(study.created,)]
    with pytest.raises(TypeError):
        named.all(study.pk)


def test_a_value_may_stand_in_several_places_and_beside_fixed_ones(study):
    def build(slug, other):
        return Region.objects.filter(Q(slug=slug) | Q(slug=other, position__gte=0)).filter(
            ~Q(slug=other) | Q(slug=slug)
        )

    slugs = list(study.regions.values_list("slug", flat=True))
    both = Prepared(build, str, str)
    for one in slugs:
        for other in slugs:
            assert both.all(one, other) == list(build(one, other))


def test_nothing_found_is_none_and_empty(study):
    by_slug = Prepared(lambda slug: Study.objects.filter(slug=slug), str)
    assert by_slug.first("none such") is None
    assert by_slug.all("none such") == []


def test_a_row_lock_is_part_of_it(study):
    held = Prepared(lambda pk: Study.objects.filter(pk=pk).select_for_update(), int)
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        held.first(study.pk)
    wanted = connection.features.has_select_for_update
    assert ("FOR UPDATE" in queries[0]["sql"]) == wanted


def test_it_is_compiled_once(study):
    built = []

    def build(pk):
        built.append(pk)
        return Study.objects.filter(pk=pk)

    by_key = Prepared(build, int)
    assert [by_key.first(study.pk) for _ in range(3)] == [study] * 3
    assert len(built) == 1


def test_an_instant_is_sent_as_the_database_keeps_it(study):
    later = Prepared(lambda at: Study.objects.filter(created__gt=at).values_list("pk"), datetime)
    now = clock.now()
    for at, found in ((now - timedelta(days=1), [(study.pk,)]), (now + timedelta(days=1), [])):
        assert later.rows(at) == found
