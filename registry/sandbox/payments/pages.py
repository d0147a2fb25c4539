"""Pages of lists, between two of the list's own members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from registry.sandbox.payments.errors import ApiError, missing
from registry.sandbox.payments.reading import Found, Reader
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import Other, UnknownCursor, Where


class Paging(NamedTuple):
    """The requested part of a list."""

    limit: int = 10
    after: str | None = None
    before: str | None = None


class ListPage(NamedTuple):
    """One part of a list, in list order, and whether there is more in the requested direction."""

    found: list[Found]
    has_more: bool


def page(reader: Reader, kinds: Sequence[str], where: Where, wanted: Paging, *, oldest_first: bool = False) -> ListPage:
    """One part of the list of all objects of these kinds that match.

    Raises:
        ApiError: 400, when a cursor names no member of the list.
    """
    if len(kinds) != 1 or not reader.has(kinds[0]):
        return window(reader.every(kinds, where, oldest_first=oldest_first), wanted, " or ".join(kinds))
    (kind,) = kinds
    reader.ensure(kinds)
    try:
        part = reader.store.slice(
            kind, where, limit=wanted.limit, after=wanted.after, before=wanted.before, oldest_first=oldest_first
        )
    except UnknownCursor:
        raise _unknown_cursor(wanted, kind) from None
    return ListPage([Found(kind, row) for row in part.rows], part.has_more)


def window(members: Sequence[Found], wanted: Paging, called: str) -> ListPage:
    """One part of a list that is there as a whole; `called` names its members in a refusal.

    Raises:
        ApiError: 400, when a cursor names no member of the list.
    """
    cursor = wanted.after or wanted.before
    if cursor is not None:
        place = next((place for place, one in enumerate(members) if one.row.id == cursor), None)
        if place is None:
            raise _unknown_cursor(wanted, called)
        members = members[place + 1 :] if wanted.before is None else members[:place]
    part = members[: wanted.limit] if wanted.before is None else members[-wanted.limit :]
    return ListPage(list(part), len(members) > wanted.limit)


def holding(kinds: Sequence[str], by: str) -> list[str]:
    """Those kinds whose objects can say by this field whom they belong to."""
    known = shapes()
    return [kind for kind in kinds if kind in known and (by.startswith("_") or by in known[kind].fields)]


def current(kinds: Sequence[str]) -> Where:
    """The condition that limits an owner's list to current objects: ended subscriptions are not on it."""
    return {"status": Other("canceled")} if list(kinds) == ["subscription"] else {}


def _unknown_cursor(wanted: Paging, called: str) -> ApiError:
    name, cursor = ("starting_after", wanted.after) if wanted.before is None else ("ending_before", wanted.before)
    return missing(called or "object", cursor or "", name, status=400)
