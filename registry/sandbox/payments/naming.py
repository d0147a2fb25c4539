"""Ids that are needed often: an invoice's id is in its lines, its payment, the subscription and the customer's credits.

Making an id is the slowest step of writing an object, so ids are cached here: so many that each is made only once
in the usual world, and that a large world does not fill the memory with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import World

Names = Callable[..., str]
"""From (kind, key) or (kind, key, id prefix) to the id."""

_REMEMBERED = 32_768
_SHORT_IDS = {"customer", "product", "coupon"}


def identifier(world: World, kind: str, key: str, prefix: str | None = None) -> str:
    """The id of the object of a kind that goes by `key` in this world."""
    start = prefix if prefix is not None else shapes()[kind].prefix[0]
    return start + world.token(f"{kind}/{key}", 14 if kind in _SHORT_IDS else 24)


def names(world: World) -> Names:
    """The names of a world; all worlds of a seed have the same."""
    return _names(world.seed)


@lru_cache(maxsize=4)
def _names(seed: int) -> Names:
    world = World(seed, 0)

    @lru_cache(maxsize=_REMEMBERED)
    def name(kind: str, key: str, prefix: str | None = None) -> str:
        return identifier(world, kind, key, prefix)

    return name


def tokens(world: World) -> Callable[[str, int], str]:
    """Letters and digits for a name, as `World.token` gives them."""
    return _tokens(world.seed)


@lru_cache(maxsize=4)
def _tokens(seed: int) -> Callable[[str, int], str]:
    return lru_cache(maxsize=_REMEMBERED)(World(seed, 0).token)
