"""Validates catalogue entries against their types and rules.

An invalid tool is left out, and the problem names the file, the tool and the field; all other tools are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from registry.catalog.lines import lines_of
from registry.catalog.model import BODILESS_METHODS, Tool
from registry.catalog.parameter_rules import Fault, faults_of_parameter
from registry.catalog.path_template import fault_of, placeholders
from registry.catalog.problems import UNFIT, CatalogProblem, unfit
from registry.catalog.rule_words import MISSING, is_unknown_field, names_at, not_a_field, rule_of, together
from registry.catalog.service import Paging, Service

_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-zA-Z0-9.+*-]+(; ?[a-z-]+=[A-Za-z0-9._-]+)*")


def checked_file(content: Any, path: Path, file: str, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The valid tools in a file with the groups of a toolkit; the errors in the rest of it are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        path: where it is, for the lines.
        file: its name in messages.
        service: the service that the tools belong to.
        problems: gets the errors.
    """
    problems += [CatalogProblem(file, "", field, rule, lines_of(path).of(field)) for field, rule in _faults_of_groups(content)]
    groups = content.get("groups") if isinstance(content, dict) else None
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, dict) and isinstance(group.get("name"), str) and isinstance(group.get("tools"), list):
            shared = service.shared_by_tools | {"group": group["name"]}
            entries = [shared | entry if isinstance(entry, dict) else entry for entry in group["tools"]]

            def line(field: str, place: int, group: int = number) -> int:
                return lines_of(path).of(field, ("groups", group, "tools", place))

            yield from checked_tools(entries, file, service, problems, line)


def checked_tools(
    entries: Iterable[Any],
    file: str,
    service: Service,
    problems: list[CatalogProblem],
    line_of: Callable[[str, int], int] = lambda _field, _number: 0,
) -> Iterator[Tool]:
    """The valid tools of a service; the errors of the others are added to `problems`.

    Args:
        entries: the tools, as in a file, with the fields that they share.
        file: the file's name in messages.
        service: the service that they belong to.
        problems: gets the errors.
        line_of: the line of a field in the entry with a number; 0 if it is not known.
    """
    validator = _validator()
    for number, entry in enumerate(entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        subject = name if isinstance(name, str) else ""
        found: Iterable[Fault] = ()
        tool: Tool | None = None
        if (field := unfit(entry)) is not None:
            found = [(field, UNFIT)]
        else:
            try:
                # As JSON, because JSON has lists where the records have tuples.
                tool = validator.validate_json(json.dumps(entry))
            except ValidationError as error:
                found = faults_of_types(error, entry, validator)
            else:
                found = _faults_of_tool(tool, service)
        faults = [CatalogProblem(file, subject, field, rule, line_of(field, number)) for field, rule in found]
        problems += faults
        if tool is not None and not faults:
            yield tool


def faults_of_types(error: ValidationError, entry: Any, validator: TypeAdapter[Any]) -> list[Fault]:
    """What pydantic found in an entry, in plain words; unknown fields first, because a misspelt one explains a missing one."""
    schema: dict[str, Any] = {}
    by_field: dict[str, list[str]] = {}
    for fault in sorted(error.errors(), key=lambda one: not is_unknown_field(one)):
        available: list[str] = []
        if is_unknown_field(fault):
            schema = schema or validator.json_schema(ref_template="#/$defs/{model}")
            available = names_at(schema, fault["loc"][:-1])
        by_field.setdefault(field_of(entry, fault["loc"]), []).append(rule_of(fault, available))
    return [(field, together(rules)) for field, rules in by_field.items()]


@cache
def _validator() -> TypeAdapter[Tool]:
    """Cached: building it takes longer than checking dozens of tools."""
    return TypeAdapter(Tool)


def _faults_of_groups(content: Any) -> Iterator[Fault]:
    """The errors around the tools of a file: its groups, each with a name and a list of tools."""
    if not isinstance(content, dict):
        yield "", "must be an object"
        return
    yield from _unknown("", content, ("groups",))
    if not isinstance(content.get("groups"), list):
        yield "groups", "must be a list" if "groups" in content else MISSING
        return
    for number, group in enumerate(content["groups"]):
        if not isinstance(group, dict):
            yield f"groups.{number}", "must be an object"
            continue
        yield from _unknown(f"groups.{number}.", group, ("name", "tools"))
        for key, type_, words in (("tools", list, "a list"), ("name", str, "text")):
            if not isinstance(group.get(key), type_):
                yield f"groups.{number}.{key}", f"must be {words}" if key in group else MISSING


def _unknown(before: str, content: dict[str, Any], names: tuple[str, ...]) -> Iterator[Fault]:
    for name in content:
        if name not in names and name != "$schema":
            yield f"{before}{name}", not_a_field(name, names)


def _faults_of_tool(tool: Tool, service: Service) -> Iterator[Fault]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name):
        yield "name", "must be letters and digits, a capital first"
    for field in ("operation", "group", "summary"):
        if not getattr(tool, field):
            yield field, "must not be empty"
    if fault := fault_of(tool.path):
        yield "path", fault
    if tool.returns.paging is not None:
        yield from paging_faults("returns.paging", tool.returns.paging)
    if tool.host not in service.hosts:
        yield "host", f"must be one of the service's hosts: {', '.join(service.hosts)}"
    names = [parameter.name for parameter in tool.parameters]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"parameters.{name}", "appears twice"
    named = set(placeholders(tool.path))
    in_path = {parameter.wire_name for parameter in tool.parameters if parameter.place == "path"}
    if named != in_path:
        yield "path", f"has {sorted(named)}, and the path parameters are {sorted(map(str, in_path))}"
    yield from _faults_of_body(tool)
    if tool.deprecated != (tool.use_instead is not None):
        yield "use_instead", "is required for a deprecated tool and not allowed otherwise"
    for parameter in tool.parameters:
        for field, message in faults_of_parameter(parameter, tool):
            yield f"parameters.{parameter.name}.{field}", message


def _faults_of_body(tool: Tool) -> Iterator[Fault]:
    if tool.body is not None and tool.method in BODILESS_METHODS:
        yield "body", f"does not go with {tool.method}"
    if tool.body == "raw":
        if tool.content_type is None:
            yield "content_type", "is required for a raw body"
        if sum(parameter.place == "body" for parameter in tool.parameters) != 1:
            yield "body", "is raw, so exactly one parameter must be in the body"
    if sum(parameter.style == "members" for parameter in tool.parameters) > 1:
        yield "parameters", "can have only one of the style members"
    if tool.content_type is not None and (tool.body_kind is None or not _MEDIA_TYPE.fullmatch(tool.content_type)):
        yield "content_type", "must be a media type such as text/plain; charset=utf-8, for a tool with a body"
    elif tool.content_type is not None and tool.body_kind == "multipart":
        yield "content_type", "of a multipart body is made with its boundary"


def paging_faults(field: str, paging: Paging) -> Iterator[Fault]:
    """Contradictions in the paging of a service or a tool."""
    if paging.style == "cursor" and paging.next is None:
        yield f"{field}.next", "is required for the style cursor: the property that holds the next cursor"
    if paging.style == "offset" and paging.more is None and paging.total is None and paging.total_header is None:
        yield f"{field}.more", "or total is needed for the style offset"
    if paging.deepest is not None and paging.deepest < 1:
        yield f"{field}.deepest", "must be at least 1"


def field_of(entry: Any, location: tuple[int | str, ...]) -> str:
    """The field of a fault, with parameters by name: ``parameters.customer_id.wire_name``."""
    parts: list[str] = []
    value = entry
    for step in location:
        if not isinstance(value, dict | list):
            break  # the rest names the types that the value could have had
        try:
            value = value[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            value = None
        name = value.get("name") if isinstance(step, int) and isinstance(value, dict) else None
        parts.append(name if isinstance(name, str) else str(step))
    return ".".join(parts)
