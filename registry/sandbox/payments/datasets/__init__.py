"""The content of the payments world, in datasets that are written when one of their kinds is first asked for.

Importing this package costs next to nothing: a dataset's module is imported when the dataset is written.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from registry.sandbox.payments.builder import Builder, Dataset

if TYPE_CHECKING:
    from registry.sandbox.payments.datasets.agreed import Cohort


def _dataset(kinds: str, *sources: str) -> Dataset:
    """The dataset of these kinds, which spaces separate; ``a.: b c`` are ``a.b`` and ``a.c``.

    Args:
        kinds: the kinds of objects that it writes.
        sources: what writes it, one after the other: a data file, named with its ending, or a function of a module here; a
            star says that every cohort of customers has a part in it.
    """

    def write(builder: Builder) -> None:
        for source in sources:
            if source.endswith(".json"):
                _function("tables.write")(builder, source.removesuffix(".json"))
            elif source.endswith("*"):
                _function(source)(builder, _function("agreed.first")(builder.world))
            else:
                _function(source)(builder)

    _OF_CUSTOMERS.extend(source for source in sources if source.endswith("*"))
    family, _, members = kinds.rpartition(": ")
    return Dataset(frozenset(f"{family}{kind}" for kind in members.split()), write)


def _function(source: str) -> Callable[..., Any]:
    module, _, name = source.rstrip("*").partition(".")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


_OF_CUSTOMERS: list[str] = []


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write everything about a cohort of further customers."""
    for source in _OF_CUSTOMERS:
        _function(source)(builder, cohort)


DATASETS: tuple[Dataset, ...] = (
    # the core: catalogue, customers, billing, payments
    _dataset("product price plan coupon promotion_code shipping_rate", "catalogue.json", "goods.write"),
    _dataset(
        "entitlements.feature product_feature entitlements.active_entitlement", "features.json", "subscribing.entitlements*"
    ),
    _dataset("customer tax_id", "customers.write*", "own_tax_ids.json"),
    _dataset("discount", "subscribing.discounts*", "discounts.json"),
    _dataset("card bank_account", "payment_methods.sources*", "externals.json"),
    _dataset("payment_method", "payment_methods.write*", "payment_methods.others"),
    _dataset("mandate setup_intent setup_attempt", "mandates.write*", "mandates.others"),
    _dataset("source source_transaction source_mandate_notification", "sources.json"),
    _dataset("token confirmation_token forwarding.request", "tokens.json"),
    _dataset("subscription subscription_item subscription_schedule", "subscribing.subscriptions*", "subscribing.schedules"),
    _dataset("invoice line_item invoiceitem invoice_payment", "invoicing.write*"),
    _dataset("credit_note credit_note_line_item customer_balance_transaction", "crediting.write*"),
    _dataset("payment_intent charge refund", "charging.write*"),
    _dataset("dispute", "disputing.write*"),
    _dataset("balance_transaction payout balance balance_settings", "books.transactions*", "books.payouts", "settings.json"),
    _dataset("cash_balance customer_cash_balance_transaction", "banking.write"),
    _dataset("checkout.session payment_link item", "checkout.json"),
    _dataset("quote item", "quoting.json"),
    _dataset("billing.meter billing.alert billing.meter_event_summary _usage", "meters.json", "metering.usage"),
    _dataset("billing.credit_grant billing.credit_balance_transaction", "metering.grants"),
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
    _dataset("review radar.early_fraud_warning", "disputing.reviews"),
    _dataset("radar.value_list radar.value_list_item", "fraud_lists.json", "disputing.addresses"),
    _dataset("reporting.report_type reporting.report_run scheduled_query_run", "reports.json"),
    _dataset("file file_link", "files.json"),
    _dataset("climate.order climate.product climate.supplier", "climate.json"),
    _dataset("identity.verification_report identity.verification_session", "identity.json"),
    _dataset("country_spec exchange_rate", "reference.write"),
    _dataset("apple_pay_domain payment_method_domain payment_method_configuration", "domains.json"),
    _dataset("billing_portal.configuration", "portal.json"),
    _dataset("webhook_endpoint", "hooks.json"),
    _dataset("invoice_rendering_template", "templates.json"),
    _dataset("test_helpers.test_clock", "clocks.json"),
    _dataset("event", "events.json"),
)
