"""Writing questions, topics and plans through their pages, without a script."""

import re

import pytest
from django.urls import reverse

from collection import selectors, services, topic_templates
from collection.models import FormVersion, Question, SurveyPlan, Topic
from core.models import AuditEntry
from studies.history import SENTENCES
from studies.models import Study
from studies.services import create_study, open_study
from studies.setup import StudyFacts

pytestmark = pytest.mark.django_db
ODD = ("007", "a, b; “c”", '=HYPERLINK("http://x")', "+91", "-5", "@SUM(A1)", "'", " a ", "a\x0bb")


def at(page, *further):
    return reverse(f"collection:{page}", args=("lantern_coast", *further))


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def typed(response):
    """What a browser would send of the form as it stands."""
    form = response.context["form"]
    given = {}
    for bound in form:
        value = bound.value()
        if value not in (None, False, ""):
            given[bound.html_name] = "on" if value is True else value
    return given


def written(key, text, **more):
    """A new question as typed."""
    given = {"key": key, "text-en": text, "kind": "long", "status": "accepted", "position": "1"}
    return given | {name.replace("_", "-"): v for name, v in more.items()}


def choice(key, text, labels, **more):
    options = {f"option-{n}-en": label for n, label in enumerate(labels)}
    ids = {f"option-{n}-id": "" for n in range(len(labels))}
    return written(key, text) | {"kind": "one"} | options | ids | more


def listed(response):
    return [line.key for line in response.context["lines"]]


def shape(study, key):
    return selectors.in_document(selectors.access_question(study, key))


def test_a_question_is_written_in_every_language_and_previewed_under_the_prefix(as_alice, study):
    given = written("tea", "When is tea drunk?") | {
        "text-es": "¿Cuándo se toma té?",
        "topic": "table",
    }
    response = as_alice.post(at("question_new"), given)
    assert response["Location"] == at("question", "tea")
    page = text_of(as_alice.get(response["Location"]))
    assert "In your region, when is tea drunk?" in page
    assert "En su región, ¿cuándo se toma té?" in page
    assert "made small by the machine" in page
    assert "Write a question" in text_of(as_alice.get(at("questions")))
    row = study.questions.get(key="tea")
    assert (row.position, row.topic.code, row.status) == (1, "table", "accepted")
    assert study.questions.get(key="guests_arrive").position == 2


def test_a_name_at_the_beginning_keeps_its_letter_in_the_preview(as_alice, study):
    page = text_of(as_alice.get(at("question", "lantern_night")))
    assert "In your region, Lantern Night falls" in page


@pytest.mark.parametrize("words", ODD)
def test_odd_words_come_back_byte_for_byte(as_alice, study, words):
    given = choice("odd", f"{words}?", [words, "other"]) | {"help-en": words}
    assert as_alice.post(at("question_new"), given).status_code == 302
    stored = shape(study, "odd")
    assert stored["texts"]["en"] == f"{words}?"
    assert stored["help"]["en"] == words
    assert stored["options"][0]["texts"]["en"] == words
    assert as_alice.get(at("questions")).status_code == 200
    again = as_alice.post(at("question", "odd"), typed(as_alice.get(at("question", "odd"))))
    assert again.status_code == 302
    assert shape(study, "odd") == stored


def test_a_nul_is_refused_beside_its_field(as_alice, study):
    response = as_alice.post(at("question_new"), written("nul", "a\x00b"))
    assert response.status_code == 422
    assert 'href="#id_text-en"' in response.content.decode()
    assert not study.questions.filter(key="nul").exists()


@pytest.mark.parametrize("key", ["guests_arrive", "shoes", "wedding_colour", "attention_often"])
def test_saving_a_question_unchanged_writes_nothing(as_alice, study, key):
    before = AuditEntry.objects.count(), shape(study, key)
    response = as_alice.post(at("question", key), typed(as_alice.get(at("question", key))))
    assert response.status_code == 302
    assert (AuditEntry.objects.count(), shape(study, key)) == before


def test_options_get_ids_that_stay_when_another_is_dropped_or_renamed(as_alice, study):
    as_alice.post(at("question_new"), choice("when", "When?", ["At once", "Later", "हमेशा"]))
    ids = [option["id"] for option in shape(study, "when")["options"]]
    assert ids == ["at_once", "later", "option"]
    given = typed(as_alice.get(at("question", "when")))
    del given["option-0-en"]
    given |= {"option-1-en": "Much later", "option-3-en": "Never", "option-3-id": ""}
    as_alice.post(at("question", "when"), given)
    assert [(o["id"], o["texts"]["en"]) for o in shape(study, "when")["options"]] == [
        ("later", "Much later"),
        ("option", "हमेशा"),
        ("never", "Never"),
    ]


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"key": "Tea Time"}, "key", "cannot be a short name"),
        ({"text-en": "  "}, "text-en", "This field is required"),
        ({"help-es": "Por ejemplo"}, "help-en", "Write it in English (en) too"),
        ({"kind": "one"}, "kind", "A choice has 2 to"),
        ({"option-0-en": "A", "option-0-id": ""}, "kind", "has no options"),
        ({"least": "3"}, "least", "has no limits"),
        ({"kind": "number", "least": "3", "most": "2"}, "least", "cannot both hold"),
        ({"check_type": "instructed", "expected": "x"}, "expected", "cannot be compared"),
        ({"topic": "nothing"}, "topic", "not one of the available choices"),
    ],
)
def test_a_fault_stands_beside_its_field_and_keeps_what_was_typed(
    as_alice, study, change, field, sentence
):
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?") | change)
    assert response.status_code == 422
    page = response.content.decode()
    assert sentence in text_of(response)
    assert f'href="#id_{field}"' in page
    assert 'role="alert"' in page
    assert study.questions.count() == 21


def test_the_same_question_twice_is_refused_and_the_other_is_named(as_alice, study):
    response = as_alice.post(
        at("question_new"), written("again", "what is EATEN on an ordinary  morning?")
    )
    assert response.status_code == 422
    assert "“breakfast” and “again” ask the same in en" in text_of(response)
    services.set_status(study, "breakfast", "retired", "test")
    given = written("again", "What is eaten on an ordinary morning?")
    assert as_alice.post(at("question_new"), given).status_code == 302


def test_a_short_name_is_taken_once(as_alice, study):
    response = as_alice.post(at("question_new"), written("soup", "Another?"))
    assert response.status_code == 422
    assert "Choose another short name" in text_of(response)


def test_an_attention_check_is_written_by_the_words_of_its_option(as_alice, study):
    labels = ["Never", "Sometimes", "Often"]
    check = {"check_type": "instructed", "expected": "often"}
    as_alice.post(at("question_new"), choice("look", "Choose often.", labels, **check))
    assert shape(study, "look")["check"] == {"type": "instructed", "expected": "often"}
    assert "middle of a scale" not in text_of(as_alice.get(at("question", "look")))
    given = typed(as_alice.get(at("question", "look"))) | {"expected": "Sometimes"}
    as_alice.post(at("question", "look"), given)
    assert "middle of a scale" in text_of(as_alice.get(at("question", "look")))
    assert "remember" in text_of(as_alice.get(at("question", "shoes_again")))


def test_an_edit_after_publication_makes_a_new_question_and_says_so_before(as_alice, study):
    open_study(study, "test")
    page = as_alice.get(at("question", "soup"))
    assert "A published form holds these words" in text_of(page)
    response = as_alice.post(at("question", "soup"), typed(page) | {"text-en": "Which fish?"})
    assert response["Location"] == at("question", "soup-2")
    assert "It replaces" in text_of(as_alice.get(response["Location"]))
    plan = text_of(as_alice.get(at("plan", "everyday_life")))
    assert "1 form differs from what is published" in plan
    as_alice.post(at("publish", "everyday_life"))
    assert FormVersion.objects.filter(number=2).count() == 2
    assert "Everything is published" in text_of(as_alice.get(at("plan", "everyday_life")))


def test_a_new_check_goes_without_the_prefix_unless_its_author_says_so(as_alice, study):
    check = {"kind": "short", "check_type": "instructed", "expected": "blue"}
    as_alice.post(at("question_new"), written("blue", "Write blue.") | check)
    assert not shape(study, "blue")["prefixed"]
    said = check | {"prefixed": "yes"}
    as_alice.post(at("question_new"), written("blue_too", "Write blue here.") | said)
    assert shape(study, "blue_too")["prefixed"]
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    assert shape(study, "tea")["prefixed"]
    as_alice.post(at("question_new"), written("bare", "Where is tea drunk?") | {"prefixed": "no"})
    assert not shape(study, "bare")["prefixed"]
    again = typed(as_alice.get(at("question", "bare")))
    as_alice.post(at("question", "bare"), again)
    assert not shape(study, "bare")["prefixed"]


def test_what_changed_after_the_opening_says_everywhere_that_nobody_is_asked_it_yet(
    as_alice, study
):
    detail = reverse("studies:detail", args=(study.slug,))
    pages = (at("questions"), at("question", "market"), detail)
    plan, said = at("plan", "everyday_life"), "from what people are asked"
    open_study(study, "test")
    assert not any(said in text_of(as_alice.get(page)) for page in pages)
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?"), follow=True)
    assert "The question is saved; people are not asked it yet." in text_of(response)
    assert f'href="{plan}"' in response.content.decode()
    for page in pages:
        shown = as_alice.get(page)
        assert "3 forms of Questions about everyday life differ " + said in text_of(shown)
        assert f'href="{plan}"' in shown.content.decode()
    as_alice.post(at("publish", "everyday_life"))
    assert not any(said in text_of(as_alice.get(page)) for page in pages)
    study.questions.update(status="draft")
    assert "No forms can be made of the changed questions" in text_of(as_alice.get(detail))


def test_before_the_opening_nothing_waits_to_be_published(as_alice, study):
    response = as_alice.post(at("question_new"), written("tea", "When is tea drunk?"), follow=True)
    assert "The question is saved." in text_of(response)
    assert "differ" not in text_of(as_alice.get(at("questions")))


def test_an_edit_of_a_published_question_says_what_it_carries_over(as_alice, study):
    open_study(study, "test")
    page = as_alice.get(at("question", "soup"))
    before = text_of(page)
    assert "makes a new question, soup-2, that replaces this one" in before
    assert "words in English (en), Spanish (es): those you leave alone are carried over" in before
    given = typed(page) | {"text-en": "Which fish?"}
    after = text_of(as_alice.post(at("question", "soup"), given, follow=True))
    assert "yours are a new question, “soup-2”, which replaces it" in after
    assert "unchanged in Spanish (es)" in after
    alone = text_of(as_alice.get(at("question", "soup")))
    assert "makes a new question" not in alone  # replaced already, and changed no more


def test_the_pages_below_the_questions_say_where_they_are(as_alice, study):
    for page in ("question_new", "topics", "questions_alike", "questions_copy"):
        crumbs = as_alice.get(at(page)).context["crumbs"]
        assert ("Questions", at("questions")) in crumbs
    crumbs = as_alice.get(at("topic", "table")).context["crumbs"]
    assert [address for _, address in crumbs][-3:] == [at("questions"), at("topics"), ""]


@pytest.mark.parametrize("page", ["questions", "review", "monitor", "export"])
def test_every_room_of_a_study_is_marked_in_the_navigation(as_alice, study, page):
    html = as_alice.get(at(page)).content.decode()
    assert re.search(r'<a href="/studies/" aria-current="true">Studies</a>', html)


def test_a_question_is_retired_listed_apart_and_accepted_again(as_alice, study):
    as_alice.post(at("status", "soup"), {"status": "retired"})
    assert "soup" not in listed(as_alice.get(at("questions")))
    assert listed(as_alice.get(at("questions"), {"status": "retired"})) == ["soup"]
    as_alice.post(at("status", "soup"), {"status": "accepted"})
    assert study.questions.get(key="soup").status == Question.Status.ACCEPTED
    assert as_alice.post(at("status", "soup"), {"status": "burnt"}).status_code == 400


def test_a_question_moves_and_the_others_make_room(as_alice, study):
    as_alice.post(at("move", "boat_fare"), {"to": "1"})
    order = list(study.questions.order_by("position").values_list("key", flat=True))
    assert order[:2] == ["boat_fare", "guests_arrive"]
    as_alice.post(at("move", "boat_fare"), {"to": "999"})
    assert study.questions.order_by("position").last().key == "boat_fare"
    assert as_alice.post(at("move", "boat_fare"), {"to": "up"}).status_code == 400


def test_topics_show_their_counts_and_which_carry_too_few(as_alice, study):
    lines = as_alice.get(at("topics")).context["topics"]
    found = {line.code: (line.level, line.accepted, line.short) for line in lines}
    assert found["people"] == (1, 0, False)
    assert found["visiting"] == (2, 5, True)
    assert "below 15" in text_of(as_alice.get(at("questions")))
    page = text_of(as_alice.get(at("questions"), {"topic": "people"}))
    assert "neighbour_key" in page
    assert "breakfast" not in page


def test_the_ready_tree_has_8_domains_18_subcategories_and_39_topics(as_alice, study):
    as_alice.post(at("topics_load"), {"template": "ocm"})
    lines = as_alice.get(at("topics")).context["topics"]
    new = [line for line in lines if line.code in {t.code for t in topic_templates.read("ocm")}]
    assert [sum(line.level == level for line in new) for level in (1, 2, 3)] == [8, 18, 39]
    assert all(line.about for line in new)
    before = Topic.objects.count()
    as_alice.post(at("topics_load"), {"template": "ocm"})
    assert Topic.objects.count() == before
    assert as_alice.post(at("topics_load"), {"template": "none"}).status_code == 400


def test_a_topic_is_added_changed_and_removed_and_never_lies_below_itself(as_alice, study):
    new = {"code": "guests", "names-en": "Guests", "parent": "visiting", "position": "9"}
    as_alice.post(at("topic_new"), new)
    assert study.topics.get(code="guests").parent.code == "visiting"
    deeper = new | {"code": "deeper", "parent": "guests"}
    response = as_alice.post(at("topic_new"), deeper)
    assert response.status_code == 422
    assert "deeper than 3 levels" in text_of(response)
    people = typed(as_alice.get(at("topic", "people"))) | {"parent": "guests"}
    assert as_alice.post(at("topic", "people"), people).status_code == 422
    assert as_alice.post(at("topic_remove", "visiting")).status_code == 409
    as_alice.post(at("topic_remove", "guests"))
    assert not study.topics.filter(code="guests").exists()


def test_the_plan_is_changed_and_a_prefix_without_its_place_is_refused(as_alice, study):
    where = at("plan", "everyday_life")
    given = typed(as_alice.get(where))
    before = AuditEntry.objects.count()
    as_alice.post(where, given)
    assert AuditEntry.objects.count() == before
    bad = as_alice.post(where, given | {"prefix-es": "En su región"})
    assert bad.status_code == 422
    assert 'href="#id_prefix-es"' in bad.content.decode()
    as_alice.post(where, given | {"per_form": "15", "topics": ["table"]})
    plan = SurveyPlan.objects.get()
    assert (plan.per_form, plan.topics) == (15, ["table"])


def test_the_preview_shows_every_form_in_the_language_asked_for(as_alice, study):
    page = as_alice.get(at("preview", "everyday_life"), {"language": "es"})
    assert "Form 3 of 3" in text_of(page)
    assert "En su región, ¿cómo avisa" in text_of(page)
    assert 'lang="es"' in page.content.decode()
    study.questions.update(status="draft")
    assert "There is no preview yet" in text_of(as_alice.get(at("preview", "everyday_life")))


def test_near_duplicates_stand_side_by_side(as_alice, study):
    as_alice.post(at("question_new"), written("twin", "What is eaten on an ordinary evening?"))
    pairs = as_alice.get(at("questions_alike")).context["pairs"]
    assert [{one.key, other.key} for one, other, _ in pairs] == [{"breakfast", "twin"}]


def test_questions_are_copied_as_drafts_that_say_where_they_are_from(as_alice, alice, study):
    facts = StudyFacts(
        slug="inland",
        names={"en": "Inland"},
        languages=["en"],
        country="Coast",
        timezone="UTC",
        currency="EUR",
    )
    other = create_study(facts, alice, "test")
    where = reverse("collection:questions_copy", args=("inland",)) + "?from=lantern_coast"
    assert "Which fish goes" in text_of(as_alice.get(where))
    keys = ["soup", "shoes", "shoes_again"]
    as_alice.post(where, {"key": keys})
    as_alice.post(where, {"key": keys})
    rows = {row.key: (row.status, row.copied_from) for row in other.questions.all()}
    assert rows == {key: ("draft", f"lantern_coast/{key}") for key in ("soup", "shoes")}
    assert shape(other, "shoes")["options"] == shape(study, "shoes")["options"]


def test_questions_of_a_study_one_is_not_in_are_not_shown(signed_in_owner, study):
    where = reverse("collection:questions_copy", args=("mine",)) + "?from=lantern_coast"
    page = text_of(signed_in_owner.get(where))
    assert "There is no other study" in page
    assert "fish" not in page


@pytest.fixture
def signed_in_owner(client, bob):
    facts = StudyFacts(
        slug="mine",
        names={"en": "Mine"},
        languages=["en"],
        country="Coast",
        timezone="UTC",
        currency="EUR",
    )
    create_study(facts, bob, "test")
    client.force_login(bob, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_every_thing_done_has_a_sentence(as_alice, study):
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    as_alice.post(at("status", "tea"), {"status": "draft"})
    as_alice.post(at("topics_load"), {"template": "ocm"})
    open_study(study, "test")
    actions = set(AuditEntry.objects.filter(study=study.slug).values_list("action", flat=True))
    assert {"question.added", "question.draft", "topics.loaded", "forms.published"} <= actions
    assert actions <= set(SENTENCES)
    page = text_of(as_alice.get(reverse("studies:audit", args=(study.slug,))))
    assert "published 3 forms of everyday_life" in page


def test_fields_carry_their_language_and_direction(as_alice, study):
    Study.objects.update(languages=["en", "ur"])
    page = as_alice.get(at("question_new")).content.decode()
    field = re.search(r'<textarea[^>]*name="text-ur"[^>]*>', page)[0]
    assert 'lang="ur"' in field
    assert 'dir="rtl"' in field


def folded(response):
    """The parts that are away until asked for: whether each is open."""
    return {part.legend: part.open for part in response.context["form"].parts() if part.folded}


def test_only_the_parts_a_question_uses_are_open(as_alice, study):
    assert not any(folded(as_alice.get(at("question_new"))).values())
    assert folded(as_alice.get(at("question", "shoes"))) == {
        "Help below it": False,
        "Options": True,
        "Limits": False,
        "Attention check": False,
    }
    given = written("tea", "When is tea drunk?") | {"least": "3"}
    wrong = as_alice.post(at("question_new"), given)
    assert folded(wrong)["Limits"]
    assert not folded(wrong)["Options"]


def test_there_is_one_spare_row_for_options_and_a_button_for_more(as_alice, study):
    count = len(shape(study, "shoes")["options"])
    form = as_alice.get(at("question", "shoes")).context["form"]
    assert len(form.rows) == count + 1
    given = typed(as_alice.get(at("question", "shoes"))) | {f"option-{count}-en": "In a bag"}
    given |= {f"option-{count}-id": "", "more": ""}
    page = as_alice.post(at("question", "shoes"), given, follow=True)
    assert len(shape(study, "shoes")["options"]) == count + 1
    assert len(page.context["form"].rows) == count + 2 + 4


def test_more_rows_keep_what_was_typed_where_it_cannot_be_saved_yet(as_alice, study):
    given = choice("when", "When?", ["At once"]) | {"text-es": "¿Cuándo?", "more": ""}
    response = as_alice.post(at("question_new"), given)
    assert response.status_code == 422
    page = response.content.decode()
    assert 'value="At once"' in page
    assert "¿Cuándo?" in page
    assert len(response.context["form"].rows) == 7
    assert not study.questions.filter(key="when").exists()


def test_the_preview_shows_the_fields_limits_and_places_a_participant_gets(as_alice, study):
    response = as_alice.get(at("preview", "everyday_life"), {"language": "es"})
    page = response.content.decode()
    form = response.context["forms"][0]
    assert page.count("<fieldset disabled") == sum(
        len(f.questions) for f in response.context["forms"]
    )
    for field in ("<textarea", 'type="radio"', 'type="checkbox"', 'list="places"'):
        assert field in page
    assert "Prefiero no responder" in page
    assert '<strong aria-current="true">Spanish (es)</strong>' in page
    assert "In your region" not in page
    assert any(each.places for each in response.context["forms"])
    assert form.number == 1


def test_a_topic_is_called_by_its_name(as_alice, study):
    name = study.topics.get(code="table").names["en"]
    page = as_alice.get(at("topic", "table"))
    assert f"<h1>{name}</h1>" in page.content.decode()
    assert page.context["crumbs"][-1][0] == name


def test_a_missing_language_is_named_in_the_list(as_alice, study):
    as_alice.post(at("question_new"), written("tea", "When is tea drunk?"))
    assert "not in Spanish (es)" in text_of(as_alice.get(at("questions")))
