"""The paths that return one object. Those marked as old are not in the newest API description."""

from __future__ import annotations

from registry.sandbox.payments.calls import Operation
from registry.sandbox.payments.preconditions import report_for_mode, unexpired_calculation, young_event
from registry.sandbox.payments.retrieving import Alone, Capability, Discount, OfOwner, One, Template, WithSecret, no_cash

_EXTERNAL_ACCOUNT = One(("bank_account", "card"), owner="account", by="account", called="external account")
_PERSON = One(("person",), owner="account", by="account")

OBJECTS: dict[str, Operation] = {
    # accounts
    "/v1/account": Alone("account"),
    "/v1/accounts/{account}": One(("account",)),
    "/v1/accounts/{account}/bank_accounts/{id}": _EXTERNAL_ACCOUNT,  # old
    "/v1/accounts/{account}/capabilities/{capability}": Capability(),
    "/v1/accounts/{account}/external_accounts/{id}": _EXTERNAL_ACCOUNT,
    "/v1/accounts/{account}/people/{person}": _PERSON,  # old
    "/v1/accounts/{account}/persons/{person}": _PERSON,
    "/v1/balance": Alone("balance"),
    "/v1/balance/history/{id}": One(("balance_transaction",)),  # old
    "/v1/balance_settings": Alone("balance_settings"),
    "/v1/balance_transactions/{id}": One(("balance_transaction",)),
    "/v1/tax_ids/{id}": One(("tax_id",)),
    # customers
    "/v1/customers/{customer}": One(("customer",)),
    "/v1/customers/{customer}/balance_transactions/{transaction}": One(
        ("customer_balance_transaction",), owner="customer", by="customer"
    ),
    "/v1/customers/{customer}/bank_accounts/{id}": One(("bank_account",), owner="customer", by="customer"),  # old
    "/v1/customers/{customer}/cards/{id}": One(("card",), owner="customer", by="customer"),  # old
    "/v1/customers/{customer}/cash_balance": OfOwner("cash_balance", owner="customer", otherwise=no_cash),
    "/v1/customers/{customer}/cash_balance_transactions/{transaction}": One(
        ("customer_cash_balance_transaction",), owner="customer", by="customer"
    ),
    "/v1/customers/{customer}/discount": Discount("customer"),  # old
    "/v1/customers/{customer}/payment_methods/{payment_method}": One(("payment_method",), owner="customer", by="customer"),
    "/v1/customers/{customer}/sources/{id}": One(
        ("card", "bank_account", "source", "account"), owner="customer", by="customer", called="source"
    ),
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}": One(
        ("subscription",), owner="customer", by="customer"
    ),  # old
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}/discount": Discount("subscription"),  # old
    "/v1/customers/{customer}/tax_ids/{id}": One(("tax_id",), owner="customer", by="customer"),
    # billing
    "/v1/billing/alerts/{id}": One(("billing.alert",)),
    "/v1/billing/credit_balance_transactions/{id}": One(("billing.credit_balance_transaction",)),
    "/v1/billing/credit_grants/{id}": One(("billing.credit_grant",)),
    "/v1/billing/meters/{id}": One(("billing.meter",)),
    "/v1/billing_portal/configurations/{configuration}": One(("billing_portal.configuration",)),
    "/v1/coupons/{coupon}": One(("coupon",)),
    "/v1/credit_notes/{id}": One(("credit_note",)),
    "/v1/invoice_payments/{invoice_payment}": One(("invoice_payment",)),
    "/v1/invoice_rendering_templates/{template}": Template(),
    "/v1/invoiceitems/{invoiceitem}": One(("invoiceitem",)),
    "/v1/invoices/{invoice}": One(("invoice",)),
    "/v1/plans/{plan}": One(("plan",)),
    "/v1/prices/{price}": One(("price",)),
    "/v1/products/{id}": One(("product",)),
    "/v1/products/{product}/features/{id}": One(("product_feature",), owner="product", by="_product"),
    "/v1/promotion_codes/{promotion_code}": One(("promotion_code",)),
    "/v1/quotes/{quote}": One(("quote",)),
    "/v1/shipping_rates/{shipping_rate_token}": One(("shipping_rate",)),
    "/v1/subscription_items/{item}": One(("subscription_item",)),
    "/v1/subscription_schedules/{schedule}": One(("subscription_schedule",)),
    "/v1/subscriptions/{subscription_exposed_id}": One(("subscription",)),
    # payments
    "/v1/application_fees/{fee}/refunds/{id}": One(("fee_refund",), owner="application_fee", by="fee"),
    "/v1/application_fees/{id}": One(("application_fee",)),
    "/v1/charges/{charge}": One(("charge",)),
    "/v1/charges/{charge}/dispute": OfOwner("dispute", owner="charge", by="charge"),  # old
    "/v1/charges/{charge}/refunds/{refund}": One(("refund",), owner="charge", by="charge"),
    "/v1/checkout/sessions/{session}": One(("checkout.session",)),
    "/v1/confirmation_tokens/{confirmation_token}": One(("confirmation_token",)),
    "/v1/disputes/{dispute}": One(("dispute",)),
    "/v1/mandates/{mandate}": One(("mandate",)),
    "/v1/payment_intents/{intent}": WithSecret("payment_intent"),
    "/v1/payment_links/{payment_link}": One(("payment_link",)),
    "/v1/payment_methods/{payment_method}": One(("payment_method",)),
    "/v1/payouts/{payout}": One(("payout",)),
    "/v1/refunds/{refund}": One(("refund",)),
    "/v1/setup_intents/{intent}": WithSecret("setup_intent"),
    "/v1/sources/{source}": WithSecret("source"),
    "/v1/sources/{source}/mandate_notifications/{mandate_notification}": One(
        ("source_mandate_notification",), owner="source", by="source"
    ),  # old
    "/v1/sources/{source}/source_transactions/{source_transaction}": One(
        ("source_transaction",), owner="source", by="source"
    ),  # old
    "/v1/tokens/{token}": One(("token",)),
    "/v1/topups/{topup}": One(("topup",)),
    "/v1/transfers/{transfer}": One(("transfer",)),
    "/v1/transfers/{transfer}/reversals/{id}": One(("transfer_reversal",), owner="transfer", by="transfer"),
    # ways to pay
    "/v1/apple_pay/domains/{domain}": One(("apple_pay_domain",)),
    "/v1/payment_method_configurations/{configuration}": One(("payment_method_configuration",)),
    "/v1/payment_method_domains/{payment_method_domain}": One(("payment_method_domain",)),
    # treasury
    "/v1/treasury/credit_reversals/{credit_reversal}": One(("treasury.credit_reversal",)),
    "/v1/treasury/debit_reversals/{debit_reversal}": One(("treasury.debit_reversal",)),
    "/v1/treasury/financial_accounts/{financial_account}": One(("treasury.financial_account",)),
    "/v1/treasury/financial_accounts/{financial_account}/features": OfOwner(
        "treasury.financial_account_features", owner="treasury.financial_account"
    ),
    "/v1/treasury/inbound_transfers/{id}": One(("treasury.inbound_transfer",)),
    "/v1/treasury/outbound_payments/{id}": One(("treasury.outbound_payment",)),
    "/v1/treasury/outbound_transfers/{outbound_transfer}": One(("treasury.outbound_transfer",)),
    "/v1/treasury/received_credits/{id}": One(("treasury.received_credit",)),
    "/v1/treasury/received_debits/{id}": One(("treasury.received_debit",)),
    "/v1/treasury/transaction_entries/{id}": One(("treasury.transaction_entry",)),
    "/v1/treasury/transactions/{id}": One(("treasury.transaction",)),
    # financial connections
    "/v1/financial_connections/accounts/{account}": One(("financial_connections.account",)),
    "/v1/financial_connections/sessions/{session}": One(("financial_connections.session",)),
    "/v1/financial_connections/transactions/{transaction}": One(("financial_connections.transaction",)),
    "/v1/link_account_sessions/{session}": One(("financial_connections.session",)),  # old
    "/v1/linked_accounts/{account}": One(("financial_connections.account",)),  # old
    # issuing
    "/v1/issuing/authorizations/{authorization}": One(("issuing.authorization",)),
    "/v1/issuing/cardholders/{cardholder}": One(("issuing.cardholder",)),
    "/v1/issuing/cards/{card}": One(("issuing.card",)),
    "/v1/issuing/disputes/{dispute}": One(("issuing.dispute",)),
    "/v1/issuing/personalization_designs/{personalization_design}": One(("issuing.personalization_design",)),
    "/v1/issuing/physical_bundles/{physical_bundle}": One(("issuing.physical_bundle",)),
    "/v1/issuing/settlements/{settlement}": One(("issuing.settlement",)),  # old
    "/v1/issuing/tokens/{token}": One(("issuing.token",)),
    "/v1/issuing/transactions/{transaction}": One(("issuing.transaction",)),
    # terminal
    "/v1/terminal/configurations/{configuration}": One(("terminal.configuration",)),
    "/v1/terminal/locations/{location}": One(("terminal.location",)),
    "/v1/terminal/readers/{reader}": One(("terminal.reader",)),
    # tax
    "/v1/tax/calculations/{calculation}": One(("tax.calculation",), rule=unexpired_calculation),
    "/v1/tax/registrations/{id}": One(("tax.registration",)),
    "/v1/tax/settings": Alone("tax.settings"),
    "/v1/tax/transactions/{transaction}": One(("tax.transaction",)),
    "/v1/tax_codes/{id}": One(("tax_code",)),
    "/v1/tax_rates/{tax_rate}": One(("tax_rate",)),
    # entitlements, fraud, reports
    "/v1/entitlements/active_entitlements/{id}": One(("entitlements.active_entitlement",)),
    "/v1/entitlements/features/{id}": One(("entitlements.feature",)),
    "/v1/radar/early_fraud_warnings/{early_fraud_warning}": One(("radar.early_fraud_warning",)),
    "/v1/radar/value_list_items/{item}": One(("radar.value_list_item",)),
    "/v1/radar/value_lists/{value_list}": One(("radar.value_list",)),
    "/v1/reporting/report_runs/{report_run}": One(("reporting.report_run",)),
    "/v1/reporting/report_types/{report_type}": One(("reporting.report_type",), rule=report_for_mode),
    "/v1/reviews/{review}": One(("review",)),
    "/v1/sigma/scheduled_query_runs/{scheduled_query_run}": One(("scheduled_query_run",)),
    # everything else
    "/v1/climate/orders/{order}": One(("climate.order",)),
    "/v1/climate/products/{product}": One(("climate.product",)),
    "/v1/climate/suppliers/{supplier}": One(("climate.supplier",)),
    "/v1/country_specs/{country}": One(("country_spec",)),
    "/v1/events/{id}": One(("event",), rule=young_event),
    "/v1/exchange_rates/{rate_id}": One(("exchange_rate",)),
    "/v1/file_links/{link}": One(("file_link",)),
    "/v1/files/{file}": One(("file",)),
    "/v1/forwarding/requests/{id}": One(("forwarding.request",)),
    "/v1/identity/verification_reports/{report}": One(("identity.verification_report",)),
    "/v1/identity/verification_sessions/{session}": One(("identity.verification_session",)),
    "/v1/test_helpers/test_clocks/{test_clock}": One(("test_helpers.test_clock",), test_only=True),
    "/v1/webhook_endpoints/{webhook_endpoint}": One(("webhook_endpoint",)),
}
