"""Presets as calls that can be found by name."""

from __future__ import annotations

from collections.abc import Mapping

from registry.catalog.model import Tool
from registry.finding.find import OwnCall
from registry.presets.store import PresetStore


def own_calls(store: PresetStore, tools: Mapping[str, Tool]) -> list[OwnCall]:
    """The presets of all tools, also those of shared folders. Reads files; unreadable ones are skipped."""
    store = store.at_once()
    return [
        OwnCall(one.name, name, dict(one.raw), one.shared)
        for name in store.tools()
        if name in tools
        for one in store.of(tools[name]).presets
    ]
