"""Validates catalogue entries against their types and rules.

An invalid tool is left out, and the problem names the file, the tool and the field; all other tools are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError

from registry.catalog.model import BODILESS_METHODS, Tool
from registry.catalog.parameter_rules import Fault, faults_of_parameter
from registry.catalog.path_template import fault_of, placeholders
from registry.catalog.problems import UNFIT, CatalogProblem, unfit
from registry.catalog.reading import converted, in_words
from registry.catalog.service import Paging, Service

_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]+/[a-zA-Z0-9.+*-]+(; ?[a-z-]+=[A-Za-z0-9._-]+)*")


class _Group(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    tools: list[Any]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    groups: list[_Group]
    schema_: str = msgspec.field(name="$schema", default="")


def checked_file(content: Any, file: str, service: Service, problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The valid tools in a file with the groups of a toolkit; the errors in the rest of it are added to `problems`.

    Args:
        content: the file's content, as JSON values.
        file: its name in messages.
        service: the service that the tools belong to.
        problems: gets the errors.
    """
    try:
        groups = converted(content, _File).groups
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        place, rule = in_words(error) if isinstance(error, msgspec.ValidationError) else ("", UNFIT)
        problems.append(CatalogProblem(file, "", place.lstrip("."), rule))
        return
    for group in groups:
        shared = service.shared_by_tools | {"group": group.name}
        entries = [shared | entry if isinstance(entry, dict) else entry for entry in group.tools]
        yield from checked_tools(entries, file, service.hosts, problems)


def checked_tools(entries: Iterable[Any], file: str, hosts: Collection[str], problems: list[CatalogProblem]) -> Iterator[Tool]:
    """The valid tools of a service with some hosts; the errors of the others are added to `problems`.

    Args:
        entries: the tools, as in a file, with the fields that they share.
        file: the file's name in messages.
        hosts: the names of the service's hosts.
        problems: gets the errors.
    """
    for entry in entries:
        tool, found = checked(entry, _validator())
        faults = list(found if tool is None else _faults_of_tool(tool, hosts))
        name = entry.get("name") if isinstance(entry, dict) else None
        problems += [CatalogProblem(file, name if isinstance(name, str) else "", *fault) for fault in faults]
        if tool is not None and not faults:
            yield tool


def checked(entry: Any, validator: TypeAdapter[Any]) -> tuple[Any, list[Fault]]:
    """A JSON value as the validator's type, or None and what is wrong with it; unknown fields, often misspelt, first."""
    if (field := unfit(entry)) is not None:
        return None, [(field, UNFIT)]
    try:
        return validator.validate_json(json.dumps(entry)), []  # as JSON, because JSON has lists where the records have tuples
    except ValidationError as error:
        by_field: dict[str, list[str]] = {}
        for one in sorted(error.errors(), key=lambda one: one["type"] != _UNKNOWN):
            rule = {"missing": "is required", _UNKNOWN: "is not a field here"}.get(one["type"], one["msg"])
            rule = rule.replace("Input should be", "must be")
            by_field.setdefault(_field_of(entry, one["loc"]), []).append(rule)
        return None, [(field, ", or: ".join(dict.fromkeys(rules))) for field, rules in by_field.items()]


_UNKNOWN = "unexpected_keyword_argument"


@cache
def _validator() -> TypeAdapter[Tool]:
    """Cached: building it takes longer than checking dozens of tools."""
    return TypeAdapter(Tool)


def _field_of(entry: Any, location: tuple[int | str, ...]) -> str:
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


def _faults_of_tool(tool: Tool, hosts: Collection[str]) -> Iterator[Fault]:
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name):
        yield "name", "must be letters and digits, a capital first"
    for field in ("operation", "group", "summary"):
        if not getattr(tool, field):
            yield field, "must not be empty"
    if fault := fault_of(tool.path):
        yield "path", fault
    if tool.returns.paging is not None:
        yield from paging_faults("returns.paging", tool.returns.paging)
    if tool.host not in hosts:
        yield "host", f"must be one of the service's hosts: {', '.join(hosts)}"
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
