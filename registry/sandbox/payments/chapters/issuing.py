"""The company's own cards: cardholders, cards, designs, authorizations, transactions, disputes, tokens, settlements."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from registry.sandbox import cast
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import spending
from registry.sandbox.payments.chapters.parts import Hash, address, midnight, year_of
from registry.sandbox.payments.chapters.spending import CARD, Spend
from registry.sandbox.world import DAY, HOUR

_PEOPLE = {person.key: person for person in cast.PEOPLE}
_OFFICE = address("200 Harrow Lane", "Portland", "OR", "97201", "US")

_NUMBERS = {"4242": "4242424242424242", "5556": "4000056655665556", "4444": "5555555555554444"}
"""Published test numbers by their last four digits."""

_REASONS = {
    "submitted": "not_received",
    "unsubmitted": "canceled",
    "won": "duplicate",
    "lost": "merchandise_not_as_described",
    "expired": "fraudulent",
}

_LOCALES = (["en"], ["fr", "en"], ["es"], ["de"], ["it"])

_NETWORKS = {"Visa": "visa", "Mastercard": "mastercard"}


def write(builder: Builder) -> None:
    """Write the chapter."""
    _holders(builder)
    _designs(builder)
    _cards(builder)
    _tokens(builder)
    for spend in spending.SPENDS:
        _authorization(builder, spend)
        _transactions(builder, spend)
        if spend.dispute:
            _dispute(builder, spend, spend.dispute)
    _settlements(builder)


def _controls() -> Hash:
    return {
        "allowed_categories": None,
        "allowed_merchant_countries": None,
        "blocked_categories": ["betting_casino_gambling"],
        "blocked_merchant_countries": None,
        "spending_limits": [{"amount": 500_000, "categories": None, "interval": "monthly"}],
        "spending_limits_currency": "usd",
    }


def _holders(builder: Builder) -> None:
    now = builder.world.now
    for number, holder in enumerate(spending.HOLDERS):
        made = now - (500 - number * 9) * DAY
        common: dict[str, Any] = {
            "billing": {"address": _OFFICE},
            "spending_controls": _controls(),
            "status": holder.status,
        }
        if holder.person is None:
            builder.new(
                "issuing.cardholder",
                holder.key,
                made,
                **common,
                company={"tax_id_provided": True},
                email=f"cards@{cast.DOMAIN}",
                name=cast.COMPANY,
                type="company",
            )
            continue
        person = _PEOPLE[holder.person]
        document = {"back": None, "front": builder.id("file", "identity/front") if number == 0 else None}
        blocked = holder.status == "blocked"
        builder.new(
            "issuing.cardholder",
            holder.key,
            made,
            **common,
            email=person.email,
            individual={
                "card_issuing": {"user_terms_acceptance": {"date": made, "ip": "203.0.113.9", "user_agent": None}},
                "dob": {"day": 3 + number, "month": 4 + number, "year": 1981 + number},
                "first_name": person.first_name,
                "last_name": person.last_name,
                "verification": {"document": document},
            },
            name=person.name,
            phone_number=f"+1503555010{number}",
            preferred_locales=_LOCALES[number],
            requirements={
                "disabled_reason": "under_review" if blocked else None,
                "past_due": ["individual.verification.document"] if blocked else [],
            },
            type="individual",
        )


def _designs(builder: Builder) -> None:
    now = builder.world.now
    features = {"card_logo": "optional", "carrier_text": "optional", "second_line": "optional"}
    for number, (key, name, status, type_) in enumerate(
        (
            ("plain", "Plain black", "active", "standard"),
            ("fern", "Fern, recycled plastic", "active", "custom"),
            ("foil", "Silver foil", "review", "custom"),
            ("old", "Paper sleeve", "inactive", "standard"),
        )
    ):
        builder.new(
            "issuing.physical_bundle", key, now - (450 - number) * DAY, features=features, name=name, status=status, type=type_
        )
    for number, (key, bundle, status, reasons) in enumerate(
        (
            ("heather", "fern", "active", None),
            ("moss", "plain", "inactive", None),
            ("scribble", "plain", "rejected", (["geographic_location"], ["other_entity"])),
            ("dawn", "foil", "review", None),
        )
    ):
        logo, text = reasons or (None, None)
        builder.new(
            "issuing.personalization_design",
            key,
            now - (420 - number * 100) * DAY,
            card_logo=builder.id("file", "logo") if key != "moss" else None,
            carrier_text={
                "footer_body": "Questions? cards@fernway.example",
                "footer_title": "Need help",
                "header_body": "Use it for work only.",
                "header_title": "Your new card",
            },
            lookup_key=f"card-{key}",
            name=key.capitalize(),
            physical_bundle=builder.id("issuing.physical_bundle", bundle),
            preferences={"is_default": key == "heather", "is_platform_default": None},
            rejection_reasons={"card_logo": logo, "carrier_text": text},
            status=status,
        )


def _cards(builder: Builder) -> None:
    now = builder.world.now
    year = year_of(now)
    replaced = {card.replaces: card.key for card in spending.CARDS if card.replaces}
    for number, card in enumerate(spending.CARDS):
        fields: dict[str, Any] = {}
        if card.type == "physical":
            fields["shipping"] = _shipping(builder, card, now)
            fields["second_line"] = cast.COMPANY.upper()
        if card.design:
            fields["personalization_design"] = builder.id("issuing.personalization_design", card.design)
        if card.treasury:
            fields["financial_account"] = builder.id("treasury.financial_account", "operating")
        if card.key in replaced:
            fields["replaced_by"] = builder.id("issuing.card", replaced[card.key])
        if card.replaces:
            fields["replacement_for"] = builder.id("issuing.card", card.replaces)
        builder.new(
            "issuing.card",
            card.key,
            now - card.days * DAY,
            **fields,
            brand=card.brand,
            cancellation_reason=card.canceled,
            cardholder=builder.id("issuing.cardholder", card.holder),
            currency="usd",
            cvc=builder.world.digits(f"cvc/{card.key}", 3),
            exp_month=1 + number,
            exp_year=year + 3,
            last4=card.last4,
            metadata={"cost_centre": f"cc-{100 + number}"},
            number=_NUMBERS[card.last4],
            replacement_reason=card.replaced_for,
            spending_controls=_controls(),
            status=card.status,
            type=card.type,
        )


def _shipping(builder: Builder, card: spending.Issued, now: int) -> Hash:
    fresh = card.days < 10
    status = {"design_rejected": "canceled"}.get(card.canceled or "", "shipped" if fresh else "delivered")
    return {
        "address": _OFFICE,
        "address_validation": {
            "mode": "validation_and_normalization",
            "normalized_address": _OFFICE,
            "result": "valid_deliverable",
        },
        "carrier": "usps",
        "customs": None,
        "eta": now + 3 * DAY if fresh else now - (card.days - 7) * DAY,
        "name": "Fernway Software",
        "phone_number": None,
        "require_signature": False,
        "service": "standard",
        "status": status,
        "tracking_number": builder.world.digits(f"tracking/{card.key}", 20),
        "tracking_url": f"https://track.example/{card.key}",
        "type": "individual",
    }


def _tokens(builder: Builder) -> None:
    now = builder.world.now
    for key, card, wallet, status, days in (
        ("amara.apple", "amara.physical", "apple_pay", "active", 205),
        ("lucia.google", "lucia.worn", "google_pay", "active", 380),
        ("oskar.samsung", "oskar.stolen", "samsung_pay", "deleted", 300),
        ("dana.apple", "dana.physical", "apple_pay", "requested", 2),
        ("fernway.merchant", "fernway.renewed", None, "suspended", 15),
    ):
        network = _NETWORKS[CARD[card].brand]
        reference = builder.world.digits(f"token/{key}", 16)
        builder.new(
            "issuing.token",
            key,
            now - days * DAY,
            card=builder.id("issuing.card", card),
            device_fingerprint=builder.world.hexadecimal(f"device/{key}", 16) if wallet else None,
            last4=reference[-4:],
            network=network,
            network_data={
                "device": {"name": "Phone", "type": "mobile_phone"} if wallet else None,
                network: {"card_reference_id": None, "token_reference_id": reference, "token_requestor_id": reference[:11]},
                "type": network,
                "wallet_provider": {"suggested_decision": "approve"} if wallet else None,
            },
            network_updated_at=now - (days - 1) * DAY,
            status=status,
            wallet_provider=wallet,
        )


def _merchant(builder: Builder, spend: Spend) -> Hash:
    name, category, code, city, country = spending.MERCHANTS[spend.merchant]
    return {
        "category": category,
        "category_code": code,
        "city": city,
        "country": country,
        "name": name,
        "network_id": builder.world.digits(f"merchant/{spend.merchant}", 12),
        "postal_code": None,
        "state": None,
        "tax_id": None,
        "terminal_id": None,
        "url": None,
    }


def _authorization(builder: Builder, spend: Spend) -> None:
    world, card = builder.world, CARD[spend.card]
    moment = spending.made(world, spend)
    currency, local = spend.foreign or ("usd", spend.amount)
    declined = spend.status == "declined"
    fields: dict[str, Any] = {}
    moved = [
        key
        for key in ("hold", "release")
        if not (card.treasury or declined or (key == "release" and spend.status == "pending"))
    ]
    if card.treasury:
        debits = [builder.id("treasury.received_debit", f"card/{spend.key}")] if spend.status == "closed" else []
        fields["treasury"] = {
            "received_credits": [],
            "received_debits": debits,
            "transaction": builder.id("treasury.transaction", f"hold/{spend.key}"),
        }
    used = [spend.key] if spend.status == "closed" else []
    used += [f"{spend.key}.back"] if spend.refund else []
    online = spend.method == "online"
    request = {
        "amount": spend.amount,
        "amount_details": {"atm_fee": None, "cashback_amount": None},
        "approved": not declined,
        "authorization_code": None if declined else world.digits(f"issuing/{spend.key}", 6),
        "created": moment,
        "currency": "usd",
        "merchant_amount": local,
        "merchant_currency": currency,
        "network_risk_score": None,
        "reason": spend.reason or "webhook_approved",
        "reason_message": None,
        "requested_at": moment - 1,
    }
    builder.new(
        "issuing.authorization",
        spend.key,
        moment,
        **fields,
        amount=0 if declined else spend.amount,
        amount_details={"atm_fee": None, "cashback_amount": None},
        approved=not declined,
        authorization_method=spend.method,
        balance_transactions=[builder.id("balance_transaction", f"{key}/{spend.key}") for key in moved],
        card=builder.id("issuing.card", spend.card),
        cardholder=builder.id("issuing.cardholder", card.holder),
        currency="usd",
        merchant_amount=0 if declined else local,
        merchant_currency=currency,
        merchant_data=_merchant(builder, spend),
        metadata={"trip": "stockholm"} if spend.merchant == "train" else {},
        network_data={
            "acquiring_institution_id": world.digits(f"acquirer/{spend.merchant}", 6),
            "system_trace_audit_number": None,
            "transaction_id": world.digits(f"network/{spend.key}", 15),
        },
        request_history=[request],
        status="closed" if declined else spend.status,
        token=builder.id("issuing.token", spend.token) if spend.token else None,
        transactions=[builder.id("issuing.transaction", key) for key in used],
        verification_data={
            "address_line1_check": "match" if online else "not_provided",
            "address_postal_code_check": "match" if online else "not_provided",
            "authentication_exemption": None,
            "cvc_check": "match" if online else "not_provided",
            "expiry_check": "match",
            "postal_code": "97201" if online else None,
            "three_d_secure": {"result": "authenticated"} if online else None,
        },
        verified_by_fraud_challenge=None,
        wallet=_wallet(spend),
    )


def _wallet(spend: Spend) -> str | None:
    return {"amara.apple": "apple_pay", "lucia.google": "google_pay"}.get(spend.token or "")


def _transactions(builder: Builder, spend: Spend) -> None:
    world, card = builder.world, CARD[spend.card]
    taken = spending.captured(world, spend)
    if taken is None:
        return
    currency, local = spend.foreign or ("usd", spend.amount)
    common: dict[str, Any] = {
        "amount_details": {"atm_fee": None, "cashback_amount": None},
        "authorization": builder.id("issuing.authorization", spend.key),
        "card": builder.id("issuing.card", spend.card),
        "cardholder": builder.id("issuing.cardholder", card.holder),
        "currency": "usd",
        "merchant_currency": currency,
        "merchant_data": _merchant(builder, spend),
        "metadata": {"settlement": builder.id("issuing.settlement", f"day/{len(spend.key) % 3}")},
        "network_data": {
            "authorization_code": world.digits(f"issuing/{spend.key}", 6),
            "processing_date": datetime.fromtimestamp(taken, UTC).strftime("%Y-%m-%d"),
            "transaction_id": world.digits(f"network/{spend.key}", 15),
        },
        "token": builder.id("issuing.token", spend.token) if spend.token else None,
        "wallet": _wallet(spend),
    }
    if card.treasury:
        common["treasury"] = {
            "received_credit": None,
            "received_debit": builder.id("treasury.received_debit", f"card/{spend.key}"),
        }
    else:
        common["balance_transaction"] = builder.id("balance_transaction", f"issuing/{spend.key}")
    builder.new(
        "issuing.transaction",
        spend.key,
        taken,
        **common,
        amount=-spend.amount,
        dispute=builder.id("issuing.dispute", spend.key) if spend.dispute else None,
        merchant_amount=-local,
        type="capture",
    )
    if spend.refund:
        common["balance_transaction"] = builder.id("balance_transaction", f"issuing/{spend.key}.back")
        builder.new(
            "issuing.transaction",
            f"{spend.key}.back",
            spending.refunded(world, spend),
            **common,
            amount=spend.refund,
            merchant_amount=round(local * spend.refund / spend.amount),
            type="refund",
        )


def _dispute(builder: Builder, spend: Spend, status: str) -> None:
    world, card = builder.world, CARD[spend.card]
    made = spending.disputed(world, spend)
    reason = _REASONS[status]
    document = builder.id("file", "issuing/evidence")
    evidence: Hash = {
        "additional_documentation": document if status != "unsubmitted" else None,
        "explanation": "See the attached letter.",
    }
    match reason:
        case "not_received":
            evidence |= {"expected_at": made - 5 * DAY, "product_description": "Compute time", "product_type": "service"}
        case "canceled":
            evidence |= {
                "canceled_at": made - 20 * DAY,
                "cancellation_policy_provided": False,
                "cancellation_reason": "Moved to another provider",
                "expected_at": made - 15 * DAY,
                "product_description": "Compute time",
                "product_type": "service",
                "return_status": None,
                "returned_at": None,
            }
        case "duplicate":
            other = next(one for one in spending.SPENDS if one.merchant == spend.merchant and one.key != spend.key)
            original = builder.id("issuing.transaction", other.key)
            evidence |= {
                "card_statement": None,
                "cash_receipt": document,
                "check_image": None,
                "original_transaction": original,
            }
        case "merchandise_not_as_described":
            evidence |= {"received_at": made - 3 * DAY, "return_description": None, "return_status": None, "returned_at": None}
    fields: dict[str, Any] = {}
    if status == "lost":
        fields["loss_reason"] = spend.reason or "merchandise_or_service_as_described"
    if card.treasury:
        fields["treasury"] = {
            "debit_reversal": builder.id("treasury.debit_reversal", spend.key),
            "received_debit": builder.id("treasury.received_debit", f"card/{spend.key}"),
        }
    elif status == "won":
        fields["balance_transactions"] = [builder.id("balance_transaction", f"issuing-dispute/{spend.key}")]
    builder.new(
        "issuing.dispute",
        spend.key,
        made,
        **fields,
        amount=spend.amount,
        currency="usd",
        evidence={reason: evidence, "reason": reason},
        status=status,
        transaction=builder.id("issuing.transaction", spend.key),
    )


def _settlements(builder: Builder) -> None:
    """A settlement a day for the last days on which cards were cleared."""
    today = midnight(builder.world.now)
    for number, (count, volume) in enumerate(((3, 131_610), (2, 14_065), (4, 96_230))):
        day = today - (number * 2 + 1) * DAY
        interchange, network = volume // 55, volume // 400
        builder.new(
            "issuing.settlement",
            f"day/{number}",
            day + 6 * HOUR,
            bin="400005",
            clearing_date=day,
            currency="usd",
            interchange_fees=interchange,
            interchange_fees_amount=interchange,
            net_total=volume - interchange + network,
            net_total_amount=volume - interchange + network,
            network="visa",
            network_fees=network,
            network_fees_amount=network,
            network_settlement_identifier=builder.world.digits(f"settlement/{number}", 10),
            settlement_service="international" if number == 1 else "domestic",
            status="complete",
            transaction_amount=volume,
            transaction_count=count,
            transaction_volume=volume,
        )
