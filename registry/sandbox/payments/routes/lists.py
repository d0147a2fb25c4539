"""The paths that return a page of a list or of a search. Those marked as old are not in the newest API description.

A list runs from the newest to the oldest. The documentation says so of customers, charges, capabilities, physical bundles,
templates, and the refunds and reversals of one object, and of no list that it runs otherwise. Lines and items run in the order
in which they are on the page; so do reference tables, from their first entry. Of these the order is doubtful: no document
names it, and clients do well not to rely on it.
"""

from __future__ import annotations

from registry.sandbox.payments.calls import Operation
from registry.sandbox.payments.listing import (
    AccountOwners,
    ExchangeRates,
    Listing,
    RecentEvents,
    choice,
    flag,
    grants_of,
    reference,
    text,
)
from registry.sandbox.payments.preconditions import unexpired_calculation
from registry.sandbox.payments.searching.operation import Search
from registry.sandbox.payments.usage import Summaries

_PAYMENT_METHOD_TYPES = (
    "acss_debit affirm afterpay_clearpay alipay alma amazon_pay au_becs_debit bacs_debit bancontact billie blik boleto card "
    "cashapp crypto customer_balance eps fpx giropay grabpay ideal kakao_pay klarna konbini kr_card link mb_way mobilepay "
    "multibanco naver_pay nz_bank_account oxxo p24 pay_by_bank payco paynow paypal pix promptpay revolut_pay samsung_pay "
    "satispay sepa_debit sofort swish twint us_bank_account wechat_pay zip"
)
_READER_TYPES = (
    "bbpos_chipper2x bbpos_wisepad3 bbpos_wisepos_e mobile_phone_reader simulated_stripe_s700 simulated_wisepos_e stripe_m2 "
    "stripe_s700 verifone_P400"
)

_FINANCIAL_ACCOUNT = reference("financial_account", "treasury.financial_account", required=True)

LISTS: dict[str, Operation] = {
    # accounts
    "/v1/accounts/{account}/capabilities": Listing(("capability",), owner="account", by="account", paged=False),
    "/v1/accounts/{account}/external_accounts": Listing(
        ("bank_account", "card"), owner="account", by="account", by_object=True
    ),
    # customers
    "/v1/customers": Listing(
        ("customer",), filters=(text("email"), reference("test_clock", "test_helpers.test_clock")), clock="test_clock"
    ),  # no tool needs it, but official clients begin with it
    "/v1/customers/{customer}/balance_transactions": Listing(
        ("customer_balance_transaction",), owner="customer", by="customer"
    ),
    "/v1/customers/{customer}/bank_accounts": Listing(("bank_account",), owner="customer", by="customer"),  # old
    "/v1/customers/{customer}/cards": Listing(("card",), owner="customer", by="customer"),  # old
    "/v1/customers/{customer}/cash_balance_transactions": Listing(
        ("customer_cash_balance_transaction",), owner="customer", by="customer"
    ),
    "/v1/customers/{customer}/payment_methods": Listing(
        ("payment_method",),
        owner="customer",
        by="customer",
        filters=(choice("allow_redisplay", "always", "limited", "unspecified"), choice("type", *_PAYMENT_METHOD_TYPES.split())),
    ),
    "/v1/customers/{customer}/sources": Listing(
        ("account", "bank_account", "card", "source"), owner="customer", by="customer", by_object=True
    ),
    "/v1/customers/{customer}/subscriptions": Listing(("subscription",), owner="customer", by="customer"),  # old
    "/v1/customers/{customer}/tax_ids": Listing(("tax_id",), owner="customer", by="customer"),
    # billing
    "/v1/billing/alerts": Listing(
        ("billing.alert",),
        filters=(choice("alert_type", "usage_threshold"), reference("meter", "billing.meter", path="usage_threshold.meter")),
    ),
    "/v1/billing/credit_balance_transactions": Listing(
        ("billing.credit_balance_transaction",),
        filters=(grants_of("customer"), reference("credit_grant", "billing.credit_grant")),
    ),
    "/v1/billing/credit_grants": Listing(
        ("billing.credit_grant",), filters=(reference("customer", "customer"),), clock="test_clock"
    ),
    "/v1/billing/meters": Listing(("billing.meter",), filters=(choice("status", "active", "inactive"),)),
    "/v1/billing/meters/{id}/event_summaries": Summaries(),
    "/v1/billing_portal/configurations": Listing(
        ("billing_portal.configuration",), filters=(flag("active"), flag("is_default"))
    ),
    "/v1/credit_notes/{credit_note}/lines": Listing(
        ("credit_note_line_item",), owner="credit_note", by="_credit_note", oldest_first=True
    ),
    "/v1/invoice_rendering_templates": Listing(
        ("invoice_rendering_template",), filters=(choice("status", "active", "archived"),)
    ),
    "/v1/invoices/{invoice}/lines": Listing(("line_item",), owner="invoice", by="invoice", oldest_first=True),
    "/v1/products/{product}/features": Listing(("product_feature",), owner="product", by="_product"),
    "/v1/quotes": Listing(
        ("quote",),
        filters=(
            reference("customer", "customer"),
            choice("status", "accepted", "canceled", "draft", "open"),
            reference("test_clock", "test_helpers.test_clock"),
        ),
        clock="test_clock",
    ),
    "/v1/quotes/{quote}/computed_upfront_line_items": Listing(
        ("item",), owner="quote", by="_owner", only=(("_upfront", True),), oldest_first=True
    ),
    "/v1/quotes/{quote}/line_items": Listing(("item",), owner="quote", by="_owner", oldest_first=True),
    "/v1/subscription_items": Listing(
        ("subscription_item",), filters=(reference("subscription", "subscription", required=True),), oldest_first=True
    ),
    # payments
    "/v1/application_fees/{id}/refunds": Listing(("fee_refund",), owner="application_fee", by="fee"),
    "/v1/charges": Listing(
        ("charge",),
        filters=(reference("customer", "customer"), reference("payment_intent", "payment_intent"), text("transfer_group")),
        clock="_test_clock",
    ),  # likewise
    "/v1/charges/{charge}/refunds": Listing(("refund",), owner="charge", by="charge"),
    "/v1/checkout/sessions/{session}/line_items": Listing(("item",), owner="checkout.session", by="_owner", oldest_first=True),
    "/v1/payment_links": Listing(("payment_link",), filters=(flag("active"),)),
    "/v1/payment_links/{payment_link}/line_items": Listing(("item",), owner="payment_link", by="_owner", oldest_first=True),
    "/v1/payment_methods": Listing(
        ("payment_method",),
        filters=(reference("customer", "customer"), choice("type", *_PAYMENT_METHOD_TYPES.split())),
        clock="_test_clock",
    ),
    "/v1/sources/{source}/source_transactions": Listing(("source_transaction",), owner="source", by="source"),
    "/v1/transfers/{id}/reversals": Listing(("transfer_reversal",), owner="transfer", by="transfer"),
    # ways to pay
    "/v1/apple_pay/domains": Listing(("apple_pay_domain",), filters=(text("domain_name"),)),
    "/v1/payment_method_configurations": Listing(
        ("payment_method_configuration",), filters=(reference("application", "application"),)
    ),
    "/v1/payment_method_domains": Listing(("payment_method_domain",), filters=(text("domain_name"), flag("enabled"))),
    # treasury
    "/v1/treasury/credit_reversals": Listing(
        ("treasury.credit_reversal",),
        filters=(
            _FINANCIAL_ACCOUNT,
            reference("received_credit", "treasury.received_credit"),
            choice("status", "canceled", "posted", "processing"),
        ),
    ),
    "/v1/treasury/debit_reversals": Listing(
        ("treasury.debit_reversal",),
        filters=(
            _FINANCIAL_ACCOUNT,
            reference("received_debit", "treasury.received_debit"),
            # What the filters call completed and won is a status of succeeded on the object; canceled and lost, failed.
            choice("resolution", "lost", "won", path="status", stored={"lost": "failed", "won": "succeeded"}),
            choice("status", "canceled", "completed", "processing", stored={"canceled": "failed", "completed": "succeeded"}),
        ),
    ),
    "/v1/treasury/inbound_transfers": Listing(
        ("treasury.inbound_transfer",),
        filters=(_FINANCIAL_ACCOUNT, choice("status", "processing", "succeeded", "failed", "canceled")),
    ),
    "/v1/treasury/outbound_transfers": Listing(
        ("treasury.outbound_transfer",),
        filters=(_FINANCIAL_ACCOUNT, choice("status", "processing", "canceled", "failed", "posted", "returned")),
    ),
    "/v1/treasury/received_debits": Listing(
        ("treasury.received_debit",), filters=(_FINANCIAL_ACCOUNT, choice("status", "succeeded", "failed"))
    ),
    # financial connections
    "/v1/financial_connections/accounts/{account}/owners": AccountOwners(),
    "/v1/linked_accounts/{account}/owners": AccountOwners(),  # old
    # issuing
    "/v1/issuing/physical_bundles": Listing(
        ("issuing.physical_bundle",),
        filters=(choice("status", "active", "inactive", "review"), choice("type", "custom", "standard")),
    ),
    # terminal
    "/v1/terminal/configurations": Listing(("terminal.configuration",), filters=(flag("is_account_default"),)),
    "/v1/terminal/locations": Listing(("terminal.location",)),
    "/v1/terminal/readers": Listing(
        ("terminal.reader",),
        filters=(
            choice("device_type", *_READER_TYPES.split()),
            reference("location", "terminal.location"),
            text("serial_number"),
            choice("status", "offline", "online"),
        ),
    ),
    # tax
    "/v1/tax/calculations/{calculation}/line_items": Listing(
        ("tax.calculation_line_item",),
        owner="tax.calculation",
        by="_calculation",
        oldest_first=True,
        rule=unexpired_calculation,
    ),
    "/v1/tax/registrations": Listing(
        ("tax.registration",), filters=(choice("status", "active", "all", "expired", "scheduled", every="all"),)
    ),
    "/v1/tax/transactions/{transaction}/line_items": Listing(
        ("tax.transaction_line_item",), owner="tax.transaction", by="_transaction", oldest_first=True
    ),
    "/v1/tax_codes": Listing(("tax_code",), oldest_first=True),
    # entitlements, reports
    "/v1/entitlements/active_entitlements": Listing(
        ("entitlements.active_entitlement",), filters=(reference("customer", "customer", path="_customer", required=True),)
    ),
    "/v1/entitlements/features": Listing(
        ("entitlements.feature",), filters=(text("lookup_key"), flag("archived", path="active", inverted=True))
    ),
    "/v1/reporting/report_types": Listing(("reporting.report_type",), paged=False, oldest_first=True),
    "/v1/sigma/scheduled_query_runs": Listing(("scheduled_query_run",)),
    # everything else
    "/v1/events": RecentEvents(),  # likewise
    "/v1/climate/orders": Listing(("climate.order",)),
    "/v1/climate/products": Listing(("climate.product",)),
    "/v1/climate/suppliers": Listing(("climate.supplier",)),
    "/v1/country_specs": Listing(("country_spec",), oldest_first=True),
    "/v1/exchange_rates": ExchangeRates(),
    "/v1/test_helpers/test_clocks": Listing(("test_helpers.test_clock",), test_only=True),
    "/v1/webhook_endpoints": Listing(("webhook_endpoint",)),
}

SEARCHES: dict[str, Operation] = {
    "/v1/charges/search": Search("charge"),
    "/v1/customers/search": Search("customer"),
    "/v1/invoices/search": Search("invoice"),
    "/v1/payment_intents/search": Search("payment_intent"),
    "/v1/prices/search": Search("price"),
    "/v1/products/search": Search("product"),
    "/v1/subscriptions/search": Search("subscription"),
}
