"""Every tool of the catalogue, called on the sandbox over HTTP with the examples in its help.

The sandbox's paths are written from how the services speak and not from the catalogue, so a wrong path or wire name in the
catalogue turns this red.
"""

import re
import time
from pathlib import Path
from typing import Any

from registry.accounts.connection import sandbox
from registry.accounts.policy import Consent
from registry.catalog.loader import load
from registry.catalog.model import Parameter, Tool
from registry.engine import Engine
from registry.sandbox.server import application
from tests.opened import opened

TOOLS = load().tools
READS = [tool for tool in TOOLS.values() if tool.effect == "read"]
CHANGES = [tool for tool in TOOLS.values() if tool.effect != "read"]
SANDBOX = sandbox()

_EXAMPLE = re.compile(r"(?:for example|its id,|such as|the id,) (\S+?)[.,;]?(?: |$)")
_SEARCHES = {
    "PaymentsSearchCharges": 'status:"succeeded"',
    "SearchPaymentsPrices": 'active:"true"',
    "SearchPaymentsProducts": 'active:"true"',
}


def unhurried(folder: Path) -> Engine:
    """An engine on a sandbox that takes as many requests as come: the tools are looked at here, and not the rate limits."""
    return opened(folder=folder, sandbox=application)


def example_of(parameter: Parameter) -> str | None:
    """The example id in a parameter's help."""
    found = _EXAMPLE.search(parameter.help)
    return found[1] if found and not found[1].endswith("…") else None


def examples(tool: Tool) -> dict[str, Any]:
    """The examples in the help of a tool's required parameters."""
    return {parameter.name: example_of(parameter) for parameter in tool.parameters if parameter.required}


def reading(tool: Tool, now: float) -> dict[str, Any]:
    """What a tool that reads is called with: its examples, a search that finds something, a period before now."""
    arguments, query, today = examples(tool), tool.with_role("query"), int(now) // 86_400 * 86_400
    if query is not None and query.required:
        arguments[query.name] = _SEARCHES.get(tool.name, "created>0" if tool.toolkit == "PaymentsApi" else "sam")
    if tool.name == "GetBillingMeterEventSummaries":
        arguments |= {"start_time_timestamp": today - 40 * 86_400, "stop_aggregating_until": today}
    return arguments


async def test_the_examples_in_the_help_work_on_the_sandbox(tmp_path: Path) -> None:
    async with unhurried(tmp_path) as engine:
        for tool in READS:
            arguments = reading(tool, time.time())
            result = await engine.run(tool, arguments, SANDBOX)
            assert result.ok, (tool.name, arguments, result.failure)
            assert result.page is None or result.page.items, (tool.name, arguments)
    for tool in CHANGES:
        async with unhurried(tmp_path) as engine:
            result = await engine.run(tool, examples(tool), SANDBOX, consent=Consent.TYPED)
        assert result.ok, (tool.name, examples(tool), result.failure)
