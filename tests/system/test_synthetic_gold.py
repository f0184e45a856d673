"""Gold of the synthetic study in its full size, which takes minutes: 611 questions, 25 people."""

import pytest

from tests.journeys.test_synthetic_gold import gold_is_what_the_plan_says

pytestmark = pytest.mark.django_db


def test_gold_of_611_questions_is_what_their_plan_says(as_alice, django_user_model, tmp_path):
    gold_is_what_the_plan_says(611, as_alice, django_user_model, tmp_path)
