"""People who name one festival in several spellings and let a model read it; orders done here."""

import pytest

from annotation.services import suggesting
from collection.models import Answer
from core import jobs
from core.models import Job
from studies.models import Consent


def lets_a_model_read(row):
    Consent.objects.create(
        participant=row.participant,
        document=row.participant.study.consent_documents.first(),
        language="en",
        purposes=["take_part", "publish", "outside_model"],
        at=row.ended,
    )
    return row


@pytest.fixture
def spelt(world):
    """Five of the harbour name one festival in four spellings, one of them names another; all
    let a model read it."""
    said = ("Raksha Bandhan", "raksha bandhan", "Rakshabandhan", "RAKSHA BANDHAN", "Pongal")
    Answer.objects.all().update(removed=True)
    world.rows = [lets_a_model_read(world.come(world.first, tea=each)) for each in said]
    return world


def ordered(project, model="", **more):
    """An order, done as a worker would."""
    job = suggesting.order(project, model, "test", **more)
    jobs.execute(job.pk)
    return Job.objects.get(pk=job.pk)
