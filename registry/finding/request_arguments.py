"""The arguments with which a tool makes a given request: the inverse of `registry.calling.request`.

Values are parsed in the styles that `registry.calling.styles` writes. Parts of the request that the tool does not take are
listed; nothing is guessed. Cookies, and the header or pair with the credential, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote

from registry.calling.values import from_text
from registry.calling.whole_body import is_whole, rest_of
from registry.catalog.model import SCALARS, Parameter, Tool
from registry.finding.curl_command import CurlCommand
from registry.json_text.reading import read_typed
from registry.json_text.values import NULL, NUMBER, Exact, is_text

Pairs = list[tuple[str, str]]

_BETWEEN = {"comma": ",", "space": " ", "pipe": "|", "tab": "\t"}
_KEYS = re.compile(r"\[([^\[\]]*)\]")
_MOST_ITEMS = 1_000


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
                value = _in_path(parameter, path[name])
            case "query":
                value = _taken(parameter, left, tool)
            case "header" if name.lower() in sent.headers and name.lower() not in credentials:
                value = _in_header(parameter, sent.headers[name.lower()])
        if value is not None:
            found[parameter.name] = value
    left += _read_body(tool, sent, found)
    return found, list(dict.fromkeys(name for name, _ in left))


def _read_body(tool: Tool, sent: CurlCommand, found: dict[str, object]) -> Pairs:
    """Add the arguments in a body to `found`; returns the rest of the body."""
    rest = rest_of(tool)
    inside = [one for one in tool.parameters if one.place == "body" and one is not rest]
    if tool.body_kind == "raw" and inside:
        whole = sent.file or sent.body
        value = _json(whole) if whole and inside[0].is_structured and not sent.file else whole
        if value is not None:
            found[inside[0].name] = value
        return []
    members = _json(sent.body) if sent.body is not None else None
    if isinstance(members, dict):
        others: dict[str, object] = {}
        for name, value in members.items():
            parameter = next((one for one in inside if one.wire_name == name), None)
            if parameter is None:
                others[name] = value
            elif (taken := _as_field(parameter, value)) is not None:
                found[parameter.name] = taken
        if rest is not None and others:
            found[rest.name] = others
        return [] if rest is not None else [(name, "") for name in others]
    if rest is not None and sent.body and is_whole(tool, {rest.name: from_text(rest, sent.body)}):
        found[rest.name] = from_text(rest, sent.body)
        return []
    pairs = [*parse_qsl(sent.body or "", keep_blank_values=True), *sent.form]
    for parameter in inside:
        value = _taken(parameter, pairs, tool)
        is_file = parameter.format == "file" or (parameter.items is not None and parameter.items.format == "file")
        if value is not None:
            texts = value if isinstance(value, list) else [value]
            plain = [one.removeprefix("@") if is_file and isinstance(one, str) else one for one in texts]
            found[parameter.name] = plain if isinstance(value, list) else plain[0]
    if rest is not None and tool.body_kind != "json" and (more := _without_parameter(pairs)):
        found[rest.name] = more
    return pairs


def _without_parameter(pairs: Pairs) -> dict[str, object]:
    """The fields of a form without a parameter, removed from the pairs; files and nested fields stay."""
    own = [pair for pair in pairs if "[" not in pair[0] and not pair[1].startswith("@")]
    _remove(pairs, own)
    found: dict[str, object] = {}
    for name, value in own:
        before = found.get(name)
        found[name] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
    return found


def _taken(parameter: Parameter, pairs: Pairs, tool: Tool) -> object:
    """The value of a parameter in pairs, whose own pairs are removed; None if there are none."""
    bare = (parameter.wire_name or "").removesuffix("[]")
    own = [pair for pair in pairs if pair[0] in (bare, f"{bare}[]") or pair[0].startswith(f"{bare}[")]
    if not own and parameter.type == "object" and parameter.style in ("pairs", "repeat"):
        own = [pair for pair in pairs if any(one.name == pair[0] for one in parameter.properties)]
        if own:
            _remove(pairs, own)
            return _typed(parameter, dict(own))
    if not own:
        return None
    _remove(pairs, own)
    texts = [value for name, value in own if name in (bare, f"{bare}[]") or re.fullmatch(r"\[\d*\]", name[len(bare) :])]
    if parameter.type in SCALARS:
        return _spoken(parameter, texts[-1]) if texts else None
    between = _BETWEEN.get(parameter.style or ("comma" if tool.arrays == "comma" and not parameter.is_structured else ""))
    if parameter.type == "array" and len(texts) == len(own):
        whole = _json(texts[0]) if parameter.style == "json" or (parameter.is_structured and len(texts) == 1) else None
        if isinstance(whole, list):
            return _as_field(parameter, whole)
        parts = texts[0].split(between) if between is not None and len(texts) == 1 else texts
        return _typed(parameter, [] if parts == [""] else parts)
    if len(texts) < len(own):
        return _typed(parameter, _tree([(name[len(bare) :], value) for name, value in own]))
    if between is not None and parameter.type == "object" and not texts[0].startswith("{"):
        return _typed(parameter, _alternating(texts[0].split(between)))
    whole = _json(texts[0])
    return _typed(parameter, texts[0] if len(texts) == 1 else texts) if whole is None else _as_field(parameter, whole)


def _remove(pairs: Pairs, gone: Sequence[tuple[str, str]]) -> None:
    for pair in gone:
        pairs.remove(pair)


def _tree(pairs: Pairs) -> Any:
    """``[a][b]`` → value as nested objects; ``[]`` and numbers stay names until the types show the lists."""
    root: dict[str, Any] = {}
    for path, value in pairs:
        keys = _KEYS.findall(path) or [""]
        here = root
        for key in keys[:-1]:
            inner = here.setdefault(key, {})
            here = inner if isinstance(inner, dict) else {}
        last = keys[-1] or str(len(here))
        here[last] = value
    return root


def _in_path(parameter: Parameter, text: str) -> object:
    style, name = parameter.style, parameter.wire_name or ""
    if style is None:
        return _spoken(parameter, unquote(text))
    rest = text[1:] if style.startswith(("label", "matrix")) else text
    between = {"label_repeat": ".", "matrix_repeat": ";"}.get(style, ",")
    if style.startswith("matrix") and (style == "matrix" or parameter.type not in ("object", "one_of", "any")):
        rest = rest.replace(f"{name}=", "", 1) if style == "matrix" else rest.replace(f"{name}=", "")
    parts = rest.split(between)
    if parameter.type == "object":
        named = style in ("equals", "label_repeat", "matrix_repeat")
        return _typed(parameter, _named(parts, unquote) if named else _alternating([unquote(one) for one in parts]))
    if parameter.type == "array":
        return _typed(parameter, [unquote(one) for one in parts])
    return _spoken(parameter, unquote(rest))


def _in_header(parameter: Parameter, text: str) -> object:
    parts = [one.strip() for one in text.split(",")]
    if parameter.type == "object":
        return _typed(parameter, _named(parts, str) if parameter.style == "equals" else _alternating(parts))
    return _typed(parameter, parts) if parameter.type == "array" else _spoken(parameter, text)


def _named(parts: Sequence[str], plain: Callable[[str], str]) -> dict[str, str]:
    return {plain(name): plain(value) for name, _, value in (one.partition("=") for one in parts)}


def _alternating(parts: Sequence[str]) -> dict[str, str]:
    return dict(zip(parts[::2], parts[1::2], strict=False))


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
    if not parameter.is_structured:
        if isinstance(value, dict):
            value = list(value.values())
        return [_text(one) for one in value] if isinstance(value, list) else value
    return _inside(parameter, value)


def _inside(parameter: Parameter | None, value: Any) -> Any:
    if parameter is None:
        return value
    if parameter.type == "one_of":
        return _inside(next((one for one in parameter.branches if _may_be(one, value)), None), value)
    if isinstance(value, dict) and parameter.type == "array":
        value = list(value.values())[:_MOST_ITEMS]
    if isinstance(value, dict):
        return {name: _inside(parameter.property_named(name), one) for name, one in value.items()}
    if isinstance(value, list):
        return [_inside(parameter.items, one) for one in value]
    if not is_text(value):
        return value
    if parameter.type in ("integer", "number") and NUMBER.fullmatch(value):
        return Exact(value)
    if parameter.type == "boolean" and value in ("true", "false"):
        return value == "true"
    if parameter.type in ("object", "array", "any"):
        found = _json(value)
        return value if found is None else found
    return value


def _may_be(branch: Parameter, value: Any) -> bool:
    if isinstance(value, dict):
        names = {one.name for one in branch.properties}
        return branch.type == "object" and (branch.items is not None or not names or bool(names & value.keys()))
    if isinstance(value, list):
        return branch.type == "array"
    if branch.type in ("integer", "number"):
        return bool(NUMBER.fullmatch(str(value)))
    if branch.type == "boolean":
        return value in ("true", "false")
    return branch.type == "string"


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _json(text: str | None) -> Any:
    """The JSON value in a text; None if it is not JSON."""
    try:
        return read_typed(text) if text else None
    except ValueError:
        return None
