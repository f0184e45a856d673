"""Studies, participations, links and answers as programs see them."""

import json

import pytest

from studies import links
from studies.models import Participant, Participation, RecruiterIdentity, Study
from tests.api.conftest import error

pytestmark = pytest.mark.django_db
STUDY = "studies/lantern_coast/"


def test_a_study_shows_its_regions_and_activities(program, study, alice):
    shown = program(alice).get(STUDY).json()
    assert shown["slug"] == "lantern_coast"
    assert [region["slug"] for region in shown["regions"]] == [
        region.slug for region in study.regions.all()
    ]
    assert shown["regions"][0]["places"] == ["Brassgate", "Lower Quay", "Saltmarket"]
    assert shown["activities"][0]["amount_minor"] == 1250
    assert shown["created"].endswith("+00:00")
    assert "codes" not in shown["activities"][0]


def test_participations_show_a_pseudonym_and_neither_link_nor_recruiters_id(
    program, alice, answered
):
    answer = answered("Tea.", region="marsh")
    row = answer.submission.participation
    body = program(alice).get(f"{STUDY}participations/").content.decode()
    [shown] = json.loads(body)["results"]
    assert shown["participant"] == row.participant.code
    assert (shown["region"], shown["status"], shown["included"]) == ("marsh", "submitted", None)
    identity = RecruiterIdentity.objects.get()
    for hidden in (row.code, row.recruiter_session, identity.external_id, links.token(row)):
        assert hidden not in body


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, 3),
        ({"region": "marsh"}, 1),
        ({"status": "active"}, 1),
        ({"status": "active", "region": "marsh"}, 0),
        ({"activity": "everyday_life"}, 3),
        ({"activity": "nowhere"}, 0),
    ],
)
def test_participations_are_filtered(program, alice, answered, filters, found):
    answered(region="marsh")
    answered(region="harbour")
    answered(region="harbour", status="draft")
    assert len(program(alice).rows(f"{STUDY}participations/", **filters)) == found


def test_links_are_made_and_lead_to_who_was_invited(program, study, alice):
    answer = program(alice).post(f"{STUDY}links/", {"activity": "everyday_life", "count": 3})
    assert answer.status_code == 201
    made = answer.json()["links"]
    assert len({link["link"] for link in made}) == 3
    for link in made:
        assert link["link"].startswith("http://testserver/p/")
        token = link["link"].rstrip("/").rsplit("/", 1)[1]
        assert links.participation_of(token).participant.code == link["participant"]
    assert study.participants.count() == 3


def test_a_study_that_is_not_open_makes_no_links(program, study, alice):
    Study.objects.update(status=Study.Status.SET_UP)
    answer = program(alice).post(f"{STUDY}links/", {"activity": "everyday_life", "count": 1})
    error(answer, 409, "study.not_collecting")
    assert not Participation.objects.exists()


def test_an_answer_row_tells_who_by_code_where_and_how_it_stands(program, alice, answered):
    answer = answered("Tea.", region="marsh", value=None)
    [row] = program(alice).rows(f"{STUDY}answers/")
    assert row | {"submitted": None} == {
        "participant": answer.submission.participation.participant.code,
        "activity": "everyday_life",
        "attempt": 1,
        "region": "marsh",
        "form": 1,
        "form_version": 1,
        "submission_status": "submitted",
        "participation_status": "submitted",
        "included": None,
        "language": "en",
        "question": "guests",
        "kind": "long",
        "value": None,
        "text": "Tea.",
        "skipped": False,
        "revision": 1,
        "submitted": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "क्ष",
        "क्\u200dष",
        "क्\u200cष",
        "\u0958",
        "\u0915\u093c",
        "கொ",
        "ہم سب",
        "👩‍👩‍👧‍👦",
        "a\x0bb\r\nc\td ",
        '=HYPERLINK("http://x")',
        "\u2028</script>",
    ],
)
def test_text_of_any_script_comes_out_byte_for_byte(program, alice, answered, text):
    answered(text, value={"kept": text})
    [row] = program(alice).rows(f"{STUDY}answers/")
    assert row["text"] == text
    assert row["value"] == {"kept": text}


def test_who_has_withdrawn_is_in_no_answer(program, alice, answered):
    gone = answered("gone")
    answered("stays")
    Participant.objects.filter(pk=gone.submission.participation.participant_id).update(
        status="withdrawn", withdrawn_at=gone.submission.started
    )
    assert [row["text"] for row in program(alice).rows(f"{STUDY}answers/")] == ["stays"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {"a", "b"}),
        ({"status": "draft"}, {"c"}),
        ({"status": "accepted"}, {"b"}),
        ({"region": "marsh"}, {"a"}),
        ({"question": "guests"}, {"a", "b"}),
        ({"question": "nothing"}, set()),
    ],
)
def test_answers_are_filtered_and_drafts_left_out(program, alice, answered, filters, found):
    answered("a", region="marsh")
    answered("b", region="harbour", status="accepted")
    answered("c", region="moor", status="draft")
    assert {row["text"] for row in program(alice).rows(f"{STUDY}answers/", **filters)} == found
