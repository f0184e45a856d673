"""What an installation needs before it can be used."""

from accounts.services import first_admin_link
from core import audit
from inference.endpoints import sync_endpoints
from inference.prompts import sync_prompts
from releases.models import Release
from releases.services import import_sample


def prepare_installation() -> str | None:
    """Bring rows up to what files and environment say; the first administrator's link, if unused.

    A newcomer's empty installation gets the sample release, so that there is something to see.
    """
    sync_prompts()
    sync_endpoints()
    if not Release.objects.exists():
        import_sample(audit.SYSTEM)
    return first_admin_link()
