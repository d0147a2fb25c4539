"""The content of the payments world, in datasets that are written when one of their kinds is first asked for.

Importing this package costs next to nothing: a dataset's module is imported when the dataset is written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from registry.sandbox.payments.builder import Builder, Dataset

if TYPE_CHECKING:
    from registry.sandbox.payments.datasets.cohort import Cohort


def _dataset(kinds: str, *sources: str, function: str = "write") -> Dataset:
    """The dataset of these kinds, which spaces separate; ``a.: b c`` are ``a.b`` and ``a.c``.

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
    return Dataset(frozenset(f"{family}{kind}" for kind in members.split()), write)


_OF_CUSTOMERS = (
    "customers", "entitlements", "discounts", "wallets", "payment_methods", "mandates", "subscribing", "invoicing", "crediting",
    "charging", "disputing", "ledger",
)  # fmt: skip
"""The modules whose datasets every customer has a part in."""


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write everything about a cohort of further customers."""
    for module in _OF_CUSTOMERS:
        import_module(f"{__name__}.{module}").write_cohort(builder, cohort)


DATASETS: tuple[Dataset, ...] = (
    # the core: catalogue, customers, billing, payments
    _dataset("product price plan coupon promotion_code shipping_rate", "catalogue.json", "catalogue"),
    _dataset("entitlements.feature product_feature entitlements.active_entitlement", "features.json", "entitlements"),
    _dataset("customer tax_id", "customers", "own_tax_ids.json"),
    _dataset("discount", "discounts", "discounts.json"),
    _dataset("card bank_account", "wallets", "externals.json"),
    _dataset("payment_method", "payment_methods"),
    _dataset("mandate setup_intent setup_attempt", "mandates"),
    _dataset("source source_transaction source_mandate_notification", "sources.json"),
    _dataset("token confirmation_token forwarding.request", "tokens.json"),
    _dataset("subscription subscription_item subscription_schedule", "subscribing"),
    _dataset("invoice line_item invoiceitem invoice_payment", "invoicing"),
    _dataset("credit_note credit_note_line_item customer_balance_transaction", "crediting"),
    _dataset("payment_intent charge refund", "charging"),
    _dataset("dispute", "disputing"),
    _dataset("balance_transaction payout balance balance_settings", "ledger", "settings.json"),
    _dataset("cash_balance customer_cash_balance_transaction", "banking"),
    _dataset("checkout.session payment_link item", "checkout.json"),
    _dataset("quote item", "quoting.json"),
    _dataset(
        "billing.meter billing.alert billing.meter_event_summary _usage", "meters.json", "metering", function="write_usage"
    ),
    _dataset("billing.credit_grant billing.credit_balance_transaction", "metering", function="write_grants"),
    # connected accounts
    _dataset("account person capability", "accounts.json"),
    _dataset("transfer transfer_reversal application_fee fee_refund application", "marketplace.json"),
    # everything else
    _dataset("topup", "topping.json"),
    _dataset(
        "treasury.: financial_account financial_account_features inbound_transfer outbound_transfer outbound_payment "
        "received_credit received_debit credit_reversal debit_reversal transaction transaction_entry",
        "treasury.json",
    ),
    _dataset("financial_connections.: account account_owner account_ownership session transaction", "linked.json"),
    _dataset(
        "issuing.: authorization card cardholder dispute personalization_design physical_bundle settlement token transaction",
        "issuing.json",
    ),
    _dataset("terminal.configuration terminal.location terminal.reader", "terminal.json"),
    _dataset("tax_code tax_rate", "taxes.json"),
    _dataset(
        "tax.: calculation calculation_line_item registration settings transaction transaction_line_item", "calculations.json"
    ),
    _dataset("review radar.early_fraud_warning", "risk"),
    _dataset("radar.value_list radar.value_list_item", "fraud_lists.json", "risk", function="write_addresses"),
    _dataset("reporting.report_type reporting.report_run scheduled_query_run", "reports.json"),
    _dataset("file file_link", "files.json"),
    _dataset("climate.order climate.product climate.supplier", "climate.json"),
    _dataset("identity.verification_report identity.verification_session", "identity.json"),
    _dataset("country_spec exchange_rate", "reference"),
    _dataset("apple_pay_domain payment_method_domain payment_method_configuration", "domains.json"),
    _dataset("billing_portal.configuration", "portal.json"),
    _dataset("webhook_endpoint", "hooks.json"),
    _dataset("invoice_rendering_template", "templates.json"),
    _dataset("test_helpers.test_clock", "clocks.json"),
    _dataset("event", "events.json"),
)
