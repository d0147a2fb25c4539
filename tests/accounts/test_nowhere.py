"""Signing in, calls, a refresh and a change: no token, code, verifier or secret is in anything that comes out but the store."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
import zlib
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest

from registry.accounts.browser import open_in_browser
from registry.accounts.connection import Connection, connections
from registry.accounts.oauth import OAuthClient
from registry.accounts.problems import SignInEnded
from registry.accounts.refreshing import AccessToken, Refresher
from registry.accounts.secrets import Secret
from registry.calling.network import Network
from registry.catalog.loader import load
from registry.journal.audit import Audit
from registry.journal.history import History
from tests.accounts.conftest import asked_at
from tests.accounts.file_store import FileStore
from tests.accounts.people import CRM, nothing, parameters
from tests.accounts.test_sign_in import sign_in
from tests.accounts.token_server import TokenServer
from tests.opened import open_writing, opened, unchecked
from tests.telltale import telltale

MARK = re.compile(rb"PLANTED\w*")
CLIENT = OAuthClient("client-1", Secret("PLANTEDclientsecret"))


def given(number: int) -> tuple[int, dict[str, object]]:
    tokens = {name: f"PLANTED{name}{number}" for name in ("access_token", "refresh_token", "id_token")}
    return 200, {**tokens, "expires_in": 3600}


def marks_in(folder: Path) -> dict[str, set[bytes]]:
    """The marks in every file below a folder, with what is compressed in databases."""
    found = {}
    for file in (one for one in folder.rglob("*") if one.is_file()):
        content = file.read_bytes()
        if content.startswith(b"SQLite format 3"):
            with closing(sqlite3.connect(file)) as database:
                tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                values = [value for name in tables for row in database.execute(f'SELECT * FROM "{name}"') for value in row]
            content += b" ".join(str(value).encode() for value in values)
            for value in values:
                with suppress(zlib.error, TypeError):
                    content += zlib.decompress(value)
        if marks := set(MARK.findall(content)):
            found[file.name] = marks
    return found


async def test_secrets_are_in_the_store_and_nowhere_else(
    tokens_at: TokenServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    words = tmp_path / "words"  # of the browser's command, which every user of the machine can see
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$*" > "{words}.part" && mv "{words}.part" "{words}"\n')
    program.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{program} %s")

    async def show(address: str) -> None:
        await open_in_browser(address)
        while not words.exists():  # noqa: ASYNC110  (another program writes it)
            await asyncio.sleep(0.01)
        asked = parameters(words.read_text())
        back = f"{asked['redirect_uri']}?code=PLANTEDcode&state={asked['state']}"
        visits.append(asyncio.create_task(visit(back)))

    async def visit(address: str) -> None:
        pages.append(await asyncio.to_thread(lambda: urlopen(address).read().decode()))

    visits: list[asyncio.Task[None]] = []
    pages: list[str] = []
    server, store = asked_at(tokens_at.address, ports=(0,)), FileStore(tmp_path / "store")
    tokens_at.answers = [given(1), given(2), (400, {"error": "invalid_grant", "error_description": "PLANTEDrefresh_token2"})]
    tokens = await sign_in(server, CLIENT, probe=nothing, show=show)
    store.write(tokens)
    await asyncio.gather(*visits)
    shown = words.read_text()
    verifier, state = tokens_at.forms[0]["code_verifier"], parameters(shown)["state"]
    assert verifier not in shown
    assert state not in pages[0]

    token = AccessToken(Refresher(server, lambda: CLIENT, store), "crm of Ada")
    tools, out = load().tools, [repr(tokens), repr(CLIENT), *pages, shown]
    history, audit = History(tmp_path / "history.sqlite3"), Audit(tmp_path / "audit.sqlite3")
    with telltale() as (address, sent):
        usual = connections({"CRM_ACCESS_TOKEN": "other-token", "CRM_BASE_URL": address})["crm"].endpoints[CRM]
        endpoint = replace(usual, credential=token, known=(token,))
        connection = Connection("crm", "CRM account", {CRM: endpoint})
        async with opened(Network(), folder=tmp_path, audit=audit, history=history) as engine:
            open_writing(engine, connection)
            for number in (1, 2):
                for result in (
                    await engine.run(tools["FetchCrmUsersList"], {}, connection),
                    await engine.run(tools["RetrieveCrmUserById"], {"user_identifier": "no17"}, connection),
                    await unchecked(engine, tools["RemoveCrmUser"], {"user_identifier": "17"}, connection),
                ):
                    out += [repr(result), repr(result.exchanges), result.body.decode(), repr(result.headers)]
                assert f"PLANTEDaccess_token{number}" in sent[-1]
                if number == 1:
                    assert await token.renewed("PLANTEDaccess_token1")
            with pytest.raises(SignInEnded) as ended:
                await token.renewed("PLANTEDaccess_token2")
            out += [
                str(ended.value),
                repr(ended.value),
                repr(token),
                repr(connection),
                *map(repr, engine.traces.newest_first()),
            ]
    assert MARK.findall(" ".join(out).encode()) == []
    assert "PLANTED" not in caplog.text
    assert verifier not in caplog.text
    assert marks_in(tmp_path) == {"tokens.secret": {b"PLANTEDaccess_token2", b"PLANTEDrefresh_token2"}}
    assert store.file.stat().st_mode & 0o077 == 0
