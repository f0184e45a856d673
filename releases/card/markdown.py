"""A card as `README.md`: front matter as dataset cards on Hugging Face have it, then Markdown.

Fields and identifiers of the front matter: hub-docs, `datasetcard.md` and
`docs/hub/repositories-licenses.md`.
"""

import re
from collections.abc import Iterator

import yaml
from django.utils.text import slugify

from core import tables
from core.charts import Table
from core.templatetags.commonplace import laid_out
from releases.card.blocks import Block, Card, Facts
from releases.card.holding import languages

NAME = "README.md"
TAGS = ("culture", "commonsense")
TASKS = {"question": "question-answering", "choice": "multiple-choice"}
SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"))
# Licences for data with an identifier of their own; any other is `other` with its name.
LICENCES = {
    *("apache-2.0", "c-uda", "cc", "cc0-1.0", "etalab-2.0", "gfdl", "gpl-3.0", "mit", "odbl"),
    *("cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
    *("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0"),
    *("cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "odc-by"),
    *("cdla-permissive-1.0", "cdla-permissive-2.0", "cdla-sharing-1.0", "pddl", "unlicense"),
}

_SYNTAX = re.compile(r"[\\`*\[\]<&~|]|(?<!\w)_|_(?!\w)")
_MARKER = re.compile(r"(?:[#>]|[+=-](?=\s|$)|(?:---))|\d+(?=[.)](?:\s|$))")


def written(card: Card, facts: Facts) -> bytes:
    """The bytes of `README.md`; equal cards give equal bytes."""
    front = yaml.safe_dump(
        front_matter(facts), sort_keys=False, allow_unicode=True, width=1000, line_break="\n"
    )
    body = "\n\n".join(_paragraphs(card))
    return f"---\n{front}---\n\n{body}\n".encode()


def front_matter(facts: Facts) -> dict[str, object]:
    release = facts.release
    tags = languages(facts)
    kinds = dict.fromkeys(row["kind"] for row in facts.rows)
    found: dict[str, object] = {
        **_licence(release.licence),
        "language": list(dict.fromkeys(tag.partition("-")[0] for tag in tags)),
        "language_details": tags,
        "pretty_name": " ".join((release.title or release.name).split()),
        "size_categories": [size(len(facts.rows))],
        "task_categories": [TASKS[kind] for kind in kinds if kind in TASKS],
        "tags": [*TAGS, *(["simulated"] if release.simulated else [])],
        "configs": [
            {"config_name": file.name.partition(".")[0], "data_files": file.name}
            for file in facts.files
            if file.rows and not file.erased and file.name != "manifest.json"
        ],
    }
    if not any("-" in tag for tag in tags):
        del found["language_details"]
    if not found["task_categories"]:  # there is no name for guessing an artifact
        del found["task_categories"]
    return found


def size(rows: int) -> str:
    return next((name for below, name in SIZES if rows < below), "n>1M")


def _licence(said: str) -> dict[str, str]:
    known = said.strip().lower().replace(" ", "-")
    if not known:
        return {"license": "unknown"}
    if known in LICENCES:
        return {"license": known}
    return {"license": "other", "license_name": slugify(said) or "other", "license_details": said}


def _paragraphs(card: Card) -> Iterator[str]:
    yield f"# {escaped(card.title)}"
    for strong, then in card.notices:
        yield f"> **{escaped(strong)}** {escaped(then)}"
    for section in card.sections:
        yield f"## {escaped(section.title)}"
        yield from map(_block, section.blocks)


def _block(block: Block) -> str:
    if block.heading:
        return f"### {escaped(block.heading)}"
    if block.table is not None:
        return _table(block.table)
    if block.listed:
        return "\n".join(f"- {escaped(text)}" for text in block.listed)
    return f"```bibtex\n{block.exact}\n```" if block.exact else escaped(block.text)


def _table(table: Table) -> str:
    """Cells as the page shows them."""
    rows = [[cell["text"] for cell in row] for row in laid_out(table)["rows"]]
    return (
        b"".join(tables.stream(tables.Table("card", table.columns, rows), "md")).decode().rstrip()
    )


def escaped(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    plain = _SYNTAX.sub(r"\\\g<0>", " ".join(text.split()))
    marker = _MARKER.match(plain)
    if marker is None:
        return plain
    at = marker.end() if plain[0].isdigit() else 0
    return f"{plain[:at]}\\{plain[at:]}"
