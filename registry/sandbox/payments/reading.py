"""The objects that one request can read: those of its key's mode, built when they are first needed.

The sandbox's world is a test world. A live key sees an empty one, except for what belongs to the platform and not to its
business: its own account, the settings and the reference tables. A request on behalf of a connected account sees the reference
tables and that account's objects; the account does no business itself. Deleted objects are kept under a separate kind, so that
the short form can be returned, an event can still show its object, and contracts from before the deletion keep their terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from registry.sandbox.payments.builder import Datasets
from registry.sandbox.payments.errors import missing, testmode_account
from registry.sandbox.payments.naming import identifier
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.store import Store, StoredRow, Where
from registry.sandbox.world import World

GONE = "_gone"
READABLE_WHEN_DELETED = frozenset({"customer", "terminal.configuration", "terminal.location", "terminal.reader"})

_IN_BOTH_MODES = frozenset(
    {
        "balance",
        "balance_settings",
        "climate.product",
        "climate.supplier",
        "country_spec",
        "exchange_rate",
        "reporting.report_type",
        "tax.settings",
        "tax_code",
    }
)


_OF_ACCOUNTS = frozenset({"account", "bank_account", "capability", "card", "person"})


class Found(NamedTuple):
    """An object and its kind."""

    kind: str
    row: StoredRow


class Reader:
    """Looks up objects for one request; `acting` is the connected account on whose behalf it is made."""

    def __init__(self, world: World, store: Store, datasets: Datasets, *, live: bool, acting: str | None = None) -> None:
        self.world = world
        self.store = store
        self.live = live
        self.acting = acting
        self._datasets = datasets

    def ensure(self, kinds: Sequence[str]) -> None:
        """Have all objects of these kinds in the store."""
        for kind in kinds:
            self._datasets.ensure(kind)

    @contextmanager
    def changes(self) -> Iterator[Reader]:
        """Everything inside happens at once or not at all; all objects are in the store before it begins."""
        self._datasets.ensure_all()
        with self.store.changes():
            yield self

    @property
    def own_account(self) -> str:
        """The id of the account that the request is about: the connected one, or else the platform's own."""
        return self.acting or platform(self.world)

    def on_behalf_of(self, account: str) -> Reader:
        """What a request can see that is made on behalf of a connected account."""
        return Reader(self.world, self.store, self._datasets, live=self.live, acting=account)

    def get(self, kind: str, id_: str) -> StoredRow | None:
        """The object of that kind and id, if this key's mode has it."""
        row = self._stored(kind, id_)
        return row if row is not None and self._visible(kind, row) else None

    def look(self, kinds: Sequence[str], id_: str) -> Found | None:
        """The object with that id in the first kind that has it; kinds whose ids look like it are asked first."""
        for kind in _likely(kinds, id_):
            row = self.get(kind, id_)
            if row is not None:
                return Found(kind, row)
        return None

    def require(
        self,
        kinds: Sequence[str],
        id_: str,
        param: str,
        *,
        called: str = "",
        status: int = 404,
        fits: Callable[[StoredRow], bool] | None = None,
    ) -> Found:
        """The object with that id.

        Args:
            kinds: where to look.
            id_: what it is called.
            param: the parameter that the id came in.
            called: what to call the object when it is not there; its kind when not given.
            status: 404 for an id of the path, 400 for one of the query.
            fits: a further condition; an object that fails it is as if not there.

        Raises:
            ApiError: resource_missing, or the refusal that a test account meets with a live key.
        """
        found = self.look(kinds, id_)
        if found is not None and (fits is None or fits(found.row)):
            return found
        in_test = self.live and any(self._stored(kind, id_) for kind in _likely(kinds, id_))
        if in_test and "account" in kinds:
            raise testmode_account(id_)
        raise missing(called or kinds[0], id_, param, status=status, other_mode=in_test)

    def gone(self, kind: str, id_: str) -> StoredRow | None:
        """What an object held when it was deleted, or None."""
        kept = None if self.live else self.store.get(GONE, f"{kind}/{id_}")
        return kept and StoredRow(id_, kept.created, kept.body)

    def count(self, kind: str, where: Where) -> int:
        """How many objects match."""
        self._datasets.ensure(kind)
        return self.store.count(kind, where) if self.has(kind) else 0

    def every(self, kinds: Sequence[str], where: Where, *, oldest_first: bool = False) -> list[Found]:
        """All objects of these kinds that match, in the order of their creation."""
        found: list[Found] = []
        for kind in kinds:
            if self.has(kind):
                self._datasets.ensure(kind)
                found += (Found(kind, row) for row in self.store.every(kind, where, oldest_first=oldest_first))
        if len(kinds) > 1:
            found.sort(key=lambda one: one.row.created, reverse=not oldest_first)
        return found

    def has(self, kind: str) -> bool:
        """Whether this key's mode, or the connected account, has objects of a kind at all."""
        if self.acting:
            return kind in _IN_BOTH_MODES or (kind in _OF_ACCOUNTS and not self.live)
        return not self.live or kind in _IN_BOTH_MODES

    def _stored(self, kind: str, id_: str) -> StoredRow | None:
        self._datasets.ensure(kind)
        return self.store.get(kind, id_)

    def _visible(self, kind: str, row: StoredRow) -> bool:
        if self.acting and kind in _OF_ACCOUNTS:
            return (row.id if kind == "account" else row.body.get("account")) == self.acting
        return self.has(kind) or bool(row.body.get("_own"))


def platform(world: World) -> str:
    """The id of the platform's own account."""
    return identifier(world, "account", "fernway")


def _likely(kinds: Sequence[str], id_: str) -> list[str]:
    """Kinds that shapes know, those first whose ids start like this one."""
    known = shapes()
    return sorted(
        (kind for kind in kinds if kind in known), key=lambda kind: not id_.startswith(tuple(known[kind].prefix) or "\0")
    )
