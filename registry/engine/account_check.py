"""Tests an account: whose credential it is, and which tools lack a permission. It only reads.

The service declares how to ask who its user is (`Identity`). No service says in advance which permissions are missing, so one
tool without required arguments is called from each group; if it is refused, the others of its group are called as well. A
permission that a refused tool lacks is missing for every tool that needs the same: the same scopes, or, for tools without
scopes, the same kind of effect on the same collection.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from registry.accounts.memory import Known
from registry.calling.failures import values_at
from registry.calling.result import Failure, Result
from registry.catalog.model import Returns, Tool
from registry.catalog.service import Service
from registry.text.shown import shortened, visible_line

Run = Callable[[Tool, Mapping[str, object]], Awaitable[Result]]
"""Makes one call of a tool that reads."""

_AT_ONCE = 4
_LONGEST = 120


async def tested(service: Service, tools: Sequence[Tool], run: Run, now: float) -> Known:
    """The result of testing an account.

    Args:
        service: the account's service.
        tools: the tools of its toolkit.
        run: makes a call through the account.
        now: the current time in Unix seconds.
    """
    who = where = ""
    failure: Failure | None = None
    if (identity := service.identity) is not None:
        asks = Tool(
            toolkit=service.toolkit,
            name="who am I",
            operation="who am I",
            group="",
            method="GET",
            path=identity.path,
            effect="read",
            summary="Whose credential it is.",
            returns=Returns(kind="object", objects=()),
        )
        result = await run(asks, {})
        failure = result.failure
        if failure is None:
            who, where = _first(result.json, identity.who), _first(result.json, identity.account)
        elif result.status in (None, 401):  # no further call can work: it was not reached, or rejects the credential
            return Known(now, problem=_words(failure))
    lacking, worked, refused = await _permissions(tools, run)
    if not worked and (failure := refused or failure) is not None and not lacking:
        return Known(now, problem=_words(failure))
    return Known(now, who, where, lacking=lacking)


def related(tool: Tool, tools: Iterable[Tool]) -> list[str]:
    """The names of the tools that need the same permission as this one."""
    return [one.name for one in tools if _asks_for(one) == _asks_for(tool)]


def permission_of(tool: Tool, result: Result) -> str:
    """The service's name for the permission that a refused call lacks; empty if it failed for another reason."""
    if result.failure is None or result.status != 403:
        return ""
    return visible_line(result.failure.permission) if result.failure.permission else " or ".join(tool.scopes)


def learned(known: Known, tool: Tool, result: Result) -> dict[str, Any]:
    """What a call says about an account, as changes of what is known: a permission is missing, or a problem is solved."""
    if result.failure is None:
        if not known.problem and tool.name not in known.lacking:
            return {}
        return {"lacking": {key: one for key, one in known.lacking.items() if key != tool.name}, "problem": ""}
    if permission := permission_of(tool, result):
        lacking = {**known.lacking, tool.name: permission}
        return {"lacking": lacking} if lacking != known.lacking else {}
    if result.status in (None, 401) and not known.problem:
        return {"problem": f"{result.failure.title}. {result.failure.cause}"[:300], "at": time.time()}
    return {}


async def _permissions(tools: Sequence[Tool], run: Run) -> tuple[dict[str, str], bool, Failure | None]:
    """The tools that lack a permission, each with it; whether any tool worked; and the last other failure."""
    guard = asyncio.Semaphore(_AT_ONCE)
    lacking: dict[str, str] = {}
    worked, other = False, None

    async def tried(tool: Tool) -> bool:
        """Whether a tool lacks a permission."""
        nonlocal worked, other
        limit = tool.with_role("limit")
        async with guard:
            result = await run(tool, {limit.name: int(limit.minimum or 1)} if limit is not None else {})
        if permission := permission_of(tool, result):
            lacking.update(dict.fromkeys(related(tool, tools), permission))
            return True
        worked = worked or result.ok
        other = result.failure or other
        return False

    async def group(members: list[Tool]) -> None:
        first, *others = members
        if await tried(first):
            await asyncio.gather(*(tried(one) for one in others))

    simple = [tool for tool in tools if _needs_nothing(tool)]
    # One tool is enough for each permission.
    different = {_asks_for(tool): tool for tool in reversed(simple)}.values()
    groups = groupby(sorted(different, key=lambda one: one.group), key=lambda one: one.group)
    await asyncio.gather(*(group(list(members)) for _, members in groups))
    return lacking, worked, other


def _needs_nothing(tool: Tool) -> bool:
    return (
        tool.effect == "read"
        and tool.composed is None
        and not tool.deprecated
        and tool.returns.kind in ("list", "object")
        and "{" not in tool.path
        and not any(one.required for one in tool.parameters)
    )


def _asks_for(tool: Tool) -> tuple[str, ...]:
    """The key of the permission that a tool needs; tools with the same key need the same permission."""
    if tool.scopes:
        return tool.toolkit, *sorted(tool.scopes)
    collection = tool.path.partition("{")[0].rstrip("/")
    return tool.toolkit, "read" if tool.effect == "read" else "write", collection


def _words(failure: Failure) -> str:
    return visible_line(f"{failure.title}. {failure.cause}")


def _first(body: object, paths: Iterable[str]) -> str:
    """The first string or number at one of the paths; for an address its host, which names the account."""
    for path in paths:
        for value in values_at(body, path):
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                text = str(value)
                host = urlsplit(text).hostname if text.startswith("https://") and len(text) < 2_000 else None
                return shortened(visible_line(host or text), _LONGEST)
    return ""
