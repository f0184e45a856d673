"""The shipped artifact survey, its three flags, and the nearness of regions it asks for."""

import pytest

from collection import selectors as collection
from collection import services, survey_templates
from collection.kinds import AnswerKind
from collection.models import Answer, Question
from collection.selectors import proximity, sheets
from core.errors import CommonplaceError
from core.text import fold
from studies import services as studies
from studies import study_file
from studies.models import Activity, Participant, Participation, Study
from studies.participation import Status
from tests import sample_study
from tests.collection.question_pages import at, text_of, typed

pytestmark = pytest.mark.django_db
KEYS = ["own_identity", "most_like", "least_like", "familiar", "five_artifacts"]
FIVE = ["Eel supper", "Reed boat", "Bell night", "Salt herring", "Fog horn"]


def template(*tongues, regions=("harbour", "marsh", "moor", "terraces")):
    return survey_templates.read("artifacts", tongues, [(each, {"en": each}) for each in regions])


# --- the template -------------------------------------------------------------------------------


def test_the_template_asks_for_identity_likeness_familiarity_and_five_things():
    asked = template("en")
    assert [(each.key, each.kind) for each in asked] == [
        ("own_identity", AnswerKind.ONE),
        ("most_like", AnswerKind.MANY),
        ("least_like", AnswerKind.MANY),
        ("familiar", AnswerKind.MANY),
        ("five_artifacts", AnswerKind.ARTIFACTS),
    ]
    own, most, least, familiar, five = asked
    assert [each["id"] for each in own.options][-1] == "none_of_these"
    assert len(most.options) == 4
    assert least.limits == {"least": 1, "most": 3, "unlike": "most_like"}
    assert familiar.limits == {"least": 1, "most": 3}
    assert five.limits == {"least": 5, "most": 5}


@pytest.mark.parametrize("tongue", ["en", "es", "hi", "bn"])
def test_the_help_names_seven_kinds_of_examples_in_every_language(tongue):
    five = template(tongue)[-1]
    assert set(five.texts) == {tongue}
    kinds = five.help[tongue].split(":\n")[1].split("\n")[:7]
    assert [line[-1] for line in kinds[:6]] == [";"] * 6
    assert kinds[6][-1] in ".।"


def test_the_template_follows_the_languages_and_the_number_of_regions():
    most = template("hi", "fr", "en", regions=("harbour", "marsh"))[1]
    assert list(most.texts) == ["hi", "en"]
    assert most.limits["most"] == 2


@pytest.mark.parametrize(
    ("name", "tongue", "code"),
    [("nothing", "en", "survey.no_template"), ("artifacts", "fr", "survey.template_language")],
)
def test_what_is_not_there_is_refused(name, tongue, code):
    with pytest.raises(CommonplaceError) as error:
        survey_templates.read(name, [tongue], [])
    assert error.value.code == code


def test_its_questions_are_added_once_behind_those_of_the_study_and_can_be_asked(as_alice, study):
    before = study.questions.count()
    for said in ("Added 5 questions.", "Added 0 questions."):
        page = as_alice.post(at("questions_load"), {"template": "artifacts"}, follow=True)
        assert said in text_of(page)
    added = list(study.questions.order_by("position"))[before:]
    assert [row.key for row in added] == KEYS
    assert {row.status for row in added} == {"accepted"}
    assert collection.missing(study.activities.get()) == []
    preview = text_of(as_alice.get(at("preview", "everyday_life")))
    assert "Which regions are least like your own in their customs?" in preview
    assert as_alice.post(at("questions_load"), {"template": "?"}).status_code == 400


def test_an_author_who_changes_the_question_keeps_what_it_should_be_unlike(as_alice, study):
    as_alice.post(at("questions_load"), {"template": "artifacts"})
    given = typed(as_alice.get(at("question", "least_like"))) | {"text-en": "Which are unlike it?"}
    assert as_alice.post(at("question", "least_like"), given).status_code == 302
    row = study.questions.get(key="least_like")
    assert row.texts.get(language="en").text == "Which are unlike it?"
    assert row.limits == {"least": 1, "most": 3, "unlike": "most_like"}


# --- two questions that must differ, in a study file --------------------------------------------

UNLIKE = """
    far:
      kind: one
      texts: {en: Which is least like yours?, es: ¿Cuál se parece menos?}
      options: {harbour: {en: Harbour}, moor: {en: Moor}}
      limits: {unlike: near}
    near:
      kind: one
      texts: {en: Which is most like yours?, es: ¿Cuál se parece más?}
      options: {harbour: {en: Harbour}, marsh: {en: Marsh}}
"""


def test_a_study_file_says_which_choices_should_differ(sample_text, tmp_path, alice):
    path = tmp_path / "study.yaml"
    path.write_text(sample_text.rstrip() + UNLIKE)
    assert studies.load_file(path, "test").changes
    assert Question.objects.get(key="far").limits == {"unlike": "near"}
    assert studies.load_file(path, "test").changes == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("unlike: near", "unlike: nowhere"),
        ("marsh: {en: Marsh}}\n", "marsh: {en: Marsh}}\n      limits: {unlike: soup}\n"),
        ("{harbour: {en: Harbour}, marsh: {en: Marsh}}", "{a: {en: A}, b: {en: B}}"),
    ],
)
def test_a_choice_unlike_nothing_with_its_options_is_refused_by_line(sample_text, old, new):
    text = sample_text.rstrip() + UNLIKE.replace(old, new)
    with pytest.raises(CommonplaceError) as error:
        study_file.parse(text.encode())
    assert error.value.data["key"].endswith(".limits")
    assert "Name the key of one." in error.value.message


def test_only_choices_can_differ(sample_text):
    text = sample_text.rstrip() + UNLIKE.replace("kind: one", "kind: long", 1).replace(
        "      options: {harbour: {en: Harbour}, moor: {en: Moor}}\n", "", 1
    )
    with pytest.raises(CommonplaceError) as error:
        study_file.parse(text.encode())
    assert "Only a choice can be unlike another one" in error.value.message


# --- what reviewers are shown -------------------------------------------------------------------


@pytest.fixture
def world(alice):
    return Surveyed(sample_study.load())


class Surveyed:
    """The sample study asking the artifact survey alone; `come` answers it."""

    def __init__(self, study: Study) -> None:
        study.questions.all().delete()
        regions = [(row.slug, row.names) for row in study.regions.all()]
        services.load_questions(
            study, survey_templates.read("artifacts", study.languages, regions), "test"
        )
        Activity.objects.update(phase="main")
        self.study = studies.open_study(study, "test")
        self.activity = study.activities.select_related("study").get()

    def come(self, region="harbour", status=Status.SUBMITTED, **answers):
        home = self.study.regions.get(slug=region)
        who = Participant.objects.create(study=self.study, region=home, language="en")
        row = Participation.objects.create(
            participant=who,
            activity=self.activity,
            status=status,
            slot_region=home,
            included=True if status == Status.ACCEPTED else None,
            ended_reason=status if status == Status.ACCEPTED else "",
        )
        given = {
            "own_identity": region,
            "most_like": ["marsh"],
            "least_like": ["moor"],
            "familiar": ["moor"],
            "five_artifacts": [f"{row.code} {n}" for n in range(5)],
        } | answers
        self._send(row, given)
        return row

    def _send(self, row, given):
        form = self.activity.form_versions.get()
        at = row.created
        submission = row.submissions.create(
            form_version=form,
            number=1,
            status="submitted",
            language="en",
            started=at,
            touched=at,
            submitted=at,
        )
        for question in Question.objects.filter(key__in=given):
            value = given[question.key]
            if question.kind == AnswerKind.ARTIFACTS:
                value = [{"name": name, "about": ""} for name in value]
            text = "\n".join(each["name"] for each in value) if question.kind == "artifacts" else ""
            Answer.objects.create(
                submission=submission, question=question, value=value, text=text, folded=fold(text)
            )


def marks(row):
    return {answer.key: answer.marks for answer in sheets.sheet(row).answers if answer.marks}


def test_a_region_named_most_and_least_alike_is_shown_to_the_reviewer(as_alice, world):
    row = world.come(most_like=["marsh", "moor"], least_like=["moor", "terraces"])
    said = "High Moor chosen at “Which other regions are most like your own in their customs?” too"
    assert marks(row) == {"least_like": [said]}
    page = text_of(as_alice.get(at("review_one", row.code)))
    assert said in page
    row.refresh_from_db()
    assert row.status == Status.SUBMITTED


def test_the_whole_set_of_five_of_somebody_else_is_shown_and_one_shared_thing_is_normal(world):
    first = world.come(five_artifacts=FIVE)
    other = world.come(five_artifacts=[each.upper() for each in reversed(FIVE)])
    shares = world.come(five_artifacts=[FIVE[0], "a", "b", "c", "d"])
    (said,) = marks(other)["five_artifacts"]
    assert said == f"the whole list of {first.participant.code}, sent before"
    assert marks(shares) == {}


def test_the_examples_given_back_are_shown(world):
    back = [
        "something worn",
        "a rite or a feast",
        "something eaten or drunk",
        "a place that everybody knows",
        "an animal or plant",
    ]
    row = world.come(five_artifacts=back)
    assert marks(row) == {"five_artifacts": ["an example that stood below the question"]}


def test_answers_without_a_fault_have_no_mark(world):
    assert marks(world.come()) == {}


# --- how near regions are -----------------------------------------------------------------------


def test_the_matrix_counts_who_named_what_region_as_most_and_as_least_like_theirs(world):
    accepted = Status.ACCEPTED
    world.come(status=accepted, most_like=["marsh", "terraces"], least_like=["moor"])
    world.come(status=accepted, most_like=["marsh"], least_like=["terraces"])
    world.come(status=accepted, region="marsh", most_like=["harbour"], least_like=["moor"])
    world.come(most_like=["moor"], least_like=["marsh"])  # nobody has accepted it
    found = proximity.matrix(world.study)
    assert found.regions == ["Harbour", "Terraces", "Marsh", "High Moor"]
    by_name = {name: (n, cells) for name, n, cells in found.rows}
    n, cells = by_name["Harbour"]
    assert n == 2
    assert [(cell.near, cell.far, cell.proximity) for cell in cells] == [
        (0, 0, None),
        (1, 1, 0.0),
        (2, 0, 1.0),
        (0, 1, -0.5),
    ]
    assert {cell.n for cell in cells} == {2}
    n, cells = by_name["High Moor"]
    assert (n, [cell.proximity for cell in cells]) == (0, [None] * 4)


def test_a_pilot_and_who_has_left_count_for_nothing(world):
    row = world.come(status=Status.ACCEPTED)
    Activity.objects.update(phase="pilot")
    assert {n for _, n, _ in proximity.matrix(world.study).rows} == {0}
    Activity.objects.update(phase="main")
    assert {n for _, n, _ in proximity.matrix(world.study).rows} == {0, 1}
    studies.withdraw(row.participant, "test")
    assert {n for _, n, _ in proximity.matrix(world.study).rows} == {0}


def test_the_page_of_artifacts_shows_every_cell_with_its_n(as_alice, world):
    world.come(status=Status.ACCEPTED)
    page = text_of(as_alice.get(at("artifacts")))
    assert "How near regions are to each other" in page
    assert "1.00 1 most, 0 least, n 1" in page
    assert "-1.00 0 most, 1 least, n 1" in page.replace("−", "-")


def test_a_study_that_does_not_ask_has_no_matrix(as_alice, study):
    assert proximity.matrix(study) is None
    assert "How near regions" not in text_of(as_alice.get(at("artifacts")))
