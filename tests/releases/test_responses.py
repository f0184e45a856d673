"""The answers a release holds, read page by page; what was erased says so."""

import re

import pytest
from django.urls import reverse

from collection.models import Answer
from releases import services
from studies.services import withdraw
from tests.annotation.conftest import people, world
from tests.releases.test_freezing import decided, freeze, responses

pytestmark = pytest.mark.django_db
__all__ = ["decided", "people", "world"]


def address(version=1):
    return reverse("releases:responses", args=("everyday", version))


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def shown(response):
    return [
        (group.item.key, answer.region, *answer.lines)
        for group in response.context["groups"]
        for answer in group.answers
    ]


def test_answers_are_read_question_by_question_under_pseudonyms(decided, as_alice):
    freeze(decided)
    page = as_alice.get(address())
    assert page.status_code == 200
    assert "13 answers in all" in text_of(page)
    assert "the 8 people who agreed" in text_of(page)
    said = shown(page)
    assert len(said) == 13
    assert ("tea", "Harbour", "It is drunk hot (3).") in said
    assert ("tea", "Terraces", "With salt (2).") in said
    assert [key for key, *_ in said] == ["tea"] * 8 + ["gift"] * 5
    assert decided.people[0].participant.code in text_of(page)


def test_answers_are_narrowed_by_region_and_question(decided, as_alice):
    freeze(decided)

    def found(**query):
        return len(shown(as_alice.get(address(), query)))

    assert found(region=decided.first) == 10
    assert found(region=decided.second) == 3
    assert found(question="gift") == 5
    assert found(question="tea", region=decided.first) == 5
    assert found(question="gift", region=decided.second) == 0
    nothing = as_alice.get(address(), {"question": "gift", "region": decided.second})
    assert "No answer fits" in text_of(nothing)
    assert found(question="made_up") == 13


def test_fifty_answers_make_a_page_and_filters_stay(decided, as_alice):
    for number in range(45):
        decided.come(decided.second, tea=f"With butter ({number}).")
    freeze(decided, accepted="came late")
    first = as_alice.get(address(), {"question": "tea"})
    assert (len(shown(first)), first.context["page"].paginator.count) == (50, 53)
    assert "question=tea&amp;page=2" in first.content.decode()
    second = as_alice.get(address(), {"question": "tea", "page": 2})
    assert len(shown(second)) == 3
    assert as_alice.get(address(), {"page": "x"}).status_code == 200


def test_what_was_chosen_is_read_in_words(decided, as_alice):
    row = Answer.objects.filter(question__key="gift").first()
    version = row.submission.form_version
    document = version.document
    asked = next(each for each in document["questions"] if each["id"] == row.question_id)
    asked |= {"kind": "one", "options": [{"id": "cloth", "texts": {"en": "A piece of cloth"}}]}
    type(version).objects.filter(pk=version.pk).update(document=document, sha256="c" * 64)
    Answer.objects.filter(question__key="gift").update(text="", value="cloth")
    release, _ = freeze(decided, accepted="it was chosen, not typed")
    held = [each for each in responses(release) if each["value"] == "cloth"]
    assert [(each["text"], each["words"]) for each in held] == [("", "A piece of cloth")] * 5
    assert ("gift", "Harbour", "A piece of cloth") in shown(as_alice.get(address()))


def test_answers_keep_their_language_and_direction(decided, as_alice):
    row = Answer.objects.filter(question__key="gift").first()
    type(row.submission).objects.filter(pk=row.submission_id).update(language="ur")
    freeze(decided)
    assert 'lang="ur" dir="rtl"' in as_alice.get(address()).content.decode()


def test_what_somebody_typed_is_shown_as_text(decided, as_alice):
    row = Answer.objects.filter(question__key="gift").first()
    Answer.objects.filter(pk=row.pk).update(text="<script>alert(1)</script>")
    freeze(decided)
    page = as_alice.get(address()).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_erased_answers_say_when_and_why_and_where_the_others_are(decided, as_alice):
    old, _ = freeze(decided)
    gone = decided.people[0].participant
    withdraw(gone, "test")
    services.forget(gone)
    page = as_alice.get(address())
    assert page.status_code == 410
    words = text_of(page)
    erased = old.parts.get(name="responses").purged_at
    assert f"{erased.day} {erased:%b %Y, %H:%M} UTC" in words
    assert "has withdrawn, so the file with people&#x27;s answers was erased" in (
        words.replace("'", "&#x27;")
    )
    assert "Read those of everyday@2" in words
    assert "since somebody withdrew" in text_of(
        as_alice.get(reverse("releases:detail", args=("everyday", 1)))
    )
    after = as_alice.get(address(2))
    assert len(shown(after)) == 11
    assert gone.code not in after.content.decode()


def test_nobodys_answers_are_a_page_too(decided, as_alice):
    for row in decided.people:
        consent = row.participant.consents.get()
        type(consent).objects.filter(pk=consent.pk).update(purposes=["take_part"])
    freeze(decided)
    page = as_alice.get(address())
    assert page.status_code == 200
    assert "No answers are published" in text_of(page)


def test_a_release_without_people_has_no_page_of_answers(sample, as_alice):
    where = reverse("releases:responses", args=(sample.name, sample.version))
    assert as_alice.get(where).status_code == 404
    assert (
        where
        not in as_alice.get(
            reverse("releases:detail", args=(sample.name, sample.version))
        ).content.decode()
    )


def test_members_of_the_study_read_the_answers(decided, client, django_user_model):
    freeze(decided)
    member = django_user_model.objects.get(email="ann@example.org")
    client.force_login(member, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(address()).status_code == 200
