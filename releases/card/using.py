"""What a reader needs to use a release: its files, version, licence, name, and what it is not."""

import re
from datetime import UTC

from core.charts import Table
from releases import artifacts, figures
from releases.card import fields
from releases.card.blocks import Block, Facts, File, Section, day, many, table
from releases.models import Release
from studies.languages import in_english

ERASED = "Somebody whose words were in it has withdrawn."


def notices(release: Release) -> list[tuple[str, str]]:
    found = []
    if release.simulated:
        found.append(("Simulated.", "No person said any of this: its people are simulated."))
    if after := release.superseded_by:
        found.append(
            (f"Superseded by {after.label}.", f"{_why(release, after)} Use {after.label}.")
        )
    return found


def _why(release: Release, after: Release) -> str:
    if after.about.get("supersedes") == release.label:
        return "Somebody whose answers were in this release has withdrawn."
    return "What it was made from has changed and was frozen again."


def files(facts: Facts) -> Section:
    kinds = {row["kind"] for row in facts.rows}
    rows = [(file.name, fields.holds(file.name), *_state(file)) for file in facts.files]
    blocks = [table(("File", "What it holds", "Rows", "SHA-256"), rows)]
    blocks += [Block(_erased(file, facts)) for file in facts.files if file.erased]
    for file in [file for file in facts.files if not file.erased]:
        named = fields.of(file.name, kinds, facts.about)
        blocks += [Block(heading=file.name)]
        blocks += [Block(table=Table(("Field", "What it holds"), list(named.items())))]
    return Section("Files and fields", blocks)


def _state(file: File) -> tuple[int, str]:
    return (file.rows, f"{file.sha256} (erased)" if file.erased else file.sha256)


def _erased(file: File, facts: Facts) -> str:
    after = facts.release.superseded_by
    theirs = "the answers" if file.name.startswith("responses") else "what is left"
    stays = f"{after.label} holds {theirs} of those who stayed." if after else ""
    return (
        f"{file.name} is not among them any more. {ERASED} It was erased on {day(file.erased)}; "
        f"how many rows it had and its hash stay in the manifest. {stays}"
    )


def versions(facts: Facts) -> Section:
    release, about = facts.release, facts.about
    rows: list[tuple[str, str]] = [
        ("Release", release.label),
        ("SHA-256", release.sha256),
        ("Frozen", release.created.astimezone(UTC).isoformat(timespec="seconds")),
        ("Version of the shapes", str(release.schema_version)),
    ]
    if "parent" in about:
        parent = about["parent"]
        rows.append(("Built from", f"{parent['release']}, SHA-256 {parent['sha256']}"))
    before = [each.label for each in release.supersedes.order_by("version")]
    if before:
        rows.append(("Replaces", ", ".join(before)))
    after = release.superseded_by
    rows.append(("Followed by", f"{after.label}, SHA-256 {after.sha256}" if after else "none"))
    return Section("Version", [table(("What", "Is"), rows)])


def licence(facts: Facts) -> Section:
    if facts.release.licence:
        said = facts.release.licence
        if "licence_text" in facts.about:
            said = f"{said}. Its text is LICENSE.md, and goes with the data wherever they go."
    elif facts.release.study_id:
        said = "Nobody has said what others may do with it. Ask the study team before you use it."
    else:
        said = "The source does not say what others may do with it. Ask its authors first."
    return Section("Licence", [Block(said)])


def citing(facts: Facts) -> Section:
    release = facts.release
    year, name = release.created.astimezone(UTC).year, release.title or release.name
    said = f"{name} ({year}). Version {release.version}. Release {release.label}, SHA-256 "
    blocks = [Block(f"{said}{release.sha256}.")]
    if "source" in facts.about:
        blocks.append(Block("It was made by others: cite its source beside it."))
    entry = (
        f"@misc{{{re.sub('[^A-Za-z0-9_-]', '', release.name) or 'release'}-{release.version},\n"
        f"  title = {{{_tex(name)}}},\n"
        f"  year = {{{year}}},\n"
        f"  version = {{{release.version}}},\n"
        f"  note = {{Release {_tex(release.label)}, SHA-256 {release.sha256}}},\n"
        "}"
    )
    return Section("How to cite", [*blocks, Block(exact=entry)])


def _tex(text: str) -> str:
    """Text on one line that BibTeX reads as itself; what it has no spelling for is left out."""
    plain = re.sub(r"[{}\\^~`]", "", " ".join(text.split()))
    return re.sub(r"([&%$#_])", r"\\\1", plain)


def limits(facts: Facts) -> Section:
    said = [text for rule in _LIMITS for text in rule(facts)]
    return Section("Known limits", [Block(listed=said)])


def _of_simulated(facts: Facts) -> list[str]:
    if not facts.release.simulated:
        return []
    return ["It is simulated: it shows how such data look, and says nothing about any people."]


def _of_gold(facts: Facts) -> list[str]:
    if facts.of_artifacts and not facts.of_questions:
        return []
    if not facts.of_questions:
        return [
            "Only questions to which regions gave different answers became items, so they are no "
            "sample of what was asked.",
            "An option that holds a region's other name or custom may give the region away; what "
            "was found of that stands under “Findings”.",
        ]
    described, regions = facts.described, len(facts.regions)
    asked = figures.asked(described)
    pairs = asked * regions
    return [
        "A gold answer is what enough of the people asked in a region say, not what everybody "
        "there does. Without one they were found to agree on nothing, or it was not decided.",
        f"{pairs - described['pairs']:,} of {pairs:,} question–region pairs have no gold answer.",
        "Whether all regions say the same is known of a question only where every region has an "
        f"answer: {described['universal']['all_valid']:,} of {asked:,}.",
    ]


def _of_artifacts(facts: Facts) -> list[str]:
    if not facts.of_artifacts:
        return []
    said = [
        "An artifact is what somebody of a region named and others there know, not what only that "
        "region has: other regions may have it too.",
        "Clues are single sentences of players who saw the name. Read together they may say more "
        "than each player was shown.",
    ]
    if bare := sum(not row["payload"]["clues"] for row in artifacts.of(facts.rows)):
        said.append(f"{many(bare, 'artifact has', 'artifacts have')} no clue.")
    return said


def _of_people(facts: Facts) -> list[str]:
    kept = (facts.study or {}).get("kept_in")
    if not kept:
        return []
    fewest, most = min(kept.values()), max(kept.values())
    between = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return [
        f"Each region is spoken for by {between} of its people, who came by invitation: they are "
        "no random sample of it."
    ]


def _of_language(facts: Facts) -> list[str]:
    language = in_english(facts.about["language"])
    if not facts.of_questions and facts.of_artifacts:
        return []
    return [f"Gold is in one language, {language}, whatever people answered in."]


def _of_findings(facts: Facts) -> list[str]:
    count = len(facts.described["findings"])
    stand = "stands" if count == 1 else "stand"
    told = f"{many(count, 'finding')} {stand} above; look before you rely on the data."
    return [told] * bool(count)


def _of_what_is_not_told(facts: Facts) -> list[str]:
    if facts.study and "annotation" not in facts.study:
        return ["How far its annotators agreed was not kept when it was frozen."]
    if "source" in facts.about:
        return ["How it was collected and annotated is not told here."]
    return []


_LIMITS = (
    _of_simulated,
    _of_gold,
    _of_artifacts,
    _of_people,
    _of_language,
    _of_findings,
    _of_what_is_not_told,
)
