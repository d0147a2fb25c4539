"""Random responses through the other doors: watching, pages, the board and what it serves, and the door for agents."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from registry.doors import cli
from registry.doors.mcp.agent_tools import AgentTools
from registry.doors.mcp.consent import Asker
from registry.engine import Engine, Settings, open_engine
from tests.calling.network import ScriptedNetwork
from tests.opened import opened
from tests.random_bodies import CREDENTIAL, Case, Terminal, case, controls_in, home, leaks_in, strict

ROOMS = (
    "registry.engine",
    "registry.doors.oncall_print",
)
TOOL: tuple[str, ...] = ("RetrievePaymentIntentDetails", "--account", "payments", "--payment-intent-id", "pi_1")
PAGE: tuple[str, ...] = ("page", "pi_1", "--account", "payments")
DOORS: tuple[tuple[str, ...], ...] = (
    (*PAGE, "--text"),
    (*PAGE, "--json"),
    (*PAGE, "--markdown"),
    ("oncall", "--account", "incidents"),
    ("oncall", "--account", "incidents", "--json"),
    ("oncall", "--account", "incidents", "--export", "recorded"),
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home(tmp_path, monkeypatch, "PAYMENTS_API_KEY", "INCIDENTS_API_TOKEN")


def _engine(one: Case, settings: Settings | None = None) -> Engine:
    network = ScriptedNetwork(lambda _: one.response())
    return open_engine(settings or Settings(), network=network, sleep=network.sleep)


def _through(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        words, one, terminal = DOORS[seed % len(DOORS)], case(seed, (CREDENTIAL,)), seed % 3 == 0
        out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
        for room in ROOMS:
            monkeypatch.setattr(f"{room}.open_engine", partial(_engine, one))
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = cli.main(words)
            except SystemExit as ended:
                code = int(ended.code or 0)
        told, said = out.getvalue(), err.getvalue()
        about = f"seed {seed}: {words} {code} {said[:500]}"
        assert code in (0, 1, 3, 4, 10), about
        assert "Traceback" not in said, about
        assert not controls_in(said), about
        assert not controls_in(told), about
        assert "\ncallboard: It is deleted" not in "\n" + told + "\n" + said, about
        assert not leaks_in((told + said).encode()), about
        if told and "--json" in words:
            strict(told)
        for file in (place / "work").iterdir():
            assert not leaks_in(file.read_bytes()), (about, file.name)
            file.unlink()
        assert not [*place.rglob("crash-*.txt")], about


def test_a_sample_through_the_other_commands(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _through(range(40), place, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(40, 80), range(30_000, 31_000)], ids=str)
def test_a_thousand_through_the_other_commands(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _through(seeds, place, monkeypatch)


async def test_a_sample_through_the_door_for_agents() -> None:
    call = {"tool": TOOL[0], "arguments": {"payment_intent_id": "pi_1"}}
    one = case(0)
    network = ScriptedNetwork(lambda _: one.response())
    async with opened(network, environment={"PAYMENTS_API_KEY": CREDENTIAL}) as engine:
        agent_tools = AgentTools(engine, accounts=("payments",), tokens=2_000)
        for seed in range(150):
            one = case(40_000 + seed, (CREDENTIAL,))
            answer = await agent_tools.call("call_read_tool", call, Asker())
            values: dict[str, Any] = dict(answer.values)
            text = json.dumps(values, ensure_ascii=False)
            strict(text)
            assert not controls_in(text.replace("\\n", "")), seed
            assert not leaks_in(text.encode()), seed
