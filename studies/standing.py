"""Where studies stand and what waits in them, asked for many studies at once."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Sum
from django.urls import reverse

from accounts.models import User
from studies import participation, steps
from studies.models import Activity, Membership, Participation, Region, Study
from studies.permissions import CAPABILITIES, Capability, Role


@dataclass(frozen=True)
class Collected:
    """Participations of a study: `inside` hold a place and are not decided on yet; `wanted` is
    the target of all regions for each of its `activities`, counted once for each."""

    inside: int
    accepted: int
    wanted: int
    activities: int


@dataclass(frozen=True)
class Due:
    """Work that waits: `said` as in “4 wait for review”; `page` is the name of the URL where it
    is done, `title` and `address` are those of that page."""

    said: str
    count: int
    page: str
    title: str
    address: str


def collected(studies: Collection[int]) -> dict[int, Collected]:
    """What studies, given by their ids, have collected."""
    rows = Participation.objects.filter(activity__study__in=studies).order_by()
    counts: dict[tuple[int, str], int] = {
        (study, status): n
        for study, status, n in rows.values_list("activity__study", "status").annotate(Count("pk"))
    }
    regions = Region.objects.filter(study__in=studies).order_by()
    targets = dict(regions.values_list("study").annotate(Sum("target")))
    surveys = Activity.objects.filter(study__in=studies).order_by()
    activities = dict(surveys.values_list("study").annotate(Count("pk")))
    found = {}
    for study in studies:
        accepted = counts.get((study, participation.Status.ACCEPTED), 0)
        holding = sum(counts.get((study, status), 0) for status in participation.HOLDING)
        times = activities.get(study, 0)
        wanted = targets.get(study, 0) * times
        found[study] = Collected(holding - accepted, accepted, wanted, times)
    return found


def due(user: User | AnonymousUser, studies: Iterable[Study]) -> dict[int, list[Due]]:
    """What waits for this user, by the ids of the studies where something does.

    One query for every page where work can wait, however many studies there are.
    """
    if not user.is_authenticated:
        return {}
    reach = _reach(user, list(studies))
    found: dict[int, list[Due]] = {}
    for room, waits in steps.rooms_of_work():
        needed = waits.capability or room.capability
        slugs = {pk: slug for pk, (slug, may) in reach.items() if needed in may}
        for pk, count in waits.counts(slugs, user).items():
            address = reverse(room.url_name, args=(slugs[pk],))
            line = Due(waits.said(count), count, room.url_name, room.title, address)
            found.setdefault(pk, []).append(line)
    return found


def _reach(user: User, studies: list[Study]) -> dict[int, tuple[str, frozenset[Capability]]]:
    """The short name of every study and what the user may do in it."""
    every: frozenset[Capability] = frozenset(Capability)
    if user.is_superuser:
        return {study.pk: (study.slug, every) for study in studies}
    roles = dict(
        Membership.objects.filter(user=user, study__in=studies).values_list("study", "role")
    )
    return {
        study.pk: (study.slug, CAPABILITIES[Role(roles[study.pk])])
        for study in studies
        if study.pk in roles
    }
