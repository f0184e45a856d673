"""The OpenAPI description says all of it."""

import io

import pytest
from django.core.management import call_command

from accounts.tokens import Scope


@pytest.fixture
def operations(client, db):
    schema = client.get("/api/v1/schema/").json()
    return {
        (method, path): operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def test_the_description_is_valid_and_nothing_in_it_had_to_be_guessed(db):
    out = io.StringIO()
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=out
    )
    assert '"openapi": "3.1.0"' in out.getvalue()


def test_every_operation_says_what_it_does_its_scope_and_its_errors(operations):
    assert len(operations) == 25
    for operation in operations.values():
        assert operation["description"].endswith(".")
        [scope] = operation["security"][0]["token"]
        assert scope in set(Scope)
        assert operation["responses"]["default"] == {"$ref": "#/components/responses/Error"}


def test_every_operation_has_a_name_of_its_own(operations):
    names = [operation["operationId"] for operation in operations.values()]
    assert len(set(names)) == len(names)
    assert all(name.isalpha() for name in names)


def test_lists_say_how_they_are_paged_and_filtered(operations):
    answers = operations["get", "/api/v1/studies/{study}/answers/"]
    assert {each["name"] for each in answers["parameters"]} == {
        "study",
        "question",
        "region",
        "status",
        "cursor",
        "page_size",
    }


def test_what_creates_takes_an_idempotency_key(operations):
    for (method, _path), operation in operations.items():
        taken = "Idempotency-Key" in {each["name"] for each in operation.get("parameters", ())}
        assert taken == (method == "post")


def test_nothing_of_it_comes_from_elsewhere(client, db):
    page = client.get("/api/v1/schema/")
    assert page["Content-Type"].startswith("application/vnd.oai.openapi+json")
