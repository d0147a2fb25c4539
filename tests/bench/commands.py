"""Whole commands, compared with an import in the same round."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.table import Rows, TableRow, process_time
from tests.terminal import ROOT

_AS_USUAL = "import runpy, sys; sys.argv[0] = 'callboard'; runpy.run_module('tui', run_name='__main__')"
_WITHOUT_AGENTS = (
    "import sys, types; door = types.ModuleType('registry.doors.cli_mcp'); door.add_mcp = lambda commands: None; "
    f"sys.modules[door.__name__] = door; {_AS_USUAL}"
)


_CALLS = {
    "Whoami": ["Whoami"],
    "GetTaxSettings": ["GetTaxSettings"],
    "SearchPaymentsCustomers (the largest dataset)": ["SearchPaymentsCustomers", "--search-query-string", "created>0"],
}


def command_rows(rounds: int) -> Rows:
    """Whole calls on the command line, compared with importing httpx in the same round."""
    embedded = [TableRow(f"callboard call {name}, whole process, × importing httpx", "≤ 1.6", []) for name in _CALLS]
    kept = [TableRow(f"the same on kept sandbox data: {name}", "≤ 1.6", []) for name in _CALLS]
    agents = TableRow("callboard tools, with the door for agents × without it", "≤ 1.05", [])
    words = ["tools", "coupon"]
    process_time([sys.executable, "-c", "import httpx, textual.app"])
    with _kept_sandbox() as account:
        for _ in range(rounds):
            floor = process_time([sys.executable, "-c", "import httpx"])
            for row, other, call in zip(embedded, kept, _CALLS.values(), strict=True):
                command = [sys.executable, "-m", "tui", "call", *call]
                row.ratios.append(process_time(command) / floor)
                other.ratios.append(process_time(command, account) / floor)
            without = process_time([sys.executable, "-c", _WITHOUT_AGENTS, *words])
            agents.ratios.append(process_time([sys.executable, "-c", _AS_USUAL, *words]) / without)
    return [*embedded, *kept, agents]


@contextmanager
def _kept_sandbox() -> Iterator[Mapping[str, str]]:
    """The environment for calls to a sandbox that was opened on the data of an earlier one."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tui", "sandbox", "--port", "0", "--json", "--data", str(Path(folder, "kept.db"))]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as first:
            _account(first)
            first.send_signal(signal.SIGINT)
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as second:
            try:
                yield _account(second)
            finally:
                second.send_signal(signal.SIGINT)


def _account(sandbox: subprocess.Popen[bytes]) -> Mapping[str, str]:
    assert sandbox.stdout is not None
    environment: Mapping[str, str] = json.loads(sandbox.stdout.readline())["environment"]
    return environment
