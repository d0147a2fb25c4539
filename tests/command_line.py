"""Runs the command line in the process of the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from registry.doors.cli import main


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
