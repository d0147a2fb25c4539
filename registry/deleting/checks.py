"""Whether the rule of a deletion holds, as far as can be seen beforehand; by object type.

Sources: the preconditions of the payments service (facts, sections 10, 11 and 16). The service decides in the end; what cannot
be seen from outside is said to be unknown, never guessed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.connections.profiles import Endpoint
from registry.deleting.reads import Reads, quoted
from registry.display.safe_text import visible_line

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a deletion: whether it holds (None: could not be learned), and that in words."""

    holds: bool | None
    words: str


_TEST_ONLY = "Test clocks exist in test mode only."

Step = Callable[[Object, Reads], Awaitable[list[Check]]]


async def _invoice(invoice: Object, _: Reads) -> list[Check]:
    parent = invoice.get("parent")
    details = parent.get("subscription_details") if isinstance(parent, Mapping) else None
    recurring = bool(details) or bool(invoice.get("subscription"))
    origin = "It comes from a subscription; void it instead." if recurring else "It does not come from a subscription."
    return [_draft("It", invoice.get("status"), "; void it instead"), Check(not recurring, origin)]


async def _invoice_item(item: Object, reads: Reads) -> list[Check]:
    invoice = item.get("invoice")
    if not isinstance(invoice, str):
        return [Check(True, "It is on no invoice yet.")]
    answer = await reads.one("invoice", invoice)
    if "status" not in answer.members:
        return [Check(None, f"Whether its invoice {visible_line(invoice)} is a draft could not be learned.")]
    return [_draft(f"Its invoice {visible_line(invoice)}", answer.members["status"], "")]


async def _product(product: Object, reads: Reads) -> list[Check]:
    found = await reads.items("SearchPaymentsPrices", {"search_query_string": f"product:{quoted(product.get('id'))}"})
    if found.problem:
        prices = Check(None, "Whether it has prices could not be learned.")
    elif found.items:
        count = f"more than {len(found.items)}" if found.more else f"{len(found.items)}"
        prices = Check(False, f"It has {count} {'price' if count == '1' else 'prices'}; a product with prices stays.")
    elif product.get("default_price"):
        prices = Check(False, "It has a default price; a product with prices stays.")
    else:
        prices = Check(True, "It has no prices that the search knows of; new ones take a minute to be found.")
    goods = [Check(None, "Whether these goods have SKUs could not be learned.")] if product.get("type") == "good" else []
    return [prices, *goods]


async def _person(person: Object, _: Reads) -> list[Check]:
    relation = person.get("relationship")
    relation = relation if isinstance(relation, Mapping) else {}
    opened = bool(relation.get("representative"))
    words = "This person opened the account and stays." if opened else "This person did not open the account."
    checks = [Check(not opened, words)]
    verification = person.get("verification")
    if relation.get("executive") and isinstance(verification, Mapping) and verification.get("status") == "verified":
        checks.append(Check(None, "A verified executive; whether it is the only one could not be learned."))
    return checks


async def _external(account: Object, _: Reads) -> list[Check]:
    if "default_for_currency" not in account:
        return []
    currency = visible_line(str(account.get("currency", "")).upper())
    if account["default_for_currency"]:
        return [Check(False, f"It is the default for {currency}; make another one the default first.")]
    return [Check(True, f"It is not the default for {currency}.")]


async def _account(account: Object, reads: Reads) -> list[Check]:
    controller = account.get("controller")
    controller = controller if isinstance(controller, Mapping) else {}
    own = await reads.named("GetPaymentsAccountDetails", {})
    if own.members.get("id") == account.get("id"):
        return [Check(False, "It is your own account.")]
    if controller.get("type") == "account":
        return [Check(False, "You do not manage it: it controls itself.")]
    managed = Check(True, "You manage it.") if controller else Check(None, "Whether you manage it could not be learned.")
    if reads.connection.endpoint("PaymentsApi").mode != "live":
        return [managed, Check(True, "Test accounts can be deleted at any time.")]
    dashboard, losses = controller.get("stripe_dashboard"), controller.get("losses")
    full = (isinstance(dashboard, Mapping) and dashboard.get("type") == "full") or account.get("type") == "standard"
    if full and isinstance(losses, Mapping) and losses.get("payments") == "stripe":
        return [managed, Check(False, "It has the standard dashboard, and the platform is liable for its losses.")]
    return [managed, Check(None, "Whether all its balances are zero could not be learned.")]


async def _value_list(_: Object, __: Reads) -> list[Check]:
    return [Check(None, "Whether a rule uses the list cannot be seen from here; if one does, the service refuses.")]


async def _discount(_: Object, __: Reads) -> list[Check]:
    return [Check(True, "There is a discount.")]


async def _clock_stands_still(item: Object, reads: Reads) -> list[Check]:
    """While a test clock advances, what hangs on it cannot be changed."""
    clock = item.get("test_clock")
    if not isinstance(clock, str) and isinstance(item.get("customer"), str) and item.get("livemode") is not True:
        clock = (await reads.one("customer", item["customer"])).members.get("test_clock")
    if not isinstance(clock, str):
        return []
    status = (await reads.one("test_helpers.test_clock", clock)).members.get("status")
    if status is None:
        return [Check(None, f"Whether its test clock {visible_line(clock)} stands still could not be learned.")]
    still = "is advancing; wait until it is ready" if status == "advancing" else "stands still"
    words = f"Its test clock {visible_line(clock)} {still}."
    return [Check(status != "advancing", words)]


async def _test_clock(clock: Object, _: Reads) -> list[Check]:
    live = bool(clock.get("livemode"))
    return [Check(not live, _TEST_ONLY if live else "It is in test mode.")]


def unread(types: Sequence[str], endpoint: Endpoint) -> list[Check]:
    """What stands in the way before anything is read: where there is no such thing, there is nothing to read either."""
    return [Check(False, _TEST_ONLY)] if endpoint.known_live and "test_helpers.test_clock" in types else []


def _draft(what: str, status: object, way_out: str) -> Check:
    if status == "draft":
        return Check(True, f"{what} is a draft.")
    return Check(False, f"{what} is {visible_line(str(status))} and no draft{way_out}.")


CHECKS: Mapping[str, tuple[Step, ...]] = {
    "customer": (_clock_stands_still,),
    "invoice": (_invoice, _clock_stands_still),
    "invoiceitem": (_invoice_item, _clock_stands_still),
    "product": (_product,),
    "person": (_person,),
    "bank_account": (_external,),
    "card": (_external,),
    "account": (_account,),
    "radar.value_list": (_value_list,),
    "discount": (_discount, _clock_stands_still),
    "tax_id": (_clock_stands_still,),
    "test_helpers.test_clock": (_test_clock,),
}
"""The conditions by object type; a type that is not named has none."""
