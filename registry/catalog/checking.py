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
from registry.catalog.parameter_rules import Fault, broken, faults_of_parameter
from registry.catalog.patterns import fault_of, placeholders
from registry.catalog.reading import UNFIT, CatalogProblem, converted, in_words, unfit
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
    names = [parameter.name for parameter in tool.parameters]
    named, in_path = set(placeholders(tool.path)), {str(one.wire_name) for one in tool.parameters if one.place == "path"}
    in_body = sum(parameter.place == "body" for parameter in tool.parameters)
    members = sum(parameter.style == "members" for parameter in tool.parameters)
    media, kind, paging = tool.content_type, tool.body_kind, tool.returns.paging
    is_media = media is None or (kind is not None and _MEDIA_TYPE.fullmatch(media))
    fault = fault_of(tool.path)
    yield from broken(
        ("name", not re.fullmatch(r"[A-Z][A-Za-z0-9]*", tool.name), "must be letters and digits, a capital first"),
        *((field, not getattr(tool, field), "must not be empty") for field in ("operation", "group", "summary")),
        ("path", fault, fault),
        ("path", named != in_path, f"has {sorted(named)}, and the path parameters are {sorted(in_path)}"),
        ("host", tool.host not in hosts, f"must be one of the service's hosts: {', '.join(hosts)}"),
        *((f"parameters.{name}", names.count(name) > 1, "appears twice") for name in sorted(set(names))),
        ("parameters", members > 1, "can have only one of the style members"),
        ("body", tool.body is not None and tool.method in BODILESS_METHODS, f"does not go with {tool.method}"),
        ("body", tool.body == "raw" and in_body != 1, "is raw, so exactly one parameter must be in the body"),
        ("content_type", tool.body == "raw" and media is None, "is required for a raw body"),
        ("content_type", not is_media, "must be a media type such as text/plain; charset=utf-8, for a tool with a body"),
        ("content_type", media is not None and kind == "multipart", "of a multipart body is made with its boundary"),
        ("use_instead", tool.deprecated != (tool.use_instead is not None), "is required for a deprecated tool, and only there"),
    )
    if paging is not None:
        yield from paging_faults("returns.paging", paging)
    for parameter in tool.parameters:
        for field, message in faults_of_parameter(parameter, tool):
            yield f"parameters.{parameter.name}.{field}", message


def paging_faults(field: str, paging: Paging) -> Iterator[Fault]:
    """Contradictions in the paging of a service or a tool."""
    counts = paging.more is not None or paging.total is not None or paging.total_header is not None
    is_cursor, is_offset = paging.style == "cursor", paging.style == "offset"
    return broken(
        (f"{field}.next", is_cursor and paging.next is None, "is required for the style cursor: where the next cursor is"),
        (f"{field}.more", is_offset and not counts, "or total is needed for the style offset"),
        (f"{field}.deepest", paging.deepest is not None and paging.deepest < 1, "must be at least 1"),
    )
