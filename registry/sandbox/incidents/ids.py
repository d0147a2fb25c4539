"""Ids of the incident service: a letter and capitals, derived from the name of what they identify and from nothing else."""

from __future__ import annotations

from registry.sandbox.world import World


def identifier(world: World, kind: str, key: str) -> str:
    """The id of the object of a kind (``user``, ``schedule``, …) that goes by `key` in this world."""
    if kind == "incident":
        return "Q" + world.capitals(f"incidents/incident/{key}", 13)
    return "P" + world.capitals(f"incidents/{kind}/{key}", 6)
