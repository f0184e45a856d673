"""Every read of releases that is more than a filter."""

import difflib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Min, Q, QuerySet

from accounts.models import User
from core.errors import NotFound
from core.text import fold
from releases import artifacts, building, statistics
from releases.models import Finding, Item, Part, Release
from studies.models import Study


def visible_releases(user: User | AnonymousUser) -> QuerySet[Release]:
    """Those of a study are seen by its members, those without one by everyone signed in."""
    if not user.is_authenticated:
        return Release.objects.none()
    seen = Q(study=None) | Q(study__in=Study.objects.visible_to(user))
    return Release.objects.filter(seen).select_related("parent", "superseded_by")


def access_release(user: User | AnonymousUser, name: str, version: int) -> Release:
    """A release this user may see; raises `release.unknown`."""
    release = visible_releases(user).filter(name=name, version=version).first()
    if release is None:
        raise _unknown(f"{name}@{version}")
    return release


def access_item(release: Release, key: str) -> Item:
    """An item of a release already accessed; raises `item.unknown`."""
    item = release.items.filter(key=key).first()
    if item is None:
        raise NotFound(
            "item.unknown",
            f"{release.label} has no item “{key}”. Choose one from its list of items.",
            item=key,
        )
    return item


def access_part(release: Release, name: str) -> Part:
    """A part of a release already accessed; raises `part.unknown`."""
    part = release.parts.select_related("release__superseded_by").filter(name=name).first()
    if part is None:
        raise NotFound(
            "part.unknown",
            f"{release.label} has no part “{name}”. Its page lists the ones it has.",
            part=name,
        )
    return part


def licence_text(release: Release) -> str:
    """What its source says others may do, word for word; raises `release.no_licence_text`."""
    if text := release.about.get("licence_text"):
        return str(text)
    raise NotFound(
        "release.no_licence_text",
        f"The text of a licence did not come with {release.label}. Its card says what is known.",
    )


def find_release(label: str) -> Release:
    """The release of a `name@version`, or of a bare name the newest that is not superseded.

    Raises `release.unknown`, whose data list the names that come near.
    """
    name, at, version = label.partition("@")
    named = Release.objects.select_related("parent", "superseded_by").filter(name=name)
    if at:
        release = named.filter(version=int(version)).first() if _is_version(version) else None
    else:
        release = named.filter(superseded_by=None).order_by("-version").first()
    if release is None:
        raise _unknown(label)
    return release


def _is_version(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _unknown(label: str) -> NotFound:
    known = {str(release): release.name for release in Release.objects.only("name", "version")}
    wanted = label.partition("@")[0].lower()
    near = [
        each
        for each, name in known.items()
        if wanted and (wanted in name.lower() or _close(wanted, name.lower()))
    ]
    near.sort(key=lambda each: known[each].lower() != wanted)  # its own versions first
    advice = f"Did you mean {' or '.join(near[:5])}?" if near else "Import or build it first."
    return NotFound(
        "release.unknown", f"There is no release “{label}”. {advice}", release=label, near=near[:5]
    )


def _close(a: str, b: str) -> bool:
    return difflib.SequenceMatcher(None, a, b).ratio() > 0.6


def of_artifacts_alone(release: Release) -> bool:
    """Whether it holds nothing that a model can be asked."""
    return kinds(release) == [artifacts.KIND]


def rows(release: Release) -> list[dict[str, Any]]:
    """The items in the shape of the part `items`, in order."""
    return [dict(row) for row in release.items.values("key", "kind", "labels", "payload")]


def describe(release: Release) -> dict[str, Any]:
    """What a release holds: the object of `describe_release` in the command line's reference."""
    return {
        "release": release.label,
        "sha256": release.sha256,
        "regions": release.regions,
        **_counts(rows(release), release),
        "findings": list(release.findings.values("code", "item", "detail")),
    }


def _counts(items: list[dict[str, Any]], release: Release) -> dict[str, Any]:
    """By the kinds of items there are; `questions` is how many of the items are questions, where
    others stand beside them."""
    language, regions = release.about["language"], release.regions
    if any(item["kind"] == Item.Kind.CHOICE for item in items):
        choices = [building.choice_of(item, language) for item in items]
        return statistics.describe_choices(items, choices, regions)
    things = artifacts.of(items)
    questions = [item for item in items if item["kind"] == Item.Kind.QUESTION]
    if not things:
        return statistics.describe_questions(questions, regions)
    counts = statistics.describe_artifacts(things, regions)
    if not questions:
        return counts
    asked = statistics.describe_questions(questions, regions)
    return {**asked, **counts, "items": len(items), "questions": len(questions)}


def finding_counts(release: Release) -> dict[str, int]:
    """{code: findings}, most first."""
    codes = Finding.objects.filter(release=release).values_list("code", flat=True)
    return dict(Counter(codes).most_common())


AGREEMENT = {
    "universal": "Universal",
    "regional": "Not universal",
    "unanswered": "No answer in some region",
}


@dataclass(frozen=True)
class Filters:
    """What the list of items is narrowed to; empty narrows nothing.

    `agreement` is a key of AGREEMENT, `finding` a finding's code, `text` any words, `kind` one of
    items; `region` and `origin` are of artifacts.
    """

    domain: str = ""
    text: str = ""
    agreement: str = ""
    finding: str = ""
    kind: str = ""
    region: str = ""
    origin: str = ""


def questions(release: Release, filters: Filters) -> QuerySet[Item]:
    """Items that hold every word of the search and meet every filter, in order."""
    items = release.items.all()
    if filters.domain:
        items = items.filter(labels__domain=filters.domain)
    for word in fold(filters.text).split():
        items = items.filter(folded__contains=word)
    if filters.agreement in ("universal", "regional"):
        items = items.filter(payload__relations__all=filters.agreement == "universal")
    if filters.agreement == "unanswered":
        items = items.filter(pk__in=_with_gaps(release))
    if filters.finding:
        items = items.filter(key__in=_found(release, filters.finding))
    for field, wanted in (
        ("kind", filters.kind),
        ("payload__region", filters.region),
        ("payload__origin", filters.origin),
    ):
        items = items.filter(**{field: wanted}) if wanted else items
    return items


def _found(release: Release, code: str) -> set[str]:
    """The items a finding of this code is about; `detail` lists them where they are several."""
    rows = release.findings.filter(code=code).values_list("item", "detail")
    return {key for item, detail in rows for key in detail.get("items", [item])}


def findings_of(item: Item) -> list[Finding]:
    """The findings an item is in, also where it is told at another one."""
    found = Finding.objects.filter(release_id=item.release_id)
    several = [
        finding.pk
        for finding in found.filter(detail__has_key="items")
        if item.key in finding.detail["items"]
    ]
    return list(found.filter(Q(item=item.key) | Q(pk__in=several)))


def kinds(release: Release) -> list[str]:
    """The kinds of items a release holds, in its order."""
    first = release.items.order_by("kind").values("kind").annotate(at=Min("position"))
    return [row["kind"] for row in sorted(first, key=lambda row: row["at"])]


def _with_gaps(release: Release) -> list[int]:
    """JSON null inside a map is asked differently by each database; the rows are few."""
    return [
        pk
        for pk, payload in release.items.values_list("pk", "payload")
        if None in payload.get("gold", {}).values()
    ]


def domains(release: Release) -> list[str]:
    """Domains in the release's order."""
    named = release.items.values_list("labels__domain", flat=True)
    return list(dict.fromkeys(name for name in named if name))


def neighbours(item: Item) -> tuple[Item | None, Item | None]:
    """The items before and after, in the release's order."""
    around = Item.objects.filter(release_id=item.release_id).only("key", "position")
    return (
        around.filter(position__lt=item.position).order_by("-position").first(),
        around.filter(position__gt=item.position).order_by("position").first(),
    )
