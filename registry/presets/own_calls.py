"""Presets as calls that are found by their names."""

from __future__ import annotations

from collections.abc import Mapping

from registry.catalog.model import Tool
from registry.finding.find import OwnCall
from registry.presets.store import PresetStore


def own_calls(store: PresetStore, tools: Mapping[str, Tool]) -> list[OwnCall]:
    """The presets of all tools, those of shared folders too. Reads files; what cannot be read is left out."""
    store = store.at_once()
    return [
        OwnCall(one.name, name, dict(one.raw), one.shared)
        for name in store.tools()
        if name in tools
        for one in store.of(tools[name]).presets
    ]
