"""Joins the results of several accounts: one list with the account as the first property of each item.

Tables, links and exports work on it. Which account an item is from, which accounts failed, and whose list goes on beyond its
first page stay known: a missing part is always reported. Nothing is sent here.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import msgspec
from msgspec.structs import replace as with_fields

from registry.accounts.connection import ConnectionSettingsError
from registry.calling.listing import listing_of
from registry.calling.result import Failure, Result
from registry.catalog.model import Tool
from registry.json_text import NotJson

COLUMN = "account"
"""The first property of each item: the name of its account."""


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
        """The account of an item; `place` counts from 0."""
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
    """Raise `ConnectionSettingsError` if a tool cannot be run on these accounts at once."""
    if tool.effect != "read":
        raise ConnectionSettingsError(f"{tool.name} changes data. Name one account; only reading works on several")
    if len(set(names)) < len(names):
        raise ConnectionSettingsError("an account is named twice")


def joined(tool: Tool, parts: Sequence[Result]) -> SeveralAccounts:
    """The results of the same call on several accounts as one. Splits bodies into items: call it in a thread.

    An object counts as one item, so the same object of two accounts makes two rows. A body that is not JSON is a failure.
    """
    at, whole, items, counts = "", list[Result](), list[bytes](), list[int]()
    for part in parts:
        found: Sequence[bytes] = ()
        if part.failure is None and part.body:
            try:
                listing = listing_of(part) if part.items_at is not None else None
                found = listing.items if listing else [bytes(msgspec.json.decode(part.body, type=msgspec.Raw))]
                at = at or part.items_at or ""
            except (NotJson, msgspec.MsgspecError, RecursionError) as error:
                cause = "It is nested too deeply to be read." if isinstance(error, RecursionError) else str(error)
                way_out = "Try again; run the tool on this account alone."
                part = replace(part, failure=Failure("protocol", "The response is not JSON", cause, way_out))
        items += [_with_account(part.connection, item) for item in found]
        counts.append(len(found))
        whole.append(replace(part, body=b"", items=None))
    failures = [(part.connection, part.failure) for part in whole if part.failure is not None]
    failure, body = None, b"[" + b",".join(items) + b"]"
    for name in reversed(at.split(".") if at else ()):
        body = b"{" + msgspec.json.encode(name) + b":" + body + b"}"
    if len(failures) == len(whole):
        causes = tuple(f"{name}: {one.title}. {one.cause}" for name, one in failures)
        title = f"All {len(whole)} accounts failed"
        failure, body = with_fields(failures[0][1], title=title, cause=causes[0], details=causes[1:]), b""
    return SeveralAccounts(
        tool=tool.name,
        connection=" + ".join(part.connection for part in whole),
        status=None,
        body=body,
        elapsed=max((part.elapsed for part in whole), default=0.0),
        exchanges=tuple(one for part in whole for one in part.exchanges),
        failure=failure,
        items_at=at,
        notes=tuple(f"{part.connection}: {note}" for part in whole for note in part.notes),
        arguments=whole[0].arguments,
        at=min(part.at for part in whole),
        parts=tuple(whole),
        counts=tuple(counts),
    )


def _with_account(name: str, item: bytes) -> bytes:
    """An item with its account first, its values as received; its own property of the column's name is renamed."""
    try:
        own = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        own = {"value": msgspec.Raw(item)}
    renamed = {(f"{COLUMN}_" if key == COLUMN else key): value for key, value in own.items()}
    return msgspec.json.encode({COLUMN: name, **renamed})
