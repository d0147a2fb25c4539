"""Schemas as shapes: the possible values, with ``allOf`` merged, null separate, and ``oneOf`` and ``anyOf`` as branches.

A schema is a tuple of nodes that all apply. So a merge copies nothing, and a property that two of them declare is merged when
it is read.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct, field

from registry.catalog.model import SCALARS
from registry.openapi.document import Node, Omit, fits, plain, short, unique

Schema = tuple[Node, ...]
Content = dict[str, tuple[Node, Schema]]
"""By media type, the node that describes a parameter, a body or a response, and its schema."""

_MOST_LAYERS, _MOST_BRANCHES = 60, 40
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null", "file")
_TYPE_OF = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array", dict: "object"}
_KEYS_OF: dict[str, tuple[str, ...]] = {
    "object": ("properties", "additionalProperties", "patternProperties", "minProperties", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_SAYS_NOTHING = {"required", "not", "description", "title", "example", "examples", "default", "nullable", "deprecated"}
_ONLY_CHOOSES = {"oneOf", "anyOf", "discriminator", "description", "title", "nullable", "example"}
_WORDS = {"string": "text", "integer": "number", "boolean": "yes or no", "array": "list"}


class Branch(Struct):
    """One of the alternatives of a value, with the `only` one of its types that applies, and the discriminator's value."""

    label: str
    schema: Schema
    only: str = ""
    mark: tuple[str, str] | None = None


class Shape(Struct):
    """The possible values of a schema.

    Attributes:
        type: ``string``, ``integer``, ``number``, ``boolean``, ``array``, ``object``, ``one_of`` or ``any``; ``file`` for the
            content of one, ``multiline`` for text in a format that nothing here writes.
        facts: its keywords as they are, by name; numbers are finite.
        typed: the type is declared, or there is none; False: the type is inferred from keywords.
        nullable: null is one of the values.
        takes_empty: the empty text is one of the values.
        properties: the schema of each property, by name.
        required: by name of a required property, the schemas that require it.
        more: the schema of properties with other names; None without one, an empty schema for anything.
        closed: properties with other names are forbidden.
        items: the schema of a list's items; empty for anything.
        enum: the only values.
        suggestions: known values, if others are allowed as well.
        branches: the branches of ``one_of``.
        name: the schema's name in the document; empty without one.
    """

    type: str
    facts: dict[str, Any] = field(default_factory=dict)
    typed: bool = True
    nullable: bool = False
    takes_empty: bool = False
    properties: dict[str, Schema] = field(default_factory=dict)
    required: dict[str, list[Node]] = field(default_factory=dict)
    more: Schema | None = None
    closed: bool = False
    items: Schema = ()
    enum: list[Any] | None = None
    suggestions: list[Any] | None = None
    branches: list[Branch] = field(default_factory=list)
    name: str = ""


def shape_of(schema: Schema, only: str = "") -> Shape:
    """The shape of a schema; `only`: the type to use if it has several.

    Raises:
        DocumentRefused: a reference in it leads nowhere.
    """
    layers = list(_layers(schema))
    shape = _merged(layers, only)
    branches = _branches(layers, shape)
    if branches and _scalar_of(shape, branches):
        return shape
    if len(branches) == 1:
        plain = tuple(layer.as_plain() for layer in layers)
        inner = shape_of((*plain, *branches[0].schema), branches[0].only)
        inner.nullable |= shape.nullable
        inner.takes_empty |= shape.takes_empty
        inner.facts = inner.facts | shape.facts
        return inner
    if branches:
        plain = tuple(layer.as_plain() for layer in layers if layer.value.keys() - _ONLY_CHOOSES)
        shape.type = "one_of"
        shape.branches = [
            Branch(one.label, (*plain, *one.schema), one.only, one.mark) for one in _labelled(branches)[:_MOST_BRANCHES]
        ]
    return shape


def content_of(place: Node, types: Iterable[Any]) -> Content:
    """What a parameter, a body or a response contains; without ``content`` it has one schema for all of some types."""
    described = {child.key: child.resolved() for child in place.named("content") if "/" in child.key}
    if not described and place.child("schema") is not None:
        described = {one: place for one in types if isinstance(one, str)}
    content = {one: node for one, node in described.items() if isinstance(node.value, dict)}
    schemas = {one: node.child("itemSchema") or node.child("schema") for one, node in content.items()}
    return {one: (node, (schema,) if (schema := schemas[one]) is not None else ()) for one, node in content.items()}


def words_for(shape: Shape) -> str:
    """A value's description, or its title."""
    return plain(shape.facts.get("description")) or plain(shape.facts.get("title"), 100)


def sendable(shape: Shape, omit: Omit) -> Iterator[tuple[str, Schema, Shape]]:
    """The properties that a request may have, required ones first: not those of responses alone, or with unusable names.

    What is read-only is required of responses alone; it is left in where a schema that requires it does not call it so.
    A reference to an object may require an ``id`` that the schema of all objects calls read-only.
    """
    for name, schema in sorted(shape.properties.items(), key=lambda one: one[0] not in shape.required):
        inner = shape_of(schema)
        if inner.facts.get("readOnly") is True and all(_is_read_only(name, one) for one in shape.required.pop(name, ())):
            continue
        if fits(name) and name.isprintable():
            yield name, schema, inner
        else:
            omit(schema[0], f"the property {name!r} is left out: its name cannot be shown")


def _is_read_only(name: str, schema: Node) -> bool:
    """Whether a schema that requires a property also says that only responses have it."""
    properties = schema.get("properties")
    own = properties.child(name) if properties is not None else None
    return own is not None and shape_of((own,)).facts.get("readOnly") is True


def takes_null(shape: Shape) -> bool:
    """Whether null is one of the values: it is declared, or neither type nor values are restricted."""
    return shape.nullable or shape.type == "any" or (not shape.typed and shape.enum is None)


def response_shape(schema: Schema) -> Shape:
    """The shape of a schema; for a choice, that of its first branch that is an object or a list."""
    shape = shape_of(schema)
    for _ in range(4):
        if shape.type != "one_of":
            break
        inner = [shape_of(branch.schema, branch.only) for branch in shape.branches[:6]]
        shape = next((one for one in inner if one.type in ("object", "array", "one_of")), inner[0])
    return shape


def _layers(schema: Schema) -> Iterator[Node]:
    """The nodes that make up a schema: its own, and those of ``allOf``; each once."""
    seen: set[int] = set()
    waiting = list(reversed(schema))
    while waiting and len(seen) < _MOST_LAYERS:
        here = waiting.pop()
        node = here.resolved()
        if not isinstance(node.value, dict) or id(node.value) in seen:
            continue
        seen.add(id(node.value))
        siblings = here.value is not node.value and isinstance(here.value, dict) and len(here.value) > 1
        yield node.as_plain() if here.plain else node
        if siblings:  # descriptions beside a reference are common; other keywords count from 3.1 on
            counts = ("description", "title") if here.document.version in ("2.0", "3.0") else here.value.keys() - {"$ref"}
            yield Node(
                here.document, {key: one for key, one in here.value.items() if key in counts}, here, "$ref", plain=here.plain
            )
        if not here.plain:  # for a plain one, these are already listed
            waiting += reversed(list(node.listed("allOf")))


def _merged(layers: list[Node], only: str) -> Shape:
    """The shape without its branches."""
    shape = Shape("any")
    kinds: list[list[str]] = []
    for layer in layers:
        value = layer.value
        shape.name = shape.name or layer.name
        if kind := _types(value):
            kinds.append(kind)
        shape.nullable |= value.get("nullable") is True or value.get("x-nullable") is True
        shape.facts |= {name: one for name, one in value.items() if not isinstance(one, float) or math.isfinite(one)}
        for name in layer.values("required"):
            if isinstance(name, str):
                shape.required.setdefault(name, []).append(layer)
        for child in layer.named("properties"):
            shape.properties[child.key] = (*shape.properties.get(child.key, ()), child)
        if (items := layer.child("items")) is not None and isinstance(items.value, dict):
            shape.items = (*shape.items, items)
        more = layer.child("additionalProperties")
        shape.closed |= more is not None and more.value is False
        if more is not None and more.value is not False:
            shape.more = (*(shape.more or ()), more) if isinstance(more.value, dict) and more.value else shape.more or ()
        elif more is None and shape.more is None and isinstance(value.get("patternProperties"), dict):
            shape.more = tuple(layer.named("patternProperties"))[:1]
        if isinstance(enum := value.get("enum"), list):
            shape.enum = enum if shape.enum is None else [one for one in enum if one in shape.enum]
        if "const" in value:
            shape.enum = [value["const"]]
    types: list[str] = []
    if kinds:  # the types that all layers allow; without a common one, those of the last layer
        common = [one for one in kinds[0] if all(one in other or (one == "integer" and "number" in other) for other in kinds)]
        types = common or kinds[-1]
    shape.nullable |= "null" in types
    types = [one for one in types if one != "null"]
    if only in types or (only == "integer" and "number" in types):
        types = [only]
    if shape.enum is not None:
        shape.nullable |= None in shape.enum
        shape.enum = [one for one in shape.enum if one is not None]
        found = list(dict.fromkeys(_TYPE_OF[type(one)] for one in shape.enum if type(one) in _TYPE_OF))
        types = types or (found if len(found) == 1 else [])
    if not types:
        types = _types_by_keywords(layers)
        shape.typed = not types
    shape.type = types[0] if len(types) == 1 else "one_of" if types else "any"
    if len(types) > 1:
        whole = tuple(layer.as_plain() for layer in layers)
        shape.branches = [Branch(_WORDS.get(one, one), whole, one) for one in types]
    return shape


def _types(value: dict[str, Any]) -> list[str]:
    given = value.get("type")
    kinds = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return list(dict.fromkeys(one for one in kinds if isinstance(one, str) and one in _TYPES))


def _types_by_keywords(layers: list[Node]) -> list[str]:
    """The type that keywords imply, if no type is declared."""
    return [kind for kind, keys in _KEYS_OF.items() if any(key in layer.value for layer in layers for key in keys)][:1]


# Branches


def _branches(layers: list[Node], shape: Shape) -> list[Branch]:
    """The branches of ``oneOf`` and ``anyOf``; that null or the empty text is one of them is noted in the shape."""
    for layer in layers:
        if layer.plain:
            continue
        for key in ("oneOf", "anyOf"):
            found: list[Branch] = []
            for child in layer.listed(key):
                node = child.resolved()
                value = node.value
                if not isinstance(value, dict):
                    continue
                if value.get("type") == "null" or value.get("enum") == [None] or ("const" in value and value["const"] is None):
                    shape.nullable = True
                elif value.get("enum") == [""]:
                    shape.takes_empty = True
                elif value.keys() - _SAYS_NOTHING:
                    found.append(Branch(short(node.text("title") or node.name), (child,), "", _mark(layer, node.name)))
            if found:
                return found
    return []


def _mark(layer: Node, name: str) -> tuple[str, str] | None:
    """The discriminator property, and its value for the schema with a name."""
    said = layer.value.get("discriminator")
    if not isinstance(said, dict) or not isinstance(said.get("propertyName"), str) or not name:
        return None
    known = said["mapping"].items() if isinstance(said.get("mapping"), dict) else ()
    value = next((value for value, to in known if isinstance(to, str) and to.rpartition("/")[2] == name), name)
    return said["propertyName"], value


def _scalar_of(shape: Shape, branches: list[Branch]) -> bool:
    """Make of branches of one scalar type one value: one of all choices, or any value with the choices as suggestions.

    Returns:
        Whether they are that.
    """
    inner = [_merged([branch.schema[0].resolved()], "") for branch in branches]
    kinds = {one.type if one.facts.keys().isdisjoint(("oneOf", "anyOf", "allOf")) else "" for one in inner}
    if len(kinds) > 1 or not kinds <= {*SCALARS} or shape.type not in ("any", *kinds):
        return False
    shape.type, choices = kinds.pop(), [choice for one in inner for choice in one.enum or ()]
    shape.nullable |= any(one.nullable for one in inner)
    others = [one.facts for one in inner if one.enum is None]
    if not others:
        shape.enum = choices
        return True
    for facts in others:
        shape.facts = {name: facts[name] for name in ("format", "description", "default") if name in facts} | shape.facts
    shape.suggestions = choices or None
    if len(branches) > 1:
        shape.facts.pop("format", None)
    return True


def _labelled(branches: list[Branch]) -> list[Branch]:
    """The branches with unique labels."""
    taken: set[str] = set()
    for branch in branches:
        if not branch.label:
            node = branch.schema[0].resolved()
            kind = (_types(node.value) or _types_by_keywords([node]) or ["value"])[0]
            first = next(iter(node.object("properties")), None) if kind == "object" else None
            branch.label = f"with {short(str(first), 30)}" if first is not None else _WORDS.get(kind, kind)
        branch.label = unique(branch.label, taken, " ")
    return branches
