"""Tokens, confirmation tokens and forwarding requests: what passes by once and is kept for the record."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.methods import billing_details, method_details, wallet
from registry.sandbox.payments.chapters.parts import PAY, Hash, place, year_of
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY, HOUR

# key, prefix, type, used, days ago
_TOKENS = (
    ("till", "tok_", "card", False, 5),
    ("kiosk", "tok_", "card", True, 6),
    ("guest", "tok_", "card", False, 7),
    ("bank", "btok_", "bank_account", True, 240),
    ("account", "ct_", "account", True, 513),
    ("person", "cpt_", "person", False, 22),
    ("pii", "pii_", "pii", True, 24),
    ("cvc", "cvctok_", "cvc_update", False, 0),
)

# key, customer, place in the wallet, intent, setup intent, days ago
_CONFIRMATIONS = (
    ("quetzal", "quetzal", 0, "new.ready", None, 0.15),
    ("murphy", "murphy", 0, "shop.murphy", None, 33.0),
    ("cedar", "cedar", 0, None, "cedar.bank", 0.9),
    ("nowhere", "confetti", 0, None, None, 0.05),
)

# key, customer, place, host, status code, days ago
_FORWARDED = (
    ("vaulted", "brightwater", 0, "vault.example", 201, 18),
    ("refused", "lantern", 0, "acquirer.example", 402, 11),
    ("network", "harbour.finch", 1, "tokens.example", 200, 3),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    now = builder.world.now
    for key, prefix, type_, used, days in _TOKENS:
        fields: dict[str, Any] = {}
        if type_ == "card":
            fields["card"] = builder.id("card", f"token/{key}")
        if type_ == "bank_account":
            fields["bank_account"] = builder.id("bank_account", "blue.heron/2")
        builder.new(
            "token",
            key,
            now - days * DAY - 90,
            id=builder.id("token", key, prefix),
            **fields,
            client_ip="203.0.113.44" if type_ != "account" else None,
            type=type_,
            used=used,
        )
    for key, buyer, number, intent, setup, ago in _CONFIRMATIONS:
        _confirmation(builder, key, buyer, number, intent, setup, now - int(ago * DAY))
    for key, buyer, number, host, code, days in _FORWARDED:
        _forwarded(builder, key, buyer, number, host, code, now - days * DAY)


def _confirmation(
    builder: Builder, key: str, buyer: str, number: int, intent: str | None, setup: str | None, made: int
) -> None:
    method = wallet(BY_KEY[buyer])[number]
    debit: Hash | None = None
    if method.type != "card":
        online = {"ip_address": "203.0.113.58", "user_agent": "Mozilla/5.0 (iPhone)"}
        debit = {"customer_acceptance": {"online": online, "type": "online"}}
    builder.new(
        "confirmation_token",
        key,
        made,
        expires_at=made + 12 * HOUR,
        mandate_data=debit,
        payment_intent=builder.id("payment_intent", intent) if intent else None,
        payment_method_options={"card": {"cvc_token": None}} if method.type == "card" else None,
        payment_method_preview={
            "allow_redisplay": "limited",
            "billing_details": billing_details(method.buyer),
            "customer": None if key == "nowhere" else builder.id("customer", buyer),
            "type": method.type,
            method.type: method_details(builder.world, method, year_of(made)),
        },
        return_url=f"{PAY}/return",
        setup_future_usage="off_session" if setup else "on_session" if intent else None,
        setup_intent=builder.id("setup_intent", setup) if setup else None,
        shipping={"address": place(method.buyer.where), "name": method.buyer.name, "phone": None} if intent else None,
        use_stripe_sdk=key != "nowhere",
    )


def _forwarded(builder: Builder, key: str, buyer: str, number: int, host: str, code: int, made: int) -> None:
    method = wallet(BY_KEY[buyer])[number]
    good = code < 400
    headers = [{"name": "content-type", "value": "application/json"}]
    answer = '{"token":"0f8b2c"}' if good else '{"error":"do_not_honor"}'
    builder.new(
        "forwarding.request",
        key,
        made,
        metadata={"ticket": f"PAY-{300 + len(key)}"},
        payment_method=builder.id("payment_method", method.key),
        replacements=["card_number", "card_expiry", "cardholder_name"] + ([] if good else ["card_cvc", "request_signature"]),
        request_context={"destination_duration": 214 + 31 * number, "destination_ip_address": "203.0.113.200"},
        request_details={
            "body": '{"number":"","exp_month":"","exp_year":"","name":""}',
            "headers": [*headers, {"name": "destination-idempotency-key", "value": builder.world.uuid(f"forward/{key}")}],
            "http_method": "POST",
        },
        response_details={"body": answer, "headers": headers, "status": code},
        url=f"https://api.{host}/v2/cards",
    )
