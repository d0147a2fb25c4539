"""Settings that do not tell which account is used: what was meant for it does not go to the sandbox without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.doors.oncall_print import oncall_connection
from registry.doors.output import ExitCode
from tests.command_line import Run, runner

WHO = ("call", "GetPaymentsAccountDetails")
BROKEN = '[accounts.Fernway]\nservice = "payments"\nsecret = env:X"\n'
WRONG = '[accounts.Fernway]\nservice = "payments"\nsecret = "env:X"\nmode = "lvie"\ndefault = {}\n'


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("CALLBOARD_CONFIG", str(file))
    return file


@pytest.mark.parametrize("content", [b"# \xe9\n", BROKEN.encode(), b"x" * 100_001])
def test_a_file_that_cannot_be_read(run: Run, config: Path, content: bytes) -> None:
    config.write_bytes(content)
    refused = run(*WHO)
    assert (refused.code, refused.out) == (ExitCode.USAGE, "")
    assert f"the default account is not known: {config}" in refused.err
    assert "--account sandbox" in refused.err
    assert run("page", "cus_4R5QLgZDZXPlou", "--text").code == ExitCode.USAGE
    assert run(*WHO, "--account", "sandbox").code == ExitCode.OK
    named = run(*WHO, "--account", "Fernway")
    assert named.code == ExitCode.USAGE
    assert f"the account 'Fernway' cannot be used: {config}" in named.err


@pytest.mark.parametrize("default", ["true", '"yes"'])
def test_a_default_account_that_is_wrong(run: Run, config: Path, default: str) -> None:
    config.write_text(WRONG.format(default))
    refused = run(*WHO)
    assert (refused.code, refused.out) == (ExitCode.USAGE, "")
    assert "the default account 'Fernway' cannot be used: " in refused.err
    assert run("call", "GetAccountRoles").code == ExitCode.OK, "another service has nothing to do with it"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[keys",
        WRONG.format("false"),
        f'{WRONG.format("true")}[accounts.B]\nservice = "crm"\nsecret = "env:X"\ndefault = true\n',
    ],
)
def test_calls_go_on_where_the_default_is_known(run: Run, config: Path, content: str) -> None:
    config.write_text(content)
    tool = "GetAccountRoles" if "accounts.B" not in content else "Whoami"
    assert run("call", tool).code == ExitCode.OK


@pytest.mark.parametrize(
    ("content", "token", "name"),
    [
        ("", "t0ken", "incidents"),
        ('[accounts.Night]\nservice = "incidents"\nsecret = "env:INCIDENTS_ACCESS_TOKEN"\ndefault = true\n', "t0ken", "Night"),
        ('[accounts.Night]\nservice = "incidents"\nsecret = "env:INCIDENTS_ACCESS_TOKEN"\n', "t0ken", "incidents"),
    ],
)
def test_the_dashboard_is_that_of_the_default_account(
    config: Path, monkeypatch: pytest.MonkeyPatch, content: str, token: str, name: str
) -> None:
    monkeypatch.setenv("INCIDENTS_ACCESS_TOKEN", token)
    config.write_text(content)
    assert oncall_connection(None) == name
