"""Ids that come up again and again: an invoice is named by its lines, its payment, the subscription and the customer's credits.

Spelling an id is the dearest step of writing an object, so that the large chapters look names up here. So many are remembered
that each is spelled once in the world as it is told, and that a large world does not fill the memory with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from registry.sandbox.payments.builder import identifier
from registry.sandbox.world import World

Names = Callable[..., str]
"""From (kind, key) or (kind, key, id prefix) to the id."""

_REMEMBERED = 32_768


@lru_cache(maxsize=4)
def names(world: World) -> Names:
    """The names of a world."""

    @lru_cache(maxsize=_REMEMBERED)
    def name(kind: str, key: str, prefix: str | None = None) -> str:
        return identifier(world, kind, key, prefix)

    return name


@lru_cache(maxsize=4)
def tokens(world: World) -> Callable[[str, int], str]:
    """Letters and digits for a name, as `World.token` gives them."""
    return lru_cache(maxsize=_REMEMBERED)(world.token)
