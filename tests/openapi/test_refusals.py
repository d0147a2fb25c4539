"""Documents that cannot be used, wholly or in part: refusals name document, place and reason, and nothing hostile comes out."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from registry.openapi.document import DocumentRefused, Node, overlay_of
from registry.openapi.operations import UNEXPECTED, Output, output_of
from registry.text.shown import visible_line
from tests.hostile import STRINGS
from tests.openapi.making import FEATURES, Feature, body, document, made, only_tool, query, service, tools
from tests.sampled import examples

LAUGHS = "\n".join(["a0: &a0 x", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))]).encode()
DEEP = b'{"openapi": "3.1.0", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
GET: dict[str, Any] = {"get": {}}
PAGE = {"type": "object", "properties": {"data": {"type": "array", "items": {"type": "object"}}, "next": {"type": "string"}}}
RESPONSES = {"200": {"content": {"application/json": {"schema": PAGE}}, "schema": PAGE, "headers": {"Link": {}}}}

REFUSED: tuple[tuple[str, Any, str, str], ...] = (
    ("no object", b"[1]", "", "an object is needed"),
    ("no JSON", b'{\n"openapi": }', "", "line 2, column 12"),
    ("no YAML", b"openapi: [", "", "is not YAML"),
    ("no text", b"\xff\xfe{", "", "is not UTF-8"),
    ("no version", {"paths": {}}, "/openapi", "neither `openapi` nor `swagger`"),
    ("an unknown version", {"openapi": "4.0.0"}, "/openapi", "version '4.0.0'"),
    ("a version of YAML that is no text", b"swagger: 2.0\npaths: {}", "", "names no server"),
    ("no paths", document({}) | {"paths": None}, "/paths", "names no paths"),
    ("webhooks only", {"openapi": "3.1.0", "servers": [{"url": "https://a.example"}], "webhooks": {}}, "", "only webhooks"),
    ("no server", {"openapi": "3.1.0", "paths": {"/a": GET}}, "", "names no server"),
    (
        "a server that is no host",
        document({"/a": GET}, servers=[{"url": "https://exa mple/"}]),
        "/servers/0",
        "is not an address",
    ),
    (
        "a credential in a server",
        document({"/a": GET}, servers=[{"url": "https://u:p@a.example"}]),
        "/servers/0",
        "not an address",
    ),
    ("aliases that stand for billions", LAUGHS, "", "more than 5,000,000 values"),
    ("an alias that contains itself", b"openapi: 3.1.0\nx: &x\n  y: *x", "", "contains itself"),
    ("nesting", DEEP, "", "nested too deeply"),
    ("no operation", document({"/a": {}}), "/paths", "no operation"),
    ("size", b"{" + b" " * 40_000_001 + b"}", "", "more than 40,000,000"),
)


@pytest.mark.parametrize(("content", "pointer", "reason"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED])
def test_a_refusal_names_document_place_and_reason(content: Any, pointer: str, reason: str) -> None:
    with pytest.raises(DocumentRefused) as refused:
        made(content)
    told = refused.value.remark
    assert (told.document, told.pointer) == ("things.json", pointer)
    assert reason in told.reason
    assert visible_line(str(refused.value)) == str(refused.value)


def reference(to: str) -> dict[str, Any]:
    return document(
        {"/good": GET, "/bad": {"get": query({"$ref": to})}}, components={"schemas": {"A": {"$ref": "#/components/schemas/A"}}}
    )


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("#/components/schemas/None", "is not there"),
        ("#/components/schemas/A", "in a circle"),
        ("#anchor", "anchor"),
        ("other.json#/A", "refers to another document"),
        ("https://evil.example/x.json", "refers to another document"),
    ],
)
def test_a_reference_that_cannot_be_followed_leaves_out_its_operation(to: str, reason: str) -> None:
    found = made(reference(to))
    assert list(found.tools) == ["GetGood"]
    (told,) = found.left_out
    assert told.pointer.startswith("/paths/~1bad/get")
    assert reason in told.reason


@pytest.mark.parametrize("body", [None, 5, "schema", []])
def test_a_body_that_is_no_object_is_none(body: Any) -> None:
    found = made(document({"/a": {"post": {"requestBody": body}}}))
    assert (len(found.tools), found.left_out) == (1, [])


def test_a_pattern_that_takes_seconds_to_compile_is_left_to_the_service() -> None:
    for pattern in ("^.{1,2097152}", "^[a-z]{1,400}$", "(?=a)b", "[", "a" * 501):
        tool = only_tool(made(document({"/a": {"get": query({"type": "string", "pattern": pattern})}})))
        assert tool.parameters[0].pattern is None


def test_a_form_has_at_most_400_leaves_in_8_levels_and_the_rest_is_json() -> None:
    wide: dict[str, Any] = {"type": "object", "properties": {f"p{n}": {"type": "integer"} for n in range(300)}}
    deep: dict[str, Any] = {"type": "integer"}
    for _ in range(20):
        deep = {"type": "object", "properties": {"d": deep}}
    whole = {"type": "object", "properties": {"a": deep, "b": wide, "c": wide, "e": {"type": "string"}}}
    by_name = {one.name: one for one in only_tool(made(document({"/a": {"post": body(whole)}}))).parameters}
    assert len(by_name["b"].properties) == 300
    assert (by_name["c"].type, by_name["c"].properties) == ("object", ()), "too wide for what is left"
    depth, here = 0, by_name["a"]
    while here.properties:
        depth, here = depth + 1, here.properties[0]
    assert (depth, here.type) == (8, "object")


def test_a_header_that_belongs_to_the_connection_is_no_parameter() -> None:
    names = ("Authorization", "Content-Type", "Host", "Accept", "X-Own", "Bad Header")
    operation = {"parameters": [{"name": name, "in": "header", "schema": {"type": "string"}} for name in names]}
    found = made(document({"/a": {"get": operation}, "/b": GET}))
    assert list(found.tools) == ["GetB"]
    assert "must be a token" in found.left_out[0].reason
    operation["parameters"].pop()
    assert [one.wire_name for one in only_tool(made(document({"/a": {"get": operation}}))).parameters] == ["X-Own"]


@pytest.mark.parametrize(
    ("url", "usual"),
    [
        ("http://a.example/v1/", "https://a.example/v1"),
        ("//a.example", "https://a.example"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("https://{region}.a.example/{base}", "https://eu.a.example/v2"),
    ],
)
def test_plain_http_becomes_https_but_for_this_machine(url: str, usual: str) -> None:
    variables = {"region": {"default": "eu"}, "base": {"enum": ["v2"], "default": ""}}
    found = made(document({"/a": GET}) | {"servers": [{"url": url, "variables": variables}]})
    assert service(found)["hosts"]["api"]["usual"] == usual


@pytest.mark.parametrize("text", STRINGS)
def test_hostile_texts_stand_in_no_file_as_they_are(text: str) -> None:
    operation = {
        "summary": text,
        "description": text,
        "operationId": text,
        "tags": [text],
        "parameters": [
            {"name": text, "in": "query", "description": text, "schema": {"type": "string", "enum": [text], "default": text}},
            *query({"type": "object", "title": text, "properties": {text: {"description": text}}})["parameters"],
        ],
        "responses": {"200": {"description": text, "content": {text: {"schema": {"title": text}}}}},
    }
    content = document({"/good": GET, f"/{text}": {"get": operation}}, tags=[{"name": text}])
    content["info"] = {"title": text, "description": text, "version": text}
    try:
        found = made(json.dumps(content).encode())
    except DocumentRefused as refused:
        told = str(refused)
    else:
        told = "\n".join(map(str, (*found.left_out, *found.remarks)))
        tools(found)
        for file in found.files.values():
            assert all(visible_line(line.lstrip()) == line.lstrip() for line in file.decode().splitlines())
    assert all(visible_line(line) == line for line in told.split("\n"))


NAMES = st.sampled_from(sorted(set(re.findall(r"[\w/$]{2,}", Path(__file__).with_name("features.yaml").read_text("utf-8")))))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NAMES | st.just("#/components/schemas/A"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=6), inner, max_size=5),
    max_leaves=25,
)


def damaged(value: Any, data: st.DataObject) -> Any:
    """A document with another value at a random place."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not keys or data.draw(st.integers(0, 9)) == 0:
        return data.draw(VALUES)
    key = data.draw(st.sampled_from(keys))
    copy = value.copy()
    copy[key] = damaged(value[key], data)
    return copy


def whole(feature: Feature) -> dict[str, Any]:
    """A document with a feature, a response and a way to authenticate."""
    operation = feature.operation | {"security": [{"a": []}], "responses": RESPONSES}
    schemes = {"securitySchemes": {"a": {"type": "apiKey", "in": "header", "name": "X-Key"}}}
    components = {"components": schemes | feature.document.get("components", {})}
    return document({feature.path: {feature.method: operation}, "/d/{x}": GET}, feature.version, **components)


@examples(25, 200, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_stands_in_a_document_nothing_but_a_refusal_comes_out(data: st.DataObject) -> None:
    content = whole(data.draw(st.sampled_from(FEATURES)))
    for _ in range(data.draw(st.integers(1, 3))):
        content = damaged(content, data)
    with suppress(DocumentRefused):
        found = made(json.dumps(content).encode())
        assert not [told for told in found.left_out if told.reason.startswith(UNEXPECTED)]
        tools(found)


def test_a_fault_of_our_own_is_told_as_such_and_leaves_out_its_operation_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(operation: Node, method: str, path: str, produces: list[Any]) -> Output:
        if path.startswith("/bad"):
            raise KeyError("secret-value-7")
        return output_of(operation, method, path, produces)

    monkeypatch.setattr("registry.openapi.operations.output_of", read)
    found = made(document({"/good": GET, "/bad": GET}))
    assert list(found.tools) == ["GetGood"]
    assert [told.reason for told in found.left_out] == ["unexpected error in Callboard: KeyError"]


def test_an_overlay_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(DocumentRefused, match=r"mine\.json.* is nested too deeply"):
        overlay_of(b'{"pages": {"x": ' + b"[" * 100_000, "mine.json")
