"""Sources to import: the published file, and small ones made to measure."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from releases import importers, services

REGIONS = ("Hill", "Coast", "Plain")


@pytest.fixture(autouse=True)
def private(settings, tmp_path) -> Path:
    """Private storage of the test alone, so that files can be damaged."""
    folder = tmp_path / "private"
    options = {"location": folder, "base_url": None}
    backend = settings.STORAGES["private"]["BACKEND"]
    settings.STORAGES = settings.STORAGES | {"private": {"BACKEND": backend, "OPTIONS": options}}
    return folder


@pytest.fixture(scope="session")
def indica_bytes(datasets) -> bytes:
    return (datasets / "indica" / "dataset.json").read_bytes()


@pytest.fixture(scope="session")
def indica_raw(indica_bytes) -> list[dict[str, Any]]:
    """The published questions as they stand in the file."""
    return json.loads(indica_bytes)["questions"]


@pytest.fixture(scope="session")
def indica_golden(datasets) -> dict[str, Any]:
    return json.loads((datasets / "indica" / "golden_dataset_stats.json").read_text())


@pytest.fixture(scope="session")
def indica_parsed(indica_bytes):
    return importers.parse("indica", indica_bytes)


@pytest.fixture
def indica(db, indica_bytes):
    result = services.import_bytes(indica_bytes, "dataset.json", "indica", actor="test")
    return result.release


@pytest.fixture
def sample(db):
    return services.import_sample("test").release


@pytest.fixture
def question() -> Callable[..., dict[str, Any]]:
    """A question of the published format.

    `answers` maps regions to a clause or None; `agree` lists agreeing pairs of regions; further
    keywords replace fields, the value None removes one.
    """

    def make(key: str, answers=None, agree=(), universal=False, **fields: Any) -> dict[str, Any]:
        answers = answers or dict.fromkeys(REGIONS, "people bow.")
        made = {
            "question_id": key,
            "question_text": f"What do people do ({key})?",
            "question_domain": "Greeting",
            "question_subcategory": "Meeting",
            "question_topic": "At the door",
        }
        for region, clause in answers.items():
            text = "N/A" if clause is None else f"In the {region}, {clause}"
            made[region] = {"answer": [text]}
        made["pairwise_agreements"] = {
            f"{a}_{b}": {"agreement": (a, b) in agree or (b, a) in agree}
            for a, b in itertools.combinations(answers, 2)
        }
        made["universal_agreement"] = universal
        made |= fields
        return {name: value for name, value in made.items() if value is not None}

    return make


@pytest.fixture
def as_bytes() -> Callable[..., bytes]:
    """A file of the published format."""

    def make(*questions: Any, **top: Any) -> bytes:
        return json.dumps({"questions": list(questions), **top}, ensure_ascii=False).encode()

    return make


@pytest.fixture
def as_file(as_bytes, tmp_path) -> Callable[..., Path]:
    def make(*questions: Any, name: str = "source.json", **top: Any) -> Path:
        path = tmp_path / name
        path.write_bytes(as_bytes(*questions, **top))
        return path

    return make
