"""The command that installs what an extra needs."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from registry.files.extras import how_to_install

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def name_of(requirement: str) -> str:
    return re.split("[<>=]", requirement)[0].casefold()


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_the_command_names_the_libraries_of_the_extra_and_the_python_that_runs(extra: str) -> None:
    told = how_to_install(extra)
    name, _, command = told.partition(": ")
    words = shlex.split(command)
    installed = words[words.index("install") + 1 :]
    assert name == f"the extra callboard[{extra}]"
    assert sys.executable in words
    libraries = installed[2:] if "--python" in installed else installed
    assert sorted(map(name_of, libraries)) == sorted(map(name_of, EXTRAS[extra]))
    assert all(">=" in one for one in libraries)
    assert "callboard" not in command.replace(sys.executable, "")  # nobody is sent to an index for a package of that name
