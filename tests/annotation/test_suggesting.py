"""Suggestions by spelling and by a model: what is asked, what is believed, what is forgotten."""

import pytest

from annotation.models import Assignment, GoldAnswer, Judgement, Suggestion, Task
from annotation.selectors import suggestable, suggestions
from annotation.services import asking, judging, projects, queueing, suggesting
from annotation.suggesting import ladder
from collection.models import Answer
from core.errors import CommonplaceError
from core.models import Job
from inference.models import Call
from tests.annotation.conftest import NO_AGREEMENT, agreement, judge
from tests.annotation.spelt import lets_a_model_read, ordered, spelt
from tests.evaluation.conftest import stub

__all__ = ["spelt", "stub"]
pytestmark = pytest.mark.django_db


def by_model(world, stub, document, **options):
    """What the stub's only model suggests of the only task."""
    served = stub({"suggest": document}, **options)
    project = world.open()
    assert ordered(project, "stub/one").status == "done"
    return Suggestion.objects.get(), served


def test_the_rule_suggests_where_enough_say_the_same_but_for_spelling(spelt):
    project = spelt.open()
    assert ordered(project).status == "done"
    made = Suggestion.objects.get()
    answers = spelt.answers("tea", spelt.first)[-5:]
    assert made.value == agreement("Raksha Bandhan", answers[:4])
    assert (made.by, made.outcome) == ("rule", "usable")


def test_the_rule_has_nothing_to_say_of_other_words(world):
    ordered(world.open())
    assert not Suggestion.objects.exists()


def test_a_model_is_believed_as_far_as_its_quotes_stand_in_the_answers(spelt, stub):
    made, served = by_model(spelt, stub, {"style": "right"})
    answers = spelt.answers("tea", spelt.first)[-5:]
    assert made.value == agreement("Raksha Bandhan", answers[:4])
    assert made.told["concepts"][0]["quotes"][2] == [3, ["Rakshabandhan"]]
    assert made.checks == {"withheld": 0, "retried": [], "quotes": 4, "invented": 0}
    assert (made.by, made.model.simulated, made.prompt.name) == (
        "stub/one",
        True,
        "suggest/agreement",
    )
    assert served.stats()["requests"] == 1
    assert Call.objects.get().purpose == f"suggestions {spelt.open().pk}"


def test_a_reply_that_was_cut_off_is_asked_again_with_more_room(spelt, stub):
    made, served = by_model(spelt, stub, {"style": "right", "from_tokens": 2000})
    assert made.outcome == "usable"
    assert [each["tokens"] for each in made.checks["retried"]] == [800, 1200, 1500]
    assert served.stats()["requests"] == 4


@pytest.mark.parametrize(
    ("style", "why"),
    [
        ("malformed", ladder.UNPARSEABLE),
        ("lacking", ladder.INCOMPLETE),
        ("claims", ladder.NO_CONCEPT),
    ],
)
def test_what_cannot_be_read_on_any_rung_goes_to_people_without_a_suggestion(
    spelt, people, stub, style, why
):
    made, served = by_model(spelt, stub, {"style": style})
    assert (made.outcome, made.value, made.told) == ("unreadable", None, None)
    assert [(each["tokens"], each["why"]) for each in made.checks["retried"]] == [
        (limit, why) for limit in (800, 1200, 1500, 2000, 2500, 3000)
    ]
    assert served.stats()["requests"] == 6
    (ann,) = people("ann")
    row = queueing.take(spelt.open(), ann)
    assert suggestions.offer(row, row.task).where == "none"


def test_an_empty_reply_is_asked_again_and_a_refusal_is_not(spelt, stub):
    served = stub({"shares": {"empty": 1}})
    ordered(spelt.open(), "stub/one")
    assert served.stats()["requests"] == 6
    made = Suggestion.objects.get()
    assert {each["why"] for each in made.checks["retried"]} == {ladder.EMPTY}


def test_invented_quotes_are_dropped_and_support_nothing(spelt, stub):
    made, _ = by_model(spelt, stub, {"style": "invented"})
    assert (made.outcome, made.value) == ("unsupported", None)
    assert made.checks["invented"] == 5
    assert "nobody has said" not in str(made.told)


def test_the_same_is_asked_once_and_anew_when_an_answer_changed(spelt, stub):
    made, served = by_model(spelt, stub, {})
    ordered(spelt.open(), "stub/one")
    assert served.stats()["requests"] == 1
    Answer.objects.filter(text="Pongal").update(text="Raksha bandhan", revision=2)
    project = spelt.open()
    assert Task.objects.get().inputs != made.inputs
    assert suggestions._newest(Task.objects.get()) is None
    ordered(project, "stub/one")
    assert served.stats()["requests"] == 2
    newest = suggestions._newest(Task.objects.get())
    assert len(newest.value["concepts"][0]["answers"]) == 5


def test_an_endpoint_that_refuses_to_go_on_fails_the_order_and_keeps_what_is_done(spelt, stub):
    served = stub({"key": "a secret"})
    job = ordered(spelt.open(), "stub/one")
    assert (job.status, job.error["code"]) == ("failed", "endpoint.key_refused")
    assert not Suggestion.objects.exists()
    served.behaviour = type(served.behaviour)()
    assert ordered(spelt.open(), "stub/one").status == "done"
    assert Suggestion.objects.get().outcome == "usable"


def test_an_unknown_model_is_refused_before_anything_is_ordered(spelt, stub):
    stub({})
    with pytest.raises(CommonplaceError) as refused:
        suggesting.order(spelt.open(), "elsewhere/one", "test")
    assert refused.value.code == "endpoint.unknown"
    assert not Job.objects.filter(kind="annotation.suggest").exists()


def test_with_every_suggestion_wrong_gold_is_what_the_annotators_decided(spelt, people, stub):
    """Both look at it, both decide otherwise; of the other task it says they agree, and they
    do not."""
    for each in ("A shawl", "Sweets", "Nothing"):
        lets_a_model_read(spelt.come(spelt.second, gift=each))
    stub({"suggest": {"style": "wrong"}})
    project = spelt.open()
    suggesting.hide(project, 0, "test")
    ordered(project, "stub/one")
    wrong = {row.task.source_key: row.value["choice"] for row in Suggestion.objects.all()}
    assert wrong == {f"tea.{spelt.first}": "none", f"gift.{spelt.second}": "agreement"}
    truth = {
        f"tea.{spelt.first}": agreement("Raksha Bandhan", spelt.answers("tea", spelt.first)[-5:-1]),
        f"gift.{spelt.second}": NO_AGREEMENT,
    }
    for user in people("ann", "ben"):
        while row := queueing.take(project, user):
            suggesting.unfold(row)
            row.refresh_from_db()
            judging.submit(row, truth[row.task.source_key])
    gold = {f"{row.question.key}.{row.region.slug}": row.texts for row in GoldAnswer.objects.all()}
    assert gold == {f"tea.{spelt.first}": ["Raksha Bandhan"], f"gift.{spelt.second}": []}
    (source,) = suggestions.sources(project)
    found = source.overrides
    assert (found.n, found.overridden.value) == (2, 1)
    assert (found.additions.value, found.removals.value) == (0.5, 0.5)
    assert suggestions.passes_by_arm(project) == {"unfolded": [[True, True], [True, True]]}


def test_a_place_is_hidden_or_offered_by_lot_and_the_judgement_says_which(spelt, people, stub):
    stub({})
    project = spelt.open(overlap=3)
    ordered(project, "stub/one")
    ann, ben, cem = people("ann", "ben", "cem")
    suggesting.hide(project, 1, "test")
    row = queueing.take(project, ann)
    suggesting.unfold(row)
    judging.submit(Assignment.objects.get(pk=row.pk), NO_AGREEMENT)
    suggesting.hide(project, 0, "test")
    judge(project, ben, NO_AGREEMENT)
    row = queueing.take(project, cem)
    suggesting.unfold(row)
    row.refresh_from_db()
    judging.submit(row, NO_AGREEMENT)
    beside = Judgement.objects.order_by("assignment__slot").values_list("beside", flat=True)
    assert list(beside) == ["hidden", "folded", "unfolded"]
    assert Judgement.objects.filter(suggestion=Suggestion.objects.get()).count() == 3


def test_without_any_suggestion_a_judgement_says_that_there_was_none(world, people):
    (ann,) = people("ann")
    judge(world.open(), ann, NO_AGREEMENT)
    assert Judgement.objects.get().beside == "none"


def test_suggestions_move_no_progress_and_no_reliability(spelt, people, stub):
    """Imported, made by a model and by the rule: nobody has judged anything yet."""
    stub({})
    project = spelt.open()
    ordered(project, "stub/one")
    ordered(project)
    task = Task.objects.get()
    line = suggesting.Line(task.source_key, {"choice": ["none"]})
    assert suggesting.bring(project, "elsewhere", [line], "test").kept[0].by == "file: elsewhere"
    assert Suggestion.objects.count() == 3
    assert task.status == "open"
    assert not Judgement.objects.exists()
    assert set(task.assignments.values_list("status", flat=True)) == {"free"}
    assert not GoldAnswer.objects.exists()


def test_a_suggestion_from_a_file_that_cannot_be_is_refused_by_its_line(spelt):
    project = spelt.open()
    key = Task.objects.get().source_key
    lines = [
        suggesting.Line("nowhere", {"choice": ["none"]}),
        suggesting.Line(key, {"choice": ["agreement"]}),
        suggesting.Line(key, {"choice": ["none"]}),
    ]
    result = suggesting.bring(project, "elsewhere", lines, "test")
    assert [(each["line"], each["code"]) for each in result.refused] == [
        (1, "task.unknown"),
        (2, "suggestion.incomplete"),
    ]
    assert len(result.kept) == 1


def test_comparisons_get_suggestions_from_gold_and_its_quotes(spelt, people, stub):
    for each in ("RAKSHA bandhan", "Raksha Bandhan"):
        lets_a_model_read(spelt.come(spelt.second, tea=each))
    project = spelt.open()
    pair = projects.open_project(spelt.study, "pair", "test")
    for user in people("ann", "ben"):
        while row := queueing.take(project, user):
            support = row.task.payload["answers"][: row.task.payload["needed"]]
            judging.submit(row, agreement("Raksha Bandhan", support))
    stub({})
    ordered(pair, "stub/one")
    ordered(pair)
    made = {row.by: row for row in Suggestion.objects.filter(task__project=pair)}
    assert made["stub/one"].value == made["rule"].value == {"choice": "agree"}
    about = suggestable.of_pair(pair.tasks.get(), True)
    assert '"RAKSHA bandhan"' in about.fills["concepts_2"]
    assert len(made["stub/one"].answers) == 6


def test_a_task_that_goes_away_meanwhile_keeps_no_other_from_its_suggestion(
    spelt, stub, monkeypatch
):
    for each in ("A shawl", "A shawl", "a shawl", "Sweets"):
        lets_a_model_read(spelt.come(spelt.second, gift=each))
    stub({}, in_flight=1)
    project, lookup = spelt.open(), asking.cache.lookup

    def leave_the_results(identities):
        type(spelt.rows[0]).objects.filter(participant__region__slug=spelt.first).update(
            included=False
        )
        projects.refresh(project)
        return lookup(identities)

    monkeypatch.setattr(asking.cache, "lookup", leave_the_results)
    assert ordered(project, "stub/one").status == "done"
    assert Suggestion.objects.get().task.region.slug == spelt.second


def test_what_was_looked_at_stays_in_view_when_a_newer_one_comes(spelt, people, stub):
    stub({"suggest": {"style": "wrong"}})
    project = spelt.open(overlap=3)
    suggesting.hide(project, 0, "test")
    ordered(project)
    (rule,) = Suggestion.objects.all()
    ann, ben, cem = people("ann", "ben", "cem")
    row, opened = queueing.take(project, ann), queueing.take(project, ben)
    suggesting.unfold(row)
    ordered(project, "stub/one")
    for each in (row, opened):
        each.refresh_from_db()
        judging.submit(each, NO_AGREEMENT)
    judge(project, cem, NO_AGREEMENT)
    made = Judgement.objects.order_by("pk").values_list("beside", "suggestion__by")
    assert list(made) == [("unfolded", "rule"), ("folded", "rule"), ("folded", "stub/one")]
    assert Judgement.objects.first().suggestion == rule


def test_a_draft_that_lost_its_place_is_offered_nothing(spelt, people):
    project = spelt.open()
    suggesting.hide(project, 0, "test")
    ordered(project)
    (ann,) = people("ann")
    row = queueing.take(project, ann)
    row.slot = None
    assert suggestions.offer(row, row.task).where == "hidden"
