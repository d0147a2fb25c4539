"""Holding catalogue entries against their types and rules, and saying what is wrong with them.

A mistake in one tool takes that tool out and names the file, the tool and the field; all other tools are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from registry.catalog.model import Parameter, Tool, Toolkit


@dataclass(frozen=True, slots=True)
class CatalogProblem:
    """What is wrong with a part of the catalogue: file (relative to the data folder), tool, field, and the matter in words.

    `tool` and `field` are empty where the mistake cannot be laid to one.
    """

    file: str
    tool: str
    field: str
    message: str

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.tool, self.field) if part)
        return f"{place}: {self.message}"


Fault = tuple[str, str]
_Record = TypeVar("_Record", Tool, Toolkit)
_PYTHON_TYPES = {"string": str, "integer": int, "boolean": bool}


def checked_tools(entries: list[Any], file: str, problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The tools that are right; what is wrong with the others goes to the problems."""
    return _checked(TypeAdapter(Tool), _faults_of_tool, entries, file, problems)


def checked_toolkits(entries: list[Any], file: str, problems: list[CatalogProblem]) -> Iterator[Toolkit]:
    """The toolkits that are right; what is wrong with the others goes to the problems."""
    return _checked(TypeAdapter(Toolkit), _faults_of_toolkit, entries, file, problems)


def _checked(
    adapter: TypeAdapter[_Record],
    rules: Callable[[_Record], Iterator[Fault]],
    entries: list[Any],
    file: str,
    problems: list[CatalogProblem],
) -> Iterator[_Record]:
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        subject = name if isinstance(name, str) else ""
        try:
            # As JSON, because lists are what JSON has where the records have tuples.
            record = adapter.validate_json(json.dumps(_with_place(entry)))
        except ValidationError as error:
            problems += [CatalogProblem(file, subject, _field(entry, fault["loc"]), fault["msg"]) for fault in error.errors()]
            continue
        faults = [CatalogProblem(file, subject, field, message) for field, message in rules(record)]
        problems += faults
        if not faults:
            yield record


def _with_place(entry: Any) -> Any:
    """An entry with ``in`` called `place`, which Python can use as a name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("parameters"), list):
        return entry
    parameters = [
        {("place" if key == "in" else key): value for key, value in one.items()} if isinstance(one, dict) else one
        for one in entry["parameters"]
    ]
    return entry | {"parameters": parameters}


def _faults_of_toolkit(toolkit: Toolkit) -> Iterator[Fault]:
    for field in ("name", "title", "summary"):
        if not getattr(toolkit, field):
            yield field, "must not be empty"


def _faults_of_tool(tool: Tool) -> Iterator[Fault]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name):
        yield "name", "must be letters and digits, a capital first"
    for field in ("operation", "group", "summary"):
        if not getattr(tool, field):
            yield field, "must not be empty"
    if not tool.path.startswith("/"):
        yield "path", "must start with a slash"
    names = [parameter.name for parameter in tool.parameters]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"parameters.{name}", "is there twice"
    placeholders = {part[1:-1] for part in tool.path.split("/") if part.startswith("{")}
    in_path = {parameter.wire_name for parameter in tool.parameters if parameter.place == "path"}
    if placeholders != in_path:
        yield "path", f"has {sorted(placeholders)}, and the path parameters are {sorted(map(str, in_path))}"
    if tool.deprecated != (tool.use_instead is not None):
        yield "use_instead", "is needed for a deprecated tool, and only then"
    for parameter in tool.parameters:
        for field, message in _faults_of_parameter(parameter):
            yield f"parameters.{parameter.name}.{field}", message


def _faults_of_parameter(parameter: Parameter) -> Iterator[Fault]:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", parameter.name):
        yield "name", "must be lower-case letters, digits and underscores"
    if not parameter.help:
        yield "help", "must not be empty"
    if (parameter.wire_name is None) != (parameter.place == "local"):
        yield "wire_name", "is needed unless the parameter is local, and only then"
    if parameter.wire_enum is not None and len(parameter.wire_enum) != len(parameter.enum or ()):
        yield "wire_enum", "must have one value for each value of enum"
    if parameter.type != "integer" and (parameter.minimum is not None or parameter.maximum is not None):
        yield "minimum", "belongs to an integer, as maximum does"
    if parameter.default is not None and parameter.required:
        yield "default", "has no meaning for a required parameter"
    elif parameter.default is not None and type(parameter.default) is not _PYTHON_TYPES.get(parameter.type):
        yield "default", f"must be of type {parameter.type}"


def _field(entry: Any, location: tuple[int | str, ...]) -> str:
    """The field that a fault lies in, with parameters called by their names: ``parameters.customer_id.wire_name``."""
    parts: list[str] = []
    value = entry
    for step in location:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        name = value.get("name") if isinstance(step, int) and isinstance(value, dict) else None
        parts.append(name if isinstance(name, str) else "in" if step == "place" else str(step))
    return ".".join(parts)
