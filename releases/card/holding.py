"""What a release holds: its regions, its counts with their intervals, and its findings."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from core.charts import Table
from releases import artifacts, consistency, figures, presenting
from releases.card.blocks import Block, Facts, Section, day, joined, many, table, told
from releases.shapes import ORIGINS
from releases.statistics import SAMPLES_EXPECTED
from studies import scripts
from studies.languages import in_english

_FIELDS = {"question": "text", "choice": "question", "artifact": "name"}  # in many languages
WILSON = "Shares stand with their 95 % interval (Wilson)."


def what(facts: Facts) -> Section:
    blocks = [Block(_holds(facts)), Block(_origin(facts)), Block(_tongues(facts))]
    return Section("What this is", blocks)


def _holds(facts: Facts) -> str:
    release, described = facts.release, facts.described
    where = many(len(facts.regions), "region")
    if facts.of_questions:
        asked = many(figures.asked(described), "question")
        held = (
            f"{asked} about what people take for granted in {where}, with "
            f"{many(described['pairs'], 'gold answer')}: what enough of the people who were "
            "asked in a region agree on. For regions that both have one it says whether the two "
            "are the same."
        )
    elif facts.of_artifacts:
        held = f"{_artifacts(facts)} {where}."
    else:
        held = (
            f"{many(described['items'], 'multiple-choice item')} about what people take for granted"
            f" in {where}. Each option is what one or more regions agree on; a region's name is "
            "taken out of it."
        )
    if facts.of_questions and facts.of_artifacts:
        held += f" Beside them stand {_artifacts(facts)} these regions."
    return f"Release {release.label} holds {held} It was frozen on {day(release.created)}."


def _artifacts(facts: Facts) -> str:
    original, expanded = (
        sum(row[origin] for row in facts.described["artifacts"]) for origin in ORIGINS
    )
    clues = many(sum(facts.described["clues"].values()), "clue")
    return (
        f"{original:,} original and {expanded:,} expanded artifacts, things people take for "
        f"granted, with {clues} by which players of a guessing game described them, of"
    )


def _origin(facts: Facts) -> str:
    about, study = facts.about, facts.study
    if study:
        ethics = study.get("ethics_number")
        review = f", ethics review {ethics}" if ethics else ""
        place = f", {study['country']}" if study.get("country") else ""
        return f"It comes from the study {study['slug']}{place}{review}."
    if "parent" in about:
        recipe = about["recipe"]
        return (
            f"It was built from {about['parent']['release']} by the recipe {recipe['kind']}, "
            f"{recipe['preset']}. How its answers came about stands in the card of that release."
        )
    source = about.get("source")
    if not source:
        return "Its manifest does not say where it comes from."
    return (
        f"It was imported from {source['file']} (format {source['format']}, SHA-256 "
        f"{source['sha256']}): {many(source['read'], 'row')} read, {source['refused']:,} refused. "
        "Nothing of it was collected, annotated or changed here."
    )


def _tongues(facts: Facts) -> str:
    said = []
    if facts.of_questions or not facts.of_artifacts:
        asked = joined([in_english(tag) for tag in _tags(facts.rows, "question", "choice")])
        gold = in_english(facts.about["language"])
        said.append(f"Questions are in {asked}; answers in gold are in {gold}.")
    if facts.of_artifacts:
        said.append("Names are as people wrote them; clues are in the language of the game.")
    if spoken := joined([in_english(tag) for tag in (facts.study or {}).get("languages", ())]):
        said.append(f"People could answer in {spoken}.")
    return " ".join(said)


def languages(facts: Facts) -> list[str]:
    """Tags of the languages what is in it is known to be in: items in the order they come, clues,
    then gold; where nothing is known, the release's own."""
    gold = [facts.about["language"]] * (facts.of_questions or not facts.of_artifacts)
    known = [*_tags(facts.rows, *_FIELDS), *_of_clues(facts.rows), *gold]
    known = [tag for tag in dict.fromkeys(known) if tag.partition("-")[0] != scripts.UNKNOWN]
    return known or [facts.about["language"]]


def _tags(rows: Iterable[Mapping[str, Any]], *kinds: str) -> list[str]:
    texts = [row["payload"][_FIELDS[row["kind"]]] for row in rows if row["kind"] in kinds]
    return list(dict.fromkeys(tag for each in texts for tag in each))


def _of_clues(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    clues = (clue for row in artifacts.of(rows) for clue in row["payload"]["clues"])
    return [tag for clue in clues if (tag := clue.get("language"))]


def regions(facts: Facts) -> Section:
    known, language = presenting.names(facts.release), facts.about["language"]
    kept = (facts.study or {}).get("kept_in")
    begins = facts.of_questions or not facts.of_artifacts
    columns = ["Region", "Name", *["Its answers begin with"] * begins]
    placed = any(region.get("places") for region in facts.regions)
    columns += ["Places"] * placed + ["People kept"] * bool(kept)
    rows = []
    for region in facts.regions:
        row: list[object] = [region["slug"], known[region["slug"]]]
        row += [region["phrases"].get(language, "")] * begins
        row += [", ".join(region.get("places", ()))] * placed
        row += [kept[region["slug"]]] if kept else []
        rows.append(row)
    blocks = [table(columns, rows)]
    residency = (facts.study or {}).get("residency_percent")
    if residency:
        blocks.append(
            Block(
                f"Somebody stands for a region who has lived more than {residency} % of their life "
                "in its places."
            )
        )
    for group, members in facts.about.get("groups", {}).items():
        blocks.append(Block(f"Group {group}: {joined(members)}."))
    return Section("Regions", blocks)


def counts(facts: Facts) -> Section:
    blocks: list[Block] = []
    if facts.of_questions:
        blocks += _counts_of_questions(facts)
    if facts.of_artifacts:
        blocks += _counts_of_artifacts(facts)
    return Section("Counts", blocks or _counts_of_choices(facts))


def _counts_of_artifacts(facts: Facts) -> list[Block]:
    things = artifacts.of(facts.rows)
    clued = sum(bool(row["payload"]["clues"]) for row in things)
    return [
        Block(heading="Artifacts by region"),
        Block(
            f"{many(len(things), 'artifact')}, {clued:,} of them with clues. Original are those a "
            "survey or a team listed, expanded those that players proposed."
        ),
        Block(table=figures.by_region(facts.described, facts.release)),
    ]


def _counts_of_questions(facts: Facts) -> list[Block]:
    release, described = facts.release, facts.described
    asked = figures.asked(described)
    coverage = figures.coverage(described, release, ())
    blocks = [
        Block(
            f"{many(asked, 'question')}, {many(described['pairs'], 'gold answer')} of "
            f"{asked * len(facts.regions):,} question–region pairs. {WILSON}"
        ),
        Block(heading="Gold answers by region"),
        Block(table=_of(coverage.table)),
    ]
    if pairwise := figures.pairwise(described, release, ()):
        blocks += [
            Block(heading="Pairs of regions"),
            Block("Of the questions both have a gold answer to, on how many the two agree."),
            Block(table=_of(pairwise.table)),
        ]
    blocks += [
        Block(heading="Universal questions"),
        Block("Universal is a question to which every region gives the same answer."),
        Block(listed=_universal(facts)),
    ]
    if [row["domain"] for row in described["domains"]] != [""]:
        blocks += [Block(heading="By domain"), Block(table=figures.by_domain(described))]
    return blocks


def _of(shown: Table | None) -> Table:
    return shown or Table((), ())


def _universal(facts: Facts) -> list[str]:
    described, rates = facts.described, figures.universal(facts.described)
    asked = figures.asked(described)
    agree, valid = described["universal"]["agree"], described["universal"]["all_valid"]
    return [
        f"{agree:,} of the {valid:,} questions compared across all regions: "
        f"{told(rates['all_valid'], 'percent')}",
        f"{agree:,} of all {asked:,} questions: {told(rates['questions'], 'percent')}",
        f"Every pair of regions agrees on {many(described['all_pairs_agree'], 'question')}",
    ]


def _counts_of_choices(facts: Facts) -> list[Block]:
    tables = figures.by_options(facts.described, facts.release)
    chance = f"Expected by chance, {SAMPLES_EXPECTED} samples of each item"
    return [
        Block(f"{many(facts.described['items'], 'item')}."),
        *(Block(heading="By number of options"), Block(table=tables["options"])),
        *(Block(heading="By domain"), Block(table=tables["domains"])),
        *(Block(heading=chance), Block(table=tables["expected"])),
    ]


def findings(facts: Facts) -> Section:
    """By kind and reason, since each of a thousand alike says nothing more."""
    held = facts.release.findings.order_by("pk").values_list("code", "accepted_by", "reason")
    counted = Counter(held)
    if not counted:
        return Section("Findings", [Block("None: nothing here contradicts itself or stands open.")])
    accepted = any(by for _, by, _ in counted)
    notes = all(code in consistency.NOTES for code, _, _ in counted)
    rows = [
        (
            consistency.sentence(code),
            code,
            count,
            *((by or "nobody has to", reason or "a note, not an error") if accepted else ()),
        )
        for (code, by, reason), count in counted.most_common()
    ]
    columns = ("What was found", "Code", "Times", *(("Accepted by", "Reason") if accepted else ()))
    if notes:
        why = "Notes, not errors: where one practice may have several wordings."
    elif accepted:
        why = "What contradicted itself or stood open at freezing, and why it was let stand."
    else:
        why = "Where the data contradict themselves. They are listed, and nothing was changed."
    return Section("Findings", [Block(why), table(columns, rows)])
