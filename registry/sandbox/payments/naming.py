"""Ids that are needed often: an invoice's id is in its lines, its payment, the subscription and the customer's credits.

Making an id is the slowest step of writing an object, so ids are cached: so many that each is made only once in the usual
world, and that a large world does not fill the memory with them.
"""

from __future__ import annotations

from functools import lru_cache

from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import World

_SHORT_IDS = {"customer", "product", "coupon"}


def identifier(world: World, kind: str, key: str, prefix: str | None = None) -> str:
    """The id of the object of a kind that goes by `key`; all worlds of a seed have the same."""
    return _identifier(world.seed, kind, key, prefix)


@lru_cache(maxsize=32_768)
def _identifier(seed: int, kind: str, key: str, prefix: str | None) -> str:
    start = prefix if prefix is not None else shapes()[kind].prefix[0]
    return start + World(seed, 0).token(f"{kind}/{key}", 14 if kind in _SHORT_IDS else 24)
