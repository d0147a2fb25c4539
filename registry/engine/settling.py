"""Finds out the outcome of changes whose program was killed, or whose response was lost and could not be looked up.

It only reads, and only through the account that the change used: the same name, the same
addresses and the same credential. It ignores changes of another running program. The outcome is written to the
audit log.
"""

import asyncio
import json
from collections.abc import Callable, Mapping

from registry.accounts.connection import SANDBOX_URL, Connection
from registry.accounts.secrets import MASK
from registry.calling.arguments import check
from registry.catalog.model import Tool
from registry.changes.deletion import Outcome, find_out
from registry.changes.reads import Call, Reads
from registry.engine.reading import ReadingEngine
from registry.journal.audit import Audit, Change, place_of
from registry.json_text import dumps

ReadsOf = Callable[[Tool, Connection], Reads]
_LOST = "The program ended before the response arrived."


async def settle(
    engine: ReadingEngine, audit: Audit, reads_of: ReadsOf, *, again: bool = False
) -> list[tuple[Change, Outcome]]:
    """Find out the outcome of every unsettled change, one after the other, oldest first; returns each as it was, with that.

    Args:
        engine: has the tools and the accounts.
        audit: the audit log.
        reads_of: the reads that look up a change with a tool, on an account.
        again: also look up changes that an earlier run could not settle.

    Raises:
        JournalError: the audit log cannot be read.
    """
    settled = []
    for change in await asyncio.to_thread(lambda: audit.unsettled(again=again)):
        found = await _find_out(engine, reads_of, change)
        await asyncio.to_thread(audit.settle, change.id, found.became, found.words, found.final)
        settled.append((change, found))
    return settled


async def _find_out(engine: ReadingEngine, reads_of: ReadsOf, change: Change) -> Outcome:
    tool = engine.catalog.tools.get(change.tool)
    if why := _lost_for_good(change, tool):
        return Outcome("unknown", f"{_LOST} {why}")
    assert tool is not None
    connection = engine.connections.get(change.connection)
    endpoint = connection.endpoints.get(tool.toolkit) if connection is not None else None
    # The account must be set up with the same name, addresses and credential.
    if connection is None or endpoint is None or place_of(endpoint) != change.place:
        why = f"Sent to {change.base} with the account {change.connection}, which is not set up now; not checked."
        return Outcome("unknown", f"{_LOST} {why}", final=False)
    values = check(tool, change.arguments, engine.settings.clock())
    if values.errors:
        why = f"Invalid arguments in the log: {values.errors[0]}"
        return Outcome("unknown", f"{_LOST} {why}")
    reads = reads_of(tool, connection)
    before = dumps(change.object).encode() if isinstance(change.object, dict) and "left_out" not in change.object else b""
    retrieval = _lookup(engine, change.lookup)
    if retrieval is None and tool.subject is not None:
        retrieval = await reads.retrieval(tool, values.values)
    return await find_out(reads, tool, values.values, retrieval, before, _LOST)


def _lost_for_good(change: Change, tool: Tool | None) -> str:
    """Why the outcome can never be read; empty if it can."""
    if change.base is None:
        return "The log entry has no URL; not checked."
    if change.base.startswith(SANDBOX_URL):
        return "Sent to the sandbox of that run, which no longer exists."
    if tool is None:
        return f"The tool {change.tool} no longer exists; not checked."
    if MASK in json.dumps([change.arguments, change.lookup], ensure_ascii=False):
        return "One of its arguments is a secret, which the audit log does not store; not checked."
    return ""


def _lookup(engine: ReadingEngine, kept: object) -> Call | None:
    """The read that the audit log names, if its tool only reads."""
    if not (isinstance(kept, list) and len(kept) == 2 and isinstance(kept[0], str) and isinstance(kept[1], dict)):
        return None
    tool = engine.catalog.tools.get(kept[0])
    arguments: Mapping[str, object] = kept[1]
    return (tool, dict(arguments)) if tool is not None and tool.effect == "read" else None
