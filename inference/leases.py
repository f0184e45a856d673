"""What working jobs hold of an endpoint and of a budget, over all workers.

An endpoint takes `max_in_flight` requests at once, whoever asks. Every working job holds places
in a `Lease`; together they never hold more. A job that grows waits until another has shrunk, so
the bound holds at every moment; a job that has been silent for `JOB_TIMEOUT` holds nothing. One
that was told to stop keeps what it holds until it has booked what it had in flight.

Leases are locked before a budget, several of them in the order of their numbers.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet, Sum

from core import clock
from core.jobs import JobLost
from inference.models import Budget, Endpoint, Lease

LEAVING = "leaving"  # the purpose of a lease whose job was told to stop


@dataclass(frozen=True)
class Share:
    """A job's part of an endpoint: requests it may have in flight, and its share (0-1) of all
    places that are held."""

    places: int
    of_all: float


def living() -> QuerySet[Lease]:
    return Lease.objects.filter(seen__gt=clock.ago(settings.JOB_TIMEOUT))


def hold(
    endpoint_id: int, job_id: int, purpose: str, *, most: int, in_flight: int = 0, places: int
) -> Share:
    """Take or renew the job's places, at least the requests it has `in_flight`.

    The endpoint's `places` are divided evenly among the living leases, `most` for this one. Locks
    the endpoint's row.
    """
    with transaction.atomic():
        Endpoint.objects.select_for_update(no_key=True).get(pk=endpoint_id)
        others = list(living().filter(endpoint=endpoint_id).exclude(job=job_id).values("places"))
        taken = sum(other["places"] for other in others)
        fair = max(1, places // (len(others) + 1))
        mine = max(in_flight, min(most, fair, max(0, places - taken)))
        Lease.objects.update_or_create(
            job_id=job_id,
            defaults={
                "endpoint_id": endpoint_id,
                "purpose": purpose,
                "places": mine,
                "seen": clock.now(),
            },
        )
    held = taken + mine
    return Share(mine, mine / held if held else 1.0)


def give_back(leases: QuerySet[Lease]) -> int:
    """End leases: their places are free, what they reserved goes back. How many there were."""
    with transaction.atomic():
        gone = list(leases.select_for_update(no_key=True).order_by("pk"))
        for lease in gone:
            if lease.budget_id and lease.reserved:
                Budget.objects.filter(pk=lease.budget_id).update(
                    reserved=F("reserved") - lease.reserved
                )
        Lease.objects.filter(pk__in=[lease.pk for lease in gone]).delete()
    return len(gone)


def dismiss(purpose: str) -> None:
    """End the leases of a purpose: at once where the job is silent, otherwise as soon as it has
    noticed and gives them back. It sets nothing more aside from now on."""
    theirs = Lease.objects.filter(purpose=purpose)
    with transaction.atomic():
        held = list(theirs.select_for_update(no_key=True).order_by("pk"))
        silent = clock.ago(settings.JOB_TIMEOUT)
        theirs.update(purpose=LEAVING)
        give_back(Lease.objects.filter(pk__in=[one.pk for one in held if one.seen <= silent]))


def forget_silent() -> int:
    """End the leases of jobs that show no life; how many."""
    silent = Lease.objects.filter(seen__lte=clock.ago(settings.JOB_TIMEOUT))
    return give_back(silent)


# --- Money --------------------------------------------------------------------------------------


def reserve(budget_id: int, job_id: int, micro: int) -> bool:
    """Set micro-USD aside for requests about to be sent; False where the cap forbids it.

    Raises `JobLost` where the job's lease was ended: nobody would give the money back.
    """
    with transaction.atomic():
        mine = Lease.objects.filter(job=job_id).exclude(purpose=LEAVING)
        if not mine.update(budget_id=budget_id, reserved=F("reserved") + micro):
            raise JobLost(f"the lease of job {job_id}")
        free = Budget.objects.filter(pk=budget_id, cap__gte=F("spent") + F("reserved") + micro)
        if free.update(reserved=F("reserved") + micro):
            return True
        mine.update(reserved=F("reserved") - micro)
    return False


def settle(budget_id: int, job_id: int | None, *, reserved: int, spent: int) -> None:
    """Book what requests cost, and give back what was set aside for them.

    Runs in the transaction that stores their replies. Without a job nothing was set aside.
    """
    mine = Lease.objects.filter(job=job_id, reserved__gte=reserved)
    if not mine.update(reserved=F("reserved") - reserved):
        reserved = 0  # somebody took this job for dead and has given it back
    Budget.objects.filter(pk=budget_id).update(
        reserved=F("reserved") - reserved, spent=F("spent") + spent
    )


def reserved_by_nobody(budget: Budget) -> int:
    """Micro-USD reserved in the budget that no lease accounts for (0 unless something broke)."""
    held = Lease.objects.filter(budget=budget).aggregate(sum=Sum("reserved"))["sum"] or 0
    return budget.reserved - held
