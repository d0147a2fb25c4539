"""The version is written once, and read from there by the build, the command line and the requests."""

from pathlib import Path

import pytest

import registry
from registry.accounts.connection import connections
from registry.calling.request import USER_AGENT, PlannedRequest, headers_of
from registry.doors.cli import main

ROOT = Path(registry.__file__).parent.parent


def test_it_is_written_in_one_file() -> None:
    literal = f'"{registry.__version__}"'
    files = [*ROOT.glob("registry/**/*.py"), *ROOT.glob("tui/**/*.py"), ROOT / "pyproject.toml"]
    holding = [str(file.relative_to(ROOT)) for file in files if literal in file.read_text("utf-8")]
    assert holding == ["registry/__init__.py"]


def test_lists_and_requests_tell_it_and_the_toolkits_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"callboard/{registry.__version__}" == USER_AGENT
    assert main(["tools"]) == 0
    assert "Payments 1.0.0 · Customers" in capsys.readouterr().out
    for toolkit, told in (("PaymentsApi", " PaymentsApi/1.0.0"), ("Incidents", "")):
        endpoint = connections({})["sandbox"].endpoint(toolkit)
        assert headers_of(PlannedRequest("GET", "/"), endpoint)["User-Agent"] == USER_AGENT + told
