"""``callboard toolkit check FOLDER``: finds the mistakes in the folder of a toolkit that somebody writes."""

from __future__ import annotations

import json
from pathlib import Path

from registry.catalog.folders import SERVICE
from registry.catalog.problems import CatalogProblem
from registry.doors.output import ExitCode, fail, remark, say, say_json
from registry.toolkits.checking import checked_folders


def check_folder(name: str, *, as_json: bool) -> int:
    """Print each mistake, or the number of tools if there is none; return the exit code: `ExitCode.SERVICE` with mistakes."""
    try:
        found = checked_folders(Path(name))
    except OSError as error:
        fail(f"{name} cannot be read: {error.strerror}", ExitCode.LOCAL)
    if not found:
        fail(f"{name} has no {SERVICE}, and none of its folders has one")
    problems = [problem for one in found for problem in one.problems]
    if as_json:
        rows = [
            {"folder": str(one.folder), "tools": one.tools, "problems": [_described(problem) for problem in one.problems]}
            for one in found
        ]
        say_json(json.dumps(rows, ensure_ascii=False, indent=2))
        return ExitCode.SERVICE if problems else ExitCode.OK
    for problem in problems:
        say(str(problem))
    for one in found:
        mistakes = f"{_count(len(one.problems), 'mistake')}; {_count(one.tools, 'tool')} can be used"
        if one.problems:
            remark(f"{one.folder}: {mistakes}")
        else:
            say(f"{one.folder}: {_count(one.tools, 'tool')}, no mistakes")
    return ExitCode.SERVICE if problems else ExitCode.OK


def _described(problem: CatalogProblem) -> dict[str, object]:
    return {
        "file": problem.file,
        "line": problem.line or None,
        "tool": problem.tool or None,
        "field": problem.field or None,
        "rule": problem.message,
    }


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
