"""The arguments in a request that was sent: the inverse of `registry.calling.request`.

Values are parsed in the usual styles: lists repeated, with brackets or with commas, nested objects with brackets, bodies as
JSON or forms. Parts of the request that the tool does not take are listed; nothing is guessed. Cookies, files and multipart
forms are ignored.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote

from registry.calling.arguments import is_whole
from registry.calling.bodies import text_of
from registry.calling.values import from_text
from registry.catalog.model import SCALARS, Parameter, Tool
from registry.json_text import NULL, NUMBER, Exact, read_typed

Pairs = list[tuple[str, str]]

_KEYS = re.compile(r"\[([^\[\]]*)\]")


def sent_arguments(
    tool: Tool, path: Mapping[str, str], query: Pairs, headers: Mapping[str, str], body: str | None
) -> tuple[dict[str, object], list[str]]:
    """The arguments, as a form takes them, and the names of parts that the tool does not take.

    Args:
        tool: the tool that makes the request.
        path: the values of the path's placeholders, percent-encoded.
        query: the pairs of the query, without credentials.
        headers: by lower-case name, without credentials.
        body: the body as text; None without one.
    """
    left = [pair for pair in query if pair not in (*tool.fixed_query, *tool.optional_query)]
    found: dict[str, object] = {}
    for parameter in tool.parameters:
        name = parameter.wire_name or ""
        match parameter.place:
            case "path" if name in path:
                found[parameter.name] = _in_line(parameter, path[name], unquote)
            case "query":
                found[parameter.name] = _taken(parameter, left, tool)
            case "header" if name.lower() in headers:
                found[parameter.name] = _in_line(parameter, headers[name.lower()], str.strip)
    names = [*(name for name, _ in left), *_read_body(tool, body, found)]
    return {name: value for name, value in found.items() if value is not None}, list(dict.fromkeys(names))


def _in_line(parameter: Parameter, text: str, plain: Callable[[str], str]) -> object:
    """A value in a path or a header."""
    if parameter.type == "object" or parameter.style not in (None, "comma"):
        return None
    if parameter.type == "array":
        return _typed(parameter, [plain(one) for one in text.split(",")])
    return _spoken(parameter, plain(text))


def _read_body(tool: Tool, body: str | None, found: dict[str, object]) -> list[str]:
    """Add the arguments in a body to `found`; returns the names of the other parts of the body."""
    rest = next((one for one in tool.parameters if one.style == "members"), None)
    inside = [one for one in tool.parameters if one.place == "body" and one is not rest]
    members = _json(body)
    if tool.body_kind == "raw" and inside:
        found[inside[0].name] = members if inside[0].is_structured else body
    elif isinstance(members, dict):
        found |= {one.name: _as_field(one, members.pop(one.wire_name)) for one in inside if one.wire_name in members}
        if rest is None:
            return [*members]
        found[rest.name] = members or None
    elif rest is not None and body and is_whole(rest, from_text(rest, body)):
        found[rest.name] = from_text(rest, body)
    else:
        pairs = parse_qsl(body or "", keep_blank_values=True)
        found |= {one.name: _taken(one, pairs, tool) for one in inside}
        return [name for name, _ in pairs]
    return []


def _taken(parameter: Parameter, pairs: Pairs, tool: Tool) -> object:
    """The value of a parameter in pairs, whose own pairs are removed; None if there are none."""
    bare = (parameter.wire_name or "").removesuffix("[]")
    taken = [pair for pair in pairs if pair[0] == bare or pair[0].startswith(f"{bare}[")]
    if not taken:
        return None
    pairs[:] = [pair for pair in pairs if pair not in taken]
    own = [(name[len(bare) :], text) for name, text in taken]
    texts = [text for path, text in own if re.fullmatch(r"(\[\d*\])?", path)]
    if parameter.type in SCALARS:
        return _spoken(parameter, texts[-1]) if texts else None
    if len(texts) < len(own):
        return _typed(parameter, _tree(own))
    if len(texts) == 1 and (parameter.is_structured or parameter.style == "json") and (whole := _json(texts[0])) is not None:
        return _as_field(parameter, whole)
    if parameter.type != "array":
        return _typed(parameter, texts[0])
    with_commas = parameter.style == "comma" or (not parameter.style and tool.arrays == "comma" and not parameter.is_structured)
    parts = texts[0].split(",") if with_commas and len(texts) == 1 else texts
    return _typed(parameter, [] if parts == [""] else parts)


def _tree(pairs: Pairs) -> Any:
    """``[a][b]`` → value as nested objects; ``[]`` and numbers stay names until the types show the lists."""
    root: dict[str, Any] = {}
    for path, value in pairs:
        *outer, last = _KEYS.findall(path) or [""]
        here = root
        for key in outer:
            inner = here.setdefault(key, {})
            here = inner if isinstance(inner, dict) else {}
        here[last or str(len(here))] = value
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
    return [text_of(one) for one in value] if isinstance(value, list) else _spoken(parameter, text_of(value))


def _typed(parameter: Parameter, value: Any) -> object:
    """Text from pairs as the JSON values of a structured parameter; lists of scalars stay text."""
    if parameter.is_structured:
        return _inside(parameter, value)
    return _as_field(parameter, [*value.values()] if isinstance(value, dict) else value)


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


def _json(text: str | None) -> Any:
    """The JSON value in a text; None if it is not JSON."""
    try:
        return read_typed(text) if text else None
    except ValueError:
        return None
