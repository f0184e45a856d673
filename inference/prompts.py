"""Prompts: files in the code, rows in the database, packs from researchers.

A prompt is `<app>/prompts/<task>/<name>.<language>.txt`, called `task/name`. Its row is pinned by
the hash of its text, so a run knows for ever what was sent. In a prompt, `{word}` is a
placeholder, `{{` and `}}` are plain braces; any other brace stands for itself.
"""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from django.apps import apps

from core.clock import now
from core.errors import CommonplaceError, NotFound
from core.text import clean, fold
from inference.models import Prompt

SHIPPED = "commonplace"
PLACEHOLDER = re.compile(r"\{\{|\}\}|\{ *([A-Za-z_][A-Za-z0-9_ ]*?) *\}")
FILE = re.compile(
    r"(?P<name>[a-z0-9_]+/[a-z0-9_]+)\.(?P<language>[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.txt"
)
MOST_FILES, MOST_BYTES, MOST_PACK_BYTES = 200, 64 * 1024, 2 * 1024 * 1024
FALLBACK = "en"
OPTIONAL = {"letters"}  # a convenience for the model: the options show their letters as well
JUNK = re.compile(r"(^|/)(__MACOSX/|\.DS_Store$|Thumbs\.db$)")

Texts = dict[tuple[str, str], str]  # (name, language) → text


def shipped() -> Texts:
    """The prompts in the code of all installed apps."""
    found: Texts = {}
    for app in apps.get_app_configs():
        folder = Path(app.path) / "prompts"
        for path in sorted(folder.glob("*/*.txt")):
            match = FILE.fullmatch(path.relative_to(folder).as_posix())
            if match is None:
                raise ValueError(f"{path} is not named <task>/<name>.<language>.txt")
            found[match["name"], match["language"]] = _normal(path.read_text("utf-8"))
    return found


def sync_prompts() -> list[Prompt]:
    """A row for every shipped prompt whose text has none yet; idempotent. Returns the new rows."""
    return _keep(shipped(), SHIPPED)


def current(name: str, language: str = "en", pack: Sequence[Prompt] = ()) -> Prompt:
    """The prompt to use now, in the wanted language or else in English.

    In each language the pack's where it has one, otherwise the shipped one. Raises
    `prompt.unknown` and, where the code is newer than the database, `prompt.not_synced`.
    """
    supplied = {(prompt.name, prompt.language): prompt for prompt in pack}
    texts = shipped()
    for tongue in (language, FALLBACK):
        if (name, tongue) in supplied:
            return supplied[name, tongue]
        if (name, tongue) in texts:
            return _shipped_row(name, tongue, texts[name, tongue])
    raise NotFound(
        "prompt.unknown",
        f"There is no prompt {name!r} in the language {language!r} or in English. Choose another "
        "language, or supply the text in a prompt pack.",
        name=name,
        language=language,
        known=sorted({known for known, _ in texts}),
    )


def _shipped_row(name: str, language: str, text: str) -> Prompt:
    row = Prompt.objects.filter(name=name, language=language, sha256=_sha256(text)).first()
    if row is None:
        raise CommonplaceError(
            "prompt.not_synced",
            f"The prompt {name!r} is newer than the database. Run `python manage.py sync_prompts`.",
            name=name,
            language=language,
        )
    return row


def placeholders(text: str) -> set[str]:
    return {match[1] for match in PLACEHOLDER.finditer(text) if match[1]}


def render(text: str, **values: Any) -> str:
    """The text with its placeholders filled; a value may hold braces, and is never read again.

    Raises `prompt.placeholder_unfilled` where the text asks for a value that is not given or
    None. A value the text does not ask for is left out, as a pack may do without it.
    """

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if values.get(match[1]) is None:
            raise CommonplaceError(
                "prompt.placeholder_unfilled",
                f"The prompt asks for {{{match[1]}}}, which nothing fills here. Correct the "
                "prompt, or write {{ and }} for plain braces.",
                placeholder=match[1],
                known=sorted(values),
            )
        return str(values[match[1]])

    return PLACEHOLDER.sub(fill, text)


def load_pack(source: str | Path | IO[bytes], name: str = "") -> list[Prompt]:
    """Rows for the prompts of a researcher's zip of `<task>/<name>.<language>.txt` files.

    A prompt may use the placeholders of the shipped texts of its name, and must use those that
    all of them use, save the OPTIONAL ones. Idempotent by content. Nothing is kept unless all of
    it is right: raises `prompt.pack_unreadable`, `prompt.pack_too_large`, `prompt.pack_path`,
    `prompt.pack_empty`, `prompt.not_text`, `text.not_storable`, `prompt.blank`, `prompt.unknown`,
    `prompt.placeholder_unknown` and `prompt.placeholder_missing`.
    """
    if isinstance(source, str | Path):
        name = name or Path(source).stem
    uses = _shipped_uses()
    texts: Texts = {}
    for member, raw in _members(source):
        match = FILE.fullmatch(member)
        if match is None:
            raise CommonplaceError(
                "prompt.pack_path",
                f"The pack holds {member!r}, which is not a prompt. Inside the zip every file is "
                "<task>/<name>.<language>.txt, for example ra_mcq/question.en.txt.",
                file=member,
            )
        texts[match["name"], match["language"]] = _checked_text(member, match["name"], raw, uses)
    if not texts:
        raise CommonplaceError(
            "prompt.pack_empty",
            "The pack holds no prompt. Put <task>/<name>.<language>.txt files into the zip.",
            known=sorted(uses),
        )
    _keep(texts, name[:120] or "pack")
    return _rows(texts)


def _keep(texts: Texts, pack: str) -> list[Prompt]:
    kept = {(row.name, row.language) for row in _rows(texts)}
    new = [
        Prompt(
            name=name, language=language, sha256=_sha256(text), text=text, pack=pack, created=now()
        )
        for (name, language), text in texts.items()
        if (name, language) not in kept
    ]
    return Prompt.objects.bulk_create(new, ignore_conflicts=True) if new else []


def _rows(texts: Texts) -> list[Prompt]:
    """The rows that hold exactly these texts."""
    hashes = {key: _sha256(text) for key, text in texts.items()}
    rows = Prompt.objects.filter(sha256__in=set(hashes.values())).order_by("name", "language")
    return [row for row in rows if hashes.get((row.name, row.language)) == row.sha256]


def _shipped_uses() -> dict[str, list[set[str]]]:
    """Per prompt, the placeholders of each of its shipped texts."""
    uses: dict[str, list[set[str]]] = {}
    for (name, _), text in shipped().items():
        uses.setdefault(name, []).append(placeholders(text))
    return uses


def _checked_text(member: str, name: str, raw: bytes, uses: dict[str, list[set[str]]]) -> str:
    if name not in uses:
        raise NotFound(
            "prompt.unknown",
            f"The pack holds {member!r}, but nothing uses a prompt {name!r}. Known are: "
            f"{', '.join(sorted(uses))}.",
            file=member,
            known=sorted(uses),
        )
    try:
        text = clean(_normal(raw.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise CommonplaceError(
            "prompt.not_text",
            f"{member!r} is not UTF-8 text. Save it as UTF-8, then load the pack again.",
            file=member,
        ) from error
    if not fold(text):
        raise CommonplaceError(
            "prompt.blank",
            f"{member!r} holds no text. Write the prompt, or leave the file out.",
            file=member,
        )
    _check_placeholders(member, placeholders(text), uses[name])
    return text


def _check_placeholders(member: str, used: set[str], uses: list[set[str]]) -> None:
    known, required = set.union(*uses), set.intersection(*uses) - OPTIONAL
    if unknown := sorted(used - known):
        raise CommonplaceError(
            "prompt.placeholder_unknown",
            f"{member!r} asks for {{{unknown[0]}}}, which nothing fills. It may use: "
            f"{', '.join(sorted(known)) or 'no placeholder'}.",
            file=member,
            placeholder=unknown[0],
            known=sorted(known),
        )
    if missing := sorted(required - used):
        raise CommonplaceError(
            "prompt.placeholder_missing",
            f"{member!r} does not ask for {{{missing[0]}}}, so the model would not be told. It "
            f"has to use: {', '.join(sorted(required))}.",
            file=member,
            placeholder=missing[0],
            required=sorted(required),
        )


def _members(source: str | Path | IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """The files of a zip, read in memory only, within limits that are checked while reading."""
    try:
        with zipfile.ZipFile(source) as archive:
            files = [
                m for m in archive.infolist() if not m.is_dir() and not JUNK.search(m.filename)
            ]
            if len(files) > MOST_FILES:
                raise _too_large(f"more than {MOST_FILES} files")
            total = 0
            for member in files:
                with archive.open(member) as file:
                    raw = file.read(MOST_BYTES + 1)
                total += len(raw)
                if len(raw) > MOST_BYTES or total > MOST_PACK_BYTES:
                    raise _too_large(f"a file above {MOST_BYTES // 1024} kB, or too many")
                yield member.filename, raw
    except (OSError, RuntimeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise CommonplaceError(
            "prompt.pack_unreadable",
            "The prompt pack cannot be read. Supply a plain zip file without a password.",
            reason=str(error),
        ) from error


def _too_large(what: str) -> CommonplaceError:
    return CommonplaceError(
        "prompt.pack_too_large",
        f"The prompt pack holds {what}. Keep the prompts only.",
        most_files=MOST_FILES,
        most_bytes=MOST_BYTES,
        most_pack_bytes=MOST_PACK_BYTES,
    )


def _normal(text: str) -> str:
    """Line ends and the blank space around a text differ by editor, and are not the prompt."""
    return "\n".join(text.splitlines()).strip()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
