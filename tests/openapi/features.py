"""Small documents of our own, one for each feature: what an operation says, what a caller gives, and what is sent."""

from __future__ import annotations

from typing import Any, NamedTuple

STRINGS = {"type": "array", "items": {"type": "string"}}
POINT = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


class Feature(NamedTuple):
    """One feature.

    Attributes:
        name: what it is.
        operation: the operation, under ``/things`` or `path`.
        given: the caller's arguments.
        sent: method, path with query, and body.
        method: of the operation.
        path: where it stands.
        version: of OpenAPI.
        document: what else the document has.
    """

    name: str
    operation: dict[str, Any]
    given: dict[str, Any]
    sent: tuple[str, str]
    method: str = "get"
    path: str = "/things"
    version: str = "3.1.0"
    document: dict[str, Any] = {}


class Refusal(NamedTuple):
    """A value that a schema does not take, and what is said of it."""

    name: str
    schema: dict[str, Any]
    given: Any
    words: str
    version: str = "3.1.0"


def query(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An operation with one query parameter."""
    return {"parameters": [{"name": "q", "in": "query", "schema": schema, **more}]}


def path_parameter(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An operation with one path parameter."""
    return {"parameters": [{"name": "id", "in": "path", "required": True, "schema": schema, **more}]}


def body(schema: dict[str, Any], media_type: str = JSON, **more: Any) -> dict[str, Any]:
    """An operation with a body."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema, **more}}}}


def two(**parameter: Any) -> dict[str, Any]:
    """An operation with one query parameter as 2.0 has them."""
    return {"parameters": [{"name": "q", "in": "query", **parameter}]}


def styled(style: str, explode: bool) -> dict[str, Any]:
    """How a value travels."""
    return {"style": style, "explode": explode}


AB, XY = {"q": ["a", "b"]}, {"q": {"x": 1, "y": 2}}
ONE = "/things/{id}"

FEATURES = (
    Feature("form, exploded list", query(STRINGS), AB, ("/things?q=a&q=b", "")),
    Feature("form, list", query(STRINGS, **styled("form", False)), AB, ("/things?q=a,b", "")),
    Feature("space delimited", query(STRINGS, **styled("spaceDelimited", False)), AB, ("/things?q=a%20b", "")),
    Feature("pipe delimited", query(STRINGS, **styled("pipeDelimited", False)), AB, ("/things?q=a%7Cb", "")),
    Feature("form, exploded object", query(POINT), XY, ("/things?x=1&y=2", "")),
    Feature("form, object", query(POINT, **styled("form", False)), XY, ("/things?q=x,1,y,2", "")),
    Feature("deep object", query(POINT, **styled("deepObject", True)), XY, ("/things?q%5Bx%5D=1&q%5By%5D=2", "")),
    Feature("deep object of a list", query(STRINGS, **styled("deepObject", True)), AB, ("/things?q%5B%5D=a&q%5B%5D=b", "")),
    Feature(
        "JSON in the query",
        {"parameters": [{"name": "q", "in": "query", "content": {JSON: {"schema": POINT}}}]},
        XY,
        ("/things?q=%7B%22x%22:1,%22y%22:2%7D", ""),
    ),
    Feature("path", path_parameter({"type": "string"}), {"id": "a/b"}, ("/things/a%2Fb", ""), path=ONE),
    Feature("path, simple list", path_parameter(STRINGS), {"id": ["a", "b/c"]}, ("/things/a,b%2Fc", ""), path=ONE),
    Feature("path, simple object", path_parameter(POINT), {"id": {"x": 1, "y": 2}}, ("/things/x,1,y,2", ""), path=ONE),
    Feature(
        "path, exploded object",
        path_parameter(POINT, explode=True),
        {"id": {"x": 1, "y": 2}},
        ("/things/x=1,y=2", ""),
        path=ONE,
    ),
    Feature(
        "path, label", path_parameter(STRINGS, **styled("label", True)), {"id": ["a", "b"]}, ("/things/.a.b", ""), path=ONE
    ),
    Feature(
        "path, matrix",
        path_parameter(STRINGS, **styled("matrix", False)),
        {"id": ["a", "b"]},
        ("/things/;id=a,b", ""),
        path=ONE,
    ),
    Feature(
        "path, exploded matrix",
        path_parameter(STRINGS, **styled("matrix", True)),
        {"id": ["a", "b"]},
        ("/things/;id=a;id=b", ""),
        path=ONE,
    ),
    Feature(
        "a path within a segment",
        path_parameter({"type": "integer"}),
        {"id": 7},
        ("/things/7.json", ""),
        path="/things/{id}.json",
    ),
    Feature("a path that nobody describes", {}, {"id": "x"}, ("/things/x", ""), path=ONE),
    Feature(
        "path-level parameters, of which the operation's come first",
        {"parameters": [{"name": "q", "in": "query", "schema": {"type": "integer"}}]},
        {"q": 7, "r": "b"},
        ("/things?q=7&r=b", ""),
        document={
            "paths": {
                "/things": {
                    "parameters": [
                        {"name": "q", "in": "query", "schema": {"type": "boolean"}},
                        {"name": "r", "in": "query", "schema": {"type": "string"}},
                    ]
                }
            }
        },
    ),
    Feature(
        "a required value with a default", query({"type": "integer", "default": 5}, required=True), {}, ("/things?q=5", "")
    ),
    Feature(
        "a name that the command line has itself",
        {"parameters": [{"name": "format", "in": "query", "schema": {"type": "string"}}]},
        {"query_format": "x"},
        ("/things?format=x", ""),
    ),
    Feature("a body of a GET", body(POINT), {"x": 1}, ("/things", '{"x":1}')),
    Feature("a GET whose body is not given", {"requestBody": {"content": {JSON: {"schema": POINT}}}}, {}, ("/things", "")),
    Feature(
        "members that nobody names", body(POINT), {"x": 1, "body_json": {"z": [1]}}, ("/things", '{"x":1,"z":[1]}'), "post"
    ),
    Feature(
        "a whole body without a type",
        body({"properties": POINT["properties"], "required": ["x"]}),
        {"body_json": [1, None]},
        ("/things", "[1,null]"),
        "post",
    ),
    Feature(
        "fields of a form that nobody names",
        body({"type": "object", "properties": {"a": {"type": "string"}}}, FORM),
        {"a": "1", "more_fields": {"b": ["x", "y"], "c": {"d": 1}}},
        ("/things", "a=1&b=x&b=y&c=%7B%22d%22%3A1%7D"),
        "post",
    ),
    Feature("JSON", body(POINT), {"x": 1}, ("/things", '{"x":1}'), "post"),
    Feature(
        "a list as JSON body", body({"type": "array", "items": POINT}), {"body": [{"x": 1}]}, ("/things", '[{"x":1}]'), "post"
    ),
    Feature("one of several as JSON body", body({"oneOf": [POINT, STRINGS]}), {"body": ["a"]}, ("/things", '["a"]'), "post"),
    Feature(
        "a form",
        body({"type": "object", "properties": {"a": {"type": "string"}, "b": STRINGS}}, FORM),
        {"a": "1 2", "b": ["x", "y"]},
        ("/things", "a=1+2&b=x&b=y"),
        "post",
    ),
    Feature(
        "a form with deep objects",
        body(
            {"type": "object", "properties": {"p": POINT, "l": {"type": "array", "items": POINT}, "s": STRINGS}},
            FORM,
            encoding={name: styled("deepObject", True) for name in "pls"},
        ),
        {"p": {"x": 1}, "l": [{"y": 2}], "s": ["a"]},
        ("/things", "p%5Bx%5D=1&l%5B0%5D%5By%5D=2&s%5B%5D=a"),
        "post",
    ),
    Feature(
        "a form with an object as JSON",
        body({"type": "object", "properties": {"p": POINT}}, FORM),
        {"p": {"x": 1}},
        ("/things", "p=%7B%22x%22%3A1%7D"),
        "post",
    ),
    Feature("text as it is", body({"type": "string"}, "text/plain"), {"body": "a\nb"}, ("/things", "a\nb"), "post"),
    Feature("no body", {}, {}, ("/things", ""), "post"),
    Feature(
        "one media type of several",
        {"requestBody": {"content": {"text/xml": {}, "application/vnd.x+json": {"schema": POINT}, FORM: {"schema": POINT}}}},
        {"x": 1},
        ("/things", '{"x":1}'),
        "post",
    ),
    Feature(
        "null",
        body({"type": "object", "properties": {"o": {"type": "object", "properties": {"n": {"type": ["string", "null"]}}}}}),
        {"o": {"n": None}},
        ("/things", '{"o":{"n":null}}'),
        "post",
    ),
    Feature(
        "nullable",
        body(
            {
                "type": "object",
                "properties": {"o": {"type": "object", "properties": {"n": {"type": "string", "nullable": True}}}},
            }
        ),
        {"o": {"n": None}},
        ("/things", '{"o":{"n":null}}'),
        "post",
        version="3.0.3",
    ),
    Feature(
        "null as a branch",
        body(
            {
                "type": "object",
                "properties": {
                    "o": {"type": "object", "properties": {"n": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}}
                },
            }
        ),
        {"o": {"n": None}},
        ("/things", '{"o":{"n":null}}'),
        "post",
    ),
    Feature(
        "the empty text as a branch",
        body({"type": "object", "properties": {"m": {"anyOf": [{"type": "string"}, {"type": "string", "enum": [""]}]}}}),
        {"m": ""},
        ("/things", '{"m":""}'),
        "post",
    ),
    Feature("type arrays", query({"type": ["integer", "boolean"]}), {"q": True}, ("/things?q=true", "")),
    Feature(
        "const",
        body({"type": "object", "required": ["k"], "properties": {"k": {"const": "a"}}}),
        {"k": "a"},
        ("/things", '{"k":"a"}'),
        "post",
    ),
    Feature(
        "allOf merged over a reference with siblings",
        body(
            {
                "allOf": [
                    {"$ref": "#/components/schemas/P", "required": ["x"]},
                    {"type": "object", "properties": {"z": {"type": "integer"}}},
                ]
            }
        ),
        {"x": 1, "z": 3},
        ("/things", '{"x":1,"z":3}'),
        "post",
        document={"components": {"schemas": {"P": POINT}}},
    ),
    Feature(
        "a discriminator",
        body(
            {
                "type": "object",
                "properties": {
                    "pet": {
                        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                        "discriminator": {"propertyName": "kind", "mapping": {"meow": "#/components/schemas/Cat"}},
                    }
                },
            }
        ),
        {"pet": {"kind": "meow", "lives": 9}},
        ("/things", '{"pet":{"kind":"meow","lives":9}}'),
        "post",
        document={
            "components": {
                "schemas": {
                    "Cat": {"type": "object", "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}}},
                    "Dog": {"type": "object", "properties": {"kind": {"type": "string"}, "tail": {"type": "boolean"}}},
                }
            }
        },
    ),
    Feature(
        "a schema that contains itself",
        body({"$ref": "#/components/schemas/Node"}),
        {"name": "a", "next": {"next": {"next": {"anything": [1]}}}},
        ("/things", '{"name":"a","next":{"next":{"next":{"anything":[1]}}}}'),
        "post",
        document={
            "components": {
                "schemas": {
                    "Node": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "next": {
                                "type": "object",
                                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/components/schemas/Node"}},
                            },
                        },
                    }
                }
            }
        },
    ),
    Feature(
        "a map",
        body({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}}}),
        {"m": {"any name": 1}},
        ("/things", '{"m":{"any name":1}}'),
        "post",
    ),
    Feature(
        "what is read only is no input",
        body(
            {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string", "readOnly": True}, "x": {"type": "integer"}},
            }
        ),
        {"x": 1},
        ("/things", '{"x":1}'),
        "post",
    ),
    Feature(
        "2.0, comma separated",
        two(type="array", items={"type": "string"}, collectionFormat="csv"),
        AB,
        ("/things?q=a,b", ""),
        version="2.0",
    ),
    Feature(
        "2.0, tab separated",
        two(type="array", items={"type": "string"}, collectionFormat="tsv"),
        AB,
        ("/things?q=a%09b", ""),
        version="2.0",
    ),
    Feature(
        "2.0, multi",
        two(type="array", items={"type": "string"}, collectionFormat="multi"),
        AB,
        ("/things?q=a&q=b", ""),
        version="2.0",
    ),
    Feature(
        "2.0, body",
        {"parameters": [{"name": "b", "in": "body", "schema": POINT}]},
        {"x": 1},
        ("/things", '{"x":1}'),
        "post",
        version="2.0",
    ),
    Feature(
        "2.0, form",
        {"parameters": [{"name": "a", "in": "formData", "type": "string"}]},
        {"a": "x"},
        ("/things", "a=x"),
        "post",
        version="2.0",
    ),
    Feature("3.2, query method", body(POINT), {"x": 1}, ("/things", '{"x":1}'), "query", version="3.2.0"),
)

REFUSALS = (
    Refusal("exclusive bound", {"type": "number", "exclusiveMinimum": 0}, "0", "above 0"),
    Refusal("exclusive bound of 3.0", {"type": "integer", "minimum": 3, "exclusiveMinimum": True}, "3", "above 3", "3.0.3"),
    Refusal("bounds", {"type": "integer", "minimum": 1, "maximum": 5}, "6", "from 1 to 5"),
    Refusal("length", {"type": "string", "minLength": 3}, "ab", "at least 3 characters"),
    Refusal("longest", {"type": "string", "maxLength": 2}, "abc", "at most 2 characters"),
    Refusal("pattern", {"type": "string", "pattern": "^a+$"}, "b", "matches ^a+$"),
    Refusal("choices", {"type": "string", "enum": ["a", "b"]}, "c", "a or b"),
    Refusal("numbers to choose from", {"type": "integer", "enum": [1, 2]}, "3", "1 or 2"),
    Refusal(
        "choices of branches", {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]}, "c", "a or b"
    ),
    Refusal("items", {"type": "array", "items": {"type": "integer"}}, ["x"], "whole number"),
    Refusal("fewest", {"type": "array", "minItems": 2, "items": {"type": "string"}}, ["x"], "2 or more"),
)
