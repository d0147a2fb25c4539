"""What the quick suite takes a sample of, and the long one takes whole."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import settings

One = TypeVar("One")


def further(*values: object) -> list[Any]:
    """Values of a parameter that only the long suite takes."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def chosen(values: Iterable[One], quick: Callable[[One], bool]) -> list[Any]:
    """Values of a parameter (tuples: of several); the quick suite takes those for which `quick` is true."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=() if quick(one) else pytest.mark.long)
        for one in values
    ]


def first_of_each(values: Iterable[One], kind: Callable[[One], Hashable]) -> list[Any]:
    """Values of a parameter (tuples: of several); the quick suite takes the first of each kind."""
    seen: set[Hashable] = set()

    def new(one: One) -> bool:
        known = kind(one) in seen
        seen.add(kind(one))
        return not known

    return chosen(values, new)


def examples(quick: int, long: int = 1_000, **others: Any) -> settings:
    """So many examples in the quick suite, and so many in the long one, where every property has a thousand."""
    return settings(max_examples=long if is_long() else quick, **others)


def is_long() -> bool:
    """Whether this is the long suite."""
    return settings.default == settings.get_profile("long")
