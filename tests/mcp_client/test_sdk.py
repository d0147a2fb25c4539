"""Servers made with the protocol's own library, over standard streams and HTTP: what they offer is a tool, and works."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import uvicorn

from registry.catalog.loader import load
from registry.engine import Consent
from registry.openapi.mcp_server import mcp_source
from registry.openapi.store import keep_prepared, prepared
from registry.references.routes import Routes
from registry.references.targets import targets
from tests.added_toolkits import added_toolkits
from tests.mcp_client.desk import Person, engine_of
from tests.mcp_client.sdk_server import SERVER
from tests.references.locations import at


@asynccontextmanager
async def source_of(how: Literal["stdio", "http"]) -> AsyncIterator[str]:
    """The command of the server, or its address while it is served."""
    if how == "stdio":
        yield shlex.join([sys.executable, "-m", "tests.mcp_client.sdk_server"])
        return
    server = uvicorn.Server(uvicorn.Config(SERVER.streamable_http_app(), port=0, log_level="critical"))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await task


@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
@pytest.mark.parametrize("how", [pytest.param("stdio", marks=pytest.mark.long), "http"])
async def test_what_a_server_offers_is_a_tool_and_works(
    how: Literal["stdio", "http"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    with added_toolkits(monkeypatch, tmp_path):
        async with source_of(how) as text:
            source = mcp_source(text, name="Desk")
            kept = keep_prepared(await asyncio.to_thread(prepared, source, name="Desk"))
            assert kept.source.left_out == ()
            async with engine_of(tmp_path) as engine:
                books = await engine.run("Books", consent=Consent.CONFIRMED)
                assert (books.ok, books.notes) == (True, ())
                assert [one["year"] for one in books.json["result"]] == [1815, 1922]
                person = Person()
                taken = await engine.run("Borrow", {"title": "Emma"}, consent=Consent.CONFIRMED, presenter=person)
                assert taken.notes == ('The server logs (warning): {"late": "Emma"}',)
                assert {"looking on the shelf", "at the desk"} <= {one.words for one in person.told}
                link = at(taken.json, "content", 1, "content", "uri")
                listed = at((await engine.run("ListResources")).json, "resources", 0, "uri")
                for place, tool in ((link, "Borrow"), (listed, "ListResources")):
                    (target,) = targets(place, load().tools[tool], {}, Routes(load()))
                    assert (await engine.run(target.tool, target.arguments)).json["text"] == "Be quiet."
                templates = (await engine.run("ListResourceTemplates")).json["resourceTemplates"]
                assert [one["uriTemplate"] for one in templates] == ["library://books/{title}"]
                assert (await engine.run("Review", {"title": "Emma"})).json["text"] == "Review Emma, please."
                assert (await engine.run("Desk.Close", consent=Consent.CONFIRMED)).ok
                gone = await engine.run("Books", consent=Consent.CONFIRMED)
                assert gone.failure is not None
                assert "books is not there any more. Nothing was sent." in gone.failure.cause
