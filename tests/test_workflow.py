"""The public CI runs what a change must pass, on every Python that the package names, with fixed actions and few rights.

`make check` holds the files against GitHub's own schemas.
"""

import re
import tomllib

from tests.terminal import ROOT

WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
RELEASE = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_it_runs_on_every_python_that_the_package_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    for workflow in (WORKFLOW, RELEASE):
        (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
        assert re.findall(r"\"(3\.\d+)\"", matrix) == named
        assert "os: [ubuntu-24.04, macos-15]" in workflow
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_it_runs_what_a_change_must_pass() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = re.findall(r"run: make (.+)", WORKFLOW + RELEASE)
    assert "check test" in commands
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for command in commands for target in command.split())


def test_actions_are_fixed_by_their_commit() -> None:
    actions = re.findall(r"uses: (.+)", WORKFLOW + RELEASE)
    assert len(actions) >= 10
    assert [action for action in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action)] == []


def test_a_release_has_only_the_rights_that_publishing_needs() -> None:
    before, _, publishing = RELEASE.partition("  publish:")
    assert "write" not in before
    assert re.findall(r"(\S+): write", publishing) == ["contents", "id-token"]
