"""A wheel built from this checkout is complete, and runs outside of it; the version is written once."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import registry
from registry.accounts.connection import connections
from registry.calling.request import USER_AGENT, PlannedRequest, headers_of
from registry.doors.cli import main
from tests.terminal import ROOT

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "VIRTUAL_ENV"))}


def test_the_wheel_runs_outside_of_the_checkout(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True)
    (file,) = tmp_path.glob("callboard-*.whl")
    wheel, folder = ZipFile(file), tmp_path / "unpacked"
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "registry", "tui"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    (manual,) = [name for name in packed if name.endswith(".data/data/share/man/man1/callboard.1")]
    packed.remove(manual)
    assert packed == {name for name in listed if (ROOT / name).exists()}

    (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
    assert re.findall(r"\]\((?!https:)", metadata) == []
    assert "Five things to do next" in metadata

    wheel.extractall(folder)
    (scripts,) = folder.glob("*.dist-info/entry_points.txt")
    assert "callboard = tui.entry:main" in scripts.read_text()
    inside = ENVIRONMENT | {"PYTHONPATH": str(folder)}  # it comes before the checkout, which this environment has as well
    start = "import registry, sys; from tui.entry import main; sys.stderr.write(registry.__file__ + main.__code__.co_filename)"
    program = [sys.executable, "-c", f"{start}; sys.exit(main())"]
    call = [*program, "call", "GetCurrentAccountBalance"]
    balance = subprocess.run(call, cwd=tmp_path, env=inside, capture_output=True, text=True, timeout=60)
    assert balance.returncode == 0, balance.stderr
    assert json.loads(balance.stdout)["object"] == "balance"
    assert balance.stderr.count(str(folder)) == 2


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
