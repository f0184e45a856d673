"""RASA over all of the published questions: 1,630 question–region pairs, two models, two judges."""

import pytest

from tests.journeys.test_rasa_recovers import report_recovers

pytestmark = pytest.mark.django_db


def test_the_report_of_all_published_questions_recovers_what_is_known(datasets, settings):
    report_recovers(datasets, settings, limit=None)
