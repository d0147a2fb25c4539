"""The contents of the monkey's home: accounts, a toolkit made from an OpenAPI document, saved calls. Also an agent.

Nothing there leaves this machine: addresses outside the sandbox refuse every connection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Self

from registry.journal.agent_requests import AgentRequests
from registry.journal.store import agent_requests_file
from tests.journal.test_agent_requests import CHANGE
from tests.terminal import ROOT

NOWHERE = "http://127.0.0.1:9"
TOOLKIT = ROOT / "tests" / "openapi" / "tracker.yaml"
ACCOUNTS = (("payments", "Fern EU"), ("payments", "Fern two"), ("incidents", "Night"))
PLAYBOOK = {
    "format": "callboard saved call",
    "version": 1,
    "name": "Look at customers",
    "inputs": [{"name": "since", "default": "created>0"}],
    "steps": [{"id": "customers", "tool": "SearchPaymentsCustomers", "arguments": {"search_query_string": "{since}"}}],
    "outputs": {},
}
_CHANGES = (
    replace(CHANGE, names=()),
    CHANGE,
    replace(CHANGE, mode="live", account="Fern \u202eEU"),
    replace(CHANGE, reason="[bold]x[/]\n" * 40, found=tuple(("fact", "name", "东" * 200) for _ in range(30))),
)


def furnish(home: Path) -> None:
    """Add all of it, as a person would from the command line."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    words = [["toolkit", "add", str(TOOLKIT), "--server", NOWHERE]]
    words += [
        ["account", "add", service, "--name", name, "--insecure-storage", "--no-test", "--base-url", NOWHERE]
        for service, name in ACCOUNTS
    ]
    playbook = home / "playbook.json"
    playbook.write_text(json.dumps(PLAYBOOK))
    words += [["saved", "import", str(playbook)]]
    for one in words:
        command = [sys.executable, "-m", "tui", *one]
        subprocess.run(
            command, input="sk_test_monkey_1\n", text=True, check=True, env=environment, cwd=home, capture_output=True
        )


class Agent:
    """Requests changes in a home like an agent, until the context ends."""

    def __init__(self, home: Path) -> None:
        self._requests = AgentRequests(agent_requests_file(home / ".local" / "state" / "callboard"))
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()

    def asks(self, seconds: float) -> None:
        """Request a change that waits `seconds` for a decision."""
        self._asked += 1
        change = replace(_CHANGES[self._asked % len(_CHANGES)], at=time.time())
        self._requests.post(change, str(self._asked), "", seconds, bytes)
