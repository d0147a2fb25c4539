"""Joins the results of several accounts: one list with the account as the first property of each item.

`joined` takes the results of the same call on each account and returns one body in the shape of the tool's own list, so that
tables, links and exports work on it. Which account an item is from, which accounts failed, and whose list goes on beyond its
first page stay known: a missing part is always reported. Nothing is sent here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import msgspec
from msgspec.structs import replace as with_fields

from registry.calling.items import listing_in
from registry.calling.result import Failure, Result
from registry.catalog.model import Tool
from registry.json_text.reading import NotJson

COLUMN = "account"
"""The first property of each item: the name of its account."""


class SeveralRefused(ValueError):
    """A call that cannot be made on several accounts; the text says why."""


@dataclass(frozen=True, kw_only=True)
class SeveralAccounts(Result):
    """The results of several accounts as one list. `failure` is set if every account failed.

    Attributes:
        parts: the result of each account, without its body, in the order in which the accounts were named.
        counts: how many items each of them returned.
    """

    parts: tuple[Result, ...]
    counts: tuple[int, ...]

    @property
    def accounts(self) -> tuple[str, ...]:
        """The names of the accounts."""
        return tuple(part.connection for part in self.parts)

    @property
    def failed(self) -> tuple[Result, ...]:
        """The results of the accounts that failed."""
        return tuple(part for part in self.parts if part.failure is not None)

    @property
    def partial(self) -> tuple[str, ...]:
        """The accounts whose list has more items than were fetched."""
        return tuple(part.connection for part in self.parts if part.page is not None and part.page.has_more)

    def connection_of(self, place: int) -> str:
        """See `Result.connection_of`."""
        return self.parts[min(bisect_right(list(accumulate(self.counts)), place), len(self.parts) - 1)].connection

    @property
    def words(self) -> str:
        """How many items each account returned, in one line."""
        texts = []
        for part, count in zip(self.parts, self.counts, strict=True):
            more = ", more available" if part.connection in self.partial else ""
            texts.append(f"{part.connection} {'failed' if part.failure is not None else f'{count:,}{more}'}")
        return " · ".join(texts)


def refuse(tool: Tool, names: Sequence[str]) -> None:
    """Check that a tool can be run on several accounts at once.

    Raises:
        SeveralRefused: it cannot.
    """
    if tool.effect != "read":
        raise SeveralRefused(f"{tool.name} changes data. Name one account; only reading works on several")
    if len(set(names)) < len(names):
        raise SeveralRefused("an account is named twice")


def joined(tool: Tool, parts: Sequence[Result]) -> SeveralAccounts:
    """The results of the same call on several accounts as one. Splits bodies into items: call it in a thread.

    An object counts as one item, so the same object of two accounts makes two rows. A body that is not JSON is a failure.
    """
    with_items = [_with_items(part) for part in parts]
    at = next((part.items_at for part, _ in with_items if part.failure is None and part.items_at), "")
    items = [_with_account(part.connection, item) for part, found in with_items for item in found]
    answered = any(part.failure is None for part, _ in with_items)
    whole = [part for part, _ in with_items]
    return SeveralAccounts(
        tool=tool.name,
        connection=" + ".join(part.connection for part in whole),
        status=None,
        body=_nested(at, b"[" + b",".join(items) + b"]") if answered else b"",
        elapsed=max((part.elapsed for part in whole), default=0.0),
        exchanges=tuple(one for part in whole for one in part.exchanges),
        failure=None if answered else _all_failed(whole),
        items_at=at,
        notes=tuple(f"{part.connection}: {note}" for part in whole for note in part.notes),
        arguments=whole[0].arguments,
        at=min(part.at for part in whole),
        parts=tuple(replace(part, body=b"", items=None) for part in whole),
        counts=tuple(len(found) for _, found in with_items),
    )


def _with_items(part: Result) -> tuple[Result, Sequence[bytes]]:
    """A result and its items as raw JSON; an object is one item, a failure has none."""
    if part.failure is not None or not part.body:
        return part, ()
    try:
        listing = listing_in(part.body, part.items_at) if part.items_at is not None else None
        return part, listing.items if listing is not None else [bytes(msgspec.json.decode(part.body, type=msgspec.Raw))]
    except (NotJson, msgspec.MsgspecError, RecursionError) as error:
        cause = "It is nested too deeply to be read." if isinstance(error, RecursionError) else str(error)
        failure = Failure("protocol", "The response is not JSON", cause, "Try again; run the tool on this account alone.")
        return replace(part, failure=failure), ()


def _with_account(name: str, item: bytes) -> bytes:
    """An item with its account first, its values as received; its own property of the column's name is renamed."""
    try:
        own = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        own = {"value": msgspec.Raw(item)}
    renamed = {(f"{COLUMN}_" if key == COLUMN else key): value for key, value in own.items()}
    return msgspec.json.encode({COLUMN: name, **renamed})


def _nested(at: str, items: bytes) -> bytes:
    for name in reversed(at.split(".") if at else ()):
        items = b"{" + msgspec.json.encode(name) + b":" + items + b"}"
    return items


def _all_failed(parts: Sequence[Result]) -> Failure:
    first = parts[0].failure
    assert first is not None
    causes = tuple(
        f"{part.connection}: {part.failure.title}. {part.failure.cause}" for part in parts if part.failure is not None
    )
    return with_fields(first, title=f"All {len(parts)} accounts failed", cause=causes[0], details=causes[1:])
