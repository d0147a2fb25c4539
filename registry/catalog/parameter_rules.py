"""The rules for a parameter's entry beyond its types, and for everything inside it; and its pattern as a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from registry.catalog.model import Parameter, Style, Tool

Fault = tuple[str, str]
"""A field, as a dotted path, and its error."""

PYTHON_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}
_NUMBERS = ("integer", "number")
_TYPES_WITH = {
    **dict.fromkeys(("minimum", "maximum", "above", "below"), _NUMBERS),
    **dict.fromkeys(("min_length", "max_length", "pattern"), ("string",)),
    **dict.fromkeys(("min_items", "max_items"), ("array",)),
    "enum": ("string", *_NUMBERS),
    "items": ("array", "object"),
}
"""The fields that only parameters of some types have."""
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_IN_QUERY: tuple[Style, ...] = ("repeat", "comma", "space", "pipe", "tab", "brackets", "pairs", "json")
STYLES_OF: dict[str, tuple[Style, ...]] = {
    "path": ("comma", "equals", "label", "label_repeat", "matrix", "matrix_repeat"),
    "query": _IN_QUERY,
    "body": (*_IN_QUERY, "members"),
    "header": ("comma", "equals"),
    "cookie": ("comma", "pairs", "repeat"),
}
"""How lists and objects may be sent, by place."""
LONGEST_PATTERN = 500
_DEEPEST = 12

# Headers with credentials, routing and framing belong to the connection and the transport, not to an argument.
_RESERVED = (
    "authorization connection content-encoding content-length content-type cookie expect host keep-alive proxy-authenticate "
    "proxy-authorization proxy-connection set-cookie te trailer transfer-encoding upgrade user-agent"
)
RESERVED_HEADERS = frozenset(_RESERVED.split())


def faults_of_parameter(parameter: Parameter, tool: Tool) -> Iterator[Fault]:
    """The errors of a tool's parameter."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", parameter.name):
        yield "name", "must be lower-case letters, digits and underscores"
    if not parameter.help:
        yield "help", "must not be empty"
    if parameter.place == "inside":
        yield "in", "must be path, query, header, cookie, body or local"
    if (parameter.wire_name is None) != (parameter.place == "local"):
        yield "wire_name", "is required unless the parameter is local, and not allowed otherwise"
    if parameter.wire_enum is not None and len(parameter.wire_enum) != len(parameter.enum or ()):
        yield "wire_enum", "must have one value for each value of enum"
    if parameter.default is not None and parameter.required:
        yield "default", "does not apply to a required parameter"
    elif parameter.default is not None and type(parameter.default) not in PYTHON_TYPES.get(parameter.type, ()):
        yield "default", f"must be of type {parameter.type}"
    if parameter.when_empty == "null":
        yield "when_empty", "can be null only for a property of an object: a parameter that is null is not given"
    if parameter.nullable and (parameter.place != "body" or tool.body_kind not in ("json", "raw")):
        yield "nullable", "can be true only in a JSON body"
    yield from _faults_of_place(parameter, tool)
    yield from _faults_of_type(parameter, 0)


def _faults_of_place(parameter: Parameter, tool: Tool) -> Iterator[Fault]:
    name = parameter.wire_name or ""
    if parameter.place in ("header", "cookie") and not TOKEN.fullmatch(name):
        yield "wire_name", f"must be a token of letters, digits and !#$%&'*+.^_`|~- in a {parameter.place}"
    if parameter.place == "header" and name.lower() in RESERVED_HEADERS:
        yield "wire_name", f"cannot be {name}: the account and the transport set it"
    own = (*(parameter.enum or ()), *(parameter.wire_enum or ()), parameter.default)
    if parameter.place in ("header", "cookie") and any(isinstance(one, str) and not _is_plain(one) for one in own):
        yield "enum", f"must be printable ASCII in a {parameter.place}, as wire_enum and default"
    if parameter.place in ("path", "header", "cookie"):
        if not all(map(_is_line, parameter.branches or (parameter,))):
            yield "type", f"must be a value of one line in a {parameter.place}"
        if parameter.type == "array" and parameter.place != "header" and parameter.style is None:
            yield "type", f"cannot be a list in a {parameter.place} without a style"
    if parameter.style is not None and parameter.style not in (styles := STYLES_OF.get(parameter.place, ())):
        yield "style", f"cannot be {parameter.style} here; in the {parameter.place} there are: {', '.join(styles)}"
    if parameter.style == "members" and (
        parameter.type not in ("object", "any")
        or tool.body_kind == "raw"
        or (parameter.type == "any" and tool.body_kind != "json")
    ):
        yield "style", "can be members only of an object, or in a JSON body of the type any"
    if not parameter.sends_no and (parameter.type != "boolean" or parameter.place == "path"):
        yield "sends_no", "can be false only for a boolean outside a path"
    if parameter.place == "path" and parameter.when_empty != "refuse":
        yield "when_empty", "must be refuse in a path: an empty segment is another path"
    if parameter.format == "file" and (parameter.place != "body" or tool.body_kind not in ("multipart", "raw")):
        yield "format", "can be file only in a multipart or raw body"
    if parameter.items is not None and parameter.items.format == "file" and tool.body_kind != "multipart":
        yield "items.format", "can be file only in a multipart body"
    if parameter.place == "body" and tool.body_kind is None:
        yield "in", f"cannot be body: a {tool.method} has one only where the tool declares `body`"


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _is_line(one: Parameter) -> bool:
    """Whether a value is text without line breaks: a scalar, or comma-separated scalars."""
    if one.type == "object" and one.style is not None:
        return all(map(_is_line, one.properties))
    return not one.is_structured and one.format not in ("file", "multiline")


def _faults_of_type(one: Parameter, depth: int) -> Iterator[Fault]:
    for field, types in _TYPES_WITH.items():
        if one.type not in types and getattr(one, field) is not None:
            yield field, f"does not belong to the type {one.type}"
    if one.type == "integer" and any(isinstance(bound, float) for bound in (one.minimum, one.maximum)):
        yield "minimum", "must be a whole number for an integer, as maximum"
    if one.pattern is not None and one.type == "string":
        try:
            matcher(one.pattern)
        except PatternError as error:
            yield "pattern", f"cannot be used: {error}"
    if one.properties and one.type != "object":
        yield "properties", "belong to an object"
    if one.open and (one.type != "object" or (one.items is not None and one.open == "properties")):
        yield "open", "belongs to an object; properties, to one without items"
    if (one.type == "one_of") != bool(one.branches):
        yield "branches", "are needed for one_of, and only there"
    names = [inner.name for inner in (*one.properties, *one.branches)]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"properties.{name}", "appears twice"
    inside = (*one.properties, *one.branches, *((one.items,) if one.items is not None else ()))
    if inside and depth >= _DEEPEST:
        yield "properties", f"are nested more than {_DEEPEST} deep"
        return
    for inner in inside:
        for field, message in (*_faults_of_inner(inner, one), *_faults_of_type(inner, depth + 1)):
            yield f"{inner.name}.{field}", message


def _faults_of_inner(inner: Parameter, outer: Parameter) -> Iterator[Fault]:
    if not inner.name or not inner.name.isprintable():
        yield "name", "must be text that can be read"
    if inner.place != "inside" or inner.role not in ("field", "id", "timestamp", "zone"):
        yield "in", "is not given inside another parameter, and of roles only id, timestamp and zone"
    for field in ("wire_name", "wire_enum", "wire_default", "default", "style"):
        if getattr(inner, field) is not None:
            yield field, "belongs to a parameter: inside one, values are as the service writes them"
    if inner.when_empty in ("null", "omit") and inner not in outer.properties:
        yield "when_empty", f"can be {inner.when_empty} only for a property of an object"
    if inner.required and inner not in outer.properties:
        yield "required", "belongs to the properties of an object"
    if inner.format == "unix-minute" or (inner.format == "file" and not (inner is outer.items and outer.style == "repeat")):
        yield "format", f"cannot be {inner.format} inside another parameter"


class PatternError(ValueError):
    """A regular expression that cannot be compiled; the text says why."""


@cache
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that returns whether a text matches somewhere. Look-around and back references are not supported.

    Raises:
        PatternError: the pattern is invalid, or too large when compiled.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"it has more than {LONGEST_PATTERN} characters")
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # only toolkits from elsewhere have patterns

    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))
    except SchemaError as error:
        raise PatternError(str(error).strip().splitlines()[-1].strip()) from None
    return lambda text: validator.isinstance_python(text)
