"""Conditions of a page's definition, in JMESPath.

They use an object's own properties. In addition there are ``now``, ``week_ago``, ``month_ago`` and ``week_ahead`` (Unix
seconds), ``page``, the object of the page, and ``first.section``, the first object of a section.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.results.query import Interpreter, QueryError, parse


def holds(condition: str, of: Mapping[str, Any], now: float, beside: Mapping[str, Any] | None = None) -> bool:
    """Whether an object meets a condition; an empty one is always met, one that cannot be run is not.

    Args:
        condition: JMESPath. As in JMESPath, false, null and empty values are false.
        of: the object.
        now: the current time in Unix seconds.
        beside: further values by name, such as ``page``, the object of the page.
    """
    if not condition:
        return True

    try:
        value = Interpreter().run(condition, {**of, **(beside or {}), **_moments(int(now))})
    except QueryError:
        return False
    return value is True or (value is not False and value is not None and value not in ("", [], {}))


def _moments(now: int) -> dict[str, int]:
    return {"now": now, "week_ago": now - 7 * 86_400, "month_ago": now - 30 * 86_400, "week_ahead": now + 7 * 86_400}


def condition_problem(condition: str) -> str:
    """Why a text is not a valid condition; empty if it is."""
    if not condition:
        return ""
    try:
        parse(condition)
    except QueryError as error:
        return f"is not valid JMESPath: {error}"
    return ""
