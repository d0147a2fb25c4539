"""Every tool of the catalogue, called on the sandbox over HTTP with arguments taken from other tools' answers.

The sandbox's paths are written from how the services speak and not from the catalogue, so a wrong path or wire name in the
catalogue turns this red.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.accounts.connection import sandbox
from registry.accounts.policy import Consent
from registry.calling.result import Result
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.sandbox.server import application
from tests.harvest import Harvest, SeenId, example_of
from tests.opened import opened

TOOLS = load().tools
READS = [tool for tool in TOOLS.values() if tool.effect == "read"]
CHANGES = [tool for tool in TOOLS.values() if tool.effect != "read"]
SANDBOX = sandbox()

# Kinds whose ids no tool of the 241 lists and no object that can be reached names. In real life they come from a webhook, a
# dashboard or another program; here from the example in the parameter's help. An id is taken only when all else is read.
FROM_OUTSIDE = (
    "event",
    "treasury.financial_account",
    "issuing.token",
    "treasury.outbound_payment",
    "identity.verification_report",
    "radar.value_list",
    "radar.early_fraud_warning",
    "reporting.report_run",
    "financial_connections.transaction",
    "payout",
    "topup",
    "source_mandate_notification",
)

# Why a read may be refused although its arguments are real: the rule that the tool states, and the answer's status.
RULED = {
    "DownloadQuotePdf": (400, "the quote is a draft"),
    "RetrieveTaxCalculation": (404, "the calculation has expired"),
    "RetrieveTaxCalculationLineItems": (404, "the calculation has expired"),
    "RetrievePaymentsEventDetails": (404, "the event is older than 30 days"),
    "GetPaymentsReportTypeDetails": (400, "the report type needs a live-mode key"),
    "RetrieveCustomerDiscount": (404, "the customer has no discount"),
    "GetSubscriptionDiscount": (404, "the subscription has no discount"),
    "GetChargeDisputeDetails": (404, "the charge has no dispute"),
}


def unhurried(folder: Path) -> Engine:
    """An engine on a sandbox that takes as many requests as come: the tools are looked at here, and not the rate limits."""
    return opened(folder=folder, sandbox=application)


class Reader:
    """Calls tools and keeps what their answers show.

    `lists` and `others` are the answers with something in them after which a tool that lists, or another one, is done with.
    """

    def __init__(self, folder: Path, *, lists: int = 120, others: int = 6) -> None:
        self.lists, self.others = lists, others
        self.engine = unhurried(folder)
        self.harvest = Harvest(int(time.time()))
        self.failed: dict[str, list[tuple[Mapping[str, Any], Result]]] = {}
        self.done: dict[str, int] = {}
        self.tried: dict[str, set[str]] = {}
        self.outside: list[str] = []

    async def read(self, tool: Tool, arguments: Mapping[str, Any]) -> Result | None:
        """Call a tool; its answer, or None when it gave none."""
        result = await self.engine.run(tool, arguments, SANDBOX)
        if result.ok:
            self.done[tool.name] = self.done.get(tool.name, 0) + 1
            self.harvest.take(tool, arguments, result)
        elif self.harvest.certain(tool, arguments):
            self.failed.setdefault(tool.name, []).append((arguments, result))
        return result if result.ok else None

    async def read_everything(self) -> None:
        """Call every read tool with whatever the answers so far allow, until nothing new comes.

        Ids that belong together come first; then any of the right kind; then, one by one, those that only the outside knows.
        """
        waiting = sorted(
            READS, key=lambda tool: sum(parameter.required for parameter in tool.parameters if parameter.refers_to)
        )
        while waiting:
            left = [tool for tool in waiting if not await self._try(tool)]
            if len(left) == len(waiting):
                left = [tool for tool in waiting if not await self._guess(tool)]
            if len(left) == len(waiting) and not self._ask_outside(left):
                return
            waiting = left

    async def _try(self, tool: Tool) -> bool:
        """Call a tool with what was seen, until there were a few answers with something in them; True when it is done with."""
        limit = tool.with_role("limit")
        largest = {limit.name: limit.maximum} if limit and limit.maximum else {}
        rich = 0
        for arguments in self.harvest.arguments(tool, 120):
            if str(arguments) in self.tried.setdefault(tool.name, set()):
                continue
            self.tried[tool.name].add(str(arguments))
            answer = await self.read(tool, arguments | largest)
            if answer and (answer.page is None or answer.page.items):
                rich += 1
                await self._expanded(tool, arguments)
            if rich == (self.lists if tool.returns.kind == "list" else self.others):
                break
        return rich > 0

    async def _expanded(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Call a tool once more with every field expanded that its help names. It must not fail where it did not before."""
        expand = tool.with_role("expand")
        if expand is not None and expand.suggestions:
            answer = await self.engine.run(tool, {**arguments, expand.name: list(expand.suggestions)}, SANDBOX)
            assert answer.ok, (tool.name, answer.failure)
            self.harvest.take(tool, arguments, answer)

    async def _guess(self, tool: Tool) -> bool:
        """Call a tool with ids of the right kinds that were not seen together. A refusal tells nothing."""
        for arguments in self.harvest.arguments(tool, 40, guessing=True):
            result = await self.engine.run(tool, arguments, SANDBOX)
            if result.ok and (result.page is None or result.page.items):
                return await self.read(tool, arguments) is not None
        return False

    def _ask_outside(self, waiting: list[Tool]) -> bool:
        """Take one more id from outside, of a kind that a waiting tool needs; False when there is none to take."""
        needed = {kind: one for tool in waiting for one in tool.parameters if one.required for kind in one.refers_to}
        for kind in FROM_OUTSIDE:
            example = example_of(needed[kind]) if kind in needed else None
            if example and kind not in self.outside:
                self.outside.append(kind)
                self.harvest.by_kind.setdefault(kind, {})[example] = SeenId(example, {})
                return True
        return False


def examples(tool: Tool) -> dict[str, Any]:
    """The examples in the help of a tool's required parameters."""
    return {parameter.name: example_of(parameter) for parameter in tool.parameters if parameter.required}


async def test_the_examples_in_the_help_work_on_the_sandbox(tmp_path: Path) -> None:
    now = int(time.time()) // 86_400 * 86_400
    async with unhurried(tmp_path) as engine:
        for tool in READS:
            arguments = examples(tool)
            if tool.name == "GetBillingMeterEventSummaries":
                arguments |= {"start_time_timestamp": now - 40 * 86_400, "stop_aggregating_until": now}
            if tool.with_role("query"):
                continue
            result = await engine.run(tool, arguments, SANDBOX)
            assert result.ok, (tool.name, arguments, result.failure)
            assert result.page is None or result.page.items, (tool.name, arguments)
    for tool in CHANGES:
        async with unhurried(tmp_path) as engine:
            result = await engine.run(tool, examples(tool), SANDBOX, consent=Consent.TYPED)
        assert result.ok, (tool.name, examples(tool), result.failure)
