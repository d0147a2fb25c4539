"""The prefixes that distinguish the object types of different toolkits: ``crm_user`` is a user.

A service declares its prefix as `type_prefix`. Code always uses the full names; only people see the bare ones.
"""

from __future__ import annotations

from registry.catalog.loader import services


def _prefixes() -> list[str]:
    return [one.type_prefix for one in services().values() if one.type_prefix]


def bare_type(type_: str) -> str:
    """A type without its toolkit's prefix."""
    return next((type_.removeprefix(one) for one in _prefixes() if type_.startswith(one)), type_)


def full_types(type_: str) -> list[str]:
    """The full names that a typed type may mean: unchanged, or with a toolkit's prefix."""
    return [type_, *(f"{one}{type_}" for one in _prefixes())]
