"""Every place × every type × every kind of body, as the bytes that a server gets."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from registry.calling.arguments import check
from registry.calling.bodies import Body, FilePath
from registry.calling.failures import CallFailed
from registry.calling.network import Network
from registry.calling.request import PlannedRequest, build, plan
from registry.calling.scalars import LARGEST_FILE
from registry.calling.sending import Sender
from registry.calling.tracing import Traces
from registry.files.folders import AGENTS
from registry.json_text import Exact
from tests.cases import cases_beside
from tests.opened import made, opened
from tests.sampled import further
from tests.workshop import Received, connection, echo, only, parameter, tool

CASES = cases_beside(__file__)

OBJECT = {"type": "object"}
INNER = {"a": [1, {"b": "x y"}], "c": {"d": True, "e": None}, "f": []}


async def sent(folder: Path, *calls: tuple[dict[str, Any], Mapping[str, object]]) -> list[Received]:
    """What a server gets for each tool's entry with its arguments."""
    async with echo() as (url, received), opened(folder=folder) as engine:
        for entry, raw in calls:
            await made(engine, only(folder, entry), raw, connection(url))
        return received


QUERY: list[tuple[str, Any, Any, str]] = [
    ("string", {}, "a b&c", "x=a%20b%26c"),
    ("integer", {}, "12", "x=12"),
    ("number", {}, "1.10", "x=1.10"),
    ("number", {}, 0.1, "x=0.1"),
    ("boolean", {}, "yes", "x=true"),
    ("array", {}, ["a", "b,c"], "x=a&x=b,c"),
    ("object", {}, INNER, "x[a][0]=1&x[a][1][b]=x%20y&x[c][d]=true&x[c][e]=&x[f]="),
    ("array", {"items": OBJECT}, [{"a": "1"}, {"a": "2"}], "x[0][a]=1&x[1][a]=2"),
    ("one_of", {"branches": [{"name": "n", "type": "number"}, {"name": "t", "type": "string"}]}, Exact("1.0"), "x=1.0"),
    ("one_of", {"branches": [{"name": "n", "type": "number"}, {"name": "t", "type": "string"}]}, "1.0", "x=1.0"),
    ("any", {}, {"a": 1}, "x[a]=1"),
]


@pytest.mark.parametrize("method", ["GET", *further("POST", "HEAD", "PUT", "PATCH", "DELETE")])
async def test_query(method: str, tmp_path: Path) -> None:
    calls = ((tool("T", method, "/t", parameter("x", type_, "query", **more)), {"x": raw}) for type_, more, raw, _ in QUERY)
    for one, (*_, expected) in zip(await sent(tmp_path, *calls), QUERY, strict=True):
        assert one.line == f"{method} /t?{expected.replace('[', '%5B').replace(']', '%5D')} HTTP/1.1"
        assert one.body == (b"{}" if method in ("POST", "PUT", "PATCH") else b"")


async def test_query_with_commas_and_json(tmp_path: Path) -> None:
    entry = tool("T", "GET", "/t", parameter("x", "array", "query"), parameter("y", "object", "query"))
    raw = {"x": ["a", "b"], "y": {"b": [1, 2.50], "a": "é"}}
    (asked,) = await sent(tmp_path, ({**entry, "arrays": "comma", "nested": "json"}, raw))
    assert asked.line == "GET /t?x=a,b&y=%7B%22b%22:%5B1,2.5%5D,%22a%22:%22%C3%A9%22%7D HTTP/1.1"


BODIES: list[tuple[str, Any, Any, str]] = CASES["JSON bodies"]


@pytest.mark.parametrize("method", ["POST", *further("PUT", "PATCH", "DELETE")])
async def test_json_bodies(method: str, tmp_path: Path) -> None:
    calls = (
        (tool("T", method, "/t", parameter("x", type_, "body", **more), body="json"), {"x": raw})
        for type_, more, raw, _ in BODIES
    )
    for one, (*_, expected) in zip(await sent(tmp_path, *calls), BODIES, strict=True):
        assert (one.body.decode(), one.header("Content-Type")) == (expected, "application/json")


FORMS: list[tuple[Any, str, str]] = [
    ({"x": "a b&ü"}, "brackets", "x=a+b%26%C3%BC"),
    ({"x": "", "list": ["a", "b"]}, "brackets", "x=&list=a&list=b"),
    ({"o": INNER}, "brackets", "o[a][0]=1&o[a][1][b]=x+y&o[c][d]=true&o[c][e]=&o[f]="),
    ({"o": {"n": Exact("1.10")}}, "json", "o=%7B%22n%22%3A1.10%7D"),
    ({}, "brackets", ""),
]
FORM = (
    parameter("x", "string", "body", when_empty="send"),
    parameter("list", "array", "body"),
    parameter("o", "object", "body"),
)


async def test_form_bodies(tmp_path: Path) -> None:
    calls = ((tool("T", "POST", "/t", *FORM, body="form", nested=style), raw) for raw, style, _ in FORMS)
    for one, (*_, expected) in zip(await sent(tmp_path, *calls), FORMS, strict=True):
        assert one.body.decode() == expected.replace("[", "%5B").replace("]", "%5D")
        assert one.header("Content-Type") == "application/x-www-form-urlencoded"


async def test_multipart_bodies(tmp_path: Path) -> None:
    file = tmp_path / "plain.bin"
    file.write_bytes(b"\x00\xff\r\n--x")
    entry = tool("T", "POST", "/t", *FORM, parameter("f", "string", "body", format="file"), body="multipart")
    (asked,) = await sent(tmp_path, (entry, {"x": "é", "o": {"a": {"b": 1}}, "f": str(file)}))
    boundary = re.fullmatch("multipart/form-data; boundary=(.+)", asked.header("Content-Type") or "")
    assert boundary
    parts = asked.body.split(f"--{boundary[1]}".encode())
    assert (parts[0], parts[-1]) == (b"", b"--\r\n")
    texts = [part.strip(b"\r\n").split(b"\r\n\r\n", 1) for part in parts[1:-1]]
    assert texts[0] == [b'Content-Disposition: form-data; name="x"', "é".encode()]
    assert texts[1] == [b'Content-Disposition: form-data; name="o[a][b]"', b"1"]
    assert texts[2][0].startswith(b'Content-Disposition: form-data; name="f"; filename="plain.bin"')
    assert parts[3].endswith(b"\r\n\r\n\x00\xff\r\n--x\r\n")


@pytest.mark.parametrize(("folder", "taken"), [("mine", True), ("", False), ("other", False)])
def test_b5_agents_send_files_only_from_the_folder_that_a_person_named(
    folder: str, taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine" / "a.txt").write_text("x")
    monkeypatch.setenv(AGENTS, str(tmp_path / folder) if folder else "")
    entry = tool("T", "POST", "/t", parameter("f", "string", "body", format="file"), body="multipart")
    errors = check(only(tmp_path, entry), {"f": str(tmp_path / "other" / ".." / "mine" / "a.txt")}).errors_of("f")
    assert (not errors) == taken
    assert all("callboard mcp --files" in one for one in errors)


@pytest.mark.parametrize("name", ['a"b.txt', "a\nContent-Type: x.txt", "é東.txt"])
async def test_no_file_name_ends_its_header(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x")
    planned = PlannedRequest("POST", "/t", body=Body({"f": FilePath(tmp_path / name)}, "multipart"))
    content = build(planned, connection().endpoint("Workshop")).content
    head = content.split(b"\r\n\r\n")[0].split(b"\r\n")
    assert [line.partition(b":")[0] for line in head[1:]] == [b"Content-Disposition", b"Content-Type"]


RAW: list[tuple[str, Any, Any, str, bytes]] = [
    ("string", {"format": "multiline"}, "a\nb", "text/plain", b"a\nb"),
    ("number", {}, "1.10", "text/plain", b"1.10"),
    ("array", {"items": OBJECT}, [{"a": Exact("1.0")}], "application/json", b'[{"a": 1.0}]'),
    ("any", {}, {"a": [None]}, "application/merge-patch+json", b'{"a": [null]}'),
]


async def test_raw_bodies(tmp_path: Path) -> None:
    calls = (
        (tool("T", "PATCH", "/t", parameter("x", type_, "body", **more), body="raw", content_type=kind), {"x": raw})
        for type_, more, raw, kind, _ in RAW
    )
    for asked, (*_, kind, expected) in zip(await sent(tmp_path, *calls), RAW, strict=True):
        assert (asked.line, asked.body, asked.header("Content-Type")) == ("PATCH /t HTTP/1.1", expected, kind)


async def test_a_raw_body_from_a_file_and_one_that_went_after_it_was_checked(tmp_path: Path) -> None:
    file = tmp_path / "gone"
    file.write_bytes(bytes(range(256)))
    entry = tool("T", "PUT", "/t", parameter("x", "string", "body", format="file"), body="raw", content_type="text/plain")
    one = only(tmp_path, entry)
    assert (await sent(tmp_path, (entry, {"x": str(file)})))[0].body == bytes(range(256))
    planned = plan(one, check(one, {"x": str(file)}))
    file.unlink()
    network = Network()
    with pytest.raises(CallFailed) as failed:
        await Sender(network, one, connection(), connection().endpoint_for(one), None, None, asyncio.sleep, Traces(), "").send(
            planned
        )
    await network.aclose()
    assert failed.value.failure.title == "Cannot read the file"
    assert "No such file" in failed.value.failure.cause
    assert "No such file" in str(check(one, {"x": str(file)}).errors[0])
    assert "is not a file" in str(check(one, {"x": str(tmp_path)}).errors[0])
    assert "No such file" not in str(check(one, {"x": "a\0b"}).errors[0])


async def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    entry = tool("T", "PUT", "/t", parameter("x", "string", "body", format="file"), body="raw", content_type="text/plain")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    errors = check(only(tmp_path, entry), {"x": str(tmp_path / "large")}).errors
    assert "must be a file of at most 50 MB" in str(errors[0])
    with pytest.raises(CallFailed) as error:
        FilePath(tmp_path / "large").read()
    assert "more than 50 MB" in error.value.failure.cause


async def test_headers_and_cookies(tmp_path: Path) -> None:
    in_headers = {"X-Version": "string", "accept": "string", "X-Tags": "array", "X-Limit": "number", "X-Dry": "boolean"}
    parameters = [
        parameter(name.lower().removeprefix("x-"), type_, "header", wire_name=name) for name, type_ in in_headers.items()
    ]
    parameters += [parameter("a", "string", "cookie"), parameter("b", "integer", "cookie")]
    raw = {"version": "2 b", "accept": "text/csv", "tags": ["x", "y"], "limit": "1.0", "dry": True, "a": "c=d", "b": 5}
    (asked,) = await sent(tmp_path, (tool("T", "GET", "/t", *parameters), raw))
    assert [asked.header(name) for name in in_headers] == ["2 b", "text/csv", "x,y", "1.0", "true"]
    assert asked.header("Cookie") == "a=c%3Dd; b=5"
    assert asked.header("Authorization") == "Bearer workshop-key-1"


PATHS = [
    ("/x/{id}.json", {"id": "a b?#"}, "/x/a%20b%3F%23.json"),
    ("/x/{a}..{b}", {"a": "1.0", "b": "{a}"}, "/x/1.0..%7Ba%7D"),
    ("/x/v{a}", {"a": "."}, "/x/v."),
]


async def test_paths(tmp_path: Path) -> None:
    calls = (
        (tool("T", "GET", path, *(parameter(one, "string", "path", required=True) for one in raw)), raw)
        for path, raw, _ in PATHS
    )
    lines = [asked.line for asked in await sent(tmp_path, *calls)]
    assert lines == [f"GET {expected} HTTP/1.1" for *_, expected in PATHS]


@pytest.mark.parametrize(
    ("path", "raw"),
    [("/x/{a}", {"a": ".."}), ("/x/{a}{b}", {"a": ".", "b": "."}), ("/x/{a}.", {"a": "."}), ("/{a}/y", {"a": "."})],
)
def test_no_segment_becomes_a_step(path: str, raw: dict[str, str], tmp_path: Path) -> None:
    parameters = [parameter(name, "string", "path", required=True) for name in raw]
    errors = check(only(tmp_path, tool("T", "GET", path, *parameters)), raw).errors
    assert [error.message.partition(";")[2] for error in errors] == [f' "{raw[errors[0].parameter]}" would change the URL path']


async def test_a_deletion_has_a_body_only_where_it_says_something(tmp_path: Path) -> None:
    one = tool("T", "DELETE", "/t", parameter("reason", "string", "body"), body="json")
    empty, with_reason = await sent(tmp_path, (one, {}), (one, {"reason": "x"}))
    assert (empty.body, empty.header("Content-Type")) == (b"", None)
    assert with_reason.body == b'{"reason": "x"}'
