"""What lies between us and an endpoint: a proxy, and passwords kept for its host."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_proxy_of_ours(monkeypatch):
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_proxy_the_environment_names_is_used_unless_it_excepts_the_host(
    stub, make_target, question, ask_all, monkeypatch
):
    with stub() as (url, served):
        monkeypatch.setenv("http_proxy", url.removesuffix("/v1"))
        elsewhere = make_target("http://nowhere.invalid/v1")
        (found,) = ask_all(elsewhere, [question("http://nowhere.invalid/v1", "Why?")])
        assert found.error is None
        assert served.stats()["requests"] == 1
        monkeypatch.setenv("no_proxy", "nowhere.invalid")
        (found,) = ask_all(elsewhere, [question("http://nowhere.invalid/v1", "Why?")])
        assert found.error.code == "endpoint.unavailable"
        assert served.stats()["requests"] == 1


def test_a_password_kept_for_the_host_does_not_stand_beside_the_key(
    stub, make_target, question, ask_all, monkeypatch, tmp_path
):
    kept = Path(tmp_path / ".netrc")
    kept.write_text("machine 127.0.0.1 login someone password a-password\n")
    kept.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SOME_KEY", "a-key")
    with stub({"key": "a-key"}) as (url, _):
        (found,) = ask_all(make_target(url, key_variable="SOME_KEY"), [question(url, "Why?")])
        assert found.error is None
