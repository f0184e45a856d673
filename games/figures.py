"""The results of games as figures and tables: for their page in words, for files as values."""

from collections.abc import Iterator, Mapping, Sequence

from django.urls import reverse

from core import charts, downloads, tables
from core.charts import Dot, Figure
from core.errors import NotFound
from core.stats import Statistic
from core.tables import Value
from core.templatetags.commonplace import percent, statistic
from games import in_words
from games.saturation import Nth, Step
from games.selectors import results
from games.selectors.results import Cell, Described, Results, Vetted
from studies.models import Study

ORIGINS = {"original": "from the survey", "expanded": "added by players"}
SHARED = {"ours": "Ours", "everywhere": "Known everywhere", "unsure": "Not sure"}
NO_VOTE = "nobody has looked back yet"
REASONS = {
    "empty": "nothing was played to the end",
    "one_cluster": "only one artifact",
    "one_observation": "only one turn",
    "nothing_left_to_guess": "nothing was left to guess",
    "nothing_before": "there was nothing to hear again",
}
RATES = ("guess1", "guess2", "overall")
FILES = {"results": "How well people guessed", "vetted": "Vetting", "described": "Artifacts"}
_STATISTIC = ("", "_low", "_high", "_n", "_reason")
_COLUMNS: Mapping[str, Sequence[str]] = {
    "results": (
        *("study", "phase", "region", "origin", "play"),
        *(f"{rate}{part}" for rate in RATES for part in _STATISTIC),
        *(f"turns_{each}" for each in in_words.OUTCOMES),
        *("turns", "simulated"),
    ),
    "vetted": (
        *("study", "phase", "region"),
        *(f"{each}{part}" for each in ("known", *SHARED) for part in _STATISTIC),
        "simulated",
    ),
    "described": (
        *("study", "phase", "region", "artifact", "name", "origin", "games", "wanted", "clues"),
        *(f"turns_{each}" for each in in_words.OUTCOMES),
        *("accuracy", "accuracy_n", "quality", "quality_n"),
        *("game", "game_clues", "game_matched", "game_new", "game_share", "simulated"),
    ),
}


# --- for the page -------------------------------------------------------------------------------


def overall(study: Study, found: Results, phase: str, origin: str) -> Figure | None:
    """How often people were right at either guess, region by region; None where nothing of this
    origin was played out."""
    cells = [cell for cell in found.cells if cell.origin == origin]
    if not any(cell.accuracy.overall.n for cell in cells):
        return None
    rows = [_dot(cell.region, cell.accuracy.overall, place) for place, cell in enumerate(cells)]
    title = _finding(cells, origin)
    chart = charts.dot_intervals(
        rows, finding=f"{title}.", unit="percent", axis_label="Right at either guess", domain=(0, 1)
    )
    caption = (
        "Share of turns played to the end in which the partner named the artifact at the first or "
        "second guess, with a 95 % interval by artifact; n counts turns."
    )
    return Figure(
        title, chart, caption, accuracy(cells), links(study, "results", phase), found.simulated
    )


def accuracy(cells: Sequence[Cell]) -> charts.Table:
    """Guess 1, guess 2 and overall with their intervals and n."""
    rates = ("Guess 1", "Guess 2", "Overall")
    columns = ("Region", "Artifacts", *(each for rate in rates for each in (rate, f"{rate}, n")))
    rows = [
        (
            cell.region,
            ORIGINS[cell.origin],
            *(part for rate in RATES for part in _said(getattr(cell.accuracy, rate))),
        )
        for cell in cells
    ]
    return charts.Table(columns, rows)


def outcomes(cells: Sequence[Cell]) -> charts.Table:
    """Every turn that has ended, by how."""
    columns = ("Region", "Artifacts", *map(str.capitalize, in_words.OUTCOMES.values()), "All")
    rows = [
        (
            cell.region,
            ORIGINS[cell.origin],
            *cell.accuracy.outcomes.values(),
            cell.accuracy.turns,
        )
        for cell in cells
    ]
    return charts.Table(columns, rows)


def known(study: Study, found: Results, phase: str) -> Figure | None:
    """Whether players knew the artifacts they met, and whose they say they are."""
    if not any(vetted.known.n for vetted in found.vetted):
        return None
    rows = [
        _dot(each.region, each.known, place, NO_VOTE) for place, each in enumerate(found.vetted)
    ]
    shown = [row for row in rows if row.value is not None]
    least = min(shown, key=lambda row: row.value or 0)
    title = f"Players knew at least {percent(least.value, 0)} of what they met, in each region"
    if len(shown) == 1:
        title = f"Players of {least.label} knew {percent(least.value, 0)} of what they met"
    chart = charts.dot_intervals(
        rows, finding=f"{title}.", unit="percent", axis_label="Known to the player", domain=(0, 1)
    )
    caption = (
        "What players said of each artifact after the game, with a 95 % interval by artifact; n "
        "counts votes, which are two an artifact and game where both players cast theirs."
    )
    table = _votes(found.vetted)
    return Figure(title, chart, caption, table, links(study, "vetted", phase), found.simulated)


def saturation(steps: Sequence[Step]) -> str:
    """`4, then 2 of 5, none of 3`: how many clues each game of an artifact added, of those it
    had."""
    first, *later = [_added(step) for step in steps] or [""]
    return f"{first}, then {', '.join(later)}" if later else first


def _added(step: Step) -> str:
    if not step.clues:
        return "no clue"
    return str(step.new) if step.first else f"{step.new or 'none'} of {step.clues}"


def saturated(regions: Sequence[tuple[str, Sequence[Nth]]]) -> charts.Table:
    """What the first, second and further games of a region's artifacts added."""
    columns = ("Region", "Game", "Artifacts", "Clues", "New", "Heard before")
    rows = [
        (
            region,
            f"game {each.number}",
            *(each.artifacts, each.clues, each.new),
            _said(each.heard)[0],
        )
        for region, games in regions
        for each in games
    ]
    return charts.Table(columns, rows)


def artifacts(rows: Sequence[Described]) -> charts.Table:
    columns = (
        *("Artifact", "Games", "Clues"),
        *map(str.capitalize, in_words.OUTCOMES.values()),
        *("Accuracy, mean (n)", "Quality, mean (n)", "New clues, game by game"),
    )
    cells = [
        (
            each.name + ("" if each.artifact.origin == "original" else ", added by players"),
            f"{each.games} of {each.wanted}",
            each.clues,
            *each.outcomes.values(),
            _mean(each.accuracy),
            _mean(each.quality),
            saturation(each.steps) or None,
        )
        for each in rows
    ]
    return charts.Table(columns, cells)


def links(study: Study, table: str, phase: str) -> list[tuple[str, str]]:
    return downloads.links(
        lambda ending: (
            reverse("games:results_file", args=(study.slug, table, ending)) + f"?phase={phase}"
        )
    )


def _dot(region: str, figure: Statistic, place: int, empty: str = "") -> Dot:
    return Dot(
        region,
        figure.value,
        figure.low,
        figure.high,
        figure.n,
        1 + place % 8,
        reason=_reason(figure, empty).capitalize() + ".",
    )


def _finding(cells: Sequence[Cell], origin: str) -> str:
    shown = [cell for cell in cells if cell.accuracy.overall.value is not None]
    shown.sort(key=lambda cell: cell.accuracy.overall.value or 0)
    low, high = shown[0], shown[-1]
    of = f"of artifacts {ORIGINS[origin]}"
    highest = percent(high.accuracy.overall.value, 0)
    if len(shown) == 1:
        return f"People of {high.region} guess {highest} {of}"
    lowest = percent(low.accuracy.overall.value, 0)
    return f"People guess from {lowest} ({low.region}) to {highest} ({high.region}) {of}"


def _said(figure: Statistic, empty: str = "") -> tuple[str, int]:
    if figure.value is None:
        return f"NA, {_reason(figure, empty)}", figure.n
    without = f" ({_reason(figure)})" if figure.low is None else ""
    return statistic(figure, "percent") + without, figure.n


def _votes(vetted: Sequence[Vetted]) -> charts.Table:
    columns = ("Region", "Known", *SHARED.values(), "Votes")
    rows = [
        (
            each.region,
            _said(each.known, NO_VOTE)[0],
            *(_said(each.shared[name], NO_VOTE)[0] for name in SHARED),
            each.known.n,
        )
        for each in vetted
    ]
    return charts.Table(columns, rows)


def _reason(figure: Statistic, empty: str = "") -> str:
    """`empty` is why there may be nothing to count, where that is not what REASONS says."""
    if empty and figure.reason == "empty":
        return empty
    return REASONS.get(figure.reason or "", (figure.reason or "").replace("_", " "))


def _mean(given: tuple[float | None, int]) -> str | None:
    value, n = given
    return None if value is None else f"{value:.1f} ({n})"


# --- for files ----------------------------------------------------------------------------------


def table(study: Study, name: str, phase: str) -> tables.Table:
    """One of FILES with plain values. Raises `download.unknown`."""
    if name not in FILES:
        raise NotFound(
            "download.unknown", f"There is no such table. Use one of: {', '.join(FILES)}."
        )
    make = {"results": _results, "vetted": _vetted, "described": _described}[name]
    return tables.Table(FILES[name], _COLUMNS[name], make(study, phase))


def _results(study: Study, phase: str) -> Iterator[Sequence[Value]]:
    found = results.results(study, phase)
    for play, cells in ((results.BY_PEOPLE, found.cells), (results.RECORDED, found.recorded)):
        for cell in cells:
            rates = [getattr(cell.accuracy, rate) for rate in RATES]
            yield (
                *(study.slug, phase, cell.region, cell.origin, play),
                *(value for rate in rates for value in _values(rate)),
                *cell.accuracy.outcomes.values(),
                *(cell.accuracy.turns, found.simulated),
            )


def _vetted(study: Study, phase: str) -> Iterator[Sequence[Value]]:
    found = results.results(study, phase)
    for each in found.vetted:
        shares = [each.known, *(each.shared[name] for name in SHARED)]
        values = (value for share in shares for value in _values(share))
        yield (study.slug, phase, each.region, *values, found.simulated)


def _described(study: Study, phase: str) -> Iterator[Sequence[Value]]:
    """A row for each game that an artifact has clues of, or one without where there is none."""
    simulated = results.simulated(study, phase)
    for region, rows in results.described(study, phase).items():
        for each in rows:
            of = (
                *(study.slug, phase, region, each.artifact.code, each.name, each.artifact.origin),
                *(each.games, each.wanted, each.clues, *each.outcomes.values()),
                *(*each.accuracy, *each.quality),
            )
            for number, step in enumerate(each.steps, 1):
                yield (*of, number, step.clues, step.matched, step.new, step.share, simulated)
            if not each.steps:
                yield (*of, None, None, None, None, None, simulated)


def _values(figure: Statistic) -> tuple[Value, ...]:
    return figure.value, figure.low, figure.high, figure.n, figure.reason
