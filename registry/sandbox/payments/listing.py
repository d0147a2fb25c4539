"""Operations that return a page of a list, and the filters of their lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from registry.sandbox.payments import expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import missing
from registry.sandbox.payments.lists import CURSORS, PAGING, Paging, current, holding, page, paging, window
from registry.sandbox.payments.parameters import Arguments, Parameter, Value, arguments
from registry.sandbox.payments.preconditions import EVENT_AGE
from registry.sandbox.payments.reading import Reader
from registry.sandbox.payments.rendering import Json
from registry.sandbox.payments.retrieving import Rule
from registry.sandbox.store import FieldCondition, OneOf, Other, Where

_EVERYTHING = 1_000_000_000


class Filter(NamedTuple):
    """A parameter that narrows a list.

    `path` is the items' field that it compares, `where` makes the condition, `refers` is the kind of object that its value
    names, and `selective` says whether few items have the same value, so that an index is worth its cost.
    """

    parameter: Parameter
    path: str
    where: Callable[[Reader, Value], Where]
    refers: str = ""
    selective: bool = False


def choice(
    name: str, *values: str, path: str = "", stored: Mapping[str, str] | None = None, every: str | None = None
) -> Filter:
    """One of a few values.

    `stored` maps them to stored values if these differ; `every` is the value that matches all items.
    """
    field, held = path or name, stored or {}
    return Filter(
        Parameter(name, choices=values),
        field,
        lambda _, value: {} if value == every else {field: held.get(str(value), value)},
    )


def text(name: str) -> Filter:
    """Any text, exactly."""
    return Filter(Parameter(name), name, lambda _, value: {name: value}, selective=True)


def flag(name: str, *, path: str = "", inverted: bool = False) -> Filter:
    """A boolean; an item without the field counts as false. `inverted`: the field has the opposite meaning."""
    field = path or name
    return Filter(
        Parameter(name, "flag"), field, lambda _, value: {field: True if bool(value) != inverted else Other(value=True)}
    )


def reference(name: str, kind: str, *, path: str = "", required: bool = False) -> Filter:
    """The id of an object that must exist."""
    field = path or name
    return Filter(Parameter(name, required=required), field, lambda _, value: {field: value}, kind, selective=True)


def grants_of(name: str) -> Filter:
    """The customer of the credit grants that the members are about."""

    def where(reader: Reader, value: Value) -> Where:
        grants = reader.every(("billing.credit_grant",), {"customer": value})
        return {"credit_grant": OneOf(tuple(grant.row.id for grant in grants))}

    return Filter(Parameter(name, required=True), "credit_grant", where, "customer", selective=True)


class Listing(NamedTuple):
    """A list, newest first.

    Attributes:
        kinds: the kinds of its objects.
        owner: the kind of the path's id, if it has one.
        by: the members' field that holds the owner's id.
        filters: the parameters that narrow it.
        oldest_first: it runs the other way, as lines on a page do. For fixed things (tax codes, countries, report types) and
            the items of a subscription no document names an order; they come in that of their ids or places.
        paged: it takes a limit and cursors; otherwise the response has the whole list.
        only: a further condition that all items meet.
        by_object: it can be narrowed to one of its kinds.
        clock: the members' field that holds their test clock, where objects on clocks are left out unless the customer or the
            clock is named.
        rule: a further precondition on the owner.
        test_only: live keys are refused.
    """

    kinds: tuple[str, ...]
    owner: str = ""
    by: str = ""
    filters: tuple[Filter, ...] = ()
    oldest_first: bool = False
    paged: bool = True
    only: tuple[tuple[str, bool], ...] = ()
    by_object: bool = False
    clock: str = ""
    rule: Rule | None = None
    test_only: bool = False

    def answer(self, call: Call) -> Json:
        """The page."""
        if self.test_only:
            call.test_mode_only()
        asked = arguments(call.query, self._parameters(), expands=True)
        tree = expanding.tree(asked.expand, self.kinds, listed=True)
        wanted = paging(asked) if self.paged else Paging(limit=_EVERYTHING)
        where = self._where(call, asked)
        kinds = [kind for kind in self.kinds if asked.text("object") in (None, kind)]
        if self.by:
            kinds = holding(kinds, self.by)
        part = page(call.reader, kinds, where, wanted, oldest_first=self.oldest_first)
        return call.renderer.list(call.path, part.found, part.has_more, tree)

    def _parameters(self) -> list[Parameter]:
        declared = [one.parameter for one in self.filters]
        if self.by_object:
            declared.append(Parameter("object", choices=self.kinds))
        return [*declared, *(PAGING if self.paged else ())]

    def _where(self, call: Call, asked: Arguments) -> Where:
        reader = call.reader
        where: dict[str, FieldCondition] = dict(self.only)
        if self.owner:
            owner = reader.require((self.owner,), call.ids[0], call.names[0]).row
            if self.rule:
                self.rule(call, owner)
            where |= {self.by: owner.id, **current(self.kinds)}
        for one in self.filters:
            value = asked.values.get(one.parameter.name)
            if value is not None:
                if one.refers:
                    reader.require((one.refers,), str(value), one.parameter.name, status=400)
                where |= one.where(reader, value)
        if self.clock and not asked.values.keys() & {"customer", "test_clock"}:
            where[self.clock] = None
        return where


class ExchangeRates:
    """All currencies' rates, in the order of their codes; a page can hold them all and does so by default."""

    def answer(self, call: Call) -> Json:
        """The page; its cursors are currency codes."""
        kind = "exchange_rate"
        most = max(call.reader.count(kind, {}), 1)
        asked = arguments(call.query, (Parameter("limit", "integer", lowest=1, highest=most), *CURSORS), expands=True)
        tree = expanding.tree(asked.expand, (kind,), listed=True)
        part = page(call.reader, (kind,), {}, paging(asked, most), oldest_first=True)
        return call.renderer.list(call.path, part.found, part.has_more, tree)


class AccountOwners:
    """The owners of a linked bank account, as of one reading of its ownership."""

    def answer(self, call: Call) -> Json:
        """The page."""
        kind = "financial_connections.account_owner"
        asked = arguments(call.query, (Parameter("ownership", required=True), *PAGING), expands=True)
        tree = expanding.tree(asked.expand, (kind,), listed=True)
        wanted = paging(asked)
        account = call.reader.require(("financial_connections.account",), call.ids[0], call.names[0]).row
        ownership = asked.text("ownership") or ""
        if account.body.get("ownership") != ownership:
            raise missing("financial_connections.account_ownership", ownership, "ownership", status=400)
        part = page(call.reader, (kind,), {"ownership": ownership}, wanted)
        return call.renderer.list(call.path, part.found, part.has_more, tree)


class RecentEvents:
    """The events that can still be read, newest first, all or of one type."""

    def answer(self, call: Call) -> Json:
        """The page."""
        kind = "event"
        asked = arguments(call.query, (Parameter("type"), *PAGING), expands=True)
        tree = expanding.tree(asked.expand, (kind,), listed=True)
        type_ = asked.text("type")
        found = call.reader.every((kind,), {} if type_ is None else {"type": type_})
        recent = [one for one in found if one.row.created >= call.now - EVENT_AGE]
        part = window(recent, paging(asked), kind)
        return call.renderer.list(call.path, part.found, part.has_more, tree)
