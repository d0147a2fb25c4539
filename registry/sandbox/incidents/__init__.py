"""The incident service: incidents, who is on call for them, and everything that they lead to."""

from registry.sandbox.world import World

SUBDOMAIN = "fernway"
"""What the account is called in addresses."""


def identifier(world: World, kind: str, key: str) -> str:
    """The id of the object of a kind (``user``, ``schedule``, …) that goes by `key` in this world."""
    if kind == "incident":
        return "Q" + world.capitals(f"incidents/incident/{key}", 13)
    return "P" + world.capitals(f"incidents/{kind}/{key}", 6)
