"""The paths that delete. Those marked as old are not in the newest description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from registry.sandbox.payments import discounts, effects, preconditions
from registry.sandbox.payments.calls import Call, Operation
from registry.sandbox.payments.errors import missing
from registry.sandbox.payments.parameters import arguments
from registry.sandbox.payments.preconditions import CLOCK_NEEDS, clock_is_not_advancing
from registry.sandbox.payments.removing import Remover, kinds_on_clocks
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import StoredRow

Effect = Callable[[Remover, StoredRow], None]


class Deletion(NamedTuple):
    """Deletes the object whose id ends the path.

    Attributes:
        kinds: the kinds that it can be of.
        owner: the kind of the first id of the path, where the path has two.
        by: the object's field that holds its owner's id.
        called: its name in the error if it does not exist; by default the first kind.
        check: refuses if a precondition is not met.
        effect: makes the other changes, before the object is deleted.
        needs: the other kinds that the check and the effect look at, or what names them.
        test_only: live keys are refused.
    """

    kinds: tuple[str, ...]
    owner: str = ""
    by: str = ""
    called: str = ""
    check: Effect | None = None
    effect: Effect | None = None
    needs: Sequence[str] | Callable[[], Sequence[str]] = ()
    test_only: bool = False

    def answer(self, call: Call) -> Json:
        """The short form of what was deleted."""
        if self.test_only:
            call.test_mode_only()
        arguments(call.query, (), expands=False)
        reader = call.reader
        owners = [self.owner] if self.owner else []
        needs = self.needs() if callable(self.needs) else self.needs
        with reader.changes([*self.kinds, *owners, *needs, *CLOCK_NEEDS]):
            if self.owner:
                reader.require((self.owner,), call.ids[0], call.names[0])
            found = reader.require(
                self.kinds,
                call.ids[-1],
                call.names[-1],
                called=self.called,
                fits=lambda row: not self.by or row.body.get(self.by) == call.ids[0],
            )
            remover = Remover(reader)
            clock_is_not_advancing(remover, found)
            if self.check:
                self.check(remover, found.row)
            if self.effect:
                self.effect(remover, found.row)
            remover.remove(found.kind, found.row)
        return call.renderer.deleted(found.kind, found.row.id)


class DiscountRemoval(NamedTuple):
    """Removes the discount of a customer or a subscription; returns the discount as it was, marked as deleted."""

    on: str

    def answer(self, call: Call) -> Json:
        """The removed discount."""
        arguments(call.query, (), expands=False)
        reader = call.reader
        with reader.changes(("subscription", "discount", *CLOCK_NEEDS)):
            bearing = discounts.bearer(call, self.on)
            id_ = discounts.of(bearing)
            row = reader.get("discount", id_)
            if row is None:
                raise missing("discount", id_, "discount")
            remover = Remover(reader)
            clock_is_not_advancing(remover, bearing)
            if bearing.kind == "customer":
                remover.update(bearing.kind, bearing.row, discount=None)
            else:
                remover.update(bearing.kind, bearing.row, discounts=bearing.row.body["discounts"][1:])
            remover.remove("discount", row)
            return call.renderer.object("discount", row) | {"deleted": True}


_PERSON = Deletion(("person",), owner="account", by="account", check=preconditions.person_may_go)
_EXTERNAL_ACCOUNT = Deletion(
    ("bank_account", "card"),
    owner="account",
    by="account",
    called="external account",
    check=preconditions.external_account_may_go,
)

DELETIONS: dict[str, Operation] = {
    "/v1/accounts/{account}": Deletion(
        ("account",), check=preconditions.account_may_go, effect=effects.account, needs=effects.ACCOUNT_NEEDS
    ),
    "/v1/accounts/{account}/bank_accounts/{id}": _EXTERNAL_ACCOUNT,  # old
    "/v1/accounts/{account}/external_accounts/{id}": _EXTERNAL_ACCOUNT,
    "/v1/accounts/{account}/people/{person}": _PERSON,  # old
    "/v1/accounts/{account}/persons/{person}": _PERSON,
    "/v1/apple_pay/domains/{domain}": Deletion(("apple_pay_domain",)),
    "/v1/coupons/{coupon}": Deletion(("coupon",), effect=effects.coupon, needs=("promotion_code",)),
    "/v1/customers/{customer}": Deletion(("customer",), effect=effects.customer, needs=effects.CUSTOMER_NEEDS),
    "/v1/customers/{customer}/discount": DiscountRemoval("customer"),
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}/discount": DiscountRemoval("subscription"),  # old
    "/v1/customers/{customer}/tax_ids/{id}": Deletion(("tax_id",), owner="customer", by="customer"),
    "/v1/invoiceitems/{invoiceitem}": Deletion(
        ("invoiceitem",),
        check=preconditions.invoice_item_may_go,
        effect=effects.invoice_item,
        needs=("invoice", "line_item"),
    ),
    "/v1/invoices/{invoice}": Deletion(
        ("invoice",),
        check=preconditions.invoice_may_go,
        effect=effects.invoice,
        needs=("line_item", "invoice_payment", "invoiceitem"),
    ),
    "/v1/plans/{plan}": Deletion(("plan",), effect=effects.plan, needs=("price",)),
    "/v1/products/{id}": Deletion(
        ("product",), check=preconditions.product_may_go, effect=effects.product, needs=("price", "product_feature")
    ),
    "/v1/products/{product}/features/{id}": Deletion(("product_feature",), owner="product", by="_product"),
    "/v1/radar/value_list_items/{item}": Deletion(("radar.value_list_item",)),
    "/v1/radar/value_lists/{value_list}": Deletion(
        ("radar.value_list",),
        check=preconditions.value_list_may_go,
        effect=effects.value_list,
        needs=("radar.value_list_item",),
    ),
    "/v1/subscriptions/{subscription_exposed_id}/discount": DiscountRemoval("subscription"),
    "/v1/tax_ids/{id}": Deletion(("tax_id",)),
    "/v1/terminal/configurations/{configuration}": Deletion(("terminal.configuration",)),
    "/v1/terminal/locations/{location}": Deletion(("terminal.location",)),
    "/v1/terminal/readers/{reader}": Deletion(("terminal.reader",)),
    "/v1/test_helpers/test_clocks/{test_clock}": Deletion(
        ("test_helpers.test_clock",), effect=effects.test_clock, needs=kinds_on_clocks, test_only=True
    ),
    "/v1/webhook_endpoints/{webhook_endpoint}": Deletion(("webhook_endpoint",)),
}
