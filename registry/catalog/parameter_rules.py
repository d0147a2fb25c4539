"""The rules for a parameter's entry beyond its types, and for everything inside it."""

import re
from collections.abc import Iterator

from registry.catalog.model import Parameter, Style, Tool, matcher

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
    "part": ("comma", "equals"),
    "cookie": ("comma", "pairs", "repeat"),
}
"""How lists and objects may be sent, by place."""
_DEEPEST = 12

# Headers with credentials, routing and framing belong to the connection and the transport, not to an argument.
_RESERVED = (
    "authorization connection content-encoding content-length content-type cookie expect host keep-alive proxy-authenticate "
    "proxy-authorization proxy-connection set-cookie te trailer transfer-encoding upgrade user-agent"
)
RESERVED_HEADERS = frozenset(_RESERVED.split())


def broken(*rules: tuple[str, object, str]) -> Iterator[Fault]:
    """The faults among rules: field, whether its rule is broken, and the rule."""
    return ((field, rule) for field, is_broken, rule in rules if is_broken)


def faults_of_parameter(one: Parameter, tool: Tool) -> Iterator[Fault]:
    """The errors of a tool's parameter."""
    place, kind, name, default = one.place, tool.body_kind, one.wire_name or "", one.default
    in_head, in_path, given = place in ("header", "cookie", "part"), place == "path", default is not None
    own = [text for text in (*(one.enum or ()), *(one.wire_enum or ()), default) if isinstance(text, str)]
    is_plain = all(text.isascii() and text.isprintable() for text in own)
    of_items = one.items.format if one.items is not None else None
    styles = STYLES_OF.get(place, ())
    not_members = one.type not in ("object", "any") or kind == "raw" or (one.type == "any" and kind != "json")
    can_be_null, can_be_file = place == "body" and kind in ("json", "raw"), place == "body" and kind in ("multipart", "raw")
    yield from broken(
        ("name", not re.fullmatch(r"[a-z][a-z0-9_]*", one.name), "must be lower-case letters, digits and underscores"),
        ("help", not one.help and not tool.exact, "must not be empty"),  # a user's document may say nothing of it
        ("in", place == "inside", "must be path, query, header, cookie, body, part or local"),
        ("part", (place == "part") != (one.part is not None), "is the part that a header belongs to, and only there"),
        ("in", place == "part" and kind != "multipart", "can be part only for a multipart body"),
        ("in", place == "body" and kind is None, f"cannot be body: {tool.method} has one only if the tool declares `body`"),
        ("wire_name", (one.wire_name is None) != (place == "local"), "is required unless the parameter is local"),
        ("wire_name", in_head and not TOKEN.fullmatch(name), f"must be a token (RFC 9110, 5.6.2) in a {place}"),
        ("wire_name", place == "header" and name.lower() in RESERVED_HEADERS, f"cannot be {name}: the account sets it"),
        ("wire_enum", one.wire_enum and len(one.wire_enum) != len(one.enum or ()), "must have a value for each of enum"),
        ("enum", in_head and not is_plain, f"must be printable ASCII in a {place}, as wire_enum and default"),
        ("default", given and one.required, "does not apply to a required parameter"),
        ("default", given and type(default) not in PYTHON_TYPES.get(one.type, ()), f"must be of type {one.type}"),
        ("when_empty", one.when_empty == "null", "can be null only for a property of an object"),
        ("when_empty", in_path and one.when_empty != "refuse", "must be refuse in a path: an empty segment is another path"),
        ("nullable", one.nullable and not can_be_null, "can be true only in a JSON body"),
        ("type", (in_head or in_path) and not _is_line(one), f"must be a value of one line in a {place}"),
        ("type", one.type == "array" and not one.style and place in ("path", "cookie"), f"needs a style in a {place}"),
        ("style", one.style and one.style not in styles, f"cannot be {one.style} in the {place}; can be: {', '.join(styles)}"),
        ("style", one.style == "members" and not_members, "can be members only of an object, or of any in a JSON body"),
        ("sends_no", not one.sends_no and (one.type != "boolean" or in_path), "can be false only for a boolean, not in a path"),
        ("format", one.format == "file" and not can_be_file, "can be file only in a multipart or raw body"),
        ("items.format", of_items == "file" and kind != "multipart", "can be file only in a multipart body"),
    )
    yield from _faults_of_type(one, 0)


def _is_line(one: Parameter) -> bool:
    """Whether a value is text without line breaks: a scalar, or scalars in a style, or one of several such values."""
    if one.branches or (one.type == "object" and one.style is not None):
        return all(map(_is_line, one.branches or one.properties))
    return not one.is_structured and one.format not in ("file", "multiline")


def _faults_of_type(one: Parameter, depth: int) -> Iterator[Fault]:
    inside = (*one.properties, *one.branches, *((one.items,) if one.items is not None else ()))
    names = [inner.name for inner in (*one.properties, *one.branches)]
    wrong_types = [name for name, types in _TYPES_WITH.items() if one.type not in types and getattr(one, name) is not None]
    has_fraction = one.type == "integer" and any(isinstance(bound, float) for bound in (one.minimum, one.maximum))
    is_closed = one.type != "object" or (one.items is not None and one.open == "properties")
    pattern = ""
    if one.pattern is not None and one.type == "string":
        try:
            matcher(one.pattern)
        except ValueError as error:
            pattern = str(error)
    is_too_deep = bool(inside) and depth >= _DEEPEST
    yield from broken(
        *((name, True, f"does not belong to the type {one.type}") for name in wrong_types),
        ("minimum", has_fraction, "must be a whole number for an integer, as maximum"),
        ("pattern", pattern, f"cannot be used: {pattern}"),
        ("properties", one.properties and one.type != "object", "belong to an object"),
        ("open", one.open and is_closed, "belongs to an object; properties, to one without items"),
        ("branches", (one.type == "one_of") != bool(one.branches), "are needed for one_of, and only there"),
        *((f"properties.{name}", names.count(name) > 1, "appears twice") for name in sorted(set(names))),
        ("properties", is_too_deep, f"are nested more than {_DEEPEST} deep"),
    )
    for inner in () if is_too_deep else inside:
        for field, message in (*_faults_of_inner(inner, one), *_faults_of_type(inner, depth + 1)):
            yield f"{inner.name}.{field}", message


def _faults_of_inner(inner: Parameter, outer: Parameter) -> Iterator[Fault]:
    """The errors of a property, an item or a branch: inside a parameter, values are as the service writes them."""
    when, is_property = inner.when_empty, inner in outer.properties
    is_file_of_list = inner is outer.items and outer.style == "repeat"
    not_inside = inner.format == "unix-minute" or (inner.format == "file" and not is_file_of_list)
    has_role = inner.role in ("field", "id", "timestamp", "zone")
    own = [name for name in ("wire_name", "wire_enum", "wire_default", "default", "style") if getattr(inner, name) is not None]
    return broken(
        ("name", not inner.name or not inner.name.isprintable(), "must be text that can be read"),
        ("in", inner.place != "inside", "is not given inside another parameter"),
        ("role", not has_role, "can be only id, timestamp or zone inside another parameter"),
        *((name, True, "belongs to a parameter, not to what is inside one") for name in own),
        ("when_empty", when in ("null", "omit") and not is_property, f"can be {when} only for a property of an object"),
        ("required", inner.required and not is_property, "belongs to the properties of an object"),
        ("format", not_inside, f"cannot be {inner.format} inside another parameter"),
    )
