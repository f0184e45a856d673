"""Figures of a RASA report: the same ones for each judge, then how far judges agree."""

from dataclasses import replace
from typing import Any

from core import charts
from core.charts import Bar, Dot, Figure, Table
from core.templatetags.commonplace import interval, number, percent, reason
from evaluation import entries
from evaluation.benchmarks import Link, Report
from evaluation.figures import address, cell, colour
from evaluation.rasa import words
from evaluation.rasa.words import PARTS

OUTCOMES = {
    "ok": "Verdict read",
    "unparsed": "Verdict could not be read",
    "failed": "Judge could not be asked",
    "waiting": "Not judged yet",
}
CLUSTERED = "Intervals: 95 %, clustered by question."
EVERYTHING = "All"
NOTHING = "nothing to judge"
TOGETHER = "Judges beside each other, and the replies"


def figures(one: Report, link: Link | None) -> list[Figure]:
    """Those of each judge, with several of them under a heading each."""
    judges = one["judges"]
    made = []
    for judge in judges:
        under = f"What it knows, by {words.judge_name(one, judge)}" if len(judges) > 1 else ""
        made += [replace(each, under=under) for each in _by_judge(one, judge, link)]
    if one["agreement"]:
        made.append(replace(agreement(one), under=TOGETHER))
    return made


def _by_judge(one: Report, judge: str, link: Link | None) -> list[Figure]:
    if not one["judges"][judge]["n"]:
        return [outcomes(one, judge)]
    return [
        regions(one, judge, link),
        verdicts(one, judge, link),
        domains(one, judge),
        weights(one, judge),
        outcomes(one, judge),
    ]


def regions(one: Report, judge: str, link: Link | None) -> Figure:
    """Overall score by region, and of all."""
    judged = one["judges"][judge]
    rows = [_dot(EVERYTHING, judged, "overall", 8)]
    table = [(EVERYTHING, *_numbers(judged))]
    for series, (region, entry) in enumerate(judged["by_region"].items(), 1):
        rows.append(_dot(region, entry, "overall", colour(series), address(link, region)))
        table.append((cell(link, region), *_numbers(entry)))
    title = words.by_region(one, judge)
    chart = charts.dot_intervals(
        rows, finding=title, axis_label="Overall score", unit="percent", domain=(0.0, 1.0)
    )
    caption = (
        f"Overall score: fully correct answers, and {number(judged['weight'], 1)} of those that "
        f"are partially correct, by {words.judge_name(one, judge)}. n = {judged['n']:,} judged "
        f"samples of {judged['questions']:,} questions. {CLUSTERED}"
    )
    return Figure(title, chart, caption, Table(_columns("Region"), table), (), one["simulated"])


def verdicts(one: Report, judge: str, link: Link | None) -> Figure:
    """How much of each region is fully correct, partially correct and incorrect."""
    judged = one["judges"][judge]
    rows, table = [], []
    for series, (region, entry) in enumerate(judged["by_region"].items(), 1):
        for name, said in PARTS.items():
            label = f"{region}: {said.lower()}"
            rows.append(_dot(label, entry, name, colour(series), address(link, region)))
            between = words.between(entry, name)
            table.append((cell(link, region), said, percent(entry[name]), between, entry["n"]))
    title = f"{_shares(judged)}, by {words.judge_name(one, judge)}"
    chart = charts.dot_intervals(
        rows, finding=title, axis_label="Share of judged samples", unit="percent", domain=(0.0, 1.0)
    )
    caption = (
        f"The three verdicts of a region add up to 100 %. n = {judged['n']:,} judged samples. "
        f"{CLUSTERED}"
    )
    columns = ("Region", "Verdict", "Share", "95 % interval", "Samples judged")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def domains(one: Report, judge: str) -> Figure:
    judged = one["judges"][judge]
    by = judged["by_domain"]
    names = {name: name or "No domain" for name in by}
    rows = [_dot(names[name], entry, "overall", 8) for name, entry in by.items()]
    table = [(names[name], *_numbers(entry)) for name, entry in by.items()]
    known = [(each["overall"], names[n]) for n, each in by.items() if each["overall"] is not None]
    title = f"{max(known)[1]} is known best, at {percent(max(known)[0])}"
    if len(known) > 1:
        title += f", and {min(known)[1]} least, at {percent(min(known)[0])}"
    title = f"{title}, by {words.judge_name(one, judge)}"
    chart = charts.dot_intervals(
        rows, finding=title, axis_label="Overall score", unit="percent", domain=(0.0, 1.0)
    )
    caption = f"Overall score by domain, n = {judged['n']:,} judged samples. {CLUSTERED}"
    if any(not entry["intervals"]["overall"] for entry in by.values()):
        caption += " Where none is drawn, the numbers say why."
    return Figure(title, chart, caption, Table(_columns("Domain"), table), (), one["simulated"])


def weights(one: Report, judge: str) -> Figure:
    """The overall score, were a partially correct answer worth more or less."""
    judged = one["judges"][judge]
    scores = {f"Worth {w}": value for w, value in judged["sensitivity"].items()}
    rows = [Bar(label, value, n=judged["n"], series=8) for label, value in scores.items()]
    spread = 100 * (max(scores.values()) - min(scores.values()))
    title = (
        f"What a partial answer is worth moves the score by {number(spread, 1)} points, "
        f"by {words.judge_name(one, judge)}"
    )
    chart = charts.bars(
        rows, finding=title, axis_label="Overall score", unit="percent", domain=(0.0, 1.0)
    )
    caption = (
        "The same verdicts, with a partially correct answer counted as 0.3, 0.5 or 0.7 of a fully "
        "correct one. No interval: nothing is drawn anew, only weighed anew."
    )
    table = [(label, percent(value)) for label, value in scores.items()]
    columns = ("A partially correct answer", "Overall score")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def outcomes(one: Report, judge: str) -> Figure:
    """What came of asking the judge."""
    judged = one["judges"][judge]
    counts = {**judged["outcomes"], "waiting": judged["waiting"]}
    total = sum(counts.values())
    rows = [
        Bar(OUTCOMES[name], n / total if total else None, n=total, series=8, reason=NOTHING)
        for name, n in counts.items()
    ]
    table = [
        (OUTCOMES[name], n, percent(n / total) if total else None) for name, n in counts.items()
    ]
    title = (
        f"{counts['ok']:,} of {total:,} answered samples have a verdict, "
        f"by {words.judge_name(one, judge)}"
    )
    chart = charts.bars(rows, finding=title, axis_label="Share of answered samples", unit="percent")
    caption = (
        f"Of {total:,} answered samples. What has no verdict enters no figure and is never taken "
        "for an incorrect answer. No interval: these are all the samples, not a draw from them."
    )
    columns = ("What came of asking", "Samples", "Share")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def agreement(one: Report) -> Figure:
    """Kappa of every two judges; the raw agreement stands in the table."""
    rows, table = [], []
    for each in one["agreement"]:
        raw, kappa = each["raw"], each["kappa"]
        label = f"{_judge(one, each, 'a')} and {_judge(one, each, 'b')}"
        ends = (kappa.get("low"), kappa.get("high"))
        why = entries.why(kappa)
        rows.append(Dot(label, kappa["value"], *ends, each["replies"], 8, None, why))
        table.append(
            (
                label,
                percent(raw["value"]),
                interval(raw, "percent") or reason(raw.get("reason")),
                why or number(kappa["value"]),
                interval(kappa) or reason(kappa.get("reason")),
                each["replies"],
            )
        )
    title = words.agreeing(one["agreement"][0])
    chart = charts.dot_intervals(
        rows, finding=title, chance=0.0, axis_label="Cohen's kappa", domain=(0.0, 1.0)
    )
    caption = (
        "Cohen's kappa: 1 is the same verdict always, 0 as often as chance. Every distinct reply "
        f"that both have judged counts once. {CLUSTERED}"
    )
    columns = ("Judges", "Same verdict", "95 % interval", "Kappa", "Interval of kappa", "Replies")
    return Figure(title, chart, caption, Table(columns, table), (), one["simulated"])


def _judge(one: Report, pair: dict[str, Any], side: str) -> str:
    name = pair[side]
    if pair[f"{side}_kind"] == "person":
        return f"{name} (people)"
    return words.judge_name(one, name)


def _shares(judged: dict[str, Any]) -> str:
    said = [f"{percent(judged[name])} {words_.lower()}" for name, words_ in PARTS.items()]
    return f"Answers are {said[0]}, {said[1]} and {said[2]}"


def _dot(label: str, entry: dict[str, Any], name: str, series: int, href: str | None = None) -> Dot:
    low, high = entry["intervals"][name] or (None, None)
    why = reason("empty") if entry[name] is None else ""
    return Dot(label, entries.value(entry[name]), low, high, entry["n"], series, href, why)


def _columns(what: str) -> tuple[str, ...]:
    return (what, *PARTS.values(), "Overall", "95 % interval of overall", "Samples judged")


def _numbers(entry: dict[str, Any]) -> tuple[Any, ...]:
    shares = [percent(entry[name]) for name in (*PARTS, "overall")]
    return (*shares, words.between(entry, "overall"), entry["n"])
