"""What one of several processes does on the same queue; run by `manage.py shell -c`."""

import json
import time
from pathlib import Path

NO_AGREEMENT = {"choice": "none", "concepts": []}


def work(email: str, turns: int, go: str, ahead: int = 1) -> None:
    """Wait for the file `go`, then take tasks as they come, each held until `ahead` of them are,
    judge them, and print the ids of all that were given."""
    from accounts.models import User
    from annotation.models import Assignment, Project
    from annotation.services import judging, queueing
    from core.errors import CommonplaceError

    user, project = User.objects.get(email=email), Project.objects.get()
    given: list[int] = []
    print("ready", flush=True)
    while not Path(go).exists():
        time.sleep(0.005)
    for turn in range(turns):
        row = queueing.take(project, user)
        if row is None:
            break
        given.append(row.task_id)
        if turn % ahead == ahead - 1:
            for held in Assignment.objects.filter(annotator=user, status="leased"):
                try:
                    judging.submit(held, NO_AGREEMENT)
                except CommonplaceError as error:
                    if error.code != "assignment.lost":  # the other tab was faster
                        raise
    print(json.dumps(given), flush=True)
