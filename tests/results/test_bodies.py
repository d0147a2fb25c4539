"""Calls with headers, cookies and bodies of every kind, handed on as curl and as a Python program: run, they send the same."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Tool
from registry.json_text import Exact, read_typed, same
from registry.results.snippets import Snippet, snippets
from tests.opened import made, opened
from tests.workshop import Received, connection, echo, only, parameter, tool

KEY = "workshop-key-1"
FREE = {"a": [1, {"b": Exact("1.10")}], "é'\"$(x)": None, "c": Exact("1E400"), "d": True}
SPECIALS = "a'b\"c$(touch HARMED)`x`\\n&é"


def cases(folder: Path) -> list[tuple[dict[str, Any], dict[str, object]]]:
    """Entries of tools, each with arguments."""
    file = folder / "a \"b'c.bin"
    file.write_bytes(b"\x00\xff--\r\n")
    body = (parameter("x", "string", "body", format="multiline"), parameter("o", "object", "body"))
    upload = parameter("f", "string", "body", format="file")
    raw: dict[str, object] = {"x": SPECIALS + "\nsecond", "o": FREE}
    head = (
        parameter("tags", "array", "header", wire_name="X-Tags"),
        parameter("c", "string", "cookie"),
        parameter("q", "object", "query"),
    )
    said: dict[str, object] = {"tags": ["a", "b'c"], "c": "d'e", "q": {"a": [SPECIALS]}}
    return [
        (
            tool("Json", "PATCH", "/t/{x}.json", parameter("x", "string", "path", required=True), body[1]),
            {"x": "a b", "o": FREE},
        ),
        (tool("Plain", "POST", "/t", *body), {"x": SPECIALS, "o": {"a": [1, Exact("1.5")]}}),
        (tool("Form", "POST", "/t", *body, body="form"), raw),
        (tool("Multi", "POST", "/t", *body, upload, body="multipart"), {**raw, "x": SPECIALS, "f": str(file)}),
        (tool("RawText", "PUT", "/t", body[0], body="raw", content_type="text/plain"), {"x": raw["x"]}),
        (tool("RawFile", "PUT", "/t", upload, body="raw", content_type="image/png"), {"f": str(file)}),
        (tool("Delete", "DELETE", "/t", body[0], body="json"), {"x": "why"}),
        (tool("Head", "HEAD", "/t", *head), said),
        (tool("Get", "GET", "/t", *head), said),
    ]


async def shared(form: Snippet, folder: Path) -> None:
    """Run a form of a call."""
    environment = {
        "PATH": os.environ["PATH"],
        "no_proxy": "*",
        "WORKSHOP_KEY": KEY,
        "TOKEN": "given",
        "SESSION": "s 1",
        "KEY": "k1",
    }
    environment["PYTHONWARNINGS"] = "ignore"
    words = ["sh", "-ec", form.text] if form.kind == "curl" else [sys.executable, "-c", form.text]
    process = await asyncio.create_subprocess_exec(
        *words, env=environment, cwd=folder, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    _, told = await process.communicate()
    assert process.returncode == 0, told.decode()


def compared(got: Received) -> Any:
    """What must be the same: not the boundary that each program makes up, nor blanks in JSON."""
    kind = got.header("Content-Type") or ""
    body: Any = got.body
    if found := re.search("boundary=(.+)", kind):
        parts = got.body.split(found[1].encode())
        body = [re.sub(rb"Content-Type: [^\r]+\r\n", b"", part) for part in parts]
        kind = kind.partition(";")[0]
    elif kind == "application/json":
        body = read_typed(got.body.decode())
    method, target, _ = got.line.split(" ")
    headers = {name: got.header(name) for name in ("X-Tags", "Cookie", "Authorization", "Accept", "X-Token")}
    path, _, query = target.partition("?")
    return method, (path, parse_qsl(query, keep_blank_values=True)), kind, headers, body


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        pytest.param(place, kind, marks=() if kind == "curl" or place % 3 == 0 else pytest.mark.long)
        for place in range(9)
        for kind in ("curl", "httpx")
    ],
)
async def test_what_is_handed_on_sends_the_same(kind: str, place: int, tmp_path: Path) -> None:
    if kind == "curl" and shutil.which("curl") is None:
        pytest.skip("there is no curl")
    entry, raw = cases(tmp_path)[place]
    one = only(tmp_path, entry)
    async with echo() as (url, received), opened() as engine:
        through = connection(url)
        await made(engine, one, raw, through)
        form = next(form for form in snippets(one, check(one, raw), through) if form.kind == kind)
        await shared(form, tmp_path)
    called, handed_on = (compared(got) for got in received)
    assert called[:4] == handed_on[:4]
    assert called[4] == handed_on[4] if isinstance(called[4], bytes | list) else same(called[4], handed_on[4])
    assert not (tmp_path / "HARMED").exists()


@pytest.fixture
def secret(tmp_path: Path) -> Tool:
    secrets = (parameter("password", "string", "body", role="secret"), parameter("session", "string", "cookie", role="secret"))
    token = parameter("token", "string", "header", wire_name="X-Token", role="secret")
    key = parameter("key", "string", "path", required=True, role="secret")
    return only(tmp_path, tool("Secret", "POST", "/t/{key}", token, key, *secrets))


async def test_secrets_are_left_to_the_environment(secret: Tool, tmp_path: Path) -> None:
    raw = {"token": "MARKED1", "password": "MARKED2", "session": "MARKED3", "key": "MARKED4"}
    async with echo() as (url, received):
        for form in snippets(secret, check(secret, raw), connection(url)):
            assert "MARKED" not in form.text
            if form.kind != "callboard":
                assert "Replace <PASSWORD> with the value of PASSWORD." in form.notes
                await shared(form, tmp_path)
    assert [(got.line.split()[1], got.header("X-Token")) for got in received] == [("/t/k1", "given")] * 2
    assert [got.header("Cookie") for got in received] == ["session=s 1"] * 2
