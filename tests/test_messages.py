"""What participants read in other languages: whole catalogues, and pages that show them."""

import ast
import re
from collections import Counter
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import polib
import pytest
from django.template import engines
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, ngettext

from core import catalogue
from studies import links
from studies.models import Study
from tests import every_page

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
TONGUES = sorted(catalogue.CATALOGUES)
FOREIGN = [tag for tag in TONGUES if catalogue.CATALOGUES[tag] != "latn"]
ROOMS = ("core", "studies", "collection", "games")  # those whose sentences participants may meet
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop"}


# --- what the sources say -----------------------------------------------------------------------


def in_python(source):
    """(context, sentence, plural) of every mark; a mark around anything but words is followed
    where the words are marked themselves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            said = node.args[0]
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                yield "", said.value, ""
            else:
                assert not isinstance(said, ast.JoinedStr | ast.BinOp), ast.unparse(node)


def in_template(name):
    nodes = engines["django"].get_template(name).template.nodelist
    for node in nodes.get_nodes_by_type(TranslateNode):
        context = node.message_context.resolve({}) if node.message_context else ""
        yield context, str(node.filter_expression.var.literal), ""
    for node in nodes.get_nodes_by_type(BlockTranslateNode):
        context = node.message_context.resolve({}) if node.message_context else ""
        plural = node.render_token_list(node.plural)[0] if node.plural else ""
        yield context, node.render_token_list(node.singular)[0], plural


@pytest.fixture(scope="module")
def marked():
    found = set()
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            found.update(in_python(path.read_text()))
    for path in sorted((ROOT / "templates").rglob("*.html")):
        found.update(in_template(str(path.relative_to(ROOT / "templates"))))
    return found


def entries(tag):
    return list(polib.pofile(str(LOCALE / tag / "LC_MESSAGES" / "django.po")))


def key(entry):
    return entry.msgctxt or "", entry.msgid, entry.msgid_plural or ""


def texts(entry):
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def placeholders(text):
    return Counter(re.findall(r"%\(\w+\)s", text))


# --- catalogues ---------------------------------------------------------------------------------


def test_every_catalogue_there_is_has_a_script_declared():
    assert sorted(path.name for path in LOCALE.iterdir()) == TONGUES


@pytest.mark.parametrize("tag", TONGUES)
def test_a_catalogue_has_every_sentence_of_the_sources_and_no_other(marked, tag):
    assert len(marked) > 150
    assert {key(entry) for entry in entries(tag)} == marked


@pytest.mark.parametrize("tag", TONGUES)
def test_no_translation_is_missing_or_doubtful(tag):
    undone = [
        entry.msgid
        for entry in entries(tag)
        if entry.obsolete or "fuzzy" in entry.flags or not all(map(str.strip, texts(entry)))
    ]
    assert undone == []


@pytest.mark.parametrize("tag", TONGUES)
def test_placeholders_are_those_of_the_source(tag):
    for entry in entries(tag):
        for text in texts(entry):
            assert placeholders(text) == placeholders(entry.msgid), text
            assert text.replace("%%", "").count("%") == sum(placeholders(text).values()), text


@pytest.mark.parametrize("tag", TONGUES)
def test_a_translation_holds_no_markup_since_templates_show_it_as_it_stands(tag):
    assert [
        text for entry in entries(tag) for text in texts(entry) if re.search('[<>&"]', text)
    ] == []


@pytest.mark.parametrize("tag", TONGUES)
def test_a_translation_ends_as_its_sentence_does(tag):
    """A label stays a label, a sentence a sentence, and what leads up to a list its colon."""
    ends = {".": ".।۔", "?": "?؟", ":": ":"}
    for entry in entries(tag):
        for text in texts(entry):
            plain = entry.msgid[-1] not in ends
            assert text[-1] in ends.get(entry.msgid[-1], text[-1]), text
            assert not (plain and text[-1] in ".।۔:"), text


@pytest.mark.parametrize("tag", TONGUES)
def test_the_compiled_catalogue_is_the_one_that_can_be_read(tag):
    compiled = polib.mofile(str(LOCALE / tag / "LC_MESSAGES" / "django.mo"))
    assert {key(each): texts(each) for each in compiled} == {
        key(each): texts(each) for each in entries(tag)
    }


@pytest.mark.parametrize(
    ("tag", "one", "more"),
    [
        ("es", "queda 5 minuto más o menos", "quedan unos 5 minutos"),
        ("hi", "लगभग 5 मिनट बाकी", "लगभग 5 मिनट बाकी"),
    ],
)
def test_one_and_more_are_told_apart_where_the_language_does(tag, one, more):
    sentence = ("about %(left)s minute left", "about %(left)s minutes left")
    with translation.override(tag):
        assert ngettext(*sentence, 1) % {"left": 5} == one
        assert ngettext(*sentence, 2) % {"left": 5} == more


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("hi", "hi"),
        ("hi-IN", "hi"),
        ("hi-Deva", "hi"),
        ("hi-Latn", "en"),
        ("ur-Arab-PK", "ur"),
        ("es-419", "es"),
        ("es-x-casa", "es"),
        ("pt-BR", "en"),
        ("en-GB", "en"),
        ("x-own", "en"),
    ],
)
def test_a_tag_reads_the_catalogue_of_its_language_and_script(tag, words):
    assert catalogue.interface(tag) == words


@pytest.mark.parametrize(
    ("accepted", "words"),
    [
        ("", "en"),
        ("ur-PK,en;q=0.5", "ur"),
        ("en;q=0.4, bn;q=0.9", "bn"),
        ("en, hi;q=0.9", "en"),
        ("fr, *;q=0.5", "en"),
        ("hi;q=0, es;q=0.1", "es"),
        ("hi-Latn, es;q=0.5", "es"),
        ("hi;q=much", "en"),
    ],
)
def test_a_browser_is_answered_in_the_first_of_its_languages_there_are_words_in(accepted, words):
    assert catalogue.preferred(accepted) == words


# --- pages --------------------------------------------------------------------------------------


class Said(HTMLParser):
    """The texts of a page in the page's own language, with the attributes that are read out."""

    EMPTY = frozenset(["br", "hr", "img", "input", "link", "meta", "progress"])
    SILENT = frozenset(["script", "style", "code"])
    READ_OUT = re.compile(
        r"aria-label|title|alt|placeholder|data-(?!copy$|save$|question$|js$)[a-z]+"
    )

    def __init__(self, page):
        super().__init__()
        self.around, self.texts, self.language = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "html":
            self.language = given["lang"]
        elsewhere = given.get("lang", self.language) != self.language
        if tag not in self.EMPTY - {"progress"}:
            self.around.append((tag, elsewhere or tag in self.SILENT))
        for name, value in attributes:
            if value and not elsewhere and self.READ_OUT.fullmatch(name):
                self.texts.append(value)

    def handle_endtag(self, tag):
        while self.around and self.around.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if data.strip() and not any(silent for _tag, silent in self.around):
            self.texts.append(" ".join(data.split()))


@pytest.fixture
def pages(alice, client):
    """Every page of a participant, by language: name -> HTML."""
    return lambda tag: every_page.of(client, tag)


def as_shown(sentence):
    """The sentence as it would stand on a page, whatever its placeholders hold; a single word,
    which a name may have too, only where it stands alone."""
    words = r"\S+".join(map(re.escape, re.split(r"%\(\w+\)s", sentence)))
    return re.compile(words if " " in sentence else f"^{words}$")


@pytest.mark.parametrize("tag", TONGUES)
def test_no_page_has_an_english_sentence_of_the_catalogue(pages, tag):
    english = [
        as_shown(sentence)
        for entry in entries(tag)
        for sentence in filter(None, (entry.msgid, entry.msgid_plural))
        if len(sentence) > 1 and not set(texts(entry)) & {entry.msgid}
    ]
    for name, page in pages(tag).items():
        said = Said(page)
        assert said.language == tag, name
        assert len(said.texts) > 2, name
        left = [text for text in said.texts if any(each.search(text) for each in english)]
        assert (name, left) == (name, [])


@pytest.mark.parametrize("tag", FOREIGN)
def test_whatever_is_in_latin_letters_says_that_it_is_of_another_language(pages, tag):
    """Places, amounts, codes and addresses stay as they are; a title cannot say of a part in
    which language it is."""
    found = pages(tag)
    study = Study.objects.get()
    names = [study.names["en"], study.activities.get().names["en"], "Commonplace"]
    names += study.places.values_list("name", flat=True)
    names = re.compile("|".join([*map(re.escape, names), r"http\S+", r"\b[A-Z0-9.-]{2,}\b"]))
    for name, page in found.items():
        left = [text for text in Said(page).texts if re.search("[A-Za-z]{2,}", names.sub("", text))]
        assert (name, left) == (name, [])


@pytest.mark.parametrize(
    ("tag", "direction", "kept"),
    [
        (
            "es-MX",
            "ltr",
            "Su plaza está reservada hasta el 5 de diciembre de 2999, 11:00 (UTC-01:00).",
        ),
        ("hi-IN", "ltr", "आपकी जगह 5 दिसंबर 2999, 11:00 (UTC-01:00) तक रखी गई है।"),
        ("ur", "rtl", "آپ کی جگہ 5 دسمبر 2999، 11:00 (UTC-01:00) تک رکھی گئی ہے۔"),
        ("hi-Latn", "ltr", "Your place is kept until 5 December 2999, 11:00 (UTC-01:00)."),
        ("pt-BR", "ltr", "Your place is kept until 5 December 2999, 11:00 (UTC-01:00)."),
    ],
)
def test_a_moment_is_told_in_the_language_of_the_sentence(alice, client, tag, direction, kept):
    row = every_page.come(every_page.opened(tag), tag)
    row.deadline = datetime(2999, 12, 5, 12, tzinfo=UTC)
    row.save()
    page = client.get(links.personal(row)).content.decode()
    assert f'<html lang="{tag}" dir="{direction}">' in page
    assert kept in page


@pytest.mark.parametrize(
    "address", ["/p/cut.off/", "/p/cut.off/forms/1/", "/join/no_study/no_activity/"]
)
def test_who_comes_by_a_wrong_address_is_told_so_in_the_language_of_the_browser(
    db, client, address
):
    response = client.get(address, headers={"Accept-Language": "ur-PK,en;q=0.5"})
    page = response.content.decode()
    assert response.status_code == 404
    assert response.headers["Content-Language"] == "ur"
    assert '<html lang="ur" dir="rtl">' in page
    left = [text for text in Said(page).texts if re.search("[A-Za-z]{2,}", text)]
    assert left == [f"{gettext_in('ur', 'This did not work')} · Commonplace"]
    assert '<html lang="en" dir="ltr">' in client.get(address).content.decode()


def gettext_in(tag, sentence):
    with translation.override(tag):
        return gettext(sentence)


@pytest.mark.parametrize("name", ["console:home", "studies:list", "accounts:password_change"])
def test_the_console_speaks_english_whatever_the_browser_asks_for(as_alice, name):
    asked = as_alice.get(reverse(name), headers={"Accept-Language": "hi, es;q=0.5"})
    as_alice.cookies["django_language"] = "hi"
    remembered = as_alice.get(reverse(name))
    plain = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
    assert asked.headers["Content-Language"] == "en"
    assert not re.search("[\u0900-\u097f]", asked.content.decode())
    assert plain.sub("", asked.content.decode()) == plain.sub("", remembered.content.decode())
