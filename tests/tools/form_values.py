"""Holds values that schemathesis makes for 50 documents against the forms that are made of the same documents.

    make form-values                        fetches the documents by npm
    python -m tests.tools.form_values DIR   takes a folder of documents that is there already

A value goes into the fields of its form and back: what comes out must be what went in, which its schema made. A value that a
form refuses is counted by the reason; a value that is changed on its way is a fault. schemathesis needs other versions of what
the tests use, so it gets an environment of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import venv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from registry.calling.arguments import check
from registry.calling.exact_json import dumps, loads
from registry.catalog.model import Parameter, Tool
from registry.openapi.refusals import DocumentRefused
from registry.presets.values import from_json, raw_of
from tests.tools.import_all import fetched, made, say, tools_of

PACKAGE = "schemathesis==4.32.5"
DOCUMENTS, LARGEST = 50, 60_000
_VALUES = Path(__file__).with_name("schemathesis_values.py")
_TIME = 900


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


def arguments_of(tool: Tool, line: dict[str, Any]) -> dict[str, Any] | None:
    """The values under the names of a tool's parameters; None where it has no place for one of them."""
    found: dict[str, Any] = {}
    given = [(place, name, value) for place, values in line["parameters"].items() for name, value in (values or {}).items()]
    body = line.get("body")
    if body is not None and tool.body_kind == "raw":
        given += [("body", one.wire_name, body) for one in tool.parameters if one.place == "body"]
    elif isinstance(body, dict):
        given += [("body", name, value) for name, value in body.items()]
    for place, name, value in given:
        parameter = next((one for one in tool.parameters if (one.place, one.wire_name) == (place, name)), None)
        if parameter is None and place == "header":
            continue  # the connection sets it
        if parameter is None:
            return None
        if value is not None:
            plain = unquote(value) if place == "path" and isinstance(value, str) else value
            found[parameter.name] = _as_written(parameter, plain)
    return found


def _as_written(parameter: Parameter, value: Any) -> Any:
    """A value as callers write it: text for scalars of one line; what was written with commas as the list that it was."""
    if parameter.type == "array" and isinstance(value, str):
        return value.split(",")
    exact = loads(dumps(value))
    return exact if parameter.is_structured or isinstance(exact, list) else str(value) if not isinstance(value, bool) else value


def _ruled_out(value: Any) -> bool:
    """Whether a value holds what Callboard takes nowhere, whatever schemas say: control characters, and what is empty."""
    if isinstance(value, dict):
        return any(_ruled_out(name) or _ruled_out(one) for name, one in value.items())
    if isinstance(value, list):
        return not value or any(map(_ruled_out, value))
    return isinstance(value, str) and (not value.strip() or not unquote(value).isprintable())


def outcome(tool: Tool, line: dict[str, Any]) -> str:
    """What becomes of one line: ``the same``, ``changed``, or why it is refused."""
    given = arguments_of(tool, line)
    if given is None:
        return "refused: a name that the form does not have"
    now = time.time()
    told = check(tool, given, now)
    if told.errors and _ruled_out(given):
        return "refused: control characters, or an empty text or list"
    if told.errors:
        return f"refused: {_kind(str(told.errors[0]))}"
    raw = {one.name: from_json(tool, one, loads(dumps(given[one.name]))) for one in tool.parameters if one.name in given}
    again = {one.name: raw_of(one, raw[one.name]) for one in tool.parameters if raw.get(one.name) is not None}
    back = check(tool, again, now)
    same = not back.errors and dumps(back.values) == dumps(told.values)
    return "the same" if same and _holds(given, dict(back.values)) else "changed"


def _holds(given: dict[str, Any], values: dict[str, Any]) -> bool:
    """Whether everything that was given is there, as it was given."""
    return all(_plain(values.get(name)) == _plain(value) for name, value in given.items())


def _plain(value: Any) -> Any:
    """A JSON value whose numbers count by their values; null and what is empty count as nothing."""
    if isinstance(value, dict):
        return {name: found for name, one in value.items() if (found := _plain(one)) not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, bool) or value is None:
        return str(value).lower() if value is not None else None
    try:
        return float(value)
    except ValueError:
        return str(value).strip()


def _kind(words: str) -> str:
    return re.sub(r"`[^`]*`|got .*|\d[\d,.]*", "…", words)[:90]


def main(folder: Path) -> int:
    """Print what became of the values; the exit code is 1 where one was changed."""
    names = chosen(folder)
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    with TemporaryDirectory() as place:
        for line in lines(environment(Path(place)), folder, names):
            tool = _tools(folder, line["document"]).get((line["method"].upper(), line["path"]))
            what = outcome(tool, line) if tool is not None else "no such tool"
            counts[what] += 1
            seen.add(line["document"])
            if what == "changed":
                say(json.dumps(line)[:500])
    total = sum(counts.values())
    say(f"{total} values for {len(seen)} of {len(names)} documents")
    for what, number in counts.most_common():
        say(f"{number:>6}  {100 * number / max(total, 1):5.1f} %  {what}")
    return 1 if counts["changed"] else 0


@cache
def _tools(folder: Path, name: str) -> dict[tuple[str, str], Tool]:
    """The tools of a document, by method and path."""
    try:
        return {(tool.method, tool.path): tool for tool in tools_of(made(folder / name, name)[0])}
    except DocumentRefused:
        return {}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with TemporaryDirectory() as temporary:
        sys.exit(main(fetched(Path(temporary))))
