"""Random responses through the command line, the explorer, the history and exports: no traceback, no control, no credential."""

from __future__ import annotations

import io
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from registry.calling.client import ToolClient
from registry.doors import cli
from registry.engine import Engine, Settings, open_engine
from tests.calling.network import ScriptedNetwork
from tests.random_bodies import ARGUMENT, CREDENTIAL, Case, Terminal, case, controls_in, home, leaks_in, strict
from tests.tui.app import desk

CALL: tuple[str, ...] = ("call", "RetrievePaymentIntentDetails", "--account", "payments", "--payment-intent-id", "pi_1")
CALL = (*CALL, "--payment-intent-client-secret", ARGUMENT)
WAYS: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("--raw",),
    ("--show-secrets",),
    ("--format", "csv"),
    ("--format", "ndjson"),
    ("--save", "out.json", "--replace"),
    ("--save", "out.csv", "--replace"),
    ("--save", "out.parquet", "--replace"),
)
CHANGE: tuple[str, ...] = ("call", "DeletePaymentsCustomer", "--account", "payments", "--customer-id", "pi_1")
CHANGE = (*CHANGE, "--confirm", "pi_1", "--allow-writes")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home(tmp_path, monkeypatch, "PAYMENTS_API_KEY")


def _engine(one: Case, settings: Settings) -> Engine:
    network = ScriptedNetwork(lambda _: one.response())
    return open_engine(settings, network=network, sleep=network.sleep)


def _run(one: Case, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> tuple[int, str, str]:
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    monkeypatch.setattr("registry.doors.cli_call.open_engine", partial(_engine, one))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def _through_the_command_line(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: dict[int, int] = {}
    for seed in seeds:
        way = WAYS[seed % len(WAYS)]
        shows = way in (("--raw",), ("--show-secrets",))
        changes, terminal = not way and seed % 7 == 0, seed % 3 == 0
        one = case(seed, (CREDENTIAL,) if changes else (CREDENTIAL, ARGUMENT))
        code, out, err = _run(one, CHANGE if changes else (*CALL, *way), monkeypatch, terminal=terminal)
        about = f"seed {seed}: {way} {code} {err[:500]}"
        ended[code] = ended.get(code, 0) + 1
        assert code in ((0, 1, 3) if one.status in (401, 403) or code != 3 else (0, 1)), about
        assert "Traceback" not in err, about
        assert not controls_in(err), about
        assert not controls_in(out, "\n\r" if "csv" in way else "\n") or ("csv" in way and not terminal), about
        assert "\ncallboard: It is deleted" not in "\n" + err, about
        leaks = [mark for mark in leaks_in((out + err).encode()) if not (shows and mark == b"MARKEDhidden")]
        assert not leaks, (about, leaks)
        assert (code == 0) or not out, about
        if code == 0 and out and way in ((), ("--raw",), ("--show-secrets",)) and not changes:
            strict(out)
        _files_hold_nothing(place / "work", about)
    assert ended.get(0, 0) > len(seeds) // 20, ended
    assert ended.get(1, 0) > len(seeds) // 20, ended
    if sys.exc_info()[0] is None:
        _databases_hold_nothing(place / "state")
    assert not [*place.rglob("crash-*.txt")]


def _files_hold_nothing(folder: Path, about: str) -> None:
    for file in folder.iterdir():
        content = file.read_bytes()
        assert not leaks_in(content), (about, file.name)
        if file.suffix == ".json":
            strict(content.decode())
            assert not controls_in(content.decode(), "\n\r\t"), about


def _databases_hold_nothing(folder: Path) -> None:
    files = [*folder.rglob("*.db")]
    assert files
    for file in files:
        for row in _rows(file):
            assert not leaks_in(row), (file.name, row[:300])


def _rows(file: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(file)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    try:
                        yield zlib.decompress(value) if isinstance(value, bytes) else str(value).encode()
                    except zlib.error:
                        yield value


async def _through_the_explorer(seeds: range, place: Path) -> None:
    one_case = [case(seeds[0])]
    network = ScriptedNetwork(lambda _: one_case[0].response())
    async with desk((100, 30), environment={"PAYMENTS_API_KEY": CREDENTIAL}, remembered=place / "state") as one:
        engine = one.app.session.engine
        engine._opened[:] = [network]
        client: Any = engine._client
        assert isinstance(client, ToolClient)
        client._network, client._sleep = network, network.sleep
        one.app.session.chosen |= {"PaymentsApi": "payments"}
        await one.open("RetrievePaymentIntentDetails")
        tool = engine.tool("RetrievePaymentIntentDetails")
        raw = {"payment_intent_id": "pi_1", "payment_intent_client_secret": ARGUMENT}
        pane = one.screen.result
        for seed in seeds:
            one_case[0] = case(seed)
            result = await engine.run(tool, raw, one.app.session.connections["payments"])
            await pane.show(result, "").wait()
            await one.pilot.pause()
            strips = one.app.screen._compositor.render_strips()
            drawn = "\n".join("".join(segment.text for segment in strip) for strip in strips)
            assert not controls_in(drawn), (seed, controls_in(drawn))
            assert not leaks_in(drawn.encode("utf-8", "surrogatepass")), seed
            assert one.app.is_running
        if one.app.session.history is not None:
            one.app.session.history.flush()
            assert not one.app.session.history.notice


def test_a_sample_through_the_command_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _through_the_command_line(range(60), place, monkeypatch)


async def test_a_sample_through_the_explorer(place: Path) -> None:
    await _through_the_explorer(range(1_000, 1_020), place)


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(60, 300), range(10_000, 14_000)], ids=str)
def test_thousands_through_the_command_line(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _through_the_command_line(seeds, place, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(1_020, 1_060), range(20_000, 21_000)], ids=str)
async def test_a_thousand_through_the_explorer(seeds: range, place: Path) -> None:
    await _through_the_explorer(seeds, place)
