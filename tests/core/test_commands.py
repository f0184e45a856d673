"""The manners of every command: one object, three exits, a code for each refusal."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import CommandError
from django.db.migrations.recorder import MigrationRecorder

from core.commands import Command
from releases.services import import_sample

ROOT = Path(__file__).resolve().parents[2]
OURS = (
    *("core", "accounts", "studies", "collection", "annotation", "inference", "releases"),
    *("evaluation", "console"),
)
SAMPLE = "lantern_coast"
NAMES = sorted(name for name, app in get_commands().items() if app in OURS)
NO_DATABASE = {"stub_llm", "serve"}  # the one needs none, the other migrates it
REQUIRED = {
    "run_benchmark": ("ra_mcq", "--release", SAMPLE, "--model", "stub/one"),
    "import_outputs": ("ra_mcq", "nowhere.jsonl", "--release", SAMPLE),
    "resume_run": ("7",),
    "rejudge": ("7", "--judge", "stub/judge"),
    "reparse": ("7",),
    "validate_judges": ("7",),
    "write_batch": ("7", "--out", "nowhere"),
    "import_batch": ("7", "nowhere.jsonl"),
    "sign_in_link": ("nobody@example.org",),
    "create_token": ("nobody@example.org", "--scopes", "studies:read"),
    "cancel_run": ("7",),
    "report": ("7",),
    "import_release": ("indica", "nowhere.json"),
    "freeze_release": ("nowhere",),
    "describe_release": ("nothing",),
    "participant_links": ("nothing",),
    "load_study": ("nowhere.yaml",),
    "open_study": ("nothing",),
    "withdraw": ("0000000000",),
    "build_items": ("ra_mcq", "--from", "nothing", "--name", "built"),
    "export_answers": ("nothing", "--format", "csv", "--out", "nowhere.csv"),
    "suggest": ("nothing", "agreement"),
    "export_annotations": ("nothing", "--format", "csv", "--out", "nowhere.csv"),
    "export_release": ("nothing", "--format", "jsonl", "--out", "nowhere"),
    "simulate": ("--url", "http://127.0.0.1:9", "--participants", "1", "--pairs", "0"),
}


def call(*arguments):
    """Run a command with `--json` in this process: (exit, the one object on standard output)."""
    out, code = StringIO(), 0
    try:
        call_command(*map(str, arguments), "--json", stdout=out, stderr=StringIO())
    except SystemExit as exit:
        code = exit.code
    assert out.getvalue().count("\n") == 1, out.getvalue()
    return code, json.loads(out.getvalue())


@pytest.fixture
def shell(tmp_path):
    """Run `manage.py` as a process of its own over an empty data folder."""

    def run(*arguments):
        ours = ("COMMONPLACE_", "DJANGO_", "DATABASE_URL", "REDIS_URL")
        surroundings = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=surroundings | {"COMMONPLACE_DOTENV": "0", "COMMONPLACE_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=30,
        )

    return run


@pytest.mark.parametrize("name", NAMES)
def test_every_command_shares_the_manners_and_says_what_it_is_for(name):
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, Command)
    assert command.help
    assert command.needs_database or name in NO_DATABASE


@pytest.mark.parametrize("name", NAMES)
def test_an_option_nobody_knows_is_refused_before_anything_is_done(name):
    with pytest.raises(CommandError, match="unrecognized arguments: --nonsense"):
        call(name, *REQUIRED.get(name, ()), "--nonsense")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_unreadable_command_line_exits_2_in_a_shell(shell, options):
    done = shell("run_benchmark", *REQUIRED["run_benchmark"], "--set", "nothing", *options)
    assert done.returncode == 2
    assert "argument --set: 'nothing' is not key=value" in done.stderr
    if options:
        assert json.loads(done.stdout)["error"]["code"] == "command.unreadable"
    else:
        assert done.stdout == ""


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--set", "=1"),
        ("--max-cost", "much"),
        ("--max-cost", "-1"),
        ("--max-cost", "nan"),
        ("--samples", "many"),
        ("--seed", "1.5"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_its_option(option, value):
    with pytest.raises(CommandError, match=f"argument {option}"):
        call("run_benchmark", *REQUIRED["run_benchmark"], f"{option}={value}")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_unmigrated_database_exits_1_and_says_what_to_run(shell, options):
    done = shell("list_runs", *options)
    assert done.returncode == 1
    if options:
        error = json.loads(done.stdout)["error"]
        assert (error["code"], error["data"]["pending"] > 0) == ("database.not_migrated", True)
        assert "manage.py migrate" in error["message"]
    else:
        assert done.stdout == ""
        assert "[database.not_migrated]" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NO_DATABASE])
@pytest.mark.django_db
def test_no_command_works_on_a_database_with_a_migration_missing(name):
    MigrationRecorder.Migration.objects.filter(app="evaluation").order_by("-pk").first().delete()
    code, result = call(name, *REQUIRED.get(name, ()))
    assert (code, result["error"]["code"]) == (1, "database.not_migrated")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("cancel_run", 7), "run.unknown"),
        (("resume_run", 7), "run.unknown"),
        (("report", 7), "run.unknown"),
        (("describe_release", "nothing"), "release.unknown"),
        (("export_release", "nothing", "--format", "jsonl", "--out", "nowhere"), "release.unknown"),
        (
            ("export_release", SAMPLE, "--format", "runes", "--out", "nowhere"),
            "export.unknown_format",
        ),
        (("build_items", "ra_mcq", "--from", "nothing", "--name", "built"), "release.unknown"),
        (("withdraw", "0000000000"), "participant.unknown"),
        (("build_items", "riddles", "--from", SAMPLE, "--name", "built"), "build.unknown_kind"),
        (("import_release", "papyrus", "manage.py"), "import.unknown_format"),
        (("import_release", "indica", "nowhere.json"), "import.unreadable"),
        (("import_outputs", "riddles", "manage.py", "--release", SAMPLE), "benchmark.unknown"),
        (("import_outputs", "ra_mcq", "nowhere", "--release", SAMPLE), "import.unreadable"),
        (("import_outputs", "ra_mcq", "manage.py", "--release", "nothing"), "release.unknown"),
        (("run_benchmark", "riddles", "--release", SAMPLE, "--model", "a/b"), "benchmark.unknown"),
        (("run_benchmark", "ra_mcq", "--release", "nothing", "--model", "a/b"), "release.unknown"),
        (("run_benchmark", *REQUIRED["run_benchmark"]), "endpoint.none_configured"),
        (("run_benchmark", *REQUIRED["run_benchmark"], "--set", "spell=1"), "settings.unknown"),
        (("run_benchmark", *REQUIRED["run_benchmark"], "--samples", "0"), "settings.value"),
        (
            ("run_benchmark", *REQUIRED["run_benchmark"], "--prompts", "no.zip"),
            "prompt.pack_unreadable",
        ),
        (("stub_llm", "--behaviour", "nowhere.json"), "stub.behaviour_unreadable"),
    ],
)
@pytest.mark.django_db
def test_a_name_nobody_knows_exits_1_with_a_code_and_a_sentence(arguments, code):
    import_sample("test")
    exit, result = call(*arguments)
    error = result["error"]
    assert exit == 1
    assert set(error) == {"code", "message", "data"}
    assert error["code"] == code
    assert error["message"].endswith(".")


@pytest.mark.django_db
def test_a_failure_without_json_is_one_line_on_standard_error():
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as exit:
        call_command("cancel_run", "7", stdout=out, stderr=err)
    assert (exit.value.code, out.getvalue()) == (1, "")
    assert "[run.unknown]" in err.getvalue()
    assert err.getvalue().count("\n") == 1


@pytest.mark.parametrize(
    ("name", "keys"), [("list_runs", {"runs"}), ("sync_prompts", {"prompts", "new"})]
)
@pytest.mark.django_db
def test_a_command_that_did_its_work_prints_one_object(name, keys):
    code, result = call(name)
    assert (code, set(result)) == (0, keys)


@pytest.mark.django_db
def test_worker_alive_exits_1_while_none_is():
    assert call("worker", "--alive") == (1, {"alive": False})
