"""A release as files: its parts as they were frozen, or tables for other programs, and its card."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core import tables
from core.errors import CommonplaceError
from core.tables import Table, Value
from releases import artifacts, canonical, presenting, selectors, storing, transcripts
from releases.card import File, readme
from releases.models import Part, Release

FORMATS = ("jsonl", "csv")
MANIFEST, CARD, LICENCE = "manifest.json", "README.md", "LICENSE.md"


def export_release(release: Release, format: str, out: Path) -> dict[str, Any]:
    """Write files into the folder `out`; returns {"files": [{"path", "rows", "sha256"}], "card":
    {"path", "sha256"}}, where the text of a licence came with the data "licence" likewise, and
    where something was erased "erased": [{"file", "at"}].

    `jsonl`: `manifest.json`, whose SHA-256 is the release, and each part byte for byte. `csv`:
    one table a file. Beside them `README.md`, the card, which also tells what was erased: gold
    stays readable when somebody withdraws. All bytes are checked before the first file is
    written. Raises `export.unknown_format`, `export.folder` and `release.bytes_changed`.
    """
    if format not in FORMATS:
        raise CommonplaceError(
            "export.unknown_format",
            f"There is no format “{format}”. Use one of: {', '.join(FORMATS)}.",
            format=format,
            known=list(FORMATS),
        )
    kept = release.parts.filter(purged_at=None).order_by("id")
    data = {part: storing.read(part) for part in kept}
    try:
        out.mkdir(parents=True, exist_ok=True)
        write = _write_tables if format == "csv" else _write_parts
        files = write(release, data, out)
        gone = erased(release)
        card = readme(release, [*files, *gone])
        (out / CARD).write_bytes(card)
        licence = release.about.get("licence_text", "").encode()
        if licence:
            (out / LICENCE).write_bytes(licence)
    except OSError as error:
        raise CommonplaceError(
            "export.folder",
            f"The folder “{out}” cannot be written ({error.strerror}). Choose another one.",
            path=str(out),
        ) from error
    result: dict[str, Any] = {
        "files": [
            {"path": str(out / file.name), "rows": file.rows, "sha256": file.sha256}
            for file in files
        ],
        "card": {"path": str(out / CARD), "sha256": canonical.sha256(card)},
    }
    if licence:
        result["licence"] = {"path": str(out / LICENCE), "sha256": canonical.sha256(licence)}
    if gone:
        result["erased"] = [
            {"file": each.name, "at": each.erased.isoformat()} for each in gone if each.erased
        ]
    return result


def frozen(release: Release) -> list[File]:
    """The files of an export as `jsonl`, without reading them; erased ones are marked."""
    kept = release.parts.filter(purged_at=None).order_by("id")
    files = [File(f"{part.name}.jsonl", part.rows, part.sha256) for part in kept]
    return [File(MANIFEST, 1, release.sha256), *files, *erased(release)]


def erased(release: Release) -> list[File]:
    """The parts an export no longer holds, since somebody withdrew."""
    return [
        File(f"{part.name}.jsonl", part.rows, part.sha256, part.purged_at)
        for part in release.parts.exclude(purged_at=None).order_by("id")
    ]


def _write_parts(release: Release, data: dict[Part, bytes], out: Path) -> list[File]:
    content = [(MANIFEST, 1, release.manifest.encode())]
    content += [(f"{part.name}.jsonl", part.rows, rows) for part, rows in data.items()]
    for name, _, rows in content:
        (out / name).write_bytes(rows)
    return [File(name, count, canonical.sha256(rows)) for name, count, rows in content]


def _write_tables(release: Release, data: dict[Part, bytes], out: Path) -> list[File]:
    content = {part.name: canonical.rows(rows) for part, rows in data.items()}
    # Of items that were erased with somebody's clues the index keeps what may still be read.
    content.setdefault("items", selectors.rows(release))
    files = []
    for table in _tables(release, content):
        name = f"{table.name}.csv"
        report = tables.write(table, "csv", out / name)
        files.append(File(name, report.rows, report.sha256))
    return files


def _tables(release: Release, content: dict[str, list[dict[str, Any]]]) -> list[Table]:
    rows, language = content["items"], release.about["language"]
    made = [Table("items", _ITEM_COLUMNS, [_item(row, language) for row in rows])]
    if questions := [row for row in rows if row["kind"] == "question"]:
        made.append(Table("gold", _GOLD_COLUMNS, _gold(questions, release)))
        made.append(Table("relations", _RELATION_COLUMNS, _relations(questions)))
    if any(row["kind"] == "choice" for row in rows):
        made.append(Table("options", _OPTION_COLUMNS, _options(rows, language)))
    if things := artifacts.of(rows):
        made += _of_artifacts(things, language)
    if artifacts.CLUES in content:
        made.append(_plain("clues", _CLUE_COLUMNS, content[artifacts.CLUES]))
    if transcripts.NAME in content:
        words = transcripts.words(content[transcripts.NAME])
        made.append(_plain("words", transcripts.WORD_COLUMNS, words))
    if "responses" in content:
        made.append(Table("responses", _RESPONSE_COLUMNS, _responses(content["responses"])))
    return [*made, Table("findings", _FINDING_COLUMNS, _findings(content["findings"]))]


_RESPONSE_COLUMNS = ("item", "participant", "region", "language", "text", "value", "words")
_FINDING_COLUMNS = ("code", "item", "detail", "accepted_by", "reason")
_ITEM_COLUMNS = ("item", "kind", "domain", "subcategory", "topic", "text")
_GOLD_COLUMNS = ("item", "region", "number", "text")
_RELATION_COLUMNS = ("item", "level", "a", "b", "agree")
_OPTION_COLUMNS = ("item", "option", "region", "text")
_ARTIFACT_COLUMNS = ("item", "region", "origin", "name", "language")
_NAME_COLUMNS = ("item", "kind", "text", "language", "script")
_RATING_COLUMNS = ("item", "game", "turn", "accuracy", "quality")
_CLUE_COLUMNS = (
    *("artifact", "region", "number", "text"),
    *("language", "giver", "game", "turn", "in_turn"),
)


def _item(row: dict[str, Any], language: str) -> tuple[Value, ...]:
    labels, payload = row["labels"], row["payload"]
    if row["kind"] == artifacts.KIND:
        text = presenting.name_of(payload, language)[1]
    else:
        text = (payload.get("text") or payload["question"])[language]
    named = (labels.get("domain"), labels.get("subcategory"), labels.get("topic"))
    return (row["key"], row["kind"], *named, text)


def _of_artifacts(rows: Sequence[Mapping[str, Any]], language: str) -> list[Table]:
    """One line an artifact, one each of its further names, and one a rating."""
    held = [{"item": row["key"], **row["payload"]} for row in rows]
    for row in held:
        row["language"], row["name"] = presenting.name_of(row, language)
    return [
        _plain("artifacts", _ARTIFACT_COLUMNS, held),
        *(
            _plain(
                name, columns, [{"item": row["item"], **each} for row in held for each in row[name]]
            )
            for name, columns in (("names", _NAME_COLUMNS), ("ratings", _RATING_COLUMNS))
        ),
    ]


def _plain(name: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Table:
    """A table of rows that have its columns as fields."""
    return Table(name, columns, ([row[column] for column in columns] for row in rows))


def _responses(rows: list[dict[str, Any]]) -> Iterator[tuple[Value, ...]]:
    for row in rows:
        value = None if row["value"] is None else canonical.dumps(row["value"]).decode()
        named = (row["item"], row["participant"], row["region"], row["language"])
        yield *named, row["text"], value, row.get("words")


def _findings(rows: list[dict[str, Any]]) -> Iterator[tuple[Value, ...]]:
    """Those of published data are accepted by nobody."""
    for row in rows:
        detail = canonical.dumps(row["detail"]).decode()
        yield row["code"], row["item"], detail, row.get("accepted_by"), row.get("reason")


def _gold(rows: list[dict[str, Any]], release: Release) -> Iterator[tuple[Value, ...]]:
    """One line a gold text; a region without an answer has a line with neither."""
    language = release.about["language"]
    for row in rows:
        for region in release.regions:
            answers = row["payload"]["gold"][region]
            for number, answer in enumerate(answers or (), start=1):
                yield row["key"], region, number, answer["text"][language]
            if not answers:
                yield row["key"], region, None, None


def _relations(rows: list[dict[str, Any]]) -> Iterator[tuple[Value, ...]]:
    for row in rows:
        relations = row["payload"]["relations"]
        for pair in relations["pairs"]:
            yield row["key"], "pair", pair["a"], pair["b"], pair["agree"]
        yield row["key"], "all", None, None, relations["all"]


def _options(rows: list[dict[str, Any]], language: str) -> Iterator[tuple[Value, ...]]:
    """One line a region of an option, options numbered from 1 in their stored order."""
    for row in rows:
        for number, option in enumerate(row["payload"]["options"], start=1):
            for region in option["regions"]:
                yield row["key"], number, region, option["text"][language]
