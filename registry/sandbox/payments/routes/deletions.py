"""The paths that delete. Those marked as old are not in the newest description."""

from __future__ import annotations

from registry.sandbox.payments import effects, preconditions
from registry.sandbox.payments.calls import Operation
from registry.sandbox.payments.deleting import Deletion, DiscountRemoval
from registry.sandbox.payments.removing import kinds_on_clocks

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
