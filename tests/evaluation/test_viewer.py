"""The viewer of samples: filters in the address, pages by key, all that stands behind a sample, and
what went wrong."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation import services
from evaluation.models import Reply, Run, Sample, Verdict
from evaluation.viewing import viewer
from evaluation.viewing.viewer import Filters
from releases.models import Release
from tests.evaluation.conftest import do, run_it
from tests.evaluation.judged import CORRECT, PARTLY, WRONG, always, even_release, judged_run
from tests.evaluation.paged import judged, page, words

pytestmark = pytest.mark.django_db

PER_QUESTION = 18  # samples of tests/evaluation/judged.py: three regions, 3 + 2 + 1 samples


@pytest.fixture
def even(db, tmp_path):
    return even_release(tmp_path)


def by_reply(place, region, which):
    return (CORRECT, PARTLY, WRONG)[which]


@pytest.fixture
def scored(even):
    """Two judges who agree on the first of three replies, and one of whom fails now and then."""

    def hard(place, region, which):
        if place == 0:
            return ("unparsed", "failed", None)[which]
        return (CORRECT, WRONG, WRONG)[which]

    return judged_run(even, {"mild": by_reply, "hard": hard}, limit=6, source="imported")


def shown(client, run, **query):
    """(keys and repeats of the samples on the page, how many there are in all)."""
    html = page(client, run, "samples/", **query)
    found = re.findall(r"<th scope=\"row\"[^>]*><a href=\"[^\"]*\">(\w+), repeat (\d+)</a>", html)
    total = re.search(r"([\d,]+) samples?, by question", html)
    return found, int(total[1].replace(",", "")) if total else 0


def judge_of(run, name):
    return run.judges.get(label=f"lab/{name}").pk


# --- Filters ------------------------------------------------------------------------------------


def test_every_filter_narrows_and_they_narrow_together(as_alice, scored):
    samples = scored.samples.count()
    assert shown(as_alice, scored)[1] == samples == 6 * PER_QUESTION
    assert shown(as_alice, scored, region="North")[1] == samples // 3
    assert shown(as_alice, scored, domain="Food")[1] == samples // 2
    assert shown(as_alice, scored, item="q03")[1] == PER_QUESTION
    assert shown(as_alice, scored, outcome="refused")[1] == 0
    assert shown(as_alice, scored, text="ANSWER 2 of")[1] == samples // 6
    both = {"region": "Coast", "item": "q03", "text": "Answer 0"}
    assert shown(as_alice, scored, **both)[1] == 3


@pytest.mark.parametrize(
    ("judge", "said", "count"),
    [
        ("mild", CORRECT, 6 * 9),
        ("mild", WRONG, 6 * 3),
        ("hard", CORRECT, 5 * 9),
        ("hard", "unparsed", 9),
        ("hard", "failed", 6),
        ("hard", "none", 3),
        ("mild", "none", 0),
    ],
)
def test_samples_are_found_by_what_a_judge_says(as_alice, scored, judge, said, count):
    assert shown(as_alice, scored, verdict=f"{judge_of(scored, judge)}.{said}")[1] == count


def test_what_judges_take_for_different_things_is_found(as_alice, scored):
    assert shown(as_alice, scored, differ="1")[1] == 5 * 6  # the second reply of each place


@pytest.mark.parametrize("verdict", ["x", "1", ".", "999999999999999999999.ok", "-1.CORRECT", "1."])
def test_a_filter_that_makes_no_sense_finds_nothing_and_offers_all(as_alice, scored, verdict):
    html = page(as_alice, scored, "samples/", verdict=verdict)
    assert "No such samples" in html
    assert "Show all samples" in html


def test_filters_stay_in_the_form_and_in_the_way_on(as_alice, scored):
    html = page(as_alice, scored, "samples/", region="North", text="Answer", differ="1")
    assert '<option value="North" selected>' in html
    assert 'name="text" value="Answer"' in html
    assert re.search(r'name="differ" value="1" checked', html)
    assert f"/runs/{scored.pk}/samples/" in html
    assert "region=North&amp;differ=1&amp;text=Answer" in html


def test_regions_are_named_as_their_release_names_them(as_alice, scored):
    about = scored.release.about
    about["regions"][0]["names"] = {"en": "The High North"}
    Release.objects.filter(pk=scored.release_id).update(manifest=json.dumps(about))
    html = page(as_alice, scored, "samples/")
    assert '<option value="North">The High North</option>' in html
    assert '<td data-label="Region">The High North</td>' in html
    sample = scored.samples.filter(variant="North").first()
    assert "The High North" in page(as_alice, scored, f"samples/{sample.pk}/")


def test_regions_chosen_are_found_in_multiple_choice(as_alice, release, stub):
    stub()
    run = run_it(release)
    region = run.release.regions[0]
    stands_for = [
        sample.pk
        for sample in run.samples.select_related("item")
        if sample.choice is not None
        and region in sample.item.payload["options"][sample.choice]["regions"]
    ]
    assert shown(as_alice, run, region=region)[1] == len(stands_for) > 0


# --- Pages --------------------------------------------------------------------------------------


def links(html):
    found = dict(re.findall(r'href="(\?[^"]*)" rel="(prev|next)"', html))
    return {rel: address.replace("&amp;", "&") for address, rel in found.items()}


def walk(client, run, rel, query=""):
    """Every page on from an address: keys and repeats, page by page."""
    pages = []
    while query is not None:
        html = client.get(f"/runs/{run.pk}/samples/{query}").content.decode()
        pages.append(
            re.findall(r"<th scope=\"row\"[^>]*><a href=\"[^\"]*/samples/(\d+)/[^\"]*\">", html)
        )
        last, query = query, links(html).get(rel)
    return pages, last


def test_pages_hold_every_sample_once_forwards_and_backwards(as_alice, scored):
    forwards, last = walk(as_alice, scored, "next")
    assert [len(each) for each in forwards] == [50, 50, 8]
    numbers = [number for each in forwards for number in each]
    assert len(set(numbers)) == len(numbers) == scored.samples.count()
    backwards, _ = walk(as_alice, scored, "prev", last)
    assert backwards[1:] == forwards[-2::-1]


def test_pages_keep_their_filters(as_alice, scored):
    pages, _ = walk(as_alice, scored, "next", f"?verdict={judge_of(scored, 'mild')}.CORRECT")
    assert [len(each) for each in pages] == [50, 4]
    found = Sample.objects.filter(pk__in=[number for each in pages for number in each])
    assert set(found.values_list("reply__text", flat=True).distinct()) <= {
        f"Answer 0 of {region}" for region in scored.release.regions
    }


def test_a_later_page_neither_counts_nor_passes_over_rows(as_alice, scored):
    html = page(as_alice, scored, "samples/")
    on = links(html)["next"]
    assert "total=108" in on
    with CaptureQueriesContext(connection) as queries:
        as_alice.get(f"/runs/{scored.pk}/samples/{on}")
    said = [query["sql"] for query in queries if "evaluation_sample" in query["sql"]]
    assert not [sql for sql in said if "OFFSET" in sql or "COUNT(" in sql]


@pytest.mark.parametrize("mark", ["0", "x", "99999999999999999999", "-1"])
def test_a_page_after_a_sample_that_is_none_begins_anew(as_alice, scored, mark):
    first, total = shown(as_alice, scored)
    assert shown(as_alice, scored, after=mark, total="7") == (first, total)


@pytest.mark.parametrize("limit", [1, 6])
def test_a_page_costs_the_same_queries_however_many_samples(
    as_alice, even, django_assert_max_num_queries, limit
):
    judges = {"mild": by_reply, "hard": by_reply}
    run = judged_run(even, judges, limit=limit, source="imported")
    page(as_alice, run, "samples/")
    with django_assert_max_num_queries(12):
        page(as_alice, run, "samples/")
    with django_assert_max_num_queries(16):
        page(as_alice, run, f"samples/{run.samples.first().pk}/")


# --- One sample ---------------------------------------------------------------------------------


def test_a_judged_sample_shows_all_that_stands_behind_it(as_alice, release, stub):
    stub()
    run = do(judged(release))
    sample = run.samples.filter(reply__verdicts__isnull=False).first()
    html = page(as_alice, run, f"samples/{sample.pk}/")
    verdict = sample.reply.verdicts.first()
    for words_of_it in (
        "What was sent",
        sample.reply.text,
        "What judges say",
        "stub/judge-a",
        "stub/judge-b",
        "The gold answers",
        f"The question in {release.label}",
    ):
        assert words_of_it in html.replace("&#x27;", "'"), words_of_it
    assert html.count("checked to be exactly what was sent") == 3
    assert verdict.text.splitlines()[0] in html.replace("&quot;", '"')
    gold = sample.item.payload["gold"][sample.variant][0]["text"]["en"]
    assert gold in html.replace("&#x27;", "'")
    assert "asked for" in html


def test_reasons_and_discrepancies_are_read_from_the_judges_words(as_alice, scored):
    sample = scored.samples.first()
    said = (
        '{"reasoning": "It leaves the sugar out.", "key_discrepancies": ["no sugar", "no milk"], '
        '"label": "PARTIALLY_CORRECT"}'
    )
    sample.reply.verdicts.filter(judge=judge_of(scored, "mild")).update(
        text=said, finish="stop", value=PARTLY
    )
    text = words(page(as_alice, scored, f"samples/{sample.pk}/"))
    assert "Partially correct It leaves the sugar out." in text
    assert "no sugar no milk" in text


def test_what_no_judge_could_say_is_said(as_alice, scored):
    texts = [
        words(page(as_alice, scored, f"samples/{sample.pk}/"))
        for sample in [
            scored.samples.filter(item__key="q00", variant="North", reply__sha=sha).first()
            for sha in ("0", "1", "2")
        ]
    ]
    for text, said in zip(
        texts,
        ("Verdict could not be read", "Judge could not be asked", "Not judged yet"),
        strict=True,
    ):
        assert said in text


def test_a_judge_of_the_family_is_marked(as_alice, even):
    judges = {"gemma-2": by_reply}
    run = judged_run(even, judges, name="gemma-3", limit=1, source="imported")
    assert "of the model’s family" in page(as_alice, run, f"samples/{run.samples.first().pk}/")


def test_the_way_leads_from_sample_to_sample_within_the_filters(as_alice, scored):
    fitting = list(viewer.samples(scored, Filters(region="South", item="q01")))
    address, passed = f"samples/{fitting[0].pk}/?region=South&item=q01", []
    while address:
        html = as_alice.get(f"/runs/{scored.pk}/{address}").content.decode()
        passed.append(int(re.search(r"samples/(\d+)/", address)[1]))
        on = re.search(r'rel="next" href="/runs/\d+/([^"]+)"', html)
        address = on[1].replace("&amp;", "&") if on else None
    assert passed == [sample.pk for sample in fitting]


def test_a_multiple_choice_sample_has_no_verdicts_but_its_options(as_alice, release, stub):
    stub()
    run = run_it(release)
    html = page(as_alice, run, f"samples/{run.samples.first().pk}/")
    assert "Option as shown" in html
    assert "What judges say" not in html
    assert '<a href="/runs/" aria-current="true">' in html


def test_a_sample_of_another_run_is_not_found(as_alice, scored, even):
    other = judged_run(even, {}, name="other", limit=1)
    response = as_alice.get(f"/runs/{other.pk}/samples/{scored.samples.first().pk}/")
    assert response.status_code == 404


def test_text_in_a_reply_is_shown_and_never_obeyed(as_alice, scored):
    Reply.objects.filter(run=scored).update(text="<script>alert(1)</script>")
    for part in ("samples/", f"samples/{scored.samples.first().pk}/"):
        assert "<script>alert(1)" not in page(as_alice, scored, part)


# --- What went wrong ----------------------------------------------------------------------------


def kinds(html):
    """{title: (count, of)} of the failure page."""
    cards = re.findall(
        r"<h2 id=\"kind-\d+\">(.*?)</h2>\s*<p><strong>([\d,]+)</strong> of ([\d,]+)", html
    )
    return {title: (int(count), int(of)) for title, count, of in cards}


def test_failures_are_counted_of_what_they_are_failures_of(as_alice, scored):
    html = page(as_alice, scored, "failures/")
    assert kinds(html) == {
        "Verdict could not be read: lab/hard": (3, 51),
        "Judge could not be asked: lab/hard": (3, 51),
        "Judges differ": (15, 45),
    }


def test_every_kind_leads_to_its_samples_and_a_few_of_them(as_alice, scored):
    html = page(as_alice, scored, "failures/")
    addresses = re.findall(r'<a href="([^"]+)">All samples of this kind', html)
    assert len(addresses) == 3
    counts = []
    for address in addresses:
        found = as_alice.get(address.replace("&amp;", "&")).content.decode()
        counts.append(int(re.search(r"([\d,]+) samples?, by question", found)[1]))
    assert counts == [9, 6, 30]
    for example in re.findall(r'<li><a href="([^"]+)"', html):
        assert as_alice.get(example.replace("&amp;", "&")).status_code == 200


def test_outcomes_that_are_no_answer_are_shown_with_what_came(as_alice, release, stub):
    stub({"shares": {"refused": 0.3, "truncated": 0.3, "empty": 0.1}})
    run = run_it(release, given={"samples": 4})
    found = kinds(page(as_alice, run, "failures/"))
    counts = {each.title: (each.count, each.of) for each in viewer.failures(run)}
    assert found == counts
    assert {of for _, of in found.values()} == {run.samples_planned}
    assert "Empty or cut short" in found


def test_a_request_that_failed_for_good_says_why(as_alice, release, stub):
    body = '{"error": {"message": "This prompt is too long", "code": "context_length_exceeded"}}'
    stub({"canned": [{"share": 0.4, "status": 400, "body": body}]})
    run = run_it(release, seed=4)
    html = page(as_alice, run, "failures/")
    assert "No reply" in kinds(html)
    assert "This prompt is too long" in html


@pytest.mark.parametrize("total", ["9" * 5000, "-1", "1e9", "\u0663"])
def test_a_count_in_the_address_that_is_none_is_counted_anew(as_alice, scored, total):
    first = scored.samples.order_by("pk")[0].pk
    page = as_alice.get(f"/runs/{scored.pk}/samples/", {"after": first, "total": total})
    assert page.status_code == 200
    assert page.context["page"].total == scored.samples.count()


def test_where_nothing_went_wrong_the_page_says_so(as_alice, even):
    run = judged_run(even, {"mild": always(CORRECT)}, limit=2)
    html = page(as_alice, run, "failures/")
    assert "<h1>Nothing went wrong</h1>" in html
    assert "No failure so far" in html


def test_failures_of_many_samples_cost_no_more_queries(
    as_alice, even, django_assert_max_num_queries
):
    run = judged_run(even, {"mild": lambda *_: "unparsed", "hard": lambda *_: "failed"})
    Verdict.objects.filter(outcome="ok").delete()
    with django_assert_max_num_queries(20):
        page(as_alice, run, "failures/")


def test_a_run_without_a_sample_has_pages_that_say_so(as_alice, release, stub):
    stub()
    run = services.start_run(
        services.Order("rasa", release.label, "stub/one", {"limit": 1}, judges=["stub/j"]), "test"
    )
    assert "No such samples" in page(as_alice, run, "samples/")
    assert "Nothing went wrong" in page(as_alice, run, "failures/")
    assert Run.objects.get(pk=run.pk).status == "queued"
