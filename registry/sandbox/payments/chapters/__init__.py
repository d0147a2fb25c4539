"""The content of the payments world, in chapters that are written when one of their kinds is first asked for.

Importing this package costs next to nothing: a chapter's module is imported when the chapter is written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from registry.sandbox.payments.builder import Builder, Chapter

if TYPE_CHECKING:
    from registry.sandbox.payments.chapters.cohort import Cohort


def _chapter(kinds: str, *sources: str, function: str = "write") -> Chapter:
    """The chapter of these kinds, which spaces separate; ``a.: b c`` are ``a.b`` and ``a.c``.

    Args:
        kinds: the kinds of objects that it writes.
        sources: what writes it, one after the other: a data file, named with its ending, or a module here. A module about
            customers writes the first cohort; its `function`, where it has one, writes what else there is.
        function: what to call in a module.
    """

    def write(builder: Builder) -> None:
        for source in sources:
            if source.endswith(".json"):
                import_module(f"{__name__}.tables").write(builder, source.removesuffix(".json"))
                continue
            module = import_module(f"{__name__}.{source}")
            if source in _OF_CUSTOMERS:
                module.write_cohort(builder, import_module(f"{__name__}.cohort").first(builder.world))
            if source not in _OF_CUSTOMERS or hasattr(module, function):
                getattr(module, function)(builder)

    family, _, members = kinds.rpartition(": ")
    return Chapter(frozenset(f"{family}{kind}" for kind in members.split()), write)


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
    _chapter("product price plan coupon promotion_code shipping_rate", "catalogue.json", "catalogue"),
    _chapter("entitlements.feature product_feature entitlements.active_entitlement", "features.json", "entitlements"),
    _chapter("customer tax_id", "customers", "own_tax_ids.json"),
    _chapter("discount", "discounts", "discounts.json"),
    _chapter("card bank_account", "wallets", "externals.json"),
    _chapter("payment_method", "payment_methods"),
    _chapter("mandate setup_intent setup_attempt", "mandates"),
    _chapter("source source_transaction source_mandate_notification", "sources.json"),
    _chapter("token confirmation_token forwarding.request", "tokens.json"),
    _chapter("subscription subscription_item subscription_schedule", "subscribing"),
    _chapter("invoice line_item invoiceitem invoice_payment", "invoicing"),
    _chapter("credit_note credit_note_line_item customer_balance_transaction", "crediting"),
    _chapter("payment_intent charge refund", "charging"),
    _chapter("dispute", "disputing"),
    _chapter("balance_transaction payout balance balance_settings", "ledger", "settings.json"),
    _chapter("cash_balance customer_cash_balance_transaction", "banking"),
    _chapter("checkout.session payment_link item", "checkout.json"),
    _chapter("quote item", "quoting.json"),
    _chapter(
        "billing.meter billing.alert billing.meter_event_summary _usage", "meters.json", "metering", function="write_usage"
    ),
    _chapter("billing.credit_grant billing.credit_balance_transaction", "metering", function="write_grants"),
    # connected accounts
    _chapter("account person capability", "accounts.json"),
    _chapter("transfer transfer_reversal application_fee fee_refund application", "marketplace.json"),
    # everything else
    _chapter("topup", "topping.json"),
    _chapter(
        "treasury.: financial_account financial_account_features inbound_transfer outbound_transfer outbound_payment "
        "received_credit received_debit credit_reversal debit_reversal transaction transaction_entry",
        "treasury.json",
    ),
    _chapter("financial_connections.: account account_owner account_ownership session transaction", "linked.json"),
    _chapter(
        "issuing.: authorization card cardholder dispute personalization_design physical_bundle settlement token transaction",
        "issuing.json",
    ),
    _chapter("terminal.configuration terminal.location terminal.reader", "terminal.json"),
    _chapter("tax_code tax_rate", "taxes.json"),
    _chapter(
        "tax.: calculation calculation_line_item registration settings transaction transaction_line_item", "calculations.json"
    ),
    _chapter("review radar.early_fraud_warning", "risk"),
    _chapter("radar.value_list radar.value_list_item", "fraud_lists.json", "risk", function="write_addresses"),
    _chapter("reporting.report_type reporting.report_run scheduled_query_run", "reports.json"),
    _chapter("file file_link", "files.json"),
    _chapter("climate.order climate.product climate.supplier", "climate.json"),
    _chapter("identity.verification_report identity.verification_session", "identity.json"),
    _chapter("country_spec exchange_rate", "reference"),
    _chapter("apple_pay_domain payment_method_domain payment_method_configuration", "domains.json"),
    _chapter("billing_portal.configuration", "portal.json"),
    _chapter("webhook_endpoint", "hooks.json"),
    _chapter("invoice_rendering_template", "templates.json"),
    _chapter("test_helpers.test_clock", "clocks.json"),
    _chapter("event", "events.json"),
)
