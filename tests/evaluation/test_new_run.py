"""The form of a new run: filled in, estimated, confirmed."""

import io
import re
import zipfile

import pytest

from evaluation import selectors, services
from evaluation.models import Run
from inference.models import Prompt
from inference.prompts import shipped
from tests.evaluation.paged import confirmed, filled, hidden, words

pytestmark = pytest.mark.django_db


def test_the_form_asks_what_its_benchmark_needs(as_alice, release):
    rasa = as_alice.get("/runs/new/", {"benchmark": "rasa"}).content.decode()
    mcq = as_alice.get("/runs/new/", {"benchmark": "ra_mcq"}).content.decode()
    for name in ("judges", "weight"):
        assert f'id="id_{name}"' in rasa
        assert f'id="id_{name}"' not in mcq
    for name in ("preset", "seed", "send_seed"):
        assert f'id="id_{name}"' in mcq
        assert f'id="id_{name}"' not in rasa


def test_another_benchmark_is_chosen_and_nothing_typed_is_lost(as_alice, release, stub):
    stub()
    typed = filled(release, model="stub/mine", samples="7", benchmark="ra_mcq", shown="rasa")
    mcq = as_alice.post("/runs/new/", typed).content.decode()
    assert 'value="stub/mine"' in mcq
    assert 'value="7"' in mcq
    assert '<input type="number" name="max_tokens" value="64"' in mcq  # its own default
    assert hidden(mcq)["judges"] == "stub/judge-a"
    assert "These are the settings of Regional choice" in mcq
    back = typed | hidden(mcq) | {"benchmark": "rasa"}
    del back["weight"]
    rasa = as_alice.post("/runs/new/", back).content.decode()
    assert re.search(r"<textarea[^>]*name=\"judges\"[^>]*>\s*stub/judge-a</textarea>", rasa)


def test_an_estimate_names_judges_their_calls_and_the_cost_and_starts_nothing(
    as_alice, release, stub
):
    stub()
    shown = words(as_alice.post("/runs/new/", filled(release)).content.decode())
    planned = selectors.estimate(
        services.prepare(
            services.Order(
                "rasa",
                release.label,
                "stub/one",
                {"samples": 3, "limit": 4},
                judges=["stub/judge-a"],
            ),
            "test",
        )
    )
    assert f"of them to judges {planned['judge_calls']}" in shown
    assert f"Requests at most {planned['calls']}" in shown
    assert "Each distinct reply is judged once by stub/judge-a" in shown
    assert not Run.objects.exists()


def test_what_was_estimated_is_what_starts(as_alice, release, stub):
    stub()
    response = confirmed(as_alice, filled(release, max_cost="2.5", use_cache=None))
    run = Run.objects.get()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert [str(judge) for judge in selectors.judges_of(run)] == ["stub/judge-a"]
    assert (run.cap_micro, run.settings["use_cache"], run.settings["limit"]) == (
        2_500_000,
        False,
        4,
    )


def test_a_change_after_the_estimate_is_estimated_first(as_alice, release, stub):
    stub()
    given = filled(release)
    carried = hidden(as_alice.post("/runs/new/", given).content.decode())
    changed = given | carried | {"samples": "900", "confirm": "1"}
    html = as_alice.post("/runs/new/", changed).content.decode()
    assert "Something was changed after the estimate." in html
    assert not Run.objects.exists()


def test_a_double_click_on_confirm_is_one_run(as_alice, release, stub):
    stub()
    given = filled(release)
    carried = hidden(as_alice.post("/runs/new/", given).content.decode()) | {"confirm": "1"}
    for _ in range(2):
        as_alice.post("/runs/new/", given | carried)
    assert Run.objects.count() == 1


def test_a_cap_below_the_estimate_is_said_plainly(as_alice, release, stub):
    stub()
    low = as_alice.post("/runs/new/", filled(release, max_cost="0.000001")).content.decode()
    assert "is below what it may cost at most" in low
    high = as_alice.post("/runs/new/", filled(release, max_cost="1000")).content.decode()
    assert "is below what it may cost at most" not in high


def test_a_judge_of_the_models_family_is_marked_and_none_at_all_is_said(as_alice, release, stub):
    stub()
    kin = filled(release, model="stub/qwen-2", judges="stub/qwen-3\nstub/llama-3")
    shown = words(as_alice.post("/runs/new/", kin).content.decode())
    assert "stub/qwen-3 of the model’s family" in shown
    assert "stub/llama-3 of the model’s family" not in shown
    without = as_alice.post("/runs/new/", filled(release, judges="")).content.decode()
    assert "No judge is named." in without


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"model": "nowhere/m"}, "model", "There is no endpoint named"),
        ({"model": "stub"}, "model", "names an endpoint but no model"),
        ({"judges": "stub/one"}, "judges", "would judge its own replies"),
        ({"judges": "stub/a\nnowhere/b"}, "judges", "nowhere/b: There is no endpoint"),
        ({"samples": "0"}, "samples", "greater than or equal to 1"),
        ({"temperature": "hot"}, "temperature", "Enter a number"),
        ({"weight": "2"}, "weight", "less than or equal to 1"),
        ({"limit": "-3"}, "limit", "greater than or equal to 1"),
        ({"release": "nothing@1"}, "release", "nothing@1 is not one of the available choices"),
    ],
)
def test_every_refusal_stands_at_its_field_and_nothing_typed_is_lost(
    as_alice, release, stub, change, field, said
):
    stub()
    response = as_alice.post("/runs/new/", filled(release, **change))
    assert response.status_code == 422
    html = response.content.decode()
    place = html.partition(f'id="id_{field}"')[2].partition('<div class="field">')[0]
    assert said in place
    for name, value in filled(release, **change).items():
        if name in ("model", "samples", "limit", "weight"):
            assert f'value="{value}"' in html, name


def test_a_cap_without_a_price_is_refused_at_the_cap(as_alice, release, stub):
    stub(price=False)
    html = as_alice.post("/runs/new/", filled(release, max_cost="1")).content.decode()
    place = html.partition('id="id_max_cost"')[2].partition('<div class="field">')[0]
    assert "A cost cap needs a price" in place


def pack(text, name="rasa/judge.en.txt"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, text)
    file.seek(0)
    file.name = "mine.zip"
    return file


def test_a_pack_of_prompts_is_carried_from_the_estimate_to_the_run(as_alice, release, stub):
    stub()
    text = shipped()["rasa/judge", "en"].replace("\n", "\n\n", 1)
    confirmed(as_alice, filled(release, pack=pack(text)))
    mine = Prompt.objects.get(pack="mine")
    assert Run.objects.get().judges.get().prompt == mine


def test_a_pack_can_be_left_out_again(as_alice, release, stub):
    stub()
    text = shipped()["rasa/judge", "en"].replace("\n", "\n\n", 1)
    html = as_alice.post("/runs/new/", filled(release, pack=pack(text))).content.decode()
    assert "<code>rasa/judge.en</code>" in html
    confirmed(as_alice, filled(release, prompts=hidden(html)["prompts"], leave_pack="on"))
    assert Run.objects.get().judges.get().prompt.pack == "commonplace"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (lambda: pack("Is {answer} right? {colour}"), "which nothing fills"),
        (lambda: pack("x", "notes.txt"), "which is not a prompt"),
        (lambda: pack("{question} {options}", "ra_mcq/question.en.txt"), "none of the prompts"),
    ],
)
def test_a_pack_that_cannot_be_used_is_refused_at_its_field(as_alice, release, stub, file, said):
    stub()
    response = as_alice.post("/runs/new/", filled(release, pack=file()))
    assert response.status_code == 422
    assert said in response.content.decode().partition('id="id_pack"')[2]
    assert not Run.objects.exists()
