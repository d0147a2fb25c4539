"""What goes with an object when it is deleted, counted by the tools that list it; by object type.

A count never hides that there is more. What no tool can count is said so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.deleting.reads import Items, Reads, quoted
from registry.display.readings import money

Object = Mapping[str, Any]

_MONTHS = {"day": 12 / 365, "week": 12 / 52, "month": 1.0, "year": 12.0}
_PAGES = 3


@dataclass(frozen=True, slots=True)
class Companion:
    """Something that goes along, or is concerned: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None where it could not be learned; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


Step = Callable[[Object, Reads], Awaitable[list[Companion]]]


def listed(tool: str, parameter: str, one: str, many: str) -> Step:
    """Counts by a list tool that takes the object's id under that parameter."""

    async def count(item: Object, reads: Reads) -> list[Companion]:
        return [_counted(await reads.items(tool, {parameter: str(item.get("id"))}), one, many)]

    return count


async def _subscriptions(customer: Object, reads: Reads) -> list[Companion]:
    found = await reads.items("GetCustomerSubscriptions", {"customer_id": str(customer.get("id"))})
    line = _counted(found, "active subscription, cancelled at once", "active subscriptions, cancelled at once")
    sums = _a_month(found.items)
    worth = " and ".join(f"{money(round(amount), currency)} a month" for currency, amount in sorted(sums.items()) if amount)
    return [Companion(f"{line.words}: {worth}" if worth else line.words, line.count, line.problem)]


async def _open_invoices(customer: Object, reads: Reads) -> list[Companion]:
    query = f'customer:{quoted(customer.get("id"))} AND status:"open"'
    return [
        _counted(await reads.items("SearchPaymentsInvoices", {"search_query_string": query}), "open invoice", "open invoices")
    ]


async def _credit(customer: Object, _: Reads) -> list[Companion]:
    balance, currency = customer.get("balance"), customer.get("currency")
    if not isinstance(balance, int) or not balance or not isinstance(currency, str) or not currency.isalpha():
        return []
    words = "of credit are lost" if balance < 0 else "owed are written off"
    return [Companion(f"{money(abs(balance), currency)} {words}", 1)]


async def _value_list_items(value_list: Object, _: Reads) -> list[Companion]:
    held = value_list.get("list_items")
    if not isinstance(held, Mapping) or not isinstance(held.get("data"), list):
        return [Companion("its items", problem="How many items the list has could not be learned.")]
    total, shown = held.get("total_count"), len(held["data"])
    if isinstance(total, int):
        return [Companion(_words(total, False, "item of the list", "items of the list"), total)]
    return [Companion(_words(shown, bool(held.get("has_more")), "item of the list", "items of the list"), shown)]


async def _clock_customers(clock: Object, reads: Reads) -> list[Companion]:
    # No tool lists customers by their clock; each of them names it.
    found = await reads.items("SearchPaymentsCustomers", {"search_query_string": "created>0"}, _PAGES)
    held = [one for one in found.items if one.get("test_clock") == clock.get("id")]
    line = _counted(Items(tuple(held), False, found.problem), "customer with all they own", "customers with all they own")
    return [
        Companion(f"{line.words} among the first {len(found.items)}" if found.more else line.words, line.count, line.problem)
    ]


async def _clock_quotes(clock: Object, reads: Reads) -> list[Companion]:
    return [_counted(await reads.items("RetrieveQuotesList", {"test_clock_id": str(clock.get("id"))}), "quote", "quotes")]


async def _configured_locations(configuration: Object, reads: Reads) -> list[Companion]:
    found = await reads.items("GetTerminalLocations", {})
    held = tuple(one for one in found.items if one.get("configuration_overrides") == configuration.get("id"))
    return [
        _counted(
            Items(held, found.more, found.problem), "location falls back to the default", "locations fall back to the default"
        )
    ]


async def _redeemed(coupon: Object, _: Reads) -> list[Companion]:
    times = coupon.get("times_redeemed")
    if not isinstance(times, int):
        return []
    return [Companion(_words(times, False, "redemption keeps its discount", "redemptions keep their discount"), times)]


async def _events(endpoint: Object, _: Reads) -> list[Companion]:
    events = endpoint.get("enabled_events")
    if not isinstance(events, list):
        return []
    all_ = events == ["*"]
    return [
        Companion(
            "every kind of event" if all_ else _words(len(events), False, "kind of event", "kinds of events"), len(events)
        )
    ]


def _a_month(subscriptions: tuple[Object, ...]) -> Mapping[str, float]:
    """What subscriptions cost in a month, by currency, in its smallest unit; usage and tiers are not in it."""
    sums: dict[str, float] = defaultdict(float)
    for item in (item for subscription in subscriptions for item in _items(subscription)):
        price = _object(item.get("price")) or _object(item.get("plan"))
        every = _object(price.get("recurring")) or price
        amount, months = price.get("unit_amount", price.get("amount")), _MONTHS.get(str(every.get("interval")))
        currency, intervals = price.get("currency"), every.get("interval_count")
        if isinstance(amount, int) and months and isinstance(currency, str) and currency.isalpha():
            quantity = item.get("quantity")
            count = quantity if isinstance(quantity, int) else 1
            sums[currency] += amount * count / (months * (intervals if isinstance(intervals, int) and intervals > 0 else 1))
    return sums


def _items(subscription: Object) -> list[Object]:
    data = _object(subscription.get("items")).get("data")
    return [one for one in data if isinstance(one, Mapping)] if isinstance(data, list) else []


def _object(value: object) -> Object:
    return value if isinstance(value, Mapping) else {}


def _counted(found: Items, one: str, many: str) -> Companion:
    if found.problem:
        return Companion(many, problem=f"How many {many} there are could not be learned: {found.problem}")
    return Companion(_words(len(found.items), found.more, one, many), len(found.items))


def _words(count: int, more: bool, one: str, many: str) -> str:
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"


COMPANIONS: Mapping[str, tuple[Step, ...]] = {
    "customer": (
        _subscriptions,
        _open_invoices,
        listed("ListCustomerPaymentSources", "customer_id", "card or bank account", "cards and bank accounts"),
        listed("GetCustomerPaymentMethods", "customer_id", "payment method, detached", "payment methods, detached"),
        listed("GetCustomerTaxIds", "customer_id", "tax id", "tax ids"),
        _credit,
    ),
    "product": (listed("GetProductFeatures", "product_id", "feature", "features"),),
    "account": (
        listed("ListExternalAccounts", "payments_account_id", "external account", "external accounts"),
        listed("GetAccountCapabilities", "account_id", "capability", "capabilities"),
    ),
    "invoice": (listed("GetInvoiceLineItems", "invoice_id", "line", "lines"),),
    "radar.value_list": (_value_list_items,),
    "test_helpers.test_clock": (_clock_customers, _clock_quotes),
    "terminal.location": (listed("GetTerminalReaders", "filter_by_location_id", "reader", "readers"),),
    "terminal.configuration": (_configured_locations,),
    "coupon": (_redeemed,),
    "webhook_endpoint": (_events,),
}
"""What is counted, by object type."""
