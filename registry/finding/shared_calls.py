"""Ready calls in a team's shared folders: files in ``ready_calls``, in the form of a toolkit's ``ready_calls.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from registry.catalog.model import Tool
from registry.catalog.reading import converted
from registry.finding.ready_calls import ReadyCall, faults
from registry.sharing.folders import SharedFile, SharedFolder, shared_files
from registry.text.safe_text import visible_line

MOST_CALLS = 1_000
_LONGEST = 200


def shared_calls(folders: Sequence[SharedFolder], tools: Mapping[str, Tool]) -> list[ReadyCall]:
    """The ready calls of shared folders; invalid ones are left out. Reads files."""
    return _calls(folders, tools)[0]


def shared_call_problems(folders: Sequence[SharedFolder], tools: Mapping[str, Tool]) -> list[str]:
    """The errors in the ready calls of shared folders, in words. Reads files."""
    return _calls(folders, tools)[1]


def _calls(folders: Sequence[SharedFolder], tools: Mapping[str, Tool]) -> tuple[list[ReadyCall], list[str]]:
    calls: list[ReadyCall] = []
    problems: list[str] = []
    if folders:
        found = shared_files("ready_calls", folders)
        problems += found.notices
        for file in found.files:
            for call in _of(file, tools, problems):
                if len(calls) >= MOST_CALLS:
                    problems.append(f"{file.shown}: only the first {MOST_CALLS:,} ready calls are used")
                    return calls, problems
                calls.append(call)
    return calls, problems


def _of(file: SharedFile, tools: Mapping[str, Tool], problems: list[str]) -> Iterator[ReadyCall]:
    try:
        content: Any = json.loads(file.content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        problems.append(f"{file.shown} is not JSON.")
        return
    raw = content.get("calls") if isinstance(content, dict) else None
    if not isinstance(raw, list):
        problems.append(f"{file.shown} is not a file of ready calls: `calls` must be a list.")
        return
    for place, one in enumerate(raw):
        where = f"{file.shown}: calls[{place}]"
        try:
            call = converted(one, ReadyCall)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            problems.append(f"{where} {visible_line(str(error))}")
            continue
        wrong = next(iter(_wrong(call, tools)), None)
        if wrong is not None:
            problems.append(f"{where} {wrong}")
        else:
            why = " ".join(filter(None, (f"from {file.folder}.", call.why)))
            yield msgspec.structs.replace(call, why=why)


def _wrong(call: ReadyCall, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Errors by the rules for a toolkit's own ready calls, and texts that do not fit in a line."""
    for text in (call.title, call.why, *call.words):
        if len(text) > _LONGEST or visible_line(text) != text:
            yield f"has a text that is longer than {_LONGEST} characters, or holds one that cannot be seen"
    for name, message in faults(call, tools):
        yield visible_line(f"{name}: {message}")
    parameters = tools[call.tool].parameters if call.tool in tools else ()
    secret = next((one.name for one in parameters if one.role == "secret" and one.name in call.arguments), None)
    if secret is not None:
        yield f"arguments.{secret}: is a secret, and secrets are never saved"
