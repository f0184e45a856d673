"""What the environment may say, and the one sentence that refuses the rest."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env

ROOT = Path(__file__).resolve().parents[2]
POSTGRES, REDIS = "postgres://someone@db/commonplace", "redis://redis:6379/0"
VARIABLES = ("DATABASE_URL", "REDIS_URL", "WEB_PROCESSES", "SECRET_KEY", "COMMONPLACE_TEST")


@pytest.fixture
def said(monkeypatch):
    """Set the environment to exactly these of the product's variables."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def say(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return say


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({}, "embedded"),
        ({"WEB_PROCESSES": "1"}, "embedded"),
        ({"DATABASE_URL": "sqlite:////tmp/one.sqlite3"}, "embedded"),
        ({"DATABASE_URL": POSTGRES}, "single"),
        ({"DATABASE_URL": POSTGRES, "REDIS_URL": REDIS}, "scaled"),
        ({"DATABASE_URL": POSTGRES, "REDIS_URL": REDIS, "WEB_PROCESSES": "4"}, "scaled"),
        ({"DATABASE_URL": "  ", "REDIS_URL": ""}, "embedded"),
    ],
)
def test_an_allowed_combination_has_a_name(said, variables, name):
    said(**variables)
    assert env.profile().name == name


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"REDIS_URL": REDIS}, "REDIS_URL"),
        ({"DATABASE_URL": "sqlite:////tmp/one.sqlite3", "REDIS_URL": REDIS}, "REDIS_URL"),
        ({"WEB_PROCESSES": "2"}, "WEB_PROCESSES"),
        ({"DATABASE_URL": POSTGRES, "WEB_PROCESSES": "2"}, "WEB_PROCESSES"),
        ({"DATABASE_URL": "mysql://someone@db/commonplace"}, "DATABASE_URL"),
        ({"DATABASE_URL": "commonplace"}, "DATABASE_URL"),
        *(({"WEB_PROCESSES": value}, "WEB_PROCESSES") for value in ("0", "-1", "1.5", "two")),
        *(({"WEB_PROCESSES": value}, "WEB_PROCESSES") for value in ("nan", "inf")),
    ],
)
def test_a_combination_that_could_lose_a_message_is_refused_by_the_name_of_its_variable(
    said, variables, named
):
    said(**variables)
    with pytest.raises(ImproperlyConfigured) as refused:
        env.profile()
    assert str(refused.value).startswith(named)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("value", ["1", "true", "YES", " on "])
def test_a_flag_is_set_by_the_usual_words(said, value):
    said(COMMONPLACE_TEST=value)
    assert env.flag("COMMONPLACE_TEST")


def test_what_is_not_set_has_its_default(said):
    said()
    assert env.flag("COMMONPLACE_TEST", default=True)
    assert env.number("COMMONPLACE_TEST", 2.5) == 2.5
    assert env.whole("COMMONPLACE_TEST", 3) == 3
    assert env.json_object("COMMONPLACE_TEST") == {}


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda name: env.flag(name), "maybe"),
        (lambda name: env.number(name, 1), "many"),
        (lambda name: env.number(name, 1), "inf"),
        (lambda name: env.number(name, 1, least=0.1), "0"),
        (lambda name: env.whole(name, 1), "2.5"),
        (env.json_object, "{'single': 'quotes'}"),
        (env.json_object, "[]"),
        (env.json_object, "null"),
    ],
)
def test_a_value_nobody_understands_is_refused_by_the_name_of_its_variable(said, read, value):
    said(COMMONPLACE_TEST=value)
    with pytest.raises(ImproperlyConfigured, match=r"^COMMONPLACE_TEST.*\.$"):
        read("COMMONPLACE_TEST")


def test_the_embedded_key_is_made_once_for_its_owner_only(said, tmp_path):
    said()
    key = env.secret_key(tmp_path, env.profile())
    assert len(key) >= 50
    assert env.secret_key(tmp_path, env.profile()) == key
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_a_key_that_is_given_is_used_and_not_written(said, tmp_path):
    said(SECRET_KEY="given")
    assert env.secret_key(tmp_path, env.profile()) == "given"
    assert list(tmp_path.iterdir()) == []


def test_with_postgresql_a_key_must_be_given(said, tmp_path):
    said(DATABASE_URL=POSTGRES)
    with pytest.raises(ImproperlyConfigured, match=r"^SECRET_KEY is not set"):
        env.secret_key(tmp_path, env.profile())


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    """Each prints the key it was given; a file seen before it was written would be an empty one."""
    program = (
        "import sys, time; from pathlib import Path; from config import env\n"
        "time.sleep(max(0, float(sys.argv[2]) - time.time()))\n"
        "print(env.secret_key(Path(sys.argv[1]), env.Profile('embedded', '', '')))"
    )
    surroundings = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    together = str(time.time() + 1)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, tmp_path, together],
            cwd=ROOT,
            env=surroundings,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    keys = {process.communicate(timeout=30)[0].strip() for process in processes}
    assert keys == {(tmp_path / "secret_key").read_text()}


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_command_in_a_refused_environment_says_the_one_sentence(tmp_path, options):
    done = subprocess.run(
        [sys.executable, "manage.py", "list_runs", *options],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "COMMONPLACE_DOTENV": "0",
            "COMMONPLACE_DATA": str(tmp_path),
            "REDIS_URL": REDIS,
        },
        capture_output=True,
        text=True,
        timeout=30,
    )
    sentence = "REDIS_URL is set but DATABASE_URL is not PostgreSQL"
    assert done.returncode == 1
    if options:
        assert done.stdout.startswith(
            '{"error": {"code": "settings.invalid", "message": "REDIS_URL'
        )
    else:
        assert (done.stderr.startswith(sentence), done.stderr.count("\n")) == (True, 1)


def test_installations_that_share_a_redis_server_do_not_hear_each_other():
    one, other = (
        env.Profile("scaled", f"postgres://somewhere/{name}", "redis://somewhere/0")
        for name in ("one", "other")
    )
    assert env.channel_prefix("key", one) == env.channel_prefix("key", one)
    prefixes = [env.channel_prefix(key, profile) for key in "ab" for profile in (one, other)]
    assert len(set(prefixes)) == len(prefixes)
