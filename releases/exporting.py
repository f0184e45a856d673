"""A release as files: its parts as they were frozen, or tables for other programs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core import tables
from core.errors import CommonplaceError
from core.tables import Table, Value
from releases import canonical, storing
from releases.models import Release

FORMATS = ("jsonl", "csv")


def export_release(release: Release, format: str, out: Path) -> list[dict[str, Any]]:
    """Write files into the folder `out`; returns [{"path", "rows", "sha256"}].

    `jsonl`: `manifest.json`, whose SHA-256 is the release, and each part byte for byte. `csv`:
    one table a file. All bytes are checked before the first file is written. Raises
    `export.unknown_format`, `export.folder`, `release.bytes_changed`, `release.part_purged`.
    """
    if format not in FORMATS:
        raise CommonplaceError(
            "export.unknown_format",
            f"There is no format “{format}”. Use one of: {', '.join(FORMATS)}.",
            format=format,
            known=list(FORMATS),
        )
    data = {part: storing.read(part) for part in release.parts.order_by("id")}
    try:
        out.mkdir(parents=True, exist_ok=True)
        if format == "csv":
            content = {part.name: canonical.rows(rows) for part, rows in data.items()}
            return [_write_table(table, out) for table in _tables(release, content)]
        files = [("manifest.json", 1, release.manifest.encode())]
        files += [(f"{part.name}.jsonl", part.rows, rows) for part, rows in data.items()]
        return [_write(out / name, rows, content) for name, rows, content in files]
    except OSError as error:
        raise CommonplaceError(
            "export.folder",
            f"The folder “{out}” cannot be written ({error.strerror}). Choose another one.",
            path=str(out),
        ) from error


def _write(path: Path, rows: int, data: bytes) -> dict[str, Any]:
    path.write_bytes(data)
    return {"path": str(path), "rows": rows, "sha256": canonical.sha256(data)}


def _write_table(table: Table, out: Path) -> dict[str, Any]:
    path = out / f"{table.name}.csv"
    report = tables.write(table, "csv", path)
    return {"path": str(path), "rows": report.rows, "sha256": report.sha256}


def _tables(release: Release, content: dict[str, list[dict[str, Any]]]) -> list[Table]:
    rows, language = content["items"], release.about["language"]
    found = [
        (finding["code"], finding["item"], canonical.dumps(finding["detail"]).decode())
        for finding in content["findings"]
    ]
    made = [Table("items", _ITEM_COLUMNS, [_item(row, language) for row in rows])]
    if any(row["kind"] == "question" for row in rows):
        made.append(Table("gold", _GOLD_COLUMNS, _gold(rows, release)))
        made.append(Table("relations", ("item", "level", "a", "b", "agree"), _relations(rows)))
    if any(row["kind"] == "choice" for row in rows):
        made.append(Table("options", _OPTION_COLUMNS, _options(rows, language)))
    if "responses" in content:
        made.append(Table("responses", _RESPONSE_COLUMNS, _responses(content["responses"])))
    return [*made, Table("findings", ("code", "item", "detail"), found)]


_RESPONSE_COLUMNS = ("item", "participant", "region", "language", "text", "value")
_ITEM_COLUMNS = ("item", "kind", "domain", "subcategory", "topic", "text")
_GOLD_COLUMNS = ("item", "region", "number", "text")
_OPTION_COLUMNS = ("item", "option", "region", "text")


def _item(row: dict[str, Any], language: str) -> tuple[Value, ...]:
    labels, payload = row["labels"], row["payload"]
    text = (payload.get("text") or payload["question"])[language]
    named = (labels.get("domain"), labels.get("subcategory"), labels.get("topic"))
    return (row["key"], row["kind"], *named, text)


def _responses(rows: list[dict[str, Any]]) -> Iterator[tuple[Value, ...]]:
    for row in rows:
        value = None if row["value"] is None else canonical.dumps(row["value"]).decode()
        named = (row["item"], row["participant"], row["region"], row["language"])
        yield *named, row["text"], value


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
