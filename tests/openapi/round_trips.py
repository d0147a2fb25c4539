"""Arguments through each format and back: form, JSON, history, saved call, command line. Each returns what went in."""

import json
import shlex
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from registry.calling.arguments import check
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.doors.cli_options import from_json, from_words
from registry.json_text import dumps, read_typed
from registry.results.snippets import command
from registry.saved.form_values import held_in, reading, written
from registry.saved.making import form_of, saved_form
from registry.saved.store import file_text, read_file
from tests.openapi.making import NOW


def body_of(tool: Tool, given: dict[str, Any]) -> Any:
    """The JSON body for some arguments."""
    arguments = check(tool, given, NOW)
    assert arguments.errors == ()
    request = plan(tool, arguments)
    return json.loads(request.body.text()) if request.body is not None else {}


def only(tool: Tool) -> Any:
    """A catalogue of one tool."""
    return SimpleNamespace(find={tool.name: tool}.get, tools={tool.name: tool})


def round_trips(tool: Tool, given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each format, and the arguments read back from it."""
    held = held_in(tool, given)
    yield "fields", dict(held)
    read = reading(tool, written(tool, held), {})
    assert not read.mistakes
    yield "JSON of the form", dict(read.raw)
    yield "--args", from_json(json.dumps(given))
    values = check(tool, given, NOW).values
    yield "history", dict(held_in(tool, read_typed(dumps(values), whole=True)))
    if given:
        saved = saved_form(tool, "one", read.raw)
        yield "saved call", dict(form_of(read_file(file_text(saved).encode(), only(tool)), tool))
    words = shlex.split(command(tool, check(tool, given, NOW)).replace("\\\n", ""))[3:]
    rest = [word.removeprefix("--args=") for word in words if word.startswith("--args=")]
    options = [word for word in words if not word.startswith("--args=")]
    yield "command", (from_json(rest[0]) if rest else {}) | from_words(tool, options)
