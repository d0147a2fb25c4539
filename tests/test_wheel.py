"""A wheel built from this checkout is complete, and runs outside of it: commands and the explorer."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

from tests.terminal import ROOT, Terminal

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "VIRTUAL_ENV"))}


def built(folder: Path) -> Path:
    """The wheel, in a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True)
    (wheel,) = folder.glob("callboard-*.whl")
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """The folder of programs of a new environment: the wheel, its dependencies from this environment, and not the checkout."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/*/site-packages")
    # Folders on Python's path give their packages, but path files in them are not read: the checkout's own is one.
    packages.joinpath("dependencies.pth").write_text("\n".join(path for path in sys.path if Path(path).name == "site-packages"))
    pip = sys.executable if importlib.util.find_spec("pip") else sys._base_executable  # type: ignore[attr-defined]  # some environments come without
    options = ["--no-index", "--no-deps", "--no-compile", "--force-reinstall", "--quiet", "--disable-pip-version-check"]
    command = [pip, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", *options, str(wheel)]
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    return folder / "bin"


def test_the_wheel_runs_outside_of_the_checkout(tmp_path: Path) -> None:
    wheel = built(tmp_path)
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "registry", "tui"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == {name for name in listed if (ROOT / name).exists()}

    programs = installed(wheel, tmp_path / "environment")
    callboard = str(programs / "callboard")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([callboard, *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)

    where = [str(programs / "python"), "-c", "import registry, tui; print(registry.__file__, tui.__file__)"]
    for file in subprocess.run(where, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout.split():
        assert Path(file).is_relative_to(programs.parent)

    assert run("--version").stdout.startswith("callboard ")
    balance = run("call", "GetCurrentAccountBalance")
    assert balance.returncode == 0, balance.stderr
    assert json.loads(balance.stdout)["object"] == "balance"
    with Terminal([callboard], folder=tmp_path, environment={"PYTHONPATH": ""}) as terminal:
        terminal.wait_for("CRM users")
        terminal.type("GetCustomerCards")
        terminal.press("enter")
        terminal.wait_for("customer_id")
        terminal.press("ctrl+q")
        terminal.wait_for_end()
