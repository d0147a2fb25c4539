"""The inputs of an operation: parameters in path, query, header and cookie, and the body, as the catalogue's parameters."""

from collections.abc import Mapping
from typing import Any

from registry.calling.receiving import is_file, is_json, is_list, is_text
from registry.catalog.parameter_rules import PYTHON_TYPES, RESERVED_HEADERS
from registry.openapi.document import CONVENTIONS, Node, Omit, fits, parameter_name, plain, short
from registry.openapi.forms import TEXT_ITEMS, Entry, FormBuilder, nullable
from registry.openapi.schemas import Content, Schema, Shape, content_of, sendable, shape_of, takes_null, words_for
from registry.text.shown import bare

# By location and style, with a star for exploded. Others are sent in the catalogue's default style.
_STYLES: dict[str, dict[str, str]] = CONVENTIONS["styles"]
_COLLECTIONS: dict[str, dict[str, Any]] = CONVENTIONS["collections"]
_FORM, _FORM_DATA = "application/x-www-form-urlencoded", "multipart/form-data"
_ROLES = {"path": "id", "query": "filter", "header": "option", "cookie": "option", "part": "option"}
_STRUCTURED = ("array", "object", "one_of", "any")


class Inputs:
    """The parameters of one operation as entries of the catalogue, and how its body is written, as in `Tool.body`.

    `content_type` and `accept` are the media types of body and response, if they are not the usual ones.
    """

    def __init__(self, omit: Omit) -> None:
        self._omit = omit
        self._form = FormBuilder(omit)
        self._taken: set[str] = set()
        self.entries: list[Entry] = []
        self.body: str | None = None
        self.content_type: str | None = None
        self.accept = ""

    def finish(self) -> None:
        """Fill in the contents of all entries."""
        self._form.finish()
        for entry in self.entries:
            items = entry.get("items")
            as_json = entry.get("style") == "json" or (entry["in"] == "body" and self.body == "json")
            if entry["type"] != "array" or items is None or as_json:
                continue
            if items.pop("nullable", False) and items == TEXT_ITEMS:  # the list is written as text, which has no null
                del entry["items"]

    def add_parameters(self, nodes: list[Node], placeholders: list[str]) -> None:
        """Read parameters; for the path only those that it names, in its order, also undeclared ones."""
        declared = {node.text("name") for node in nodes if node.text("in") == "path"}
        for node in sorted(nodes, key=lambda one: placeholders.index(n) if (n := one.text("name")) in placeholders else 1_000):
            place, name = node.text("in"), node.text("name")
            if place == "path" and name not in placeholders:
                self._omit(node, f"the path does not name {short(name)!r}, so it is left out")
            elif place in ("path", "query", "header", "cookie"):
                self._add_parameter(node, place, name)
            elif place == "querystring":  # the properties of a form, or one value
                media_type, schema = _schema_of(node)
                shape, words = shape_of(schema), plain(node.value.get("description")) or "The whole query string."
                entry = self._form.entry(schema, shape, self._named("query_string", "query", words))
                is_form = bare(media_type) == _FORM and shape.type == "object"
                entry |= (
                    {"style": "pairs"} if is_form else {"wire_name": ""} | ({"style": "json"} if is_json(media_type) else {})
                )
                _defaulted(entry, shape, required=node.flag("required"))
                self.entries.append(entry)
        for name in (name for name in placeholders if name not in declared):
            words = "A part of the path that the document does not describe."
            self.entries.append({"type": "string", "required": True} | self._named(name, "path", words))

    def _named(self, wire_name: str, place: str, words: str) -> Entry:
        name = parameter_name(wire_name, place, self._taken)
        words = words or (f"Sent as {short(wire_name)}." if name != wire_name else "")
        return {"name": name, "help": words, "in": place, "wire_name": wire_name, "role": _ROLES.get(place, "field")}

    def _add_parameter(self, node: Node, place: str, name: str, part: str = "") -> None:
        """Add a parameter, or the header of a `part`."""
        if place == "header" and name.lower() == "accept":
            facts = {**node.value, **node.object("schema")}
            enum = facts.get("enum")
            # The value that the header always has: its default, or its first choice.
            always = facts.get("default") or (enum[0] if isinstance(enum, list) and enum else "")
            self.accept = always if always and isinstance(always, str) and _fits_a_header(always) else self.accept
            return
        if place in ("header", "part") and name.lower() in RESERVED_HEADERS:
            return  # ignored, as OpenAPI says: the account and the transport set these headers
        if not fits(name):
            self._omit(node, f"the parameter {name!r} is left out: its name cannot be shown")
            return
        media_type, schema = _schema_of(node)
        shape = shape_of(schema)
        words = plain(node.value.get("description")) or plain(shape.facts.get("description"))
        if part:
            words = words or f"The header {short(name)} of {short(part)}."
            fields = self._named(f"{part} {name}", place, words) | {"wire_name": name, "part": part}
        else:
            fields = self._named(name, place, words)
        shape = _on_one_line(schema, shape, place) if place != "query" else shape
        entry = self._form.entry(schema, shape, fields)
        if place == "path" or (place != "query" and shape.type != "string"):
            entry.pop("when_empty", None)  # an empty segment is another path; an empty list or object would disappear
        style = "json" if place == "query" and "json" in media_type else _style(place, entry["type"], _serialisation(node))
        entry |= {"style": style} if style is not None else {}
        if (node.flag("allowReserved") and place == "query") or (place == "cookie" and node.text("style") == "cookie"):
            entry["reserved"] = True
        _defaulted(entry, shape, required=place == "path" or node.flag("required"))
        if node.flag("allowEmptyValue") and place == "query" and entry["type"] in ("string", "array"):
            entry["when_empty"] = "send"
        self.entries.append(entry)

    def add_body(self, content: Content, *, required: bool, words: str, only_named: bool = False) -> None:
        """Read a body, in the document's first media type with fields; if `only_named`, without one for further properties."""
        media_type = min(content, key=lambda one: _has_no_fields(_kind(one), content[one][1]))
        kind, name = _kind(media_type), bare(media_type)
        node, schema = content[media_type]
        shape = shape_of(schema) if schema else Shape("any")
        is_form = shape.type == "object" and bool(shape.properties) and shape.more is None and not shape.branches
        if kind == "multipart" and not shape.properties:
            item = shape_of(shape.items) if shape.items else shape
            if name != _FORM_DATA:
                kind = "raw"  # its parts have no names: a file holds them, with their boundary
            elif item.facts.get("format") == "file" or (item.type != "any" and _is_file(item, node)):
                part = {"type": "array", "items": {"type": "file"}} if shape.items else {"type": "file"}
                # "file" is the usual name of a part that has none.
                shape = Shape("object", properties={"file": (Node(node.document, part),)}, required={"file": []})
        if kind in ("form", "multipart") or (kind == "json" and is_form):
            self.body = kind
            if name not in ("application/json", _FORM_DATA) and kind != "form" and "*" not in name:
                self.content_type = name
            self._add_members(node, shape, kind, required=required)
            if not shape.closed and not only_named and kind != "json":
                words = "Fields that the document does not name, as a JSON object."
                more = {"type": "object", "style": "members", "when_empty": "send"}
                self.entries.append(self._named("more_fields", "body", words) | more)
            elif shape.properties and not shape.closed and not only_named:  # the further properties, or the whole body
                is_object, null = shape.typed, takes_null(shape)
                words = "Members of the body that the document does not name, as a JSON object. It may be a whole body."
                if not is_object or null:
                    others = "Null" if is_object else "Anything else"
                    words = f"JSON for the body: members of an object are sent beside those above. {others} is the whole body."
                rest: Entry = {"type": "object" if is_object else "any", "style": "members"} | nullable(shape)
                rest |= {"when_empty": "send"} if is_object else {}
                self.entries.append(self._named("body_json", "body", words) | rest)
            return
        self.body, self.content_type = "raw", "application/json" if kind == "json" and "*" in name else name
        fields = self._named("body", "body", words or "The body of the request.") | ({"required": True} if required else {})
        if schema and kind == "json":
            fields |= {"style": "json"} | nullable(shape)  # a text is sent in quotes
        elif kind == "json" or is_list(name) or is_text(name):
            shape = Shape("multiline")
        else:
            shape, types = Shape("file"), ", ".join(bare(one) for one in content if is_file(one))
            fields |= {"content_type": types} if types != name else {}
        self.entries.append(self._form.entry(schema, shape, fields))

    def _add_members(self, node: Node, shape: Shape, kind: str, *, required: bool) -> None:
        encoding = node.get("encoding") or Node(node.document, {})
        for name, schema, inner in sendable(shape, self._omit):
            given = encoding.get(name) or Node(node.document, {})
            fields = self._named(name, "body", words_for(inner))
            sent, how = (inner, nullable(inner)) if kind == "json" else _encoded(inner, given, kind)
            entry = self._form.entry(schema, sent, fields | how)
            if name in shape.required and not required:
                _say_also(entry, "Required in a body.")
            _defaulted(entry, sent, required=required and name in shape.required)
            self.entries.append(entry)
            for header in given.named("headers") if kind == "multipart" else ():
                self._add_parameter(header.resolved(), "part", header.key, name)


def _encoded(shape: Shape, encoding: Node, kind: str) -> tuple[Shape, Entry]:
    """What a field of a form or a part is, and how it is sent: as its Encoding Object says, or by its type."""
    given: dict[str, Any] = encoding.value if isinstance(encoding.value, dict) else {}
    if not given.keys().isdisjoint(("style", "explode", "allowReserved")):
        style = {"style": _style("query", shape.type, given) or "repeat"} if shape.type in _STRUCTURED else {}
        return shape, style | ({"reserved": True} if encoding.flag("allowReserved") else {})
    declared = encoding.text("contentType")
    types = [bare(one) for one in declared.split(",")] if declared else []
    item = shape_of(shape.items) if shape.type == "array" and shape.items else shape
    how: Entry = {}
    if kind == "multipart" and (_is_file(item, encoding) or (item.type in ("string", "any") and any(map(is_file, types)))):
        shape = Shape("file") if item is shape else Shape("array", items=(Node(encoding.document, {"type": "file"}),))
        how = {} if shape.type == "file" else {"style": "repeat"}
    elif types and item.type in _STRUCTURED and not is_json(types[0]):
        shape = Shape("multiline")  # nothing here writes an object as XML
    elif item.type in _STRUCTURED:
        how = {"style": "json" if item is shape else "repeat"}
        declared = declared or ("application/json" if kind == "multipart" else "")
    elif kind != "multipart" and types and not is_json(types[0]):
        declared = ""
    return shape, how | ({"content_type": declared} if declared else {})


def body_of(operation: Node, parameters: list[Node], consumes: list[Any]) -> tuple[Content, bool, str]:
    """The body of an operation: (the possible bodies, whether it is required, description); empty without a body."""
    types = [one for one in consumes if isinstance(one, str) and "/" in one]
    body = operation.get("requestBody") or next((node for node in parameters if node.text("in") == "body"), None)
    if body is not None:
        described = body.value.get("description") if isinstance(body.value, dict) else ""
        return content_of(body, types or ["application/json"]), body.flag("required"), plain(described)
    fields = [node for node in parameters if node.text("in") == "formData"]
    if not fields:
        return {}, False, ""
    forms = [one for one in types if "form" in one]
    multipart = any(node.text("type") == "file" for node in fields) or (forms and all("multipart" in one for one in forms))
    # The form of the ``formData`` parameters of 2.0, as 3.0 would describe it.
    schema = {
        "type": "object",
        "properties": {node.text("name"): node.value for node in fields},
        "required": [node.text("name") for node in fields if node.flag("required")],
    }
    encoding = {node.text("name"): _serialisation(node) for node in fields if node.text("type") == "array"}
    whole, part = (Node(fields[0].document, value, fields[0], "form") for value in ({"encoding": encoding}, schema))
    return {_FORM_DATA if multipart else _FORM: (whole, (part,))}, True, ""


def _schema_of(node: Node) -> tuple[str, Schema]:
    """The schema of a parameter, and the media type of its value; empty if it has a style instead."""
    own = (node, (node,))  # in 2.0, a parameter is its own schema
    media_type, (_, schema) = next(iter(content_of(node, [""]).items()), ("", own))
    return media_type, schema


def _serialisation(node: Node) -> dict[str, Any]:
    """The ``style`` and ``explode`` of a parameter; those that mean the same as its ``collectionFormat`` in 2.0."""
    is_own_schema = "schema" not in node.value and "type" in node.value
    found: dict[str, Any] = node.value
    return _COLLECTIONS.get(node.text("collectionFormat"), _COLLECTIONS["csv"]) if is_own_schema else found


def _style(place: str, kind: str, said: Mapping[str, Any]) -> str | None:
    """The style in which a list or an object, or a scalar in a path, is sent; None for the default style."""
    style = said.get("style") or ("form" if place in ("query", "cookie") else "simple")
    explode = said.get("explode", style in ("form", "cookie")) is True
    if place in ("path", "header", "part") and style not in ("label", "matrix"):
        style = "simple"
    if kind not in _STRUCTURED and (place != "path" or style == "simple"):
        return None
    if place == "part" or (place == "header" and kind == "array"):
        return None
    if place == "cookie" and kind == "array":
        explode = explode and style == "cookie"
    usual = {"object": "pairs", "array": "repeat"}.get(kind) if place == "query" else None
    return _STYLES[place].get(f"{style}{'*' * explode}", usual)


def _on_one_line(schema: Schema, shape: Shape, place: str) -> Shape:
    """A shape of values that a path, a header or a cookie can hold: of several types, the one that is written in a line."""
    kinds = [branch.only for branch in shape.branches]
    if only := next((one for one in ("string", "integer", "number") if one in kinds), ""):
        shape = shape_of(schema, only)
    elif shape.type in ("any", "one_of") or (shape.type == "object" and place == "part"):
        shape = Shape("string", shape.facts)
    if place != "path" and not all(map(_fits_a_header, (*(shape.enum or ()), shape.facts.get("default")))):
        shape.enum = None
        shape.facts.pop("default", None)
    return shape


def _fits_a_header(value: object) -> bool:
    return not isinstance(value, str) or (value.isascii() and value.isprintable())


def _defaulted(entry: Entry, shape: Shape, *, required: bool) -> None:
    """Mark an entry as required. A required one outside the path gets its default; for optional ones the help names it."""
    default = shape.facts.get("default")
    usable = type(default) in PYTHON_TYPES.get(entry["type"], ()) and (not isinstance(default, str) or fits(default))
    usable = usable and ("enum" not in entry or str(default) in entry["enum"])
    shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
    if required:
        entry |= {"default": default} if usable and entry["in"] != "path" else {"required": True}
    elif usable and "efault" not in entry["help"] and 0 < len(shown) <= 40:
        _say_also(entry, f"Default: {shown}.")


def _say_also(entry: Entry, sentence: str) -> None:
    """Add a sentence to what is said about an entry."""
    entry["help"] = f"{entry['help'].rstrip('.')}. {sentence}" if entry["help"] else sentence


def _is_file(shape: Shape, node: Node) -> bool:
    """Whether a part is a file: binary, or since 3.1, of no declared type."""
    media = shape.facts.get("contentMediaType")
    is_binary = shape.facts.get("format") == "binary" or (isinstance(media, str) and not is_json(media))
    is_untyped = shape.type == "any" and node.document.version >= "3.1"
    return shape.type == "file" or (shape.type == "string" and is_binary) or is_untyped


def _has_no_fields(kind: str, schema: Schema) -> bool:
    return kind == "raw" or (kind in ("form", "multipart") and not (schema and shape_of(schema).properties))


def _kind(media_type: str) -> str:
    name = bare(media_type)
    return "json" if is_json(name) else "multipart" if name.startswith("multipart/") else "form" if name == _FORM else "raw"
