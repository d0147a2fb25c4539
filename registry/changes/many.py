"""Deletes several objects, one by one: each is checked directly before, and the outcome of each is reported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from registry.accounts.consent import Consent, NotAllowed
from registry.calling.arguments import ArgumentError, check
from registry.catalog.model import Tool
from registry.changes.checked import ChangeCheck
from registry.changes.deletion import Outcome, carry_out
from registry.changes.reads import Reads

OnSurprise = Literal["stop", "go on"]


@dataclass(frozen=True, slots=True)
class Deleted:
    """One of several: its arguments and its outcome; None if it was not tried."""

    arguments: Mapping[str, object]
    outcome: Outcome | None = None


Progress = Callable[[Sequence[Deleted]], None]


async def delete_many(
    reads: Reads,
    tool: Tool,
    items: Sequence[Mapping[str, object]],
    consent: Consent,
    *,
    on_surprise: OnSurprise = "stop",
    progress: Progress | None = None,
    stop: asyncio.Event | None = None,
) -> list[Deleted]:
    """Delete one object after the other.

    Objects that are gone already, or whose rule is broken, are not sent. Every deletion that was not done is a surprise.

    Args:
        reads: holds the client and the connection.
        tool: the deletion.
        items: its arguments, for each object.
        consent: how far the user has agreed.
        on_surprise: whether to end at the first surprise.
        progress: called with the list so far after each deletion.
        stop: when set, cancels the current deletion and starts no other.

    Returns:
        The outcomes, in the order of the items.

    Raises:
        NotAllowed: the policy does not allow the first one; nothing was sent.
    """
    reads.client.policy.check(tool, reads.connection, consent)
    account = [Deleted(one) for one in items]
    for place, item in enumerate(items):
        if stop is not None and stop.is_set():
            break
        outcome = await _one(reads, tool, item, consent, stop)
        account[place] = Deleted(item, outcome)
        if progress is not None:
            progress(tuple(account))
        if outcome.became != "done" and on_surprise == "stop":
            break
    return account


async def _one(reads: Reads, tool: Tool, item: Mapping[str, object], consent: Consent, stop: asyncio.Event | None) -> Outcome:
    try:
        checking = ChangeCheck(reads, tool, check(tool, item, reads.client.clock()))
    except ArgumentError as error:
        return Outcome("refused", "; ".join(str(one) for one in error.errors), None)
    seen = await checking.run()
    if seen.verdict == "refuse":
        return Outcome("gone" if seen.gone else "refused", seen.in_the_way, None)
    try:
        return await carry_out(checking.checked(), consent, stop=stop)
    except NotAllowed as refusal:
        # Changes to live data were allowed for a time that has run out.
        return Outcome("refused", refusal.decision.reason, None)
