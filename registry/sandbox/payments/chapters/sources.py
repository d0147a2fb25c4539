"""Sources: the older way to pay by other means than a card, with their transactions and mandate notifications."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.cast import COMPANY
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.methods import billing_details
from registry.sandbox.payments.chapters.parts import PAY, Hash, year_of
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY


class _Source(NamedTuple):
    key: str
    type: str
    flow: str
    status: str
    usage: str
    days: float
    buyer: str | None = None
    amount: int | None = None
    currency: str | None = None


_SOURCES = (
    _Source("topup", "ach_debit", "none", "chargeable", "reusable", 260, None, None, "usd"),
    _Source("prairie.ach", "ach_credit_transfer", "receiver", "chargeable", "reusable", 210, "prairie.wind", None, "usd"),
    _Source("riverbend.ach", "ach_credit_transfer", "receiver", "chargeable", "reusable", 150, "riverbend", None, "usd"),
    _Source("nordhafen.sct", "sepa_credit_transfer", "receiver", "pending", "reusable", 190, "nordhafen", None, "eur"),
    _Source("halden.sepa", "sepa_debit", "none", "chargeable", "reusable", 380, "halden", None, "eur"),
    _Source("perrin.sepa", "sepa_debit", "none", "consumed", "reusable", 300, "perrin", None, "eur"),
    _Source("northpine.acss", "acss_debit", "none", "chargeable", "reusable", 200, "northpine", None, "cad"),
    _Source("granite.card", "card", "none", "chargeable", "reusable", 340, "granite.peak"),
    _Source("granite.secure", "three_d_secure", "redirect", "consumed", "single_use", 339, None, 4_900, "usd"),
    _Source("bancontact", "bancontact", "redirect", "failed", "single_use", 88, None, 17_000, "eur"),
    _Source("multibanco", "multibanco", "receiver", "canceled", "single_use", 71, None, 4_200, "eur"),
    _Source("alipay", "alipay", "redirect", "pending", "single_use", 0.1, "chen", 19_900, "usd"),
    _Source("wechat", "wechat", "none", "canceled", "single_use", 44, None, 1_500, "usd"),
    _Source("till", "card_present", "none", "chargeable", "single_use", 25, None),
)

_REDISPLAY = ("unspecified", "limited", "always")

# key, source, amount, days ago, status
_TRANSACTIONS = (
    ("prairie/1", "prairie.ach", 4_900, 180, "succeeded"),
    ("prairie/2", "prairie.ach", 45_000, 150, "succeeded"),
    ("prairie/3", "prairie.ach", 4_900, 1, "pending"),
    ("riverbend/1", "riverbend.ach", 99_500, 120, "succeeded"),
    ("riverbend/2", "riverbend.ach", 500, 90, "failed"),
)

# key, source, reason, status, days ago
_NOTIFICATIONS = (
    ("halden/1", "halden.sepa", "debit_initiated", "submitted", 60),
    ("halden/2", "halden.sepa", "debit_initiated", "pending", 1),
    ("perrin/1", "perrin.sepa", "mandate_confirmed", "submitted", 299),
    ("northpine/1", "northpine.acss", "debit_initiated", "submitted", 29),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    for one in _SOURCES:
        _source(builder, one)
    _transactions(builder)
    _notifications(builder)


def _source(builder: Builder, one: _Source) -> None:
    world = builder.world
    id_ = builder.id("source", one.key)
    fields: dict[str, Any] = {one.type: _details(builder, one)}
    billed = billing_details(BY_KEY[one.buyer]) if one.buyer else None
    if one.buyer and one.key != "alipay":
        fields["customer"] = builder.id("customer", one.buyer)
    if one.flow == "redirect":
        state = {"consumed": "succeeded", "failed": "failed"}.get(one.status, "pending")
        fields["redirect"] = {
            "failure_reason": "declined" if state == "failed" else None,
            "return_url": f"{PAY}/return",
            "status": state,
            "url": f"{PAY}/redirect/{id_}",
        }
    if one.flow == "receiver":
        received = sum(amount for _, key, amount, _, status in _TRANSACTIONS if key == one.key and status == "succeeded")
        fields["receiver"] = {
            "address": "110000000-" + world.digits(f"receiver/{one.key}", 10)
            if one.currency == "usd"
            else "DE89370400440532013000",
            "amount_charged": 0,
            "amount_received": received,
            "amount_returned": 0,
            "refund_attributes_method": "email",
            "refund_attributes_status": "missing",
        }
    builder.new(
        "source",
        one.key,
        world.now - int(one.days * DAY),
        **fields,
        allow_redisplay=_REDISPLAY[len(one.key) % 3],
        amount=one.amount,
        client_secret=f"src_client_secret_{world.token(f'secret/{one.key}', 24)}",
        currency=one.currency,
        flow=one.flow,
        owner={
            "address": billed["address"] if billed else None,
            "email": billed["email"] if billed else "treasury@fernway.example",
            "name": billed["name"] if billed else COMPANY,
            "phone": None,
            "verified_address": None,
            "verified_email": None,
            "verified_name": None,
            "verified_phone": None,
        },
        statement_descriptor="FERNWAY" if one.amount else None,
        status=one.status,
        type=one.type,
        usage=one.usage,
    )


def _details(builder: Builder, one: _Source) -> Hash:
    world = builder.world
    mark = world.token(f"fingerprint/source/{one.key}", 16)
    card: Hash = {
        "address_line1_check": "pass",
        "address_zip_check": "pass",
        "brand": "Visa",
        "country": "US",
        "cvc_check": "pass",
        "dynamic_last4": None,
        "exp_month": 4,
        "exp_year": year_of(world.now) + 2,
        "fingerprint": mark,
        "funding": "credit",
        "last4": "4242",
        "name": None,
        "three_d_secure": "optional",
        "tokenization_method": None,
    }
    match one.type:
        case "ach_debit":
            return {
                "bank_name": "TEST BANK",
                "country": "US",
                "fingerprint": mark,
                "last4": "6789",
                "routing_number": "110000000",
                "type": "company",
            }
        case "ach_credit_transfer":
            number = world.digits(f"receiver/{one.key}", 10)
            return {
                "account_number": number,
                "bank_name": "TEST BANK",
                "fingerprint": mark,
                "routing_number": "110000000",
                "swift_code": "TESTUS99",
            }
        case "sepa_credit_transfer":
            return {
                "bank_name": "TESTBANK",
                "bic": "TESTDE88XXX",
                "iban": "DE89370400440532013000",
                "refund_account_holder_name": None,
                "refund_iban": None,
            }
        case "sepa_debit":
            reference = world.capitals(f"mandate/source/{one.key}", 16)
            return {
                "bank_code": "37040044",
                "branch_code": None,
                "country": "DE",
                "fingerprint": mark,
                "last4": "3000",
                "mandate_reference": reference,
                "mandate_url": f"{PAY}/mandates/{reference}",
            }
        case "acss_debit":
            return {
                "bank_name": "TEST BANK",
                "country": "CA",
                "fingerprint": mark,
                "last4": "6789",
                "routing_number": "11000-000",
            }
        case "card":
            return card
        case "three_d_secure":
            return card | {
                "authenticated": True,
                "card": builder.id("source", "granite.card"),
                "customer": builder.id("customer", "granite.peak"),
            }
        case "card_present":
            return {
                "brand": "Visa",
                "country": "CA",
                "exp_month": 4,
                "exp_year": year_of(world.now) + 2,
                "fingerprint": mark,
                "funding": "credit",
                "last4": "9969",
                "read_method": "contact_emv",
                "reader": builder.id("terminal.reader", "wisepos"),
            }
        case "bancontact":
            return {
                "bank_code": None,
                "bank_name": None,
                "bic": None,
                "iban_last4": None,
                "preferred_language": "nl",
                "statement_descriptor": None,
            }
        case "multibanco":
            return {"entity": "11249", "reference": "000 000 011"}
        case "wechat":
            return {"prepay_id": None, "qr_code_url": None, "statement_descriptor": None}
        case _:
            return {"data_string": None, "native_url": None, "statement_descriptor": None}


def _transactions(builder: Builder) -> None:
    types = {one.key: one.type for one in _SOURCES}
    for key, source, amount, days, status in _TRANSACTIONS:
        type_ = types[source]
        inner: dict[str, Any] = {}
        inner[type_] = {
            "customer_data": None,
            "fingerprint": builder.world.token(f"fingerprint/{key}", 16),
            "last4": "6789",
            "routing_number": "110000000",
        }
        builder.new(
            "source_transaction",
            key,
            builder.world.now - days * DAY,
            **inner,
            amount=amount,
            currency="usd",
            source=builder.id("source", source),
            status=status,
            type=type_,
        )


def _notifications(builder: Builder) -> None:
    for key, source, reason, status, days in _NOTIFICATIONS:
        reference = builder.world.capitals(f"mandate/source/{source}", 16)
        acss = source.endswith("acss")
        inner: dict[str, Any] = {}
        if acss:
            inner["acss_debit"] = {"statement_descriptor": "FERNWAY"}
        else:
            inner["sepa_debit"] = {
                "creditor_identifier": "DE98ZZZ09999999999",
                "last4": "3000",
                "mandate_reference": reference,
            }
        builder.new(
            "source_mandate_notification",
            key,
            builder.world.now - days * DAY,
            **inner,
            amount=2_400 if reason == "debit_initiated" else None,
            reason=reason,
            source=builder.id("source", source),
            status=status,
            type="acss_debit" if acss else "sepa_debit",
        )
