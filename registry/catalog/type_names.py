"""What toolkits put in front of the names of their object types to tell them from those of others: ``crm_user`` is a user.

A service declares it as `type_prefix`. Types are told apart by their full names everywhere; only people read the bare ones.
"""

from __future__ import annotations

from registry.catalog.loader import services


def _prefixes() -> list[str]:
    return [one.type_prefix for one in services().values() if one.type_prefix]


def bare_type(type_: str) -> str:
    """A type without what its toolkit puts in front."""
    return next((type_.removeprefix(one) for one in _prefixes() if type_.startswith(one)), type_)


def full_types(type_: str) -> list[str]:
    """What a type that a person wrote may be called: as it is, or with what a toolkit puts in front."""
    return [type_, *(f"{one}{type_}" for one in _prefixes())]
