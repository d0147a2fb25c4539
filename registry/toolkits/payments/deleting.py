"""The checks, counts and facts for payments objects that ``deleting.json`` cannot express as data.

Sources: the preconditions of the service (facts, sections 10, 11 and 16). The service decides in the end; facts that cannot be
read are reported as unknown, never guessed. ``deleting.json`` names each function, by object type.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction

from registry.catalog.properties import properties_of
from registry.changes.check_result import Check, Companion, Fact, counted, fact, facts_of, in_words
from registry.changes.reads import Items, Object, Reads
from registry.references.targets import with_article
from registry.text.filter_line import quoted
from registry.text.shown import money, visible_line

_MONTHS = {"day": Fraction(12, 365), "week": Fraction(12, 52), "month": Fraction(1), "year": Fraction(12)}
_DECIMAL = re.compile(r"\d{1,18}(\.\d{1,18})?")
_PAGES = 3
_TOOLKIT = "PaymentsApi"
_THERE = "in the service's dashboard"
_INSTEAD = {
    "open": f"Void it {_THERE}.",
    "uncollectible": f"Void it {_THERE}.",
    "paid": f"Refund it or issue a credit note {_THERE}.",
    "void": "Nothing is due on it.",
}


async def invoice_is_draft(invoice: Object, _: Reads) -> list[Check]:
    """An invoice can be deleted while it is a draft that does not come from a subscription.

    The alternative depends on its state. No tool does it, so the advice names the dashboard.
    """
    status = str(invoice.get("status"))
    if status != "draft":
        kind = f"{with_article(visible_line(status))} invoice"
        words = f"{kind[:1].upper()}{kind[1:]} cannot be deleted, only a draft. {_INSTEAD.get(status, '')}"
        return [Check(False, words.rstrip())]
    if _object(invoice.get("parent")).get("subscription_details") or invoice.get("subscription"):
        origin = Check(False, f"Created by a subscription, so it cannot be deleted. Finalize and void it {_THERE}.")
    else:
        origin = Check(True, "Not created by a subscription.")
    return [Check(True, "It is a draft."), origin]


async def invoice_of_item_is_draft(item: Object, reads: Reads) -> list[Check]:
    """An invoice item can be deleted while it is not on an invoice, or on a draft."""
    invoice = item.get("invoice")
    if not isinstance(invoice, str):
        return [Check(True, "Not on an invoice yet.")]
    status = (await reads.one("invoice", invoice)).members.get("status")
    shown = visible_line(invoice)
    if status is None:
        return [Check(None, f"Could not check whether invoice {shown} is a draft.")]
    if status == "draft":
        return [Check(True, f"Its invoice {shown} is a draft.")]
    words = f"Its invoice {shown} is {visible_line(str(status))}. Only drafts can be changed, so the item stays."
    return [Check(False, words)]


async def product_has_no_prices(product: Object, reads: Reads) -> list[Check]:
    """A product can be deleted while it has no prices, and goods while they have no SKUs."""
    found = await reads.items("SearchPaymentsPrices", {"search_query_string": f"product:{quoted(product.get('id'))}"})
    if found.problem:
        prices = Check(None, "Could not check whether it has prices.")
    elif found.items:
        many = in_words(len(found.items), found.more, "price", "prices")
        prices = Check(False, f"It has {many}; products with prices cannot be deleted.")
    elif product.get("default_price"):
        prices = Check(False, "It has a default price; products with prices cannot be deleted.")
    else:
        prices = Check(True, "No prices found (search can lag by a minute).")
    goods = [Check(None, "Could not check whether it has SKUs.")] if product.get("type") == "good" else []
    return [prices, *goods]


async def person_may_go(person: Object, _: Reads) -> list[Check]:
    """A person can be deleted unless they opened the account, or are its only verified executive."""
    relation = _object(person.get("relationship"))
    opened = bool(relation.get("representative"))
    words = "This person opened the account and cannot be deleted." if opened else "This person did not open the account."
    is_verified = relation.get("executive") and _object(person.get("verification")).get("status") == "verified"
    others = [Check(None, "Verified executive; could not check whether there is another.")] if is_verified else []
    return [Check(not opened, words), *others]


async def is_not_default(account: Object, _: Reads) -> list[Check]:
    """A bank account or card can be deleted unless it is the default for its currency."""
    if "default_for_currency" not in account:
        return []
    currency = visible_line(str(account.get("currency", "")).upper())
    if account["default_for_currency"]:
        return [Check(False, f"Default account for {currency}; make another account the default first.")]
    return [Check(True, f"Not the default account for {currency}.")]


async def account_may_go(account: Object, reads: Reads) -> list[Check]:
    """A connected account can be deleted by the platform that manages it; in live mode only with zero balances."""
    controller = _object(account.get("controller"))
    own = await reads.named("GetPaymentsAccountDetails", {})
    if own.members.get("id") == account.get("id"):
        return [Check(False, "This is your own account; only connected accounts can be deleted.")]
    if controller.get("type") == "account":
        return [Check(False, "Your platform does not control this account.")]
    unknown = "Could not check whether your platform controls this account."
    managed = Check(True, "Controlled by your platform.") if controller else Check(None, unknown)
    if reads.connection.endpoint(_TOOLKIT).mode != "live":
        return [managed, Check(True, "Test accounts can be deleted at any time.")]
    is_full = _object(controller.get("stripe_dashboard")).get("type") == "full" or account.get("type") == "standard"
    if is_full and _object(controller.get("losses")).get("payments") == "stripe":
        liable = "The account has the full dashboard and the payments platform is liable for its losses; it cannot be deleted."
        return [managed, Check(False, liable)]
    return [managed, Check(None, "Could not check whether all balances are zero.")]


async def clock_is_ready(item: Object, reads: Reads) -> list[Check]:
    """While a test clock advances, objects that belong to it cannot be changed."""
    clock = item.get("test_clock")
    if not isinstance(clock, str) and isinstance(item.get("customer"), str) and item.get("livemode") is not True:
        clock = (await reads.one("customer", item["customer"])).members.get("test_clock")
    if not isinstance(clock, str):
        return []
    status = (await reads.one("test_helpers.test_clock", clock)).members.get("status")
    if status is None:
        return [Check(None, f"Could not check the status of test clock {visible_line(clock)}.")]
    still = "is advancing; wait until its status is ready" if status == "advancing" else "is not advancing"
    words = f"Its test clock {visible_line(clock)} {still}."
    return [Check(status != "advancing", words)]


async def subscriptions(customer: Object, reads: Reads) -> list[Companion]:
    """A customer's subscriptions that have not ended: the number of each status, and their cost per month."""
    found = await reads.items("GetCustomerSubscriptions", {"customer_id": str(customer.get("id"))})
    states = Counter(visible_line(str(one.get("status", "unknown"))).replace("_", " ") for one in found.items)
    only = f"{next(iter(states))} " if len(states) == 1 else "" if states else "active "
    line = counted(found, f"{only}subscription, cancelled immediately", f"{only}subscriptions, cancelled immediately")
    if line.problem:
        return [line]
    each = ", ".join(f"{count} {status}" for status, count in sorted(states.items()))
    worth = await _worth(found.items, reads)
    words = line.words + (f" ({each})" if len(states) > 1 else "") + (f": {worth}" if worth else "")
    return [Companion(words, line.count)]


async def credit(customer: Object, _: Reads) -> list[Companion]:
    """The balance of a customer, which is lost or written off."""
    balance, currency = customer.get("balance"), customer.get("currency")
    if not isinstance(balance, int) or not balance or not isinstance(currency, str) or not currency.isalpha():
        return []
    words = "of customer credit is lost" if balance < 0 else "owed are written off"
    return [Companion(f"{money(abs(balance), currency)} {words}", 1)]


async def value_list_items(value_list: Object, _: Reads) -> list[Companion]:
    """The items of a value list."""
    held = _object(value_list.get("list_items"))
    if not isinstance(held.get("data"), list):
        return [Companion("its items", problem="Could not count the items in the list.")]
    shown = len(held["data"])
    return [Companion(in_words(shown, bool(held.get("has_more")), "item of the list", "items of the list"), shown)]


async def clock_customers(clock: Object, reads: Reads) -> list[Companion]:
    """The customers of a test clock, with all they own."""
    # No tool lists customers by their clock; each of them names it.
    found = await reads.items("SearchPaymentsCustomers", {"search_query_string": "created>0"}, _PAGES)
    held = Items(tuple(one for one in found.items if one.get("test_clock") == clock.get("id")), False, found.problem)
    line = counted(held, "customer and everything they own", "customers and everything they own")
    checked = f" (only the first {len(found.items)} customers were checked)" if found.more else ""
    return [Companion(line.words + checked, line.count, line.problem)]


async def configured_locations(configuration: Object, reads: Reads) -> list[Companion]:
    """The terminal locations that use a configuration."""
    found = await reads.items("GetTerminalLocations", {})
    held = tuple(one for one in found.items if one.get("configuration_overrides") == configuration.get("id"))
    one, many = "location falls back to the default", "locations fall back to the default"
    return [counted(Items(held, found.more, found.problem), one, many)]


async def redemptions(coupon: Object, _: Reads) -> list[Companion]:
    """The discounts that were made with a coupon."""
    times = coupon.get("times_redeemed")
    if not isinstance(times, int):
        return []
    return [Companion(in_words(times, False, "redemption that keeps its discount", "redemptions keep their discount"), times)]


async def events(endpoint: Object, _: Reads) -> list[Companion]:
    """The kinds of events that a webhook endpoint receives."""
    kinds = endpoint.get("enabled_events")
    if not isinstance(kinds, list):
        return []
    words = "all event types" if kinds == ["*"] else in_words(len(kinds), False, "event type", "event types")
    return [Companion(words, len(kinds))]


async def discount_facts(discount: Object, reads: Reads) -> list[Fact]:
    """The facts of a discount, from its coupon."""
    coupon = _object(discount.get("source")).get("coupon") or discount.get("coupon")
    if isinstance(coupon, str):
        coupon = (await reads.one("coupon", coupon)).members or {"id": coupon}
    coupon = _object(coupon)
    known = facts_of(coupon, properties_of(_TOOLKIT).facts)
    shown = [one for one in known if one.name in ("name", "percent off", "amount off", "duration")]
    return [fact("coupon", coupon["id"]), *shown] if isinstance(coupon.get("id"), str) else []


async def feature_facts(feature: Object, _: Reads) -> list[Fact]:
    """The name of the feature that a product has."""
    held = _object(feature.get("entitlement_feature"))
    return [fact("feature", str(held.get("name") or held.get("id")))] if held else []


async def _worth(subscriptions: tuple[Object, ...], reads: Reads) -> str:
    """The monthly cost of subscriptions, by billing currency, and what the sums leave out."""
    sums: dict[str, Fraction] = defaultdict(Fraction)
    left, read = set[str](), dict[str, Object]()
    for subscription, item in ((one, item) for one in subscriptions for item in _items(one)):
        price = _object(item.get("price")) or _object(item.get("plan"))
        every = _object(price.get("recurring")) or price
        months, intervals, count = _MONTHS.get(str(every.get("interval"))), every.get("interval_count"), item.get("quantity", 1)
        currency = str(subscription.get("currency", price.get("currency")))
        amount = await _amount(price, currency, read, reads)
        if every.get("usage_type") == "metered":
            left.add("usage")
        elif amount is None or months is None or not isinstance(count, int) or not currency.isalpha():
            left.add("prices in tiers" if price.get("billing_scheme") == "tiered" else "a price that could not be read")
        else:
            sums[currency] += amount * count / (months * (intervals if isinstance(intervals, int) and intervals > 0 else 1))
        if subscription.get("discounts") or item.get("discounts"):
            left.add("discounts")
        if _object(subscription.get("automatic_tax")).get("enabled") or subscription.get("default_tax_rates"):
            left.add("tax")
    worth = " and ".join(f"{money(round(amount), currency)} a month" for currency, amount in sorted(sums.items()) if amount)
    return ", ".join(part for part in (worth, f"without {' and '.join(sorted(left))}" if left else "") if part)


async def _amount(price: Object, currency: str, read: dict[str, Object], reads: Reads) -> Fraction | None:
    """What a price costs in the currency that is billed; None if it has no amount in it. `read` has the prices read so far."""
    id_ = price.get("id")
    if currency != price.get("currency"):
        if isinstance(id_, str) and id_ not in read:
            more = {"price_id": id_, "fields_to_expand": ["currency_options"]}
            read[id_] = (await reads.named("RetrievePaymentsPrice", more)).members
        price = _object(_object(read.get(str(id_), {}).get("currency_options")).get(currency))
    # A price of less than the smallest unit has no whole amount.
    for name in ("unit_amount", "amount", "unit_amount_decimal", "amount_decimal"):
        if _DECIMAL.fullmatch(str(price.get(name))):
            return Fraction(str(price[name]))
    return None


def _object(value: object) -> Object:
    return value if isinstance(value, Mapping) else {}


def _items(subscription: Object) -> list[Object]:
    data = _object(subscription.get("items")).get("data")
    return [one for one in data if isinstance(one, Mapping)] if isinstance(data, list) else []
