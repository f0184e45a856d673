"""Every page between answers and a release, in Bengali and Hindi: accessible, and whole on a phone
and on a desk, light and dark; and who freezes is led from each finding to what comes after."""

import os

import pytest
from playwright.sync_api import expect

from annotation.models import Task
from annotation.services import deciding, judging, projects, queueing
from collection.models import Answer, Question, QuestionText, Submission
from studies.models import Region
from tests.annotation import paged
from tests.annotation.conftest import NO_AGREEMENT, agreement, people, world
from tests.annotation.paged import STUDY, signed_in, where
from tests.browser.test_annotation import Desk

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in this thread
pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["people", "world"]

FREEZE = f"/studies/{STUDY}/freeze/"
ASKED = {
    "tea": {"bn": "অতিথি এলে চা কীভাবে পরিবেশন করা হয়?", "hi": "मेहमान को चाय कैसे दी जाती है?"},
    "gift": {"bn": "নেমন্তন্নে কী উপহার নিয়ে যাওয়া হয়?", "hi": "न्योते पर कौन-सा तोहफ़ा ले जाते हैं?"},
}
NAMED = (("উপকূলের বন্দর", "तट का बंदरगाह"), ("পাহাড়ি গ্রাম", "पहाड़ी गाँव"))
SAID = {
    "bn": ["চা খুব গরম খাওয়া হয়।", "গরম চা, সকালে আর বিকেলে।", "চা গরম গরম খাই।", "গরম চা।", "ঠান্ডা চা।"],
    "hi": ["नमक वाली चाय पी जाती है।", "चाय में नमक डालते हैं।", "चाय नमकीन होती है।"],
}
GOLD = {"bn": "চা খুব গরম পরিবেশন করা হয়।", "hi": "चाय में नमक डाला जाता है।"}


@pytest.fixture
def judged(world, people, django_user_model):
    """Two regions: tea decided in both and not compared yet, one of them stale; gift disputed,
    once flagged. Two versions of the guideline, an adjudicator who leads."""
    world.study.regions.exclude(slug__in=[world.first, world.second]).delete()
    _in_bengali_and_hindi(world)
    world.come(world.second, gift="एक कपड़ा।")
    world.come(world.second, gift="मिठाई।")
    project, (ann, ben, cem) = world.open(), people("ann", "ben", "cem")
    lea = paged.leader(world, django_user_model)
    for key, region, tag in (("tea", world.first, "bn"), ("tea", world.second, "hi")):
        task = world.task(key, region)
        for user in (ann, ben):
            _judge(task, user, agreement(GOLD[tag], task.payload["answers"]))
    text = "সব উত্তর পড়ুন।\nसब उत्तर पढ़ें, तब फ़ैसला करें।"
    projects.write_guideline(project, text, lea.email)
    task = world.task("gift", world.first)
    _judge(task, ann, agreement("একটি কাপড়।", task.payload["answers"]))
    _judge(task, ben, NO_AGREEMENT)
    place = queueing.take_task(world.task("gift", world.second), ann)
    queueing.flag(place, "दोनों उत्तर अलग सवाल के लगते हैं।")
    projects.open_project(world.study, "pair", "test")
    Answer.objects.filter(pk=world.answers("tea", world.second)[0]).update(revision=2)
    projects.refresh_study(world.study.pk)
    assert world.task("tea", world.second).stale
    world.lea, world.annotators = lea, (ann, ben, cem)
    return world


PAGES = {
    "study": f"/studies/{STUDY}/",
    "projects": where("projects"),
    "gold": where("gold", "agreement"),
    "gold-between": where("gold", "pair"),
    "gold-empty": where("gold", "agreement") + "?state=none",
    "trace": where("trace", "agreement", "tea.FIRST"),
    "trace-disputed": where("trace", "agreement", "gift.FIRST"),
    "reliability": where("reliability", "agreement"),
    "reliability-between": where("reliability", "pair"),
    "guideline": where("guideline", "agreement"),
    "disputes": where("disputes", "agreement"),
    "disputes-none": where("disputes", "pair"),
    "dispute": where("dispute", "agreement", "gift.FIRST"),
    "freeze": FREEZE,
}


def test_every_page_of_annotation_is_accessible_and_fits_wherever_it_is_read(
    browser, live_server, judged
):
    lea = Desk(browser, live_server.url, judged.lea)
    for name, address in PAGES.items():
        answer = lea.page.goto(address.replace("FIRST", judged.first))
        assert answer.status == 200, name
        assert lea.page.locator("h1").count() == 1, name
        here = lea.page.get_by_role("navigation", name="Main").locator("[aria-current]")
        expect(here).to_have_text("Studies")
        lea.looks_right(f"annotation-{name}")
    assert lea.faults == []


def test_no_table_of_annotation_stands_over_the_edge_of_a_desk(browser, live_server, judged):
    lea = Desk(browser, live_server.url, judged.lea)
    lea.page.set_viewport_size({"width": 1280, "height": 800})
    for name in ("gold", "reliability", "disputes"):
        lea.page.goto(PAGES[name])
        region = lea.page.locator(".scroll").first
        assert region.evaluate("box => box.scrollWidth - box.clientWidth") == 0, name


def test_who_freezes_is_led_to_each_finding_and_then_to_what_can_be_done_with_the_release(
    browser, live_server, judged
):
    lea = Desk(browser, live_server.url, judged.lea)
    page = lea.page
    page.goto(FREEZE)
    expect(page.locator("h1")).to_have_text("4 findings to mend or accept")
    stale = page.locator("article", has_text="nobody has looked again")
    stale.get_by_role("link", name=ASKED["tea"]["bn"]).click()
    expect(page.locator("h1")).to_have_text(ASKED["tea"]["bn"])
    assert page.url.endswith(where("dispute", "agreement", f"tea.{judged.second}"))

    page.goto(FREEZE)
    freeze = page.get_by_role("button", name="Freeze")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    freeze.click()
    expect(page.locator(".notice.bad")).to_contain_text("Why the findings may stay")
    lea.looks_right("annotation-freeze-refused")
    page.get_by_label("Why the findings may stay").fill("বাকিটা পরের সংস্করণে ঠিক করা হবে।")
    freeze.click()
    expect(page.locator(".notice.ok")).to_contain_text("it can no longer change")
    assert asked == ["Freeze this study? A release can neither be changed nor taken back."] * 2
    lea.looks_right("annotation-release")

    page.goto(FREEZE)
    row = page.get_by_role("row", name=f"{STUDY}@1")
    expect(row).to_contain_text("4 accepted")
    row.get_by_role("link", name="Files").click()
    expect(page.get_by_role("heading", name="Files")).to_be_in_viewport()
    assert lea.faults == []


def test_once_all_is_decided_the_page_says_that_nothing_is_in_the_way(browser, live_server, judged):
    _settle(judged)
    lea = Desk(browser, live_server.url, judged.lea)
    lea.page.goto(FREEZE)
    expect(lea.page.locator("h1")).to_have_text("Ready to freeze")
    expect(lea.page.get_by_label("Why the findings may stay")).to_have_count(0)
    lea.looks_right("annotation-freeze-ready")
    signed_in(judged.lea).post(FREEZE, {"name": "everyday", "licence": "CC-BY-4.0"})
    lea.page.goto(FREEZE)
    expect(lea.page.locator("h1")).to_have_text("Nothing has been decided since everyday@1")
    lea.looks_right("annotation-freeze-done")
    lea.page.goto(PAGES["study"])
    lea.looks_right("annotation-study-frozen")


def _in_bengali_and_hindi(world):
    world.study.languages = ["bn", "hi"]
    world.study.save()
    QuestionText.objects.all().delete()
    for question in Question.objects.all():
        for tag, text in ASKED[question.key].items():
            question.texts.create(language=tag, text=text, folded=text)
    for slug, names in zip((world.first, world.second), NAMED, strict=True):
        region = Region.objects.get(study=world.study, slug=slug)
        region.names = dict(zip(("bn", "hi"), names, strict=True))
        region.save()
    for slug, tag in ((world.first, "bn"), (world.second, "hi")):
        for pk, text in zip(world.answers("tea", slug), SAID[tag], strict=True):
            Answer.objects.filter(pk=pk).update(text=text)
            Submission.objects.filter(answers=pk).update(language=tag)


def _judge(task, user, value):
    judging.submit(queueing.take_task(task, user), value)


def _settle(world):
    """Whoever leads decides what waits and puts back what was flagged, which two others judge."""
    ben, cem = world.annotators[1:]
    flagged = world.task("gift", world.second)
    queueing.unflag(flagged.assignments.get(status="flagged"))
    for user in (ben, cem):
        _judge(flagged, user, NO_AGREEMENT)
    values = {
        f"tea.{world.first}": agreement(GOLD["bn"], world.answers("tea", world.first)),
        f"tea.{world.second}": agreement(GOLD["hi"], world.answers("tea", world.second)),
        f"gift.{world.first}": NO_AGREEMENT,
    }
    for key, value in values.items():
        task = Task.objects.get(source_key=key)
        deciding.decide(task, value, "सब फिर से पढ़ा।", world.lea, task.inputs)
    for user in (ben, cem):
        _judge(Task.objects.get(project__kind="pair"), user, {"choice": "differ"})
