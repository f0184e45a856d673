"""Artifacts of a study: listed by hand, named, merged, taken apart again, kept apart."""

import threading

import pytest
from django.db import connection

from core.errors import CommonplaceError
from core.models import AuditEntry
from core.text import fold
from studies import artifacts, history, services
from studies.models import Artifact, ArtifactApart, ArtifactName, ArtifactSource, Participant
from studies.services.artifacts import Called

pytestmark = pytest.mark.django_db


@pytest.fixture
def harbour(study):
    return study.regions.get(slug="harbour")


@pytest.fixture
def thing(study, harbour):
    """Lists a thing of the harbour with its further names as aliases."""

    def thing(name, *aliases, region=harbour):
        further = [Called(alias) for alias in aliases]
        return services.list_artifact(study, region, name, "test", further)

    return thing


def names(artifact):
    return [(row.text, row.kind) for row in ArtifactName.objects.filter(artifact=artifact)]


def fresh(artifact):
    return Artifact.objects.get(pk=artifact.pk)


def refused(code, order, *given):
    with pytest.raises(CommonplaceError) as error:
        order(*given)
    assert error.value.code == code
    return error.value


def done(study):
    """What the history says was done with artifacts, the oldest first."""
    entries = AuditEntry.objects.filter(study=study.slug, action__startswith="artifact")
    return [history.sentence(e.action, "It", e.data) for e in entries.order_by("pk")]


# --- listing and names --------------------------------------------------------------------------


def test_a_thing_listed_by_hand_stands_with_its_names_and_their_scripts(study, harbour):
    further = [Called("রুটি", "translation", "bn"), Called("bakery", "forbidden")]
    bread = services.list_artifact(study, harbour, " Lantern  bread ", "test", further)
    rows = ArtifactName.objects.filter(artifact=bread)
    assert [(row.text, row.kind, row.language, row.script) for row in rows] == [
        ("Lantern bread", "name", "", "Latin"),
        ("রুটি", "translation", "bn", "Bengali"),
        ("bakery", "forbidden", "", "Latin"),
    ]
    assert (bread.status, bread.origin, bread.region) == ("listed", "original", harbour)
    assert done(study) == ["listed the artifact It"]


def test_listing_it_again_changes_nothing(study, thing):
    assert thing("Bell night", "Night of bells") == thing("BELL NIGHT", "night of bells")
    assert Artifact.objects.count() == 1
    assert done(study) == ["listed the artifact It"]


def test_another_name_of_an_artifact_is_no_artifact_of_its_own(thing):
    thing("Bell night", "Night of bells")
    assert "Bell night" in refused("artifact.name_taken", thing, "night of Bells").message


def test_what_is_called_alike_in_two_regions_is_two_artifacts(study, thing):
    marsh = study.regions.get(slug="marsh")
    assert thing("Net blessing") != thing("Net blessing", region=marsh)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "artifact.name_blank"),
        ("\u200b \u00a0", "artifact.name_blank"),
        ("x" * 201, "artifact.name_too_long"),
        ("ﷺ" * 30, "artifact.name_too_long"),  # 30 characters that fold to 540
        ("a\x00b", "text.not_storable"),
    ],
)
def test_what_is_no_name_is_refused_and_nothing_is_written(thing, name, code):
    refused(code, thing, name)
    assert not Artifact.objects.exists()


def test_names_are_added_once_whatever_their_case(study, thing):
    bread = thing("Lantern bread")
    for text in ("Glow loaf", "glow LOAF", "lantern bread"):
        services.add_name(bread, Called(text), "test")
    assert names(bread) == [("Lantern bread", "name"), ("Glow loaf", "alias")]
    assert done(study)[1:] == ["added a name (alias) to the artifact It"]


def test_a_name_chosen_to_be_shown_makes_the_one_before_an_alias(thing):
    bread = thing("Lantern bread", "Glow loaf")
    services.add_name(bread, Called("glow loaf", "name"), "test")
    services.add_name(bread, Called("Light bread", "name"), "test")
    assert names(bread) == [
        ("Lantern bread", "alias"),
        ("Glow loaf", "alias"),
        ("Light bread", "name"),
    ]


def test_a_name_cannot_be_forbidden_and_a_forbidden_word_can_become_a_name(thing):
    bread = thing("Lantern bread")
    refused(
        "artifact.name_is_right",
        services.add_name,
        bread,
        Called("lantern bread", "forbidden"),
        "test",
    )
    services.add_name(bread, Called("loaf", "forbidden"), "test")
    services.add_name(bread, Called("Loaf"), "test")
    assert names(bread)[1:] == [("loaf", "alias")]


def test_strange_kinds_and_languages_are_refused(thing):
    bread = thing("Lantern bread")
    refused("artifact.name_kind", services.add_name, bread, Called("x", "nickname"), "test")
    refused(
        "language.tag", services.add_name, bread, Called("pan", "translation", "Spanish!"), "test"
    )
    assert names(bread) == [("Lantern bread", "name")]


def test_the_shown_name_stays_and_any_other_can_go_twice(thing):
    bread = thing("Lantern bread", "Glow loaf")
    shown, alias = ArtifactName.objects.filter(artifact=bread)
    refused("artifact.name_shown", services.remove_name, bread, shown.pk, "test")
    for _click in range(2):
        services.remove_name(bread, alias.pk, "test")
    assert names(bread) == [("Lantern bread", "name")]


def test_a_name_of_another_artifact_is_not_removed(thing):
    bread, herring = thing("Lantern bread"), thing("Salt herring", "Silver")
    alias = herring.names.get(kind="alias")
    services.remove_name(bread, alias.pk, "test")
    assert names(herring)[1:] == [("Silver", "alias")]


def test_leaving_out_and_listing_again_count_what_changed(study, thing):
    codes = [thing("Lantern bread").code, thing("Salt herring").code]
    assert services.leave_out(study, codes, "test") == 2
    assert services.leave_out(study, codes, "test") == 0
    assert services.list_again(study, codes[:1], "test") == 1
    assert [row.status for row in Artifact.objects.all()] == ["listed", "left_out"]
    refused("artifact.unknown", services.leave_out, study, ["nothing"], "test")


# --- merging ------------------------------------------------------------------------------------


@pytest.fixture
def bandhani(study, thing):
    """Two artifacts that are one, each named by somebody."""
    pair = thing("Bandhani", "Tied cloth"), thing("Bandhej", "tied CLOTH", "Knotted cloth")
    for artifact in pair:
        who = Participant.objects.create(study=study, language="en")
        ArtifactSource.objects.create(artifact=artifact, participant=who, text="x")
    return pair


def state():
    """Everything merging could change."""
    return [
        list(model.objects.order_by("pk").values())
        for model in (Artifact, ArtifactName, ArtifactSource)
    ]


def test_what_is_merged_gives_its_names_as_aliases_and_its_sources(study, bandhani):
    one, other = bandhani
    assert services.merge(study, [one.code, other.code], one.code, "test") == one
    assert names(one) == [
        ("Bandhani", "name"),
        ("Tied cloth", "alias"),
        ("Bandhej", "alias"),
        ("Knotted cloth", "alias"),
    ]
    assert one.sources.count() == 2
    assert (fresh(other).status, fresh(other).merged_into) == ("merged", one)
    assert artifacts.standing(fresh(other)) == one
    assert [row.code for row in artifacts.listed(study)] == [one.code]


def test_undoing_a_merge_leaves_everything_as_it_was(study, bandhani):
    one, other = bandhani
    before = state()
    services.merge(study, [other.code], one.code, "test")
    (merge,) = artifacts.merges(study)
    assert merge.names == ["Bandhej", "Knotted cloth"]
    for _click in range(2):
        services.undo_merge(study, merge.entry, "test")
    assert state() == before
    assert artifacts.merges(study) == []
    assert done(study)[-2:] == [
        "merged 1 artifact into It",
        "took 1 artifact out of It again",
    ]


def test_the_audit_trail_of_a_merge_holds_no_words(study, bandhani):
    one, other = bandhani
    services.merge(study, [other.code], one.code, "test")
    entry = AuditEntry.objects.get(action="artifact.merged")
    told = str(entry.data).casefold()
    assert not [word for word in ("bandh", "tied", "cloth", "knot") if word in told]


def test_merging_again_or_the_other_way_round_changes_nothing(study, bandhani):
    one, other = bandhani
    services.merge(study, [other.code], one.code, "test")
    after = state()
    assert services.merge(study, [other.code], one.code, "test") == one
    assert services.merge(study, [one.code], other.code, "test") == one
    assert state() == after
    assert AuditEntry.objects.filter(action="artifact.merged").count() == 1


def test_merges_of_merges_are_undone_from_the_last(study, thing):
    first, second, third = (thing(name) for name in ("Ombre", "Umbra", "Shade"))
    before = state()
    services.merge(study, [first.code], second.code, "test")
    services.merge(study, [second.code], third.code, "test")
    assert artifacts.standing(fresh(first)) == third
    later, earlier = AuditEntry.objects.filter(action="artifact.merged").order_by("-pk")
    assert [merge.entry for merge in artifacts.merges(study)] == [later.pk]
    refused("artifact.merged", services.undo_merge, study, earlier.pk, "test")
    services.undo_merge(study, later.pk, "test")
    services.undo_merge(study, earlier.pk, "test")
    assert state() == before


def test_a_merge_done_again_after_it_was_undone_is_not_undone_by_the_old_entry(study, bandhani):
    one, other = bandhani
    services.merge(study, [other.code], one.code, "test")
    (old,) = artifacts.merges(study)
    services.undo_merge(study, old.entry, "test")
    services.merge(study, [other.code], one.code, "test")
    services.undo_merge(study, old.entry, "test")
    assert fresh(other).status == "merged"


def test_what_was_decided_since_the_merge_survives_its_undoing(study, harbour, thing):
    one = Artifact.objects.create(study=study, region=harbour)
    ArtifactName.objects.create(artifact=one, text="Kite", folded="kite", kind="name")
    other = thing("Paper kite")
    services.merge(study, [other.code], one.code, "test")
    assert fresh(one).status == "listed"
    services.add_name(fresh(one), Called("Paper kite", "name"), "test")
    services.leave_out(study, [one.code], "test")
    services.undo_merge(study, artifacts.merges(study)[0].entry, "test")
    assert (fresh(one).status, fresh(other).status) == ("left_out", "listed")
    assert (names(one), names(other)) == ([("Kite", "name")], [("Paper kite", "name")])


def test_an_artifact_that_would_be_nameless_stays_merged(study, bandhani):
    one, other = bandhani
    services.merge(study, [other.code], one.code, "test")
    left = ArtifactName.objects.filter(artifact=other).delete()
    assert left[0] == 1
    for row in one.names.filter(text__in=["Bandhej", "Knotted cloth"]):
        services.remove_name(one, row.pk, "test")
    after = state()
    entry = artifacts.merges(study)[0].entry
    refused("artifact.nameless", services.undo_merge, study, entry, "test")
    assert state() == after


def test_artifacts_of_two_regions_are_not_merged(study, thing):
    marsh = study.regions.get(slug="marsh")
    one, other = thing("Net blessing"), thing("Net blessing", region=marsh)
    refused("artifact.other_region", services.merge, study, [one.code], other.code, "test")


def test_one_artifact_alone_is_nothing_to_merge(study, thing):
    one = thing("Net blessing")
    refused("artifact.nothing_to_merge", services.merge, study, [one.code], one.code, "test")


def test_who_chose_before_somebody_else_merged_is_told_and_nothing_changes(study, thing):
    first, second, third = (thing(name) for name in ("Ombre", "Umbra", "Shade"))
    services.merge(study, [first.code], second.code, "rita")
    after = state()
    error = refused(
        "artifact.merged_meanwhile", services.merge, study, [first.code], third.code, "olga"
    )
    assert "Umbra" in error.message
    assert state() == after


def test_a_merged_artifact_is_named_and_listed_where_it_stands_now(study, bandhani):
    one, other = bandhani
    services.merge(study, [other.code], one.code, "test")
    refused("artifact.merged", services.add_name, other, Called("Dots"), "test")
    refused("artifact.merged", services.leave_out, study, [other.code], "test")


# --- suggestions --------------------------------------------------------------------------------


def test_suggestions_are_of_one_region_and_end_with_a_decision(study, harbour, thing):
    one, other = thing("Diwali"), thing("Deepawali")
    thing("Dipavali", region=study.regions.get(slug="marsh"))
    (found,) = artifacts.suggestions(study)[harbour.slug]
    assert ([row.pk for row in found.artifacts], found.group.ticked) == ([one.pk, other.pk], True)
    for _click in range(2):
        services.keep_apart(study, [one.code, other.code], "test")
    assert artifacts.suggestions(study)[harbour.slug] == []
    assert ArtifactApart.objects.count() == 1
    assert done(study)[-1] == "keeps 2 artifacts apart, It among them"


def test_what_was_merged_in_one_region_is_ticked_in_another(study, thing):
    marsh = study.regions.get(slug="marsh")
    for region in (marsh, study.regions.get(slug="harbour")):
        thing("Bandhani", region=region)
        thing("Bandhej", region=region)
    assert artifacts.suggestions(study)[marsh.slug] == []
    in_harbour = Artifact.objects.filter(region__slug="harbour")
    services.merge(study, [row.code for row in in_harbour], in_harbour[0].code, "test")
    (found,) = artifacts.suggestions(study)[marsh.slug]
    assert found.group.ticked


def test_two_of_one_name_cannot_be_kept_apart(study, harbour, thing):
    one, other = thing("Kite"), Artifact.objects.create(study=study, region=harbour)
    ArtifactName.objects.create(artifact=other, text="kite", folded=fold("kite"), kind="name")
    refused("artifact.same_name", services.keep_apart, study, [one.code, other.code], "test")
    (found,) = artifacts.suggestions(study)[harbour.slug]
    assert found.group.ticked


# --- at the same moment -------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_people_who_merge_at_once_leave_one_of_every_chain_standing(study, thing):
    for number in range(6):
        one, other, third = (thing(f"{name} {number}") for name in ("Ombre", "Umbra", "Shade"))
        refusals = at_once(
            lambda one=one, other=other: services.merge(study, [one.code], other.code, "rita"),
            lambda one=one, other=other: services.merge(study, [other.code], one.code, "olga"),
            lambda one=one, third=third: services.merge(study, [one.code], third.code, "vera"),
        )
        assert set(refusals) <= {"artifact.merged_meanwhile"}
        stand = [artifacts.standing(fresh(row)) for row in (one, other, third)]
        assert stand[0] in stand[1:]
        left = {row.pk for row in stand}
        named = ArtifactName.objects.filter(artifact__in=left)
        assert sorted(row.text for row in named) == sorted(
            f"{name} {number}" for name in ("Ombre", "Umbra", "Shade")
        )
        assert named.filter(kind="name").count() == len(left)


def at_once(*orders):
    """Follow orders in as many threads; the codes of the refusals."""
    codes, gate = [], threading.Barrier(len(orders))

    def run(order):
        try:
            gate.wait()
            order()
        except CommonplaceError as error:
            codes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return codes
