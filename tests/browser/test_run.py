"""A researcher's way from the first page to the evidence behind a figure."""

import json
import re

import pytest
from playwright.sync_api import expect


def start_run(page, samples, seed):
    page.goto("/")
    page.click("text=Start a run")
    page.select_option("[name=release]", "lantern_coast@1")
    page.fill("[name=model]", "stub/model-a")
    page.fill("[name=samples]", str(samples))
    page.fill("[name=seed]", str(seed))
    page.click("main button[type=submit]")
    expect(page.get_by_role("heading", name="What it will take")).to_be_visible()
    expect(page.locator(".facts")).to_contain_text(str(17 * samples))
    page.click("text=Confirm and start")
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))


def test_estimate_confirm_progress_report_and_two_clicks_to_the_evidence(watched):
    page = watched.page(viewport={"width": 1280, "height": 800})
    start_run(page, samples=20, seed=1)
    expect(page.locator("#progress")).to_contain_text("of 340 samples")
    expect(page.locator(".figure").first).to_be_visible(timeout=60_000)  # it refreshes itself
    expect(page.locator(".simulated").first).to_be_visible()
    expect(page.get_by_text("340 of 340 samples could be read")).to_be_visible()

    page.locator(".figure svg a").first.click()
    expect(page.get_by_role("heading", name=re.compile("Samples of run"))).to_be_visible()
    page.locator("tbody a").first.click()
    for heading in ("What was sent", "What came back", "How it was read", "The gold answers"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.locator("main")).to_contain_text("checked to be exactly what was sent")
    page.click("text=The question in lantern_coast@1")
    expect(page.get_by_role("heading", name="Answers by region")).to_be_visible()


def test_without_javascript_a_run_is_started_and_its_report_read(watched):
    page = watched.page(java_script_enabled=False, viewport={"width": 360, "height": 740})
    start_run(page, samples=2, seed=2)
    for _ in range(60):
        page.wait_for_timeout(500)
        page.reload()
        if page.locator(".figure").count():
            break
    expect(page.get_by_text("34 of 34 samples could be read")).to_be_visible()
    page.click("text=Show the numbers >> nth=0")
    expect(page.locator(".figure table").first).to_be_visible()


def test_a_file_with_a_fault_is_refused_in_words_and_a_good_one_in_bengali_comes_in(
    watched, tmp_path
):
    page = watched.page(viewport={"width": 360, "height": 740})
    bad, good = tmp_path / "bad.json", tmp_path / "ভালো.json"
    bad.write_text("{not json")
    question = {
        "question_id": "q1",
        "question_text": "অতিথি এলে প্রথমে কী দেওয়া হয়?",
        "question_domain": "আতিথেয়তা",
        "question_subcategory": "স্বাগত",
        "question_topic": "প্রথম পানীয়",
        "উত্তর": {"answer": ["উত্তরে, পানি ও মিষ্টি দেওয়া হয়।"]},
        "দক্ষিণ": {"answer": ["দক্ষিণে, চা দেওয়া হয়।"]},
        "pairwise_agreements": {"উত্তর_দক্ষিণ": {"agreement": False}},
        "universal_agreement": False,
    }
    good.write_text(json.dumps({"questions": [question]}, ensure_ascii=False))
    page.goto("/releases/import/")
    page.set_input_files("[type=file]", bad)
    page.fill("[name=name]", "bangla")
    page.click("main button[type=submit]")
    expect(page.locator("[role=alert]").first).to_be_visible()
    page.set_input_files("[type=file]", good)
    page.fill("[name=name]", "bangla")
    page.click("main button[type=submit]")
    expect(page).to_have_url(re.compile("/releases/bangla/1/"))
    page.goto("/releases/bangla/1/questions/")
    expect(page.get_by_text("অতিথি এলে প্রথমে কী দেওয়া হয়?")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_device_until_it_is_switched(watched, scheme):
    page = watched.page(color_scheme=scheme)
    page.goto("/")
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.click("summary:has-text('Account')")
    page.click("[data-theme-toggle]")
    assert page.evaluate(paper) != before
    page.reload()
    assert page.evaluate(paper) != before
