"""Prompts: pinned by their text, filled completely, replaceable by a researcher's pack."""

import io
import zipfile

import pytest
from django.core.management import call_command

from core.errors import CommonplaceError
from inference import prompts
from inference.models import Prompt
from inference.prompts import current, load_pack, render, sync_prompts


@pytest.fixture
def code(tmp_path, settings, monkeypatch):
    """A shipped prompt `quiz/ask` in the folder of an installed app."""
    from django.apps import apps

    folder = tmp_path / "prompts" / "quiz"
    folder.mkdir(parents=True)
    (folder / "ask.en.txt").write_text("In {region}: {question}\n")
    (folder / "ask.hi.txt").write_text("{question}\n")
    monkeypatch.setattr(apps.get_app_config("inference"), "path", str(tmp_path))
    return folder


def pack(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    packed.seek(0)
    return packed


def test_shipped_prompts_have_rows_and_syncing_again_adds_none(code, db):
    sync_prompts()
    assert current("quiz/ask").text == "In {region}: {question}"
    assert current("quiz/ask", "hi").pack == "commonplace"
    assert sync_prompts() == []


def test_a_changed_file_is_a_new_row_and_changing_it_back_is_the_old_one(code, db):
    sync_prompts()
    first = current("quiz/ask")
    (code / "ask.en.txt").write_text("Now, in {region}: {question}")
    with pytest.raises(CommonplaceError) as caught:
        current("quiz/ask")
    assert caught.value.code == "prompt.not_synced"
    sync_prompts()
    assert current("quiz/ask").pk != first.pk
    (code / "ask.en.txt").write_bytes(b"In {region}: {question}\r\n\r\n")
    assert current("quiz/ask").pk == first.pk


def test_an_unknown_prompt_or_language_says_so(code, db):
    (code / "only.hi.txt").write_text("x")
    for name, language in (("quiz/none", "en"), ("quiz/only", "ta")):
        with pytest.raises(CommonplaceError) as caught:
            current(name, language)
        assert caught.value.code == "prompt.unknown"
        assert {"quiz/ask", "quiz/only"} <= set(caught.value.data["known"])


def test_a_language_without_a_prompt_falls_back_to_english_the_pack_first(code, db):
    sync_prompts()
    assert current("quiz/ask", "ta") == current("quiz/ask", "en")
    rows = load_pack(pack(**{"quiz/ask.en.txt": "Q: {question}", "quiz/ask.bn.txt": "{question}"}))
    assert current("quiz/ask", "ta", rows).text == "Q: {question}"
    assert current("quiz/ask", "bn", rows).language == "bn"
    assert current("quiz/ask", "hi", rows).pack == "commonplace"  # the language comes first


def test_every_shipped_prompt_has_a_row_after_migrating(db):
    for name, language in prompts.shipped():
        assert current(name, language).pack == "commonplace"


def test_the_command_records_them(code, db, capsys):
    call_command("sync_prompts", "--json")
    assert capsys.readouterr().out.strip().endswith('"new": 2}')


def test_placeholders_are_filled_once_and_braces_stand_for_themselves():
    text = 'Say {{"label": "{label}"}} or {"x": 1} about {answer}.'
    filled = render(text, label="A", answer="{label} }} {none}", unused="x")
    assert filled == 'Say {"label": "A"} or {"x": 1} about {label} }} {none}.'


@pytest.mark.parametrize("text", ["{gold}", "{ gold }", "{Gold}", "{empty}"])
def test_an_unfilled_placeholder_is_an_error(text):
    with pytest.raises(CommonplaceError) as caught:
        render(text, question="x", empty=None, **({"gold": "x"} if text == "{Gold}" else {}))
    assert caught.value.code == "prompt.placeholder_unfilled"


def test_a_pack_replaces_what_it_holds_and_the_rest_stays_as_shipped(code, db, tmp_path):
    sync_prompts()
    file = tmp_path / "published.zip"
    file.write_bytes(pack(**{"quiz/ask.en.txt": "\ufeffQ: {question}", "__MACOSX/x": ""}).read())
    rows = load_pack(file)
    assert [(row.name, row.text, row.pack) for row in rows] == [
        ("quiz/ask", "Q: {question}", "published")
    ]
    assert current("quiz/ask", pack=rows).text == "Q: {question}"
    assert current("quiz/ask", "hi", pack=rows).pack == "commonplace"
    assert [row.pk for row in load_pack(file)] == [row.pk for row in rows]
    same = load_pack(pack(**{"quiz/ask.en.txt": "In {region}: {question}"}), "same")
    assert same == [current("quiz/ask")]


@pytest.mark.parametrize(
    ("files", "code_"),
    [
        ({"quiz/other.en.txt": "x"}, "prompt.unknown"),
        ({"quiz/ask.en.txt": "{answer}"}, "prompt.placeholder_unknown"),
        ({"quiz/ask.en.txt": "{ Question }"}, "prompt.placeholder_unknown"),
        ({"quiz/ask.en.txt": "In {region}?"}, "prompt.placeholder_missing"),
        ({"quiz/ask.ta.txt": "{{question}}"}, "prompt.placeholder_missing"),
        ({"quiz/ask.en.txt": " \n\u200b\n"}, "prompt.blank"),
        ({"quiz/ask.en.txt": ""}, "prompt.blank"),
        ({"quiz/ask.en.txt": b"\xff"}, "prompt.not_text"),
        ({"quiz/ask.en.txt": "a\0b"}, "text.not_storable"),
        ({"../quiz/ask.en.txt": "x"}, "prompt.pack_path"),
        ({"/quiz/ask.en.txt": "x"}, "prompt.pack_path"),
        ({"mine/quiz/ask.en.txt": "x"}, "prompt.pack_path"),
        ({"quiz/ask.txt": "x"}, "prompt.pack_path"),
        ({"readme.md": "x"}, "prompt.pack_path"),
        ({"quiz/ask.en.txt": "x" * 70_000}, "prompt.pack_too_large"),
        ({f"quiz/a{n}.en.txt": "x" for n in range(201)}, "prompt.pack_too_large"),
        ({}, "prompt.pack_empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_pack_is_refused_and_leaves_nothing(code, db, files, code_):
    before = Prompt.objects.count()
    with pytest.raises(CommonplaceError) as caught:
        load_pack(pack(**files))
    assert caught.value.code == code_
    assert caught.value.data
    assert Prompt.objects.count() == before


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{question} {options}", None),
        ("{question} {options} {letters}", None),
        ("{question} {letters}", "options"),
        ("{options}", "question"),
    ],
)
def test_a_question_needs_its_options_and_may_do_without_their_letters(text, missing, db):
    source = pack(**{"ra_mcq/question.bn.txt": text})
    if missing is None:
        assert load_pack(source)[0].text == text
        return
    with pytest.raises(CommonplaceError) as caught:
        load_pack(source)
    assert caught.value.code == "prompt.placeholder_missing"
    assert caught.value.data["placeholder"] == missing
    assert caught.value.data["required"] == ["options", "question"]


def test_what_is_no_zip_is_refused(code, db, tmp_path):
    broken = pack(**{"quiz/ask.en.txt": "x" * 500}).getvalue()
    damaged = broken[:45] + b"\x00" * 4 + broken[49:]
    for source in (io.BytesIO(b"text"), io.BytesIO(damaged), tmp_path / "absent.zip"):
        with pytest.raises(CommonplaceError) as caught:
            load_pack(source)
        assert caught.value.code == "prompt.pack_unreadable"
