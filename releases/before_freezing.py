"""What is told before a study is frozen: what its release would hold, and what stands in its way,
with the page where each of it is mended."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.urls import reverse

from accounts.models import User
from annotation import between, regional
from annotation.models import Assignment, Task
from annotation.selectors import disputes, headings, inputs
from collection.models import QuestionText
from releases import artifacts, consistency, of_games, presenting, selectors, transcripts
from releases.consistency import Finding
from releases.gathering import Gathered
from releases.models import Release
from studies import languages, scripts
from studies.models import Study

PLACES = 20  # listed of one kind of finding
_AS_A_PAIR = "Open the pair and decide it anew."

ADVICE = {
    "undecided": "Have it judged by all who shall, decide where they differ, and put back "
    "into the queue what is flagged.",
    "stale": "Look at what is there now, and decide it anew or confirm what was decided.",
    "pair_not_compared": "Open the annotation between two regions, and have the pair judged.",
    "all_pairs_not_universal": "Open the comparison of all regions and decide it anew, or a pair "
    "that is not the same after all.",
    "universal_not_all_pairs": "Open the comparison of all regions and decide it anew, or the pair "
    "that differs.",
    "same_text_disagree": _AS_A_PAIR,
    "different_text_agree": "Often right, since one practice has many wordings. Where it is not, "
    "open the pair and decide it anew.",
    "pair_true_where_na": _AS_A_PAIR,
    "in_both_sets": "Open the artifact and merge the two, if they are one thing.",
    "in_two_regions": "Often right, since regions share things. Where a name is on the wrong list, "
    "open the artifact and leave it out.",
    "surrounding_space": "Open the artifact and correct its name.",
    "markup_like_name": "Open the artifact and look at its name.",
    "not_transitive": "Open the pair that differs and decide it anew, or one that agrees.",
}

WAYS_OUT = {  # of `gathering.flow` -> in words
    "screened_out": "screened out or without a place",
    "declined": "declined",
    "dropped": "left or out of time",
    "unfinished": "not done yet",
    "awaiting_review": "awaiting review",
    "rejected": "rejected",
    "withdrawn": "withdrawn",
    "kept_out": "accepted but kept out",
}


@dataclass(frozen=True)
class Place:
    """Where one finding is: the question in its language, `about` its regions and how far it is,
    and the `address` where it is mended."""

    question: str
    language: str
    direction: str
    about: str
    address: str


@dataclass(frozen=True)
class Group:
    """Findings of one code; `places` are the first of them."""

    sentence: str
    advice: str
    note: bool
    count: int
    places: list[Place]


@dataclass(frozen=True)
class Counts:
    """What the release would hold, each beside what it is part of: `gold` answers and `questions`
    with one, of all that `judged` and `asked` of annotators; `people` whose answers are published,
    of the `kept` whose answers count; `artifacts`, those of them with clues (`clued`), `clues`,
    those of them that came with a proposal (`proposed`), and `games` told whole, of those that
    `ended`."""

    gold: int
    judged: int
    questions: int
    asked: int
    people: int
    kept: int
    artifacts: int
    clued: int
    clues: int
    proposed: int
    games: int
    ended: int


@dataclass(frozen=True)
class Frozen:
    """A release there is: `holds` counts its items in words, `found` its findings."""

    release: Release
    holds: str
    found: str
    frozen: datetime


def counts(study: Study, found: Gathered) -> Counts:
    tasks = Task.objects.filter(project__study=study, project__kind=regional.NAME).order_by()
    person = "submission__participation__participant"
    clues = found.more.get(artifacts.CLUES, ())
    return Counts(
        gold=sum(bool(each) for row in found.questions for each in row["payload"]["gold"].values()),
        judged=tasks.count(),
        questions=len(found.questions),
        asked=tasks.values("question").distinct().count(),
        people=len({row["participant"] for row in found.responses}),
        kept=inputs.results(study).order_by().values(person).distinct().count(),
        artifacts=len(found.artifacts),
        clued=sum(bool(row["payload"]["clues"]) for row in found.artifacts),
        clues=len(clues),
        proposed=sum(clue["turn"] == 0 for clue in clues),
        games=len(found.more.get(transcripts.NAME, ())),
        ended=of_games.told(study)["ended"],
    )


def frozen(study: Study) -> list[Frozen]:
    """The releases of a study and what was built from them, the newest first."""
    rows = study.releases.select_related("parent", "superseded_by").order_by("-created", "-pk")
    return [_frozen(release) for release in rows]


def _frozen(release: Release) -> Frozen:
    rows = {part["name"]: part["rows"] for part in release.about["parts"]}
    thing = presenting.noun(selectors.kinds(release))
    holds = f"{rows['items']:,} {thing}{'' if rows['items'] == 1 else 's'}"
    return Frozen(release, holds, _found(release, rows["findings"]), release.created)


def _found(release: Release, count: int) -> str:
    """`3 accepted, 2 notes`; of what was built from a study's release, the number alone."""
    if release.parent_id or not count:
        return f"{count:,}" if count else "none"
    told = release.about["study"].get("findings", {"accepted": count, "notes": 0})
    notes = told["notes"]
    parts = [f"{told['accepted']:,} accepted"] * bool(told["accepted"])
    parts += [f"{notes:,} note{'' if notes == 1 else 's'}"] * bool(notes)
    return ", ".join(parts)


def ways_out(flow: Mapping[str, int]) -> list[str]:
    """How those who were invited and are not kept came to that, as in `2 declined`."""
    return [f"{flow[name]:,} {words}" for name, words in WAYS_OUT.items() if flow[name]]


def groups(study: Study, findings: Iterable[Finding], user: User) -> list[Group]:
    """By code; places lead this reader to where they may mend it."""
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding["code"]].append(finding)
    shown = [finding for found in by_code.values() for finding in found[:PLACES]]
    mended = _Mended(study, shown, user)
    return [
        Group(
            consistency.sentence(code),
            ADVICE.get(code, ""),
            code in consistency.NOTES,
            len(found),
            [mended.place(finding) for finding in found[:PLACES]],
        )
        for code, found in by_code.items()
    ]


def task_of(finding: Finding) -> tuple[str, str]:
    """The kind of annotation that mends a finding, and the key of its task there."""
    detail, item = finding["detail"], finding["item"]
    if "task" in detail:
        return detail["kind"], detail["task"]
    if "a" in detail and finding["code"] != "universal_not_all_pairs":
        return between.PAIR, f"{item}.{detail['a']}.{detail.get('c', detail['b'])}"
    return between.ALL, item


class _Mended:
    """Questions, regions and tasks of some findings, read at once."""

    def __init__(self, study: Study, findings: list[Finding], user: User) -> None:
        self.study = study
        self.names = dict(headings.region_names(study))
        self.tasks = _tasks(study, {key for _, key in map(task_of, findings)})
        known = Task.objects.filter(pk__in=[task.pk for task in self.tasks.values()])
        self.opens = set(known.filter(disputes.opens_to(user)).values_list("pk", flat=True))
        self.texts = _texts(study, {finding["item"] for finding in findings})

    def place(self, finding: Finding) -> Place:
        if finding["code"] in artifacts.CODES:
            return self._artifact(finding)
        kind, key = task_of(finding)
        task, item = self.tasks.get((kind, key)), finding["item"]
        tag, text = languages.choose(self.texts.get(item, {}), self.study.languages)
        about = [self._regions(finding, key), _how_far(task)]
        return Place(
            text or item or key,
            tag,
            languages.direction(tag) if tag else "",
            ", ".join(filter(None, about)),
            self._address(kind, key, task),
        )

    def _artifact(self, finding: Finding) -> Place:
        detail, spoken = finding["detail"], self.study.languages
        tag = scripts.tag(detail["name"], spoken[0], spoken)
        regions = detail.get("regions") or [detail["region"]] * ("region" in detail)
        return Place(
            detail["name"].strip(),
            tag,
            languages.direction(tag),
            ", ".join(self.names.get(slug, slug) for slug in regions),
            reverse("collection:artifact", args=(self.study.slug, finding["item"])),
        )

    def _regions(self, finding: Finding, key: str) -> str:
        detail = finding["detail"]
        if "c" in detail:
            a, b, c = (self.names[detail[each]] for each in "abc")
            return f"{a} and {c}, by way of {b}"
        slugs = [detail[each] for each in "ab" if each in detail]
        slugs = slugs or key.removeprefix(finding["item"]).strip(".").split(".")
        return " and ".join(self.names.get(slug, slug) for slug in slugs) or "all regions"

    def _address(self, kind: str, key: str, task: Task | None) -> str:
        if task is None or task.pk not in self.opens:
            return f"{reverse('annotation:projects', args=(self.study.slug,))}#{kind}"
        return reverse("annotation:dispute", args=(self.study.slug, kind, key))


def _how_far(task: Task | None) -> str:
    if task is None:
        return "no task yet"
    if task.status == Task.Status.DISPUTED:
        return "they differ"
    if not disputes.wants_decision(task):
        return "flagged" if task.flagged else "not judged by all"  # type: ignore[attr-defined]
    return ""


def _tasks(study: Study, keys: Iterable[str]) -> Mapping[tuple[str, str], Task]:
    flagged = Assignment.objects.filter(task=OuterRef("pk"), status=Assignment.Status.FLAGGED)
    found = Task.objects.filter(project__study=study, source_key__in=keys)
    rows = found.annotate(flagged=Exists(flagged))
    return {(task.project.kind, task.source_key): task for task in rows.select_related("project")}


def _texts(study: Study, keys: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    rows = QuestionText.objects.filter(question__study=study, question__key__in=keys)
    for key, tag, text in rows.values_list("question__key", "language", "text"):
        texts[key][tag] = text
    return texts
