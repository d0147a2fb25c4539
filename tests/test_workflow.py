"""The public CI runs what a change must pass, on every Python that the package names, with fixed actions and read-only rights.

`make check` holds the file against GitHub's own schema.
"""

from __future__ import annotations

import re
import tomllib

from tests.terminal import ROOT

WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_it_runs_on_every_python_that_the_package_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    (matrix,) = re.findall(r"python: \[(.*)\]", WORKFLOW)
    assert re.findall(r"\"(3\.\d+)\"", matrix) == named
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_it_runs_what_a_change_must_pass() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = re.findall(r"run: make (.+)", WORKFLOW)
    assert "check test" in commands
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for command in commands for target in command.split())


def test_actions_are_fixed_by_their_commit() -> None:
    actions = re.findall(r"uses: (.+)", WORKFLOW)
    assert len(actions) >= 4
    assert [action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action)] == []
