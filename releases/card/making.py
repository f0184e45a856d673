"""How a release came about: who took part, and who decided what its people agree on.

A manifest of an earlier version may lack what is told here; then that is not told.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from releases.artifacts import CLUES
from releases.card.blocks import Block, Facts, Section, joined, many, table, told
from releases.responses import NAME as RESPONSES
from releases.transcripts import NAME as TRANSCRIPTS

FLOW = {  # of the manifest -> in words; all but the first sum up to it
    "invited": "Invited",
    "screened_out": "Screened out, or no place left",
    "declined": "Declined to take part",
    "dropped": "Dropped: gave their place back, ran out of time or were cut short",
    "unfinished": "Not done yet",
    "awaiting_review": "Sent, awaiting review",
    "rejected": "Rejected",
    "withdrawn": "Withdrawn",
    "kept_out": "Accepted, kept out of the results",
    "kept": "Kept: accepted and in the results",
}
LUMPED = "Neither: left, out of time, still at it, awaiting review or kept out"
_WORK = ("title", "people", "annotators", "tasks", "by_rule", "by_person")
COEFFICIENTS = {
    "percent": "Raw agreement",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha",
    "ac1": "Gwet's AC1",
}


def collected(facts: Facts) -> Section:
    study = facts.study
    if not study:
        return Section("How it was collected", [Block(_elsewhere(facts))])
    flow = study["participants"]
    told_as = FLOW if "unfinished" in flow else FLOW | {"dropped": LUMPED}  # in earlier manifests
    rows = [(words, flow[name]) for name, words in told_as.items() if name in flow]
    blocks = [
        Block("Participations by how they ended, when the release was frozen."),
        table(("Participants", "Number"), rows),
    ]
    if days := study.get("collected"):
        blocks.append(
            Block(f"Answers that count were sent from {days['from']} to {days['until']} (UTC).")
        )
    if games := study.get("games"):
        blocks.append(
            Block(
                f"{many(games['ended'], 'game')} of the main phase had ended, with "
                f"{many(games['players'], 'player')}. Two people of one region take turns: one "
                "describes an artifact in single sentences, the other guesses."
            )
        )
    if held := _held(facts):
        blocks.append(Block(_published(facts, held)))
    return Section("How it was collected", blocks)


def _elsewhere(facts: Facts) -> str:
    if "parent" in facts.about:
        return f"As {facts.about['parent']['release']}, from which it was built."
    return "Not here. The manifest of an imported data set does not say; look at its source."


def _held(facts: Facts) -> str:
    """What people wrote that was part of it when it was frozen, counted; "" for none."""
    rows = {part["name"]: part["rows"] for part in facts.about["parts"]}
    named = ((RESPONSES, "answer"), (CLUES, "clue"), (TRANSCRIPTS, "game"))
    there = [many(rows[part], thing) for part, thing in named if part in rows]
    if CLUES in rows and not facts.of_questions:
        del there[0]
    return joined(there)


def _published(facts: Facts, held: str) -> str:
    if any(file.erased for file in facts.files):
        return (
            f"It was frozen with {held} of people who had agreed to publication. What somebody "
            "wrote who has withdrawn was erased since, as “Files and fields” says."
        )
    people = many(facts.release.contributions.count(), "person", "people")
    if not facts.of_artifacts:
        count = held.partition(" ")[0]
        return (
            f"The answers of {people} who agreed to publication are part of it, {count} in all. "
            "Whoever did not agree to that counts in gold and appears nowhere."
        )
    return (
        f"The words of {people} who agreed to publication are part of it: {held}. Whoever did not "
        "agree to that counts in what regions share and appears nowhere."
    )


def annotated(facts: Facts) -> Section:
    title = "How it was annotated"
    study = facts.study
    if not study:
        return Section(title, [Block(_elsewhere(facts))])
    projects = study.get("annotation")
    if not projects:
        said = "Its manifest does not say." if projects is None else "Nothing in it was annotated."
        return Section(title, [Block(said)])
    blocks = [
        Block(
            "Annotators judge each task blind to each other. Where all first passes say the same, "
            "that is decided by rule; else a further person decides, with a reason."
        ),
        table(
            (
                "Annotation",
                "People a task",
                "Annotators",
                "Tasks",
                "Decided by rule",
                "Decided by a person",
            ),
            [[each[name] for name in _WORK] for each in projects],
        ),
        *_thresholds(study),
        *_reliability(projects),
        *_respondents(projects),
        *_hanging(study),
    ]
    return Section(title, blocks)


def _thresholds(study: Mapping[str, Any]) -> list[Block]:
    rows = [(row["answers"], row["needed"], row["decided"]) for row in study["thresholds"]]
    if not rows:
        return []
    shares = [each["share"] for each in study["annotation"] if each["share"] is not None]
    rule = (
        "A text is gold for a region when enough of the answers in view say it. How many were "
        "needed:"
    )
    if shares:
        rule = (
            f"A share of {shares[0]:.0%} stood in place of the threshold from six answers on. "
            + (rule)
        )
    columns = ("Answers in view", "Had to agree", "Questions of a region")
    return [Block(heading="When a region agrees"), Block(rule), table(columns, rows)]


def _reliability(projects: Sequence[Mapping[str, Any]]) -> list[Block]:
    rows = [
        (
            each["title"],
            each["reliability"]["co_rated"],
            *(_figure(each["reliability"][name], name) for name in COEFFICIENTS),
        )
        for each in projects
    ]
    columns = ("Annotation", "Judged by two or more", *COEFFICIENTS.values())
    return [
        Block(heading="How far annotators agree"),
        Block("On first passes alone, with 95 % intervals, or the reason why there is no figure."),
        table(columns, rows),
    ]


def _figure(value: Mapping[str, Any], name: str) -> str:
    return told(value, "percent" if name == "percent" else "number")


HANGS = {  # of the manifest -> in words
    "gold": "Gold answers, of those decided",
    "one_reviewer": "Hang on one reviewer",
    "one_respondent": "Hang on one respondent",
    "one_more": "Gone were one more needed",
    "firm": "Hang on none of these",
}


def _hanging(study: Mapping[str, Any]) -> list[Block]:
    """How much of the gold would be otherwise without one person, or with one more needed."""
    if "hangs_on" not in study:
        return []
    within = study["hangs_on"]["within"]
    lines = [*within["regions"].items(), ("all regions", within["all"])]
    rows = [(name, *(_counted(line[each]) for each in HANGS)) for name, line in lines]
    return [
        Block(heading="What gold hangs on"),
        Block(
            "Counts of gold answers, each with what it is counted of and the 95 % interval of the "
            "share. One reviewer: without this person's word the others would not have settled it "
            "so. One respondent: without this answer no text of it would be left."
        ),
        table(("Region", *HANGS.values()), rows),
    ]


def _counted(figure: Mapping[str, Any]) -> str:
    if figure["count"] is None:
        return told(figure, "percent")
    share = f", {told(figure, 'percent')}" if figure["of"] else ""
    return f"{figure['count']:,} of {figure['of']:,}{share}"


def _respondents(projects: Sequence[Mapping[str, Any]]) -> list[Block]:
    found = [each["respondents"] for each in projects if each["respondents"]]
    return [
        Block(
            "How far the people who answered agree is another matter: of "
            f"{many(each['gold'], 'decided question', 'decided questions')} of a region, "
            f"{told(each['agreeing'], 'percent')} have an agreement, and in "
            f"{told(each['unanimous'], 'percent')} every answer says the same."
        )
        for each in found
    ]
