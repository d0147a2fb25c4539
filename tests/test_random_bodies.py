"""Random responses through the command line, the explorer, the history, exports and the door for agents.

No traceback, no control, no credential comes out.
"""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from registry.calling.client import ToolClient
from registry.doors import cli
from registry.doors.mcp.agent_tools import AgentTools
from registry.doors.mcp.consent import Asker
from registry.engine import Engine, Settings, open_engine
from tests.calling.network import ScriptedNetwork
from tests.opened import opened
from tests.random_bodies import ARGUMENT, CREDENTIAL, Case, Terminal, case, controls_in, home, leaks_in, strict
from tests.test_secrets_everywhere import rows_of
from tests.tui.app import desk

INTENT = "RetrievePaymentIntentDetails"
CALL: tuple[str, ...] = ("call", INTENT, "--account", "payments", "--payment-intent-id", "pi_1")
CALL = (*CALL, "--payment-intent-client-secret", ARGUMENT)
CHANGE: tuple[str, ...] = ("call", "DeletePaymentsCustomer", "--account", "payments", "--allow-writes")
CHANGE = (*CHANGE, "--customer-id", "pi_1", "--confirm", "pi_1")
PAGE = ("page", "pi_1", "--account", "payments")
BOARD = ("oncall", "--account", "incidents")
CALLS: tuple[tuple[str, ...], ...] = (
    CALL,
    (*CALL, "--raw"),
    (*CALL, "--show-secrets"),
    (*CALL, "--format", "csv"),
    (*CALL, "--format", "ndjson"),
    *((*CALL, "--save", f"out.{ending}", "--replace") for ending in ("json", "csv", "parquet")),
    CHANGE,
)
OTHERS: tuple[tuple[str, ...], ...] = (
    *((*PAGE, form) for form in ("--text", "--json", "--markdown")),
    BOARD,
    (*BOARD, "--json"),
    (*BOARD, "--export", "recorded"),
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return home(tmp_path, monkeypatch, "PAYMENTS_API_KEY", "INCIDENTS_API_TOKEN")


def _run(one: Case, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> tuple[int, str, str]:
    def engine(settings: Settings | None = None) -> Engine:
        network = ScriptedNetwork(lambda _: one.response())
        return open_engine(settings or Settings(), network=network, sleep=network.sleep)

    monkeypatch.setattr("registry.doors.cli_call.ReadingEngine", engine)
    for module in ("cli_change", "cli_sync", "cli_page", "oncall_print"):
        monkeypatch.setattr(f"registry.doors.{module}.open_engine", engine)
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def _through(commands: tuple[tuple[str, ...], ...], seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Run a command with each response, in turn; returns the exit codes."""
    codes = set()
    for seed in seeds:
        words, terminal = commands[seed % len(commands)], seed % 2 == 0
        one = case(seed, (CREDENTIAL, ARGUMENT) if ARGUMENT in words else (CREDENTIAL,))
        code, out, err = _run(one, words, monkeypatch, terminal=terminal)
        codes.add(code)
        about = f"seed {seed}: {words} {code} {err[:500]}"
        assert code in (0, 1, 3, 4, 10), about
        assert "Traceback" not in err, about
        assert not controls_in(err), about
        assert not controls_in(out, "\n\r" if "csv" in words else "\n") or ("csv" in words and not terminal), about
        assert "\ncallboard: It is deleted" not in "\n" + out + "\n" + err, about
        shown = b"MARKEDhidden" if "--raw" in words or "--show-secrets" in words else b""
        assert set(leaks_in((out + err).encode())) <= {shown}, about
        if out and (words in CALLS[:3] or "--json" in words):
            strict(out)
        for file in (place / "work").iterdir():
            assert not leaks_in(file.read_bytes()), (about, file.name)
            if file.suffix == ".json":
                strict(file.read_text("utf-8"))
            file.unlink()
    for file in (place / "state").rglob("*.db"):
        assert not [row for row in rows_of(file) if leaks_in(row)], file.name
    assert not [*place.rglob("crash-*.txt")]
    return codes


@pytest.mark.parametrize("seeds", [range(60), *(pytest.param(range(60, 4_000), marks=pytest.mark.long),)], ids=str)
def test_calls(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {0, 1} <= _through(CALLS, seeds, place, monkeypatch)


@pytest.mark.parametrize("seeds", [range(30), *(pytest.param(range(30, 1_000), marks=pytest.mark.long),)], ids=str)
def test_pages_and_the_board(seeds: range, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _through(OTHERS, seeds, place, monkeypatch)


@pytest.mark.parametrize("seeds", [range(1_000, 1_020), *(pytest.param(range(1_020, 2_000), marks=pytest.mark.long),)], ids=str)
async def test_the_explorer(seeds: range, place: Path) -> None:
    one_case = [case(seeds[0])]
    network = ScriptedNetwork(lambda _: one_case[0].response())
    async with desk((100, 30), environment={"PAYMENTS_API_KEY": CREDENTIAL}, remembered=place / "state") as one:
        engine = one.app.session.engine
        engine._network = network
        client: Any = engine._client
        assert isinstance(client, ToolClient)
        client.network, client.sleep = network, network.sleep
        await one.open(INTENT)
        raw = {"payment_intent_id": "pi_1", "payment_intent_client_secret": ARGUMENT}
        for seed in seeds:
            one_case[0] = case(seed)
            result = await engine.run(INTENT, raw, one.app.session.connections["payments"])
            one.screen.result.show(result, "")
            await one.until(lambda: one.screen.result.laid_out)
            await one.pilot.pause()
            strips = one.app.screen._compositor.render_strips()
            drawn = "\n".join("".join(segment.text for segment in strip) for strip in strips)
            assert not controls_in(drawn), (seed, controls_in(drawn))
            assert not leaks_in(drawn.encode("utf-8", "surrogatepass")), seed
            assert one.app.is_running


async def test_the_door_for_agents() -> None:
    call = {"tool": INTENT, "arguments": {"payment_intent_id": "pi_1"}}
    one = case(0)
    network = ScriptedNetwork(lambda _: one.response())
    async with opened(network, environment={"PAYMENTS_API_KEY": CREDENTIAL}) as engine:
        agent_tools = AgentTools(engine, accounts=("payments",), tokens=2_000)
        for seed in range(150):
            one = case(40_000 + seed, (CREDENTIAL,))
            answer = await agent_tools.call("call_read_tool", call, Asker())
            text = json.dumps(dict(answer.values), ensure_ascii=False)
            strict(text)
            assert not controls_in(text.replace("\\n", "")), seed
            assert not leaks_in(text.encode()), seed
