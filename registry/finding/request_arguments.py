"""The arguments with which a tool makes a given request: the inverse of `registry.calling.request`.

Values are parsed in the usual styles: lists repeated, with brackets or with commas, nested objects with brackets, bodies as
JSON or forms. Parts of the request that the tool does not take are listed; nothing is guessed. Cookies, and credentials in
headers and pairs, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, unquote

from registry.calling.arguments import is_whole, rest_of
from registry.calling.values import from_text
from registry.catalog.model import SCALARS, Parameter, Tool
from registry.finding.curl_command import CurlCommand
from registry.json_text.reading import read_typed
from registry.json_text.values import NULL, NUMBER, Exact

Pairs = list[tuple[str, str]]

_KEYS = re.compile(r"\[([^\[\]]*)\]")


def arguments_of(
    tool: Tool, path: dict[str, str], query: Pairs, sent: CurlCommand, credentials: frozenset[str]
) -> tuple[dict[str, object], list[str]]:
    """The arguments, as a form takes them, and the names of parts that the tool does not take.

    Args:
        tool: the tool that makes the request.
        path: the values of the path's placeholders, percent-encoded.
        query: the pairs of the query.
        sent: headers and body.
        credentials: the names of headers and pairs with credentials, in lower case.
    """
    found: dict[str, object] = {}
    left = [pair for pair in query if pair not in tool.fixed_query and pair[0].lower() not in credentials]
    for parameter in tool.parameters:
        name, value = parameter.wire_name or "", None
        match parameter.place:
            case "path" if name in path:
                value = _in_line(parameter, path[name], unquote)
            case "query":
                value = _taken(parameter, left, tool)
            case "header" if name.lower() in sent.headers and name.lower() not in credentials:
                value = _in_line(parameter, sent.headers[name.lower()], str.strip)
        if value is not None:
            found[parameter.name] = value
    left += _read_body(tool, sent, found)
    return found, list(dict.fromkeys(name for name, _ in left))


def _in_line(parameter: Parameter, text: str, plain: Callable[[str], str]) -> object:
    """A value in a path or a header."""
    if parameter.type == "object" or parameter.style not in (None, "comma"):
        return None
    if parameter.type == "array":
        return _typed(parameter, [plain(one) for one in text.split(",")])
    return _spoken(parameter, plain(text))


def _read_body(tool: Tool, sent: CurlCommand, found: dict[str, object]) -> Pairs:
    """Add the arguments in a body to `found`; returns the rest of the body."""
    rest = rest_of(tool)
    inside = [one for one in tool.parameters if one.place == "body" and one is not rest]
    if tool.body_kind == "raw" and inside:
        value = _json(sent.body) if inside[0].is_structured else sent.body
        if value is not None:
            found[inside[0].name] = value
        return []
    members = _json(sent.body)
    if isinstance(members, dict):
        for parameter in inside:
            if parameter.wire_name in members and (taken := _as_field(parameter, members.pop(parameter.wire_name))) is not None:
                found[parameter.name] = taken
        if rest is not None and members:
            found[rest.name] = members
        return [] if rest is not None else [(name, "") for name in members]
    if rest is not None and sent.body and is_whole(tool, {rest.name: from_text(rest, sent.body)}):
        found[rest.name] = from_text(rest, sent.body)
        return []
    pairs = parse_qsl(sent.body or "", keep_blank_values=True)
    for parameter in inside:
        if (value := _taken(parameter, pairs, tool)) is not None:
            found[parameter.name] = value
    return pairs


def _taken(parameter: Parameter, pairs: Pairs, tool: Tool) -> object:
    """The value of a parameter in pairs, whose own pairs are removed; None if there are none."""
    bare = (parameter.wire_name or "").removesuffix("[]")
    own = [pair for pair in pairs if pair[0] in (bare, f"{bare}[]") or pair[0].startswith(f"{bare}[")]
    if not own:
        return None
    for pair in own:
        pairs.remove(pair)
    texts = [value for name, value in own if name in (bare, f"{bare}[]") or re.fullmatch(r"\[\d*\]", name[len(bare) :])]
    if parameter.type in SCALARS:
        return _spoken(parameter, texts[-1]) if texts else None
    if len(texts) < len(own):
        return _typed(parameter, _tree([(name[len(bare) :], value) for name, value in own]))
    if len(texts) == 1 and (parameter.is_structured or parameter.style == "json") and (whole := _json(texts[0])) is not None:
        return _as_field(parameter, whole)
    with_commas = parameter.style == "comma" or (not parameter.style and tool.arrays == "comma" and not parameter.is_structured)
    parts = texts[0].split(",") if with_commas and len(texts) == 1 else texts
    if parameter.type == "array":
        return _typed(parameter, [] if parts == [""] else parts)
    return _typed(parameter, texts[0])


def _tree(pairs: Pairs) -> Any:
    """``[a][b]`` → value as nested objects; ``[]`` and numbers stay names until the types show the lists."""
    root: dict[str, Any] = {}
    for path, value in pairs:
        keys = _KEYS.findall(path) or [""]
        here = root
        for key in keys[:-1]:
            inner = here.setdefault(key, {})
            here = inner if isinstance(inner, dict) else {}
        here[keys[-1] or str(len(here))] = value
    return root


def _spoken(parameter: Parameter, text: str) -> str:
    """A value as callers write it, if the service writes it differently."""
    return dict(zip(parameter.wire_enum or (), parameter.enum or (), strict=False)).get(text, text)


def _as_field(parameter: Parameter, value: Any) -> object:
    """A JSON value in the form of the parameter's field; None for null if the parameter does not take it."""
    if value is None:
        return NULL if parameter.nullable else None
    if parameter.is_structured:
        return value
    if isinstance(value, list):
        return [_text(one) for one in value]
    return _spoken(parameter, _text(value))


def _typed(parameter: Parameter, value: Any) -> Any:
    """Text from pairs as the JSON values of a structured parameter; lists of scalars stay text."""
    if parameter.is_structured:
        return _inside(parameter, value)
    items = [*value.values()] if isinstance(value, dict) else value
    return [_text(one) for one in items] if isinstance(items, list) else items


def _inside(parameter: Parameter | None, value: Any) -> Any:
    if parameter is None:
        return value
    if parameter.type == "array" and isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, dict):
        return {name: _inside(parameter.property_named(name), one) for name, one in value.items()}
    if isinstance(value, list):
        return [_inside(parameter.items, one) for one in value]
    if parameter.type in ("integer", "number") and NUMBER.fullmatch(value):
        return Exact(value)
    if parameter.type == "boolean" and value in ("true", "false"):
        return value == "true"
    whole = _json(value) if parameter.type in ("object", "array", "any") else None
    return value if whole is None else whole


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _json(text: str | None) -> Any:
    """The JSON value in a text; None if it is not JSON."""
    try:
        return read_typed(text) if text else None
    except ValueError:
        return None
