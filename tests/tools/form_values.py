"""Holds values that schemathesis makes for 50 documents against the forms that are made of the same documents.

    make form-values                        fetches the documents by npm
    python -m tests.tools.form_values DIR   takes a folder of documents that is there already

A value goes into the fields of its form and back, and into the bytes of a JSON body: what comes out must be what went in, which
its schema made. A value that a form refuses is counted by the reason; a value that is changed on its way is a fault.
schemathesis needs other versions of what the tests use, so it gets an environment of its own; DIR/values.jsonl, where it is,
takes the place of what it makes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import venv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from registry.calling.arguments import Arguments, check, rest_of
from registry.calling.bodies import content_of
from registry.calling.request import plan
from registry.catalog.folders import SERVICE
from registry.catalog.model import Parameter, Tool
from registry.json_text.reading import read_typed
from registry.json_text.values import dumps, is_null
from registry.openapi.document import DocumentRefused
from registry.saved.form_json import reading, written
from registry.saved.form_values import raw_in
from tests.tools.import_all import fetched, made, say, tools_of

PACKAGE = "schemathesis==4.32.5"
DOCUMENTS, LARGEST = 50, 60_000
_VALUES = Path(__file__).with_name("schemathesis_values.py")
_TIME = 900
_IN_BRACES = re.compile(r"\{([^{}]*)\}")
_FILES = TemporaryDirectory()


def chosen(folder: Path) -> list[str]:
    """Fifty documents of 3.x, spread over all that are small enough."""
    found = [path for path in sorted(folder.rglob("*.json")) if 4_000 < path.stat().st_size < LARGEST]
    found = [path for path in found if '"openapi"' in path.read_text(errors="replace")]
    step = max(len(found) // DOCUMENTS, 1)
    return [path.relative_to(folder).as_posix() for path in found[::step][:DOCUMENTS]]


def lines(python: Path, folder: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    """What schemathesis makes for documents."""
    done = subprocess.run(
        [str(python), str(_VALUES), str(folder), *names], capture_output=True, timeout=_TIME, check=True, text=True
    )
    yield from map(json.loads, done.stdout.splitlines())


def environment(folder: Path) -> Path:
    """A Python with schemathesis."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", PACKAGE], check=True)
    return python


@dataclass(frozen=True)
class Made:
    """What was made of one document.

    Attributes:
        tools: by their ``operationId``, and by method and path.
        credentials: places and names of what the account sends, and the form therefore does not have.
        ids: method and path → the ``operationId``: several operations may share a path as far as it is sent.
    """

    tools: dict[str | tuple[str, str], list[Tool]]
    credentials: set[tuple[str, str]]
    ids: dict[tuple[str, str], str]

    def tool(self, method: str, path: str) -> Tool | None:
        """The tool of an operation."""
        found = self.tools.get(self.ids.get((method, path), "")) or self.tools.get((method, path.partition("?")[0])) or []
        named = set(_IN_BRACES.findall(path))
        return next((tool for tool in found if named <= {one.wire_name for one in tool.parameters}), next(iter(found), None))


def arguments_of(tool: Tool, line: dict[str, Any], credentials: set[tuple[str, str]]) -> dict[str, Any] | str:
    """The values under the names of a tool's parameters; the reason where it has no place for one of them."""
    found: dict[str, Any] = {}
    given = [(place, name, value) for place, values in line["parameters"].items() for name, value in (values or {}).items()]
    body, kind = line.get("body"), tool.body_kind
    if "body" in line and kind is None:
        return "a body"
    rest = rest_of(tool)
    names = {(one.place, one.wire_name): one for one in tool.parameters if one is not rest}
    if "body" in line and not isinstance(body, str) and kind == "raw" and "json" not in str(tool.content_type):
        return "a body of a media type of which nothing says how a value becomes its bytes"
    if "body" in line and kind == "raw":
        given += [("body", name, body) for place, name in names if place == "body"]
    elif isinstance(body, dict):
        more = {name: value for name, value in body.items() if rest is not None and ("body", name) not in names}
        given += [("body", name, value) for name, value in body.items() if name not in more]
        found |= {rest.name: read_typed(dumps(more))} if rest is not None and more else {}
    elif "body" in line:
        if rest is None:
            return "no object, for the body that is one"
        found[rest.name] = read_typed(dumps(body))
    for place, name, value in given:
        # Text after a path's question mark is part of the path in the document, and part of the query in the request.
        parameter = names.get((place, name)) or (names.get(("query", name)) if place == "path" else None)
        if parameter is None and (place == "header" or (place, name) in credentials):
            continue  # the connection sets it
        if parameter is None:
            deep = place == "query" and "[" in name
            return f"a name in the {place} that the form does not have" + (
                ", with brackets that schemathesis has written" * deep
            )
        if value is None and place == "body":
            found[parameter.name] = None
        elif value is not None:
            plain = unquote(value) if place == "path" and isinstance(value, str) else value
            found[parameter.name] = _as_written(parameter, plain)
    return found


def _as_written(parameter: Parameter, value: Any) -> Any:
    """A value as callers write it: text for scalars of one line; what was written with commas as the list that it was."""
    if parameter.type == "array" and isinstance(value, str):
        return value.split(",") if value else []
    if parameter.format == "file" and isinstance(value, str):
        file = Path(_FILES.name) / str(len(list(Path(_FILES.name).iterdir())))
        file.write_text(value)
        return str(file)
    exact = read_typed(dumps(value))
    return exact if parameter.is_structured or isinstance(exact, list) else str(value) if not isinstance(value, bool) else value


def outcome(tool: Tool, line: dict[str, Any], credentials: set[tuple[str, str]]) -> str:
    """The outcome of one line: ``the same``, ``changed``, or why it is refused."""
    given = arguments_of(tool, line, credentials)
    if isinstance(given, str):
        return f"refused: {given}"
    now = time.time()
    told = check(tool, given, now)
    if told.errors:
        place = next((one.place for one in tool.parameters if one.name == told.errors[0].parameter), "")
        return f"refused: {place}: {_kind(told.errors[0].message)}"
    raw = {one.name: raw_in(one, given) for one in tool.parameters if one.name in given}
    again = reading(tool, written(tool, raw), {})
    back = check(tool, {name: raw_in(_named(tool, name), again.raw) for name in again.raw}, now)
    same = not again.mistakes and not back.errors and dumps(back.values) == dumps(told.values)
    return "the same" if same and _holds(given, back.values) and _sends(tool, line, back) else "changed"


def _named(tool: Tool, name: str) -> Parameter:
    found = tool.parameter(name)
    assert found is not None
    return found


def _holds(given: dict[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether everything that was given is there, as it was given."""
    return all(_plain(values.get(name)) == _plain(value) for name, value in given.items())


def _sends(tool: Tool, line: dict[str, Any], arguments: Arguments) -> bool:
    """Whether the request has the values, as far as they stand there as they are: a JSON body, texts in path and query."""
    request = plan(tool, arguments)
    if "body" in line and request.writing.media_type.endswith("json"):
        sent = read_typed(content_of(request.body or {}, request.writing).decode())
        if _plain(sent) != _plain(read_typed(dumps(line["body"]))):
            return False
    pairs, path = set(request.query), unquote(request.path)
    for one in tool.parameters:
        value = (line["parameters"].get(one.place) or {}).get(one.wire_name)
        if one.type == "string" and isinstance(value, str) and one.style is None and not one.enum:
            if one.place == "query" and (one.wire_name, value) not in pairs:
                return False
            if one.place == "path" and unquote(value) not in path:
                return False
    return True


def _plain(value: Any) -> Any:
    """A JSON value whose numbers count by their values; scalars of one line as text."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or is_null(value):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    try:
        number = Decimal(value)
    except (InvalidOperation, ValueError):
        return str(value)
    return number if number.is_finite() else str(value)


def _kind(words: str) -> str:
    return re.sub(r"`[^`]*`|got .*|\d[\d,.]*", "…", words)[:90]


def main(folder: Path) -> int:
    """Print the outcomes; the exit code is 1 if a value was changed."""
    names = chosen(folder)
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for line in _lines(folder, names):
        found = _made(folder, line["document"])
        tool = found.tool(line["method"].upper(), line["path"])
        what = outcome(tool, line, found.credentials) if tool is not None else "no such tool"
        counts[what] += 1
        seen.add(line["document"])
        if what == "changed":
            say(json.dumps(line)[:500])
    total = sum(counts.values())
    say(f"{total} values for {len(seen)} of {len(names)} documents")
    for what, number in counts.most_common():
        say(f"{number:>6}  {100 * number / max(total, 1):5.1f} %  {what}")
    return 1 if counts["changed"] else 0


def _lines(folder: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    if (kept := folder / "values.jsonl").exists():
        yield from map(json.loads, kept.read_text().splitlines())
        return
    with TemporaryDirectory() as place:
        yield from lines(environment(Path(place)), folder, names)


@cache
def _made(folder: Path, name: str) -> Made:
    """The tools of a document."""
    try:
        compiled = made(folder / name, name)[0]
    except DocumentRefused:
        return Made({}, set(), {})
    tools: dict[str | tuple[str, str], list[Tool]] = {}
    for tool in tools_of(compiled):
        for key in (tool.operation, (tool.method, tool.path)):
            tools.setdefault(key, []).append(tool)
    ways = json.loads(compiled.files[SERVICE])["authentication"]
    paths = json.loads((folder / name).read_text())["paths"]
    ids = {
        (method.upper(), path): str(operation.get("operationId"))
        for path, item in paths.items()
        for method, operation in item.items()
        if isinstance(operation, dict)
    }
    return Made(tools, {(way["kind"], way["name"]) for way in ways if "name" in way}, ids)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(fetched(Path(temporary))))
