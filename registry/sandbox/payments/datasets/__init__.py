"""The content of the payments world, in datasets that are written when one of their kinds is first asked for."""

from collections.abc import Callable

from registry.sandbox.payments.datasets import (
    books,
    charging,
    crediting,
    goods,
    invoicing,
    parts,
    payment_methods,
    subscribing,
    tables,
)
from registry.sandbox.payments.datasets.agreed import Cohort, first
from registry.sandbox.payments.shapes import Builder, Dataset

_OF_CUSTOMERS: list[Callable[[Builder, Cohort], None]] = []


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write everything about a cohort of further customers."""
    for write in _OF_CUSTOMERS:
        write(builder, cohort)


def _dataset(
    kinds: str, *sources: str | Callable[[Builder], None], each: Callable[[Builder, Cohort], None] | None = None
) -> Dataset:
    """The dataset of these kinds, which spaces separate; ``a.: b c`` are ``a.b`` and ``a.c``.

    Args:
        kinds: the kinds of objects that it writes.
        sources: what writes it, one after the other: a data file by its name, or a function.
        each: what writes the part in it that every cohort of customers has.
    """

    def write(builder: Builder) -> None:
        if each:
            each(builder, first(builder.world))
        for source in sources:
            if isinstance(source, str):
                tables.write(builder, source)
            else:
                source(builder)

    if each:
        _OF_CUSTOMERS.append(each)
    family, _, members = kinds.rpartition(": ")
    return Dataset(frozenset(f"{family}{kind}" for kind in members.split()), write)


DATASETS: tuple[Dataset, ...] = (
    # the core: catalogue, customers, billing, payments
    _dataset("product price plan coupon promotion_code shipping_rate", "catalogue", goods.write),
    _dataset("entitlements.feature product_feature entitlements.active_entitlement", "features", each=subscribing.entitlements),
    _dataset("customer tax_id", "own_tax_ids", each=subscribing.customers),
    _dataset("discount", "discounts", each=subscribing.discounts),
    _dataset("card bank_account", "externals", each=payment_methods.sources),
    _dataset("payment_method", payment_methods.others, each=payment_methods.write),
    _dataset("mandate setup_intent setup_attempt", payment_methods.setups, each=payment_methods.mandates),
    _dataset("source source_transaction source_mandate_notification", "sources"),
    _dataset("token confirmation_token forwarding.request", "tokens"),
    _dataset("subscription subscription_item subscription_schedule", subscribing.schedules, each=subscribing.subscriptions),
    _dataset("invoice line_item invoiceitem invoice_payment", each=invoicing.write),
    _dataset("credit_note credit_note_line_item customer_balance_transaction", each=crediting.write),
    _dataset("payment_intent charge refund", each=charging.write),
    _dataset("dispute", each=charging.disputes),
    _dataset("balance_transaction payout balance balance_settings", books.payouts, "settings", each=books.transactions),
    _dataset("cash_balance customer_cash_balance_transaction", crediting.cash),
    _dataset("checkout.session payment_link item", "checkout"),
    _dataset("quote item", "quoting"),
    _dataset("billing.meter billing.alert billing.meter_event_summary _usage", "meters", crediting.usage),
    _dataset("billing.credit_grant billing.credit_balance_transaction", crediting.grants),
    # connected accounts
    _dataset("account person capability", "accounts"),
    _dataset("transfer transfer_reversal application_fee fee_refund application", "marketplace"),
    # everything else
    _dataset("topup", "topping"),
    _dataset(
        "treasury.: financial_account financial_account_features inbound_transfer outbound_transfer outbound_payment "
        "received_credit received_debit credit_reversal debit_reversal transaction transaction_entry",
        "treasury",
    ),
    _dataset("financial_connections.: account account_owner account_ownership session transaction", "linked"),
    _dataset(
        "issuing.: authorization card cardholder dispute personalization_design physical_bundle settlement token transaction",
        "issuing",
    ),
    _dataset("terminal.configuration terminal.location terminal.reader", "terminal"),
    _dataset("tax_code tax_rate", "taxes"),
    _dataset("tax.: calculation calculation_line_item registration settings transaction transaction_line_item", "calculations"),
    _dataset("review radar.early_fraud_warning", charging.reviews),
    _dataset("radar.value_list radar.value_list_item", "fraud_lists"),
    _dataset("reporting.report_type reporting.report_run scheduled_query_run", "reports"),
    _dataset("file file_link", "files"),
    _dataset("climate.order climate.product climate.supplier", "climate"),
    _dataset("identity.verification_report identity.verification_session", "identity"),
    _dataset("country_spec exchange_rate", parts.reference),
    _dataset("apple_pay_domain payment_method_domain payment_method_configuration", "domains"),
    _dataset("billing_portal.configuration", "portal"),
    _dataset("webhook_endpoint", "hooks"),
    _dataset("invoice_rendering_template", "templates"),
    _dataset("test_helpers.test_clock", "clocks"),
    _dataset("event", "events"),
)
