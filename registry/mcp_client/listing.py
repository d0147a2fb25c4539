"""What a server offers, page by page: what cannot be used of it is named, and a list ends whatever the server says."""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp import Client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from registry.mcp_client.values import Listing, canonical, fault_of, items_of
from registry.mcp_client.wire import as_sent
from registry.text.safe_text import shortened, visible_line

_MOST_PAGES, _MOST_TOOLS = 100, 5_000

LeftOut = list[tuple[str, str]]
Ask = Callable[..., Awaitable[types.ListToolsResult | types.ListPromptsResult]]


async def listing_of(client: Client) -> tuple[Listing, float]:
    """What a server offers, and for how many seconds it is right unless the server reports a change."""
    offered, info = client.server_capabilities, client.server_info or types.Implementation(name="", version="")
    left_out: LeftOut = []
    asks = offered.tools is not None or (offered.prompts is None and offered.resources is None)
    tools, last = await _listed(client.list_tools, "tools", left_out) if asks else ([], {})
    prompts, _ = await _listed(client.list_prompts, "prompts", left_out) if offered.prompts is not None else ([], {})
    about = info.name, info.title or "", info.version, client.instructions or "", client.protocol_version
    lasts = last.get("ttlMs") if client.protocol_version in MODERN_PROTOCOL_VERSIONS else math.inf
    seconds = lasts / 1000 if isinstance(lasts, int | float) else 0.0
    return Listing(*about, tools, offered.resources is not None, prompts, tuple(left_out)), seconds


async def _listed(ask: Ask, kind: str, left_out: LeftOut) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
    """The tools or prompts, and the last page of them; notes what cannot be used, by its name or place, and why."""
    found: dict[bytes, Mapping[str, Any]] = {}
    asked: list[str] = []
    cursor = None
    while True:
        page = await ask(cursor=cursor)
        sent = as_sent(page)
        accepted = {one.name for one in page.tools} if isinstance(page, types.ListToolsResult) else None
        for place, one in enumerate(items_of(sent, kind), len(found) + 1):
            fault, name = fault_of(one), str(one.get("name") or place) if isinstance(one, dict) else str(place)
            if not fault and accepted is not None and name not in accepted:
                fault = "has an x-mcp-header that cannot be sent"
            if fault:
                left_out.append((name, fault))
            else:
                found.setdefault(canonical(one), one)
        cursor, end = sent.get("nextCursor"), ""
        if cursor is not None and (not isinstance(cursor, str) or cursor in asked):
            end = f"begins again: its nextCursor is {shortened(visible_line(str(cursor)), 100)} for the second time"
        elif cursor is not None and (len(asked) == _MOST_PAGES or len(found) > _MOST_TOOLS):
            end = f"has no end: only the first {len(found):,} are used"
        if end:
            left_out.append((f"the list of {kind}", end))
        if cursor is None or end:
            return list(found.values()), sent
        asked.append(cursor)
