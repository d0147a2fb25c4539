"""Arguments through each format and back: form, JSON, history, preset, command line. Each returns what went in."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from registry.calling.arguments import check
from registry.calling.bodies import content_of
from registry.calling.exact_json import dumps, loads
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.doors.cli_options import from_json, from_words
from registry.presets.json_form import reading, written
from registry.presets.preset import file_text, new_preset, read_file
from registry.presets.values import held_in
from registry.results.export.callboard_command import command
from tests.openapi.making import NOW


def body_of(tool: Tool, given: dict[str, Any]) -> Any:
    """The JSON body for some arguments."""
    arguments = check(tool, given, NOW)
    assert arguments.errors == ()
    request = plan(tool, arguments)
    return json.loads(content_of(request.body or {}, request.writing))


def round_trips(tool: Tool, given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each format, and the arguments read back from it."""
    held = held_in(tool, given)
    yield "fields", dict(held)
    read = reading(tool, written(tool, held), {})
    assert not read.mistakes
    yield "JSON of the form", dict(read.raw)
    yield "--args", from_json(json.dumps(given))
    values = check(tool, given, NOW).values
    yield "history", dict(held_in(tool, loads(dumps(values), whole=True)))
    if given:
        preset, _ = new_preset(tool, "one", dict(read.raw), NOW)
        yield "preset", dict(read_file(file_text(tool, preset).encode(), {tool.name: tool}).raw)
    words = shlex.split(command(tool, check(tool, given, NOW)).replace("\\\n", ""))[3:]
    rest = [word.removeprefix("--args=") for word in words if word.startswith("--args=")]
    options = [word for word in words if not word.startswith("--args=")]
    yield "command", from_json(rest[0] if rest else None) | from_words(tool, options)
