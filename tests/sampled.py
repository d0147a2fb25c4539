"""What the quick suite takes a sample of, and the long one takes whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings


def further(*values: object) -> list[Any]:
    """Values of a parameter that only the long suite takes."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def examples(quick: int, long: int = 1_000, **others: Any) -> settings:
    """So many examples in the quick suite, and so many in the long one, where every property has a thousand."""
    return settings(max_examples=long if settings.default == settings.get_profile("long") else quick, **others)
