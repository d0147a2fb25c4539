"""Holding catalogue entries against their types and rules, and saying what is wrong with them.

A mistake in one tool takes that tool out and names the file, the tool and the field; all other tools are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

from registry.catalog.model import Parameter, Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.service import Paging, Service
from registry.text import visible_line

Fault = tuple[str, str]
_PYTHON_TYPES = {"string": str, "integer": int, "boolean": bool}


def checked_tools(entries: list[Any], file: str, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The tools of a service that are right; what is wrong with the others goes to the problems."""
    adapter = TypeAdapter(Tool)
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        subject = name if isinstance(name, str) else ""
        if (field := unfit(entry)) is not None:
            problems.append(CatalogProblem(file, subject, field, UNFIT))
            continue
        try:
            # As JSON, because lists are what JSON has where the records have tuples.
            tool = adapter.validate_json(json.dumps(_with_place(entry)))
        except ValidationError as error:
            problems += [CatalogProblem(file, subject, field_of(entry, fault["loc"]), fault["msg"]) for fault in error.errors()]
            continue
        faults = [CatalogProblem(file, subject, field, message) for field, message in _faults_of_tool(tool, service)]
        problems += faults
        if not faults:
            yield tool


UNFIT = "holds control characters or invisible ones"


def unfit(value: Any, *path: str) -> str | None:
    """The field of the first text inside that is not fit to be shown as it is; None where all are."""
    match value:
        case str():
            return None if visible_line(value) == value else ".".join(path)
        case dict():
            for key, one in value.items():
                if (found := unfit(key, *path, "a name") or unfit(one, *path, key)) is not None:
                    return found
        case list():
            for place, one in enumerate(value):
                if (found := unfit(one, *path, str(place))) is not None:
                    return found
    return None


def _with_place(entry: Any) -> Any:
    """An entry with ``in`` called `place`, which Python can use as a name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("parameters"), list):
        return entry
    parameters = [
        {("place" if key == "in" else key): value for key, value in one.items()} if isinstance(one, dict) else one
        for one in entry["parameters"]
    ]
    return entry | {"parameters": parameters}


def _faults_of_tool(tool: Tool, service: Service) -> Iterator[Fault]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name):
        yield "name", "must be letters and digits, a capital first"
    for field in ("operation", "group", "summary"):
        if not getattr(tool, field):
            yield field, "must not be empty"
    if not tool.path.startswith("/"):
        yield "path", "must start with a slash"
    if tool.returns.paging is not None:
        yield from paging_faults("returns.paging", tool.returns.paging)
    if tool.host not in service.hosts:
        yield "host", f"must be one of the service's hosts: {', '.join(service.hosts)}"
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


def paging_faults(field: str, paging: Paging) -> Iterator[Fault]:
    """What contradicts itself in the paging of a service or a tool."""
    if paging.style == "cursor" and paging.next is None:
        yield f"{field}.next", "is needed for the style cursor: the property that holds the next cursor"
    if paging.style == "offset" and paging.more is None and paging.total is None and paging.total_header is None:
        yield f"{field}.more", "or total is needed for the style offset"
    if paging.deepest is not None and paging.deepest < 1:
        yield f"{field}.deepest", "must be at least 1"


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


def field_of(entry: Any, location: tuple[int | str, ...]) -> str:
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
