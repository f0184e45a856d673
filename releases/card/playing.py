"""What the games of a release tell: how well people guessed, and what further games added."""

from games import figures
from releases import canonical, guessing, presenting, storing, transcripts
from releases.card.blocks import Block, Facts, Section, many
from releases.models import Part

TITLE = "How people guessed"


def guessed(facts: Facts) -> Section | None:
    """None for a release that no game is in."""
    part = facts.release.parts.filter(name=transcripts.NAME).first()
    if part is None or not part.rows:
        return None
    return Section(TITLE, [*_guesses(facts, part), *_saturation(facts)])


def _guesses(facts: Facts, part: Part) -> list[Block]:
    if part.purged_at:
        after = facts.release.superseded_by
        there = f" The card of {after.label} counts those of who stayed." if after else ""
        return [Block(f"The games this is counted from were erased: somebody withdrew.{there}")]
    games = canonical.rows(storing.read(part))
    told = guessing.told(games, facts.rows, presenting.names(facts.release))
    if told is None:
        return [
            Block(
                "It cannot be counted: when this was frozen, transcripts did not say how many "
                "guesses the rules gave."
            )
        ]
    return [
        Block(" ".join(_counted(facts, told))),
        Block(
            "Guess 1 is the share of turns right at the first guess, guess 2 the share right at the"
            " second of those not right at the first, overall the share right at either; n counts "
            "turns that were guessed, missed or passed. Intervals are of 95 %, by artifact. NA: "
            "there is nothing to take a share of."
        ),
        Block(table=figures.accuracy(told.cells)),
        Block(heading="What became of every turn"),
        Block(table=figures.outcomes(told.cells)),
    ]


def _counted(facts: Facts, told: guessing.Told) -> list[str]:
    said = [
        f"Counted over {many(told.games, 'game')} of this release: two people of one region, one "
        "describing, the other guessing. Models are set beside these rates."
    ]
    if facts.release.simulated:
        said.append("Its players are simulated.")
    for count, left_out in (
        (told.single, f"{many(told.single, 'game')} with a single guess a turn"),
        (told.others, f"{many(told.others, 'turn')} with recorded clues or a bot"),
        (told.beyond, f"{many(told.beyond, 'turn')} of artifacts that are not in the release"),
    ):
        if count:
            said.append(f"In no rate: {left_out}.")
    return said


def _saturation(facts: Facts) -> list[Block]:
    regions = guessing.saturated(facts.rows, presenting.names(facts.release))
    if not regions:
        return []
    who = "Its players are simulated. " * facts.release.simulated
    return [
        Block(heading="What each further game of an artifact added"),
        Block(
            f"Of the clues that are in the release, games in the order they began. {who}A clue was "
            "heard before where an earlier game of the artifact had one in the same words, spelling"
            " aside; what says the same in other words counts as new. Heard before "
            "is their share of the game's clues, with an interval of 95 %, by artifact."
        ),
        Block(table=figures.saturated(regions)),
    ]
