"""The content of the payments world, in chapters that are written when one of their kinds is first asked for.

Importing this package costs next to nothing: a chapter's module is imported when the chapter is written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from registry.sandbox.payments.builder import Builder, Chapter

if TYPE_CHECKING:
    from registry.sandbox.payments.chapters.cohort import Cohort


def _chapter(module: str, kinds: str, function: str = "write") -> Chapter:
    """The chapter that a function of a module here writes; its kinds are separated by spaces."""

    def write(builder: Builder) -> None:
        getattr(import_module(f"{__name__}.{module}"), function)(builder)

    return Chapter(frozenset(kinds.split()), write)


def _told(file: str, kinds: str) -> Chapter:
    """The chapter that is data in a file of its own."""

    def write(builder: Builder) -> None:
        import_module(f"{__name__}.told").chapter(file)(builder)

    return Chapter(frozenset(kinds.split()), write)


_OF_CUSTOMERS = (
    "customers", "entitlements", "discounts", "wallets", "payment_methods", "mandates", "subscribing", "invoicing", "crediting",
    "charging", "disputing", "ledger",
)  # fmt: skip
"""The modules whose chapters every customer has a part in."""


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write everything about a cohort of further customers."""
    for module in _OF_CUSTOMERS:
        import_module(f"{__name__}.{module}").write_cohort(builder, cohort)


CHAPTERS: tuple[Chapter, ...] = (
    # the core: catalogue, customers, billing, payments
    _chapter("catalogue", "product price plan coupon promotion_code shipping_rate"),
    _chapter("entitlements", "entitlements.feature product_feature entitlements.active_entitlement"),
    _chapter("customers", "customer tax_id"),
    _chapter("discounts", "discount"),
    _chapter("wallets", "card bank_account"),
    _chapter("payment_methods", "payment_method"),
    _chapter("mandates", "mandate setup_intent setup_attempt"),
    _told("sources", "source source_transaction source_mandate_notification"),
    _told("tokens", "token confirmation_token forwarding.request"),
    _chapter("subscribing", "subscription subscription_item subscription_schedule"),
    _chapter("invoicing", "invoice line_item invoiceitem invoice_payment"),
    _chapter("crediting", "credit_note credit_note_line_item customer_balance_transaction"),
    _chapter("charging", "payment_intent charge refund"),
    _chapter("disputing", "dispute"),
    _chapter("ledger", "balance_transaction payout balance balance_settings"),
    _chapter("banking", "cash_balance customer_cash_balance_transaction"),
    _told("checkout", "checkout.session payment_link item"),
    _told("quoting", "quote item"),
    _chapter("metering", "billing.meter billing.alert billing.meter_event_summary _usage", "write_usage"),
    _chapter("metering", "billing.credit_grant billing.credit_balance_transaction", "write_grants"),
    # connected accounts
    _told("accounts", "account person capability"),
    _told("marketplace", "transfer transfer_reversal application_fee fee_refund application"),
    # everything else
    _told("topping", "topup"),
    _told(
        "treasury",
        "treasury.financial_account treasury.financial_account_features treasury.inbound_transfer treasury.outbound_transfer "
        "treasury.outbound_payment treasury.received_credit treasury.received_debit treasury.credit_reversal "
        "treasury.debit_reversal treasury.transaction treasury.transaction_entry",
    ),
    _told(
        "linked",
        "financial_connections.account financial_connections.account_owner financial_connections.account_ownership "
        "financial_connections.session financial_connections.transaction",
    ),
    _told(
        "issuing",
        "issuing.authorization issuing.card issuing.cardholder issuing.dispute issuing.personalization_design "
        "issuing.physical_bundle issuing.settlement issuing.token issuing.transaction",
    ),
    _told("terminal", "terminal.configuration terminal.location terminal.reader"),
    _told("taxes", "tax_code tax_rate"),
    _told(
        "calculations",
        "tax.calculation tax.calculation_line_item tax.registration tax.settings tax.transaction tax.transaction_line_item",
    ),
    _chapter("risk", "review radar.early_fraud_warning"),
    _chapter("fraud_lists", "radar.value_list radar.value_list_item"),
    _told("reports", "reporting.report_type reporting.report_run scheduled_query_run"),
    _told("files", "file file_link"),
    _told("climate", "climate.order climate.product climate.supplier"),
    _told("identity", "identity.verification_report identity.verification_session"),
    _chapter("reference", "country_spec exchange_rate"),
    _told("domains", "apple_pay_domain payment_method_domain payment_method_configuration"),
    _told("portal", "billing_portal.configuration"),
    _told("hooks", "webhook_endpoint"),
    _told("templates", "invoice_rendering_template"),
    _told("clocks", "test_helpers.test_clock"),
    _chapter("events", "event"),
)
