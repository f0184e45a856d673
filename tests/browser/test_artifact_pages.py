"""The pages of artifacts in a real browser: accessible, fitting a phone, usable without scripts."""

from playwright.sync_api import expect

ARTIFACTS = "/studies/two_shores/artifacts/"
THINGS = (
    ("Deepawali", "দীপাবলি"),
    ("Diwali", ""),
    ("Vishnu", ""),
    ("Vishu", ""),
    ("A very long name of a feast that people write in full, with all its words", "भोज"),
)


def test_artifacts_are_listed_merged_and_taken_apart_on_pages_without_scripts(watched, cast):
    page = watched.page(java_script_enabled=False)
    for path, name in (
        (ARTIFACTS, "artifacts-none"),
        (f"{ARTIFACTS}suggestions/", "suggested-none"),
    ):
        page.goto(path)
        expect(page.locator(".empty")).to_have_count(1)
        watched.photograph(page, name)
    for name, translation in THINGS:
        page.goto(f"{ARTIFACTS}new/")
        page.fill("[name=name]", name)
        page.fill("[name=translation]", translation)
        page.fill("[name=alias]", f"{name} of old")
        page.click("main form button[type=submit]")
    page.goto(f"{ARTIFACTS}suggestions/")
    sure = page.locator("article", has_text="Diwali").first
    expect(sure.locator("[name=artifact]:checked")).to_have_count(2)
    likely = page.locator("article", has_text="Vishnu").first
    expect(likely.locator("[name=artifact]:checked")).to_have_count(0)
    sure.get_by_role("button", name="Merge those ticked").click()
    expect(page.locator("article", has_text="Diwali")).to_have_count(0)
    for path, name in ((ARTIFACTS, "artifacts"), (f"{ARTIFACTS}suggestions/", "suggested")):
        _look(watched, path, name)
    _look(watched, f"{ARTIFACTS}new/", "artifact-new")
    page.goto(ARTIFACTS)
    page.get_by_role("link", name="Deepawali", exact=True).first.click()
    _look(watched, page.url, "artifact")
    page.goto(ARTIFACTS)
    page.get_by_role("button", name="Undo the merge into Deepawali").click()
    expect(page.get_by_role("link", name="Diwali", exact=True)).to_have_count(1)


def _look(watched, address, name):
    page = watched.page()
    page.goto(address)
    watched.look(page, name)
