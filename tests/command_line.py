"""Runs the command line: in the process of the tests, or as a process of its own."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, NamedTuple

import pytest

from registry.doors.cli import main

ROOT = Path(__file__).parent.parent
PROGRAM = (sys.executable, "-u", "-m", "tui")


class Outcome(NamedTuple):
    """A command's exit code and output."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


def runner(capture: pytest.CaptureFixture[str], *before: str) -> Run:
    """Returns a function that runs commands. These words are put before each command's own."""

    def run(*words: str) -> Outcome:
        try:
            code = main([*before, *words])
        except SystemExit as end:
            code = int(end.code or 0)
        return Outcome(code, *capture.readouterr())

    return run


def started(*words: object, environment: Mapping[str, str] | None = None, **options: Any) -> Popen[str]:
    """A command that runs as a process of its own, with its output in pipes."""
    usual: dict[str, Any] = {"cwd": ROOT, "stdin": DEVNULL, "stdout": PIPE, "stderr": PIPE, "text": True}
    env = dict(os.environ) if environment is None else dict(environment)
    return Popen([*PROGRAM, *map(str, words)], env=env, **usual | options)


def finished(*words: object, environment: Mapping[str, str] | None = None, **options: Any) -> Outcome:
    """The end of a command that runs as a process of its own."""
    with started(*words, environment=environment, **options) as process:
        out, err = process.communicate(timeout=300)
    return Outcome(process.returncode, out, err)
