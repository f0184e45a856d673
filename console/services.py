"""What an installation needs before it can be used."""

from accounts.services import first_admin_link
from core import audit, jobs
from core.errors import CommonplaceError
from inference.endpoints import sync_endpoints
from inference.prompts import sync_prompts
from releases.models import Release
from releases.services import import_sample
from studies.models import Study

DEMONSTRATION = "console.demonstration"


def prepare_installation() -> str | None:
    """Bring rows up to what files and environment say; the first administrator's link, if unused.

    A newcomer's empty installation gets the sample release, so that there is something to see.
    """
    sync_prompts()
    sync_endpoints()
    if not Release.objects.exists():
        import_sample(audit.SYSTEM)
    return first_admin_link()


def order_demonstration() -> None:
    """Have a worker make the demonstration where there is no study yet."""
    if Study.objects.exists():
        return
    try:
        jobs.enqueue(DEMONSTRATION, key="demonstration", args={})
    except CommonplaceError as error:
        if error.code != "job.active":
            raise


def make_demonstration(work: jobs.Work) -> None:
    """The job. A worker that is told to stop leaves it to the next one, which goes on."""
    from console.demo import making  # it brings Django's test client, which nothing else needs

    def go_on(_step: str) -> None:
        if jobs.stopping.is_set():
            raise jobs.WorkerStopping
        work.beat()

    making.make(go_on)
