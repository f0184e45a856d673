"""A report of RASA in words. Judges are named wherever their figures stand, and never averaged."""

from typing import Any

from core.templatetags.commonplace import interval, percent, reason
from evaluation import entries
from evaluation.benchmarks import Report

PARTS = {"full": "Fully correct", "partial": "Partially correct", "incorrect": "Incorrect"}
KIN = "of the same family as the model"


def judge_name(one: Report, judge: str) -> str:
    """A judge as it is named beside its figures, with the caution that it judges its kin."""
    return f"{judge}, {KIN}" if one["judges"][judge]["same_family"] else judge


def model_name(one: Report, judge: str = "") -> str:
    """A run as it is named beside others, with what the reader has to know of it."""
    marks = [f"run {one['run']}"]
    if one["simulated"]:
        marks.append("simulated")
    if judge and one["judges"][judge]["same_family"]:
        marks.append("the judge is of its family")
    return f"{one['model']} ({', '.join(marks)})"


def finding(one: Report) -> str:
    """The report in one sentence: with one judge its regions, with several what each says."""
    if not one["answered"]:
        return "No reply could be read yet"
    judged = [judge for judge, each in one["judges"].items() if each["n"]]
    if not judged:
        return "No answer has been judged yet"
    if len(judged) == 1:
        return by_region(one, judged[0])
    scores = [
        f"{percent(one['judges'][judge]['overall'])} by {judge_name(one, judge)}"
        for judge in judged
    ]
    return f"Answers score {'; '.join(scores)}"


def by_region(one: Report, judge: str) -> str:
    """Best and worst region where their intervals lie apart, by one judge."""
    entry, by = one["judges"][judge], f"by {judge_name(one, judge)}"
    known = [
        (each["overall"], name, each["intervals"]["overall"])
        for name, each in entry["by_region"].items()
        if each["intervals"]["overall"]
    ]
    best, worst = max(known, default=None), min(known, default=None)
    if best and worst and best[2][0] > worst[2][1]:
        return (
            f"Answers score {percent(best[0])} in {best[1]} but {percent(worst[0])} in "
            f"{worst[1]}, {by}"
        )
    if entries.value(entry["overall"]) is None:
        return f"No answer has been judged yet {by}"
    apart = ", with no clear difference between regions" if len(known) > 1 else ""
    return f"Answers score {percent(entry['overall'])}{apart}, {by}"


def in_words(one: Report) -> list[str]:
    """Each judge's figures and outcomes, and how far judges agree with each other and people."""
    lines = [line for judge in one["judges"] for line in _by_judge(one, judge)]
    lines += [agreeing(each) + "." for each in one["agreement"]]
    drawn = {
        name: each["people"] for name, each in one["judges"].items() if each["people"]["drawn"]
    }
    return lines + [with_people(name, each) + "." for name, each in drawn.items()]


def _by_judge(one: Report, judge: str) -> list[str]:
    entry = one["judges"][judge]
    outcomes = entry["outcomes"]
    said = (
        f"{outcomes['ok']} samples judged, {outcomes['unparsed']} whose verdict could not be read, "
        f"{outcomes['failed']} the judge could not be asked about, {entry['waiting']} waiting."
    )
    if not entry["n"]:
        return [f"Judge {judge_name(one, judge)}: {said}"]
    shares = [f"{words.lower()} {percent(entry[name])}" for name, words in PARTS.items()]
    overall = f"overall {percent(entry['overall'])} ({between(entry, 'overall')})"
    return [f"Judge {judge_name(one, judge)}: {', '.join([*shares, overall])}; {said}"]


def between(entry: dict[str, Any], name: str) -> str:
    """The interval of a figure as people read it, or why there is none."""
    found = entry["intervals"][name]
    why = entry.get("reason") or entry["intervals"].get("reason")  # of a part, or of it all
    return interval(found, "percent") if found else reason(why)


def with_people(judge: str, entry: dict[str, Any]) -> str:
    """How far a judge says what people say, in one sentence without its full stop."""
    drawn = f"{entry['decided']:,} of {entry['drawn']:,} drawn replies decided by people"
    if not entry["replies"]:
        return f"{judge} and people: no verdict to compare yet ({drawn})"
    raw = entry["raw"]
    found = (
        interval((raw["low"], raw["high"]), "percent")
        if raw["low"] is not None
        else reason(entries.why(raw))
    )
    return (
        f"{judge} says what people say of an estimated {percent(raw['value'])} of its verdicts "
        f"({found}; {_kappa(entry)}; {drawn})"
    )


def agreeing(each: dict[str, Any]) -> str:
    """How far two judges agree, in one sentence without its full stop."""
    same = (
        f"give the same verdict on {percent(each['raw']['value'])} of {each['replies']:,} replies"
    )
    return f"{each['a']} and {each['b']} {same} ({_kappa(each)})"


def _kappa(entry: dict[str, Any]) -> str:
    level = entry["kappa"]["value"]
    return f"kappa {level:.2f}" if level is not None else f"kappa {entries.why(entry['kappa'])}"
