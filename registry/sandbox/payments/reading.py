"""The objects that one request can read: those of its key's mode, built when they are first needed.

The sandbox's world is a test world. A live key sees an empty one, except for what belongs to the platform and not to its
business: its own account, the settings and the reference tables. A request on behalf of a connected account sees the reference
tables and that account's objects; the account does no business itself. Deleted objects are kept under a separate kind, so that
the short form can be returned, an event can still show its object, and contracts from before the deletion keep their terms.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from registry.sandbox.payments.errors import ApiError, failing, masked, missing
from registry.sandbox.payments.shapes import Datasets, identifier, shapes
from registry.sandbox.store import Other, Store, StoredRow, Where
from registry.sandbox.world import World

GONE = "_gone"

_IN_BOTH_MODES = frozenset({
    "balance", "balance_settings", "climate.product", "climate.supplier", "country_spec", "exchange_rate",
    "reporting.report_type", "tax.settings", "tax_code",
})  # fmt: skip
_OF_ACCOUNTS = frozenset({"account", "bank_account", "capability", "card", "person"})


class Found(NamedTuple):
    """An object and its kind."""

    kind: str
    row: StoredRow


class Paging(NamedTuple):
    """The requested part of a list."""

    limit: int = 10
    after: str | None = None
    before: str | None = None


Page = tuple[list[Found], bool]
"""One part of a list, in list order, and whether there is more in the requested direction."""


class Reader:
    """Looks up objects for one request; `acting` is the connected account on whose behalf it is made."""

    def __init__(self, world: World, store: Store, datasets: Datasets, *, live: bool) -> None:
        self.world, self.store, self.live = world, store, live
        self.acting: str | None = None
        self.datasets = datasets

    def act_for(self, account: str, key: str) -> None:
        """See from now on what a connected account sees; for the platform's own account that is what it sees anyway.

        Raises:
            ApiError: 403, the account is not there or was deleted; 400, a live key asks for an account of test mode.
        """
        if account == self.own_account:
            return
        if self._stored("account", account) is None:
            if self.gone("account", account):
                raise ApiError(403, f"The account {account} has been deleted, so this action cannot be completed.")
            raise ApiError(
                403,
                f"The provided key '{masked(key)}' does not have access to account '{account}' (or that account does not "
                "exist). Application access may have been revoked.",
                code="account_invalid",
            )
        if self.live:
            raise failing("test account", account)
        self.acting = account

    @contextmanager
    def changes(self) -> "Iterator[Reader]":
        """Everything inside happens at once or not at all; all objects are in the store before it begins."""
        self.datasets.ensure()
        with self.store.changes():
            yield self

    @property
    def own_account(self) -> str:
        """The id of the account that the request is about: the connected one, or else the platform's own."""
        return self.acting or identifier(self.world, "account", "fernway")

    def get(self, kind: str, id_: str | None) -> StoredRow | None:
        """The object of that kind and id, if this key's mode has it."""
        row = self._stored(kind, id_) if id_ else None
        return row if row is not None and self._visible(kind, row) else None

    def look(self, kinds: Sequence[str], id_: str) -> Found | None:
        """The object with that id in the first kind that has it; kinds whose ids look like it are asked first."""
        return next((Found(kind, row) for kind in _likely(kinds, id_) if (row := self.get(kind, id_))), None)

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
        """The object with that id, which came in the parameter `param`: of the path (404), or of the query (400).

        `called` is what to call it when it is not there (else its kind); an object that does not fit is as if not there.

        Raises:
            ApiError: resource_missing, or the refusal that a test account meets with a live key.
        """
        found = self.look(kinds, id_)
        if found is not None and (fits is None or fits(found.row)):
            return found
        in_test = self.live and any(self._stored(kind, id_) for kind in _likely(kinds, id_))
        if in_test and "account" in kinds:
            raise failing("test account", id_)
        raise missing(called or kinds[0], id_, param, status=status, other_mode=in_test)

    def gone(self, kind: str, id_: str) -> StoredRow | None:
        """What an object held when it was deleted, or None."""
        kept = None if self.live else self.store.get(GONE, f"{kind}/{id_}")
        return kept and StoredRow(id_, kept.created, kept.body)

    def every(self, kinds: Sequence[str], where: Where, *, oldest_first: bool = False) -> list[Found]:
        """All objects of these kinds that match, in the order of their creation."""
        there = (kind for kind in kinds if self.has(kind))
        found = [Found(kind, row) for kind in there for row in self.store.every(kind, where, oldest_first=oldest_first)]
        if len(kinds) > 1:
            found.sort(key=lambda one: one.row.created, reverse=not oldest_first)
        return found

    def page(self, kinds: Sequence[str], where: Where, wanted: Paging, *, oldest_first: bool = False) -> Page:
        """One part of the list of all objects of these kinds that match.

        Raises:
            ApiError: 400, when a cursor names no member of the list.
        """
        if len(kinds) != 1 or not self.has(kinds[0]):
            return window(self.every(kinds, where, oldest_first=oldest_first), wanted, " or ".join(kinds))
        (kind,), (limit, after, before) = kinds, wanted
        part = self.store.slice(kind, where, limit=limit, after=after, before=before, oldest_first=oldest_first)
        if part is None:
            raise _unknown_cursor(wanted, kind)
        rows, has_more = part
        return [Found(kind, row) for row in rows], has_more

    def has(self, kind: str) -> bool:
        """Whether this key's mode, or the connected account, has objects of a kind at all; if so, they are in the store."""
        if self.acting:
            there = kind in _IN_BOTH_MODES or (kind in _OF_ACCOUNTS and not self.live)
        else:
            there = not self.live or kind in _IN_BOTH_MODES
        if there:
            self.datasets.ensure(kind)
        return there

    def _stored(self, kind: str, id_: str) -> StoredRow | None:
        self.datasets.ensure(kind)
        return self.store.get(kind, id_)

    def _visible(self, kind: str, row: StoredRow) -> bool:
        if self.acting and kind in _OF_ACCOUNTS:
            return (row.id if kind == "account" else row.body.get("account")) == self.acting
        return self.has(kind) or bool(row.body.get("_own"))


def window(members: Sequence[Found], wanted: Paging, called: str) -> Page:
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
    return list(part), len(members) > wanted.limit


def _unknown_cursor(wanted: Paging, called: str) -> ApiError:
    name, cursor = ("starting_after", wanted.after) if wanted.before is None else ("ending_before", wanted.before)
    return missing(called or "object", cursor or "", name, status=400)


def of_owner(kinds: Sequence[str], by: str, owner: str) -> tuple[list[str], Where]:
    """Those kinds whose objects can say by this field whom they belong to, and the condition for the owner's current ones.

    Ended subscriptions are on no list.
    """
    known = shapes()
    holding = [kind for kind in kinds if kind in known and (by.startswith("_") or by in known[kind].fields)]
    return holding, {by: owner} | ({"status": Other("canceled")} if list(kinds) == ["subscription"] else {})


def _likely(kinds: Sequence[str], id_: str) -> list[str]:
    """Kinds that shapes know, those first whose ids start like this one."""
    known = shapes()
    return sorted(
        (kind for kind in kinds if kind in known), key=lambda kind: not id_.startswith(tuple(known[kind].prefix) or "\0")
    )
