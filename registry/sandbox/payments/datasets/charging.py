"""Payment intents, the charges that they made, refunds and disputes; reviews of payments and early warnings of fraud."""

from random import Random

from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.agreed import REVIEWS, WARNINGS, Cohort, first
from registry.sandbox.payments.datasets.parts import PAY, Hash, place, to_authenticate, year_of
from registry.sandbox.payments.datasets.paying import (
    Attempt,
    Back,
    Payment,
    charge_id,
    dispute_prefix,
    last_charge,
    payments,
    refund_id,
    withdrawn,
)
from registry.sandbox.payments.datasets.tables import particular
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the payments of a cohort."""
    year, dice = year_of(builder.world.now), builder.world.dice(f"risk scores{cohort.name}")
    for payment in payments(cohort).values():
        older = payment.wallet is not None and payment.wallet.older
        held = builder.id("card" if older else "payment_method", payment.method) if payment.method else None
        common = _common(builder, payment) | {"source": held if older else ABSENT}
        for attempt in payment.attempts:
            _charge(builder, payment, attempt, held, common, dice, year)
        _intent(builder, payment, held, common)
        for back in payment.refunds:
            _refund(builder, payment, back, held)


def _common(builder: Builder, payment: Payment) -> Hash:
    sale, bill, buyer = payment.sale, payment.bill, payment.buyer
    of_deal = f"Subscription {'creation' if bill and bill.reason == 'subscription_create' else 'update'}"
    fields: Hash = {
        "currency": payment.currency,
        "customer": builder.link("customer", buyer and buyer.key),
        "description": payment.text if not bill else of_deal if bill.deal else "Payment for invoice",
        "review": builder.link("review", payment.key if payment.key in REVIEWS else None),
        "_test_clock": builder.link("test_helpers.test_clock", buyer and buyer.clock),
    } | particular(builder.world, "payment", payment.key)
    if sale and sale.channel == "shop":
        fields["metadata"] = {"order": sale.key.removeprefix("shop."), "shop": "hardware"} | fields.get("metadata", {})
        fields["receipt_email"] = _email(payment)
        if buyer:
            to = {"address": place(buyer.where), "carrier": "Post", "name": buyer.name, "phone": buyer.phone}
            fields["shipping"] = to | {"tracking_number": builder.world.capitals(f"parcel/{sale.key}", 12)}
    if sale and sale.partner:
        account = builder.id("account", sale.partner)
        fields |= {
            "application_fee_amount": sale.fee,
            "on_behalf_of": account if sale.partner == "kestrel" else None,
            "transfer_data": {"destination": account},
            "transfer_group": f"group_{sale.key.replace('/', '_')}",
        }
    return fields


def _email(payment: Payment) -> str | None:
    guest = f"guest{payment.wallet.place}@post.example" if payment.wallet else None
    return payment.buyer.email if payment.buyer else guest


def _charge(
    builder: Builder, payment: Payment, attempt: Attempt, held: str | None, common: Hash, dice: Random, year: int
) -> None:
    id_, key = charge_id(builder, payment, attempt), payment.key
    last, good, pending = attempt is payment.attempts[-1], attempt.status == "succeeded", attempt.status == "pending"
    came_back = [back.amount for back in payment.refunds if last and back.agreed.status not in ("failed", "canceled")]
    refunded, captured = sum(came_back), payment.captured and good
    fraud = payment.dispute and last and payment.dispute.reason == "fraudulent"
    fields = common | ({"fraud_details": {"stripe_report": "fraudulent"}} if fraud else {})
    fields |= particular(builder.world, "charge", key)
    if payment.sale and payment.sale.partner and good:
        fields |= {kind: builder.id(kind, key) for kind in ("application_fee", "transfer")}
    failure = _failure(builder, payment, attempt) if attempt.failure else {}
    fields |= {f"failure_{name}": failure["error"][name] for name in ("code", "message") if failure}
    if good and (not payment.bill or dice.random() < 0.08):
        fields["receipt_number"] = f"{builder.world.digits(f'receipt/{attempt.key}', 4)}-{1_000 + dice.randint(0, 8_999)}"
    score, assessed = dice.randint(2, 48), payment.type in ("card", "card_present")
    outcome: Hash = {
        "network_status": "approved_by_network",
        **({"risk_level": "normal", "risk_score": score} if assessed else {"risk_level": "not_assessed"}),
        "seller_message": "Payment complete.",
        "type": "authorized",
    }
    billed = goods.billing_details(payment.buyer) if payment.buyer else goods.NOBODY
    if payment.wallet and not payment.buyer:
        billed = billed | {"email": _email(payment), "name": goods.GUEST_NAMES[payment.wallet.place]}
    builder.new(
        "charge",
        attempt.key,
        attempt.created,
        id=id_,
        **fields,
        amount=payment.amount,
        amount_captured=payment.amount if captured or pending else 0,
        amount_refunded=refunded,
        balance_transaction=builder.id("balance_transaction", f"charge/{attempt.key}") if captured else None,
        billing_details=billed,
        calculated_statement_descriptor="FERNWAY SOFTWARE" if payment.type == "card" else None,
        captured=captured or pending,
        disputed=bool(payment.dispute) and last,
        outcome=outcome | (failure["outcome"] if failure else particular(builder.world, "outcome", key)),
        paid=good,
        payment_intent=builder.id("payment_intent", payment.key),
        payment_method=held,
        payment_method_details=details(builder, payment, year),
        receipt_url=f"{PAY}/receipts/{id_}" if good else None,
        refunded=refunded == payment.amount,
        status=attempt.status,
    )


def _failure(builder: Builder, payment: Payment, attempt: Attempt) -> Hash:
    """What went wrong: the error of the payment, and the outcome of the charge."""
    return particular(builder.world, "failure", attempt.failure or "" if payment.type == "card" else "debit")


def details(builder: Builder, payment: Payment, year: int) -> Hash:
    """What the charges of a payment show of the method, with its type."""
    world, key = builder.world, payment.key
    if payment.wallet:
        return goods.charge_details(world, payment.wallet, payment.amount, year, goods.mandate_of(builder, payment.wallet))
    if payment.type == "card":  # one that was kept when it was held to a reader
        return goods.charge_details(world, goods.GENERATED, payment.amount, year, None)
    present: Hash = {name: value for name, value in goods.PRESENT.items() if name != "networks"}
    if payment.type == "card_present":
        present["amount_authorized"] = payment.amount
    present |= {
        "emv_auth_data": "8A023030",
        "fingerprint": world.token(f"fingerprint/{payment.method}", 16),
        "generated_card": builder.id("payment_method", "generated") if key == "till/1" else None,
        "network": "visa",
        "receipt": {
            "application_cryptogram": world.hexadecimal(f"cryptogram/{key}", 16).upper(),
            "application_preferred_name": "VISA CREDIT",
            "authorization_code": world.digits(f"authorization/{key}", 6),
            **goods.RECEIPT,
        },
    }
    if payment.type == "interac_present":
        present |= {"brand": "interac", "country": "CA", "network": "interac"}
    return {payment.type: present, "type": payment.type}


def _intent(builder: Builder, payment: Payment, held: str | None, common: Hash) -> None:
    intent, sale, amount, status = builder.id("payment_intent", payment.key), payment.sale, payment.amount, payment.status
    again = payment.bill is not None and payment.bill.deal is not None
    options = {"bank_transfer": {"type": "eu_bank_transfer"}} if payment.type == "customer_balance" else {}
    handled = status == "processing" and payment.type == "card"
    fields = common | {
        "amount": amount,
        "amount_capturable": amount if status == "requires_capture" else 0,
        "amount_received": amount if status == "succeeded" else 0,
        "cancellation_reason": payment.canceled or ABSENT,
        "canceled_at": payment.canceled_at if payment.canceled else ABSENT,
        "capture_method": sale.capture if sale else "automatic",
        "client_secret": f"{intent}_secret_{intent[:2:-1]}",
        "confirmation_method": "automatic",
        "next_action": to_authenticate(intent) if status == "requires_action" else ABSENT,
        "payment_method": held,
        "payment_method_options": {payment.type: options},
        "payment_method_types": [payment.type],
        "processing": {"card": {"customer_notification": {}}, "type": "card"} if handled else ABSENT,
        "setup_future_usage": "off_session" if again else ABSENT,
        "status": status,
    }
    for last in payment.attempts[-1:]:
        fields["latest_charge"] = charge_id(builder, payment, last)
        if last.status == "failed":
            error = {"charge": fields["latest_charge"], **_failure(builder, payment, last)["error"]}
            fields |= {"payment_method": None, "last_payment_error": error}
    if sale and not sale.reason and sale.channel in ("shop", "direct"):
        configuration = builder.id("payment_method_configuration", "default")
        fields |= {"automatic_payment_methods": {}, "payment_method_configuration_details": {"id": configuration}}
    own = particular(builder.world, "payment_intent", payment.key)
    builder.new("payment_intent", payment.key, payment.created, **fields | own)


def _refund(builder: Builder, payment: Payment, back: Back, held: str | None) -> None:
    attempt, world, failed = payment.attempts[-1], builder.world, back.agreed.status == "failed"
    number = f"{world.digits(f'receipt/{attempt.key}', 4)}-{back.amount % 9_000 + 1_000}"
    fields: Hash = {
        "amount": back.amount,
        "balance_transaction": builder.link("balance_transaction", f"refund/{back.key}" if back.moves else None),
        "charge": charge_id(builder, payment, attempt),
        "currency": payment.currency,
        "customer": builder.id("customer", payment.buyer.key) if payment.buyer else None,
        "failure_balance_transaction": builder.link("balance_transaction", f"refund-failure/{back.key}" if failed else None),
        "failure_reason": "expired_or_canceled_card" if failed else ABSENT,
        "payment_intent": builder.id("payment_intent", payment.key),
        "payment_method": held,
        "pending_reason": back.agreed.pending or ABSENT,
        "reason": back.agreed.reason,
        "receipt_number": number if payment.sale else None,
        "status": back.agreed.status,
        "transfer_reversal": builder.link("transfer_reversal", back.key if back.agreed.reverses else None),
    }
    if back.agreed.status == "requires_action":
        sent = {"email_sent_at": back.created, "email_sent_to": _email(payment)}
        shown = {"email_sent": sent, "expires_at": back.created + 45 * DAY}
        action = {"display_details": shown, "type": "display_details"}
        fields |= {"instructions_email": _email(payment), "next_action": action}
    if payment.type == "card":
        arrived = back.agreed.status == "succeeded"
        known = {"reference": world.digits(f"reference/{back.key}", 23)} if arrived else {}
        known |= {"reference_status": "available" if arrived else "pending", "reference_type": "acquirer_reference_number"}
        card = known | {"type": "refund" if payment.captured else "reversal"}
        fields["destination_details"] = {"card": card, "type": "card"}
    own = particular(world, "refund", payment.key)
    builder.new("refund", back.key, back.created, id=refund_id(builder, payment, back), **fields | own)


_COMPELLING = "visa_compelling_evidence_3"
_ENHANCED = {"10.4": [_COMPELLING], "13.1": ["visa_compliance"]}
"""By the network's code, what more can be done against a dispute."""

_OPEN = ("needs_response", "warning_needs_response")


def disputes(builder: Builder, cohort: Cohort) -> None:
    """Write the disputes of a cohort's payments."""
    for payment in payments(cohort).values():
        dispute = payment.dispute
        if dispute is None:
            continue
        made, status = builder.world.now - int(dispute.days * DAY), dispute.status
        moves = {"dispute": withdrawn(dispute), "dispute-won": status == "won"}
        evidence, buyer = dict(particular(builder.world, "evidence", status)), payment.buyer
        if buyer and "receipt" in evidence:
            who = {"billing_address": buyer.where.replace("|", ", "), "customer_email_address": buyer.email}
            evidence = dict(sorted((evidence | who | {"customer_name": buyer.name}).items()))
        if dispute.reason == "duplicate":
            other = last_charge(builder, payments(cohort)[payment.key.replace("/1", "/0")])
            evidence |= {"duplicate_charge_explanation": "Two months, two invoices.", "duplicate_charge_id": other}
        pending, prevented = status in _OPEN, status == "prevented"
        sent = any(evidence.values()) and not pending
        due = made + (9 if pending else 14) * DAY
        brand = goods.CARDS[payment.wallet.code if payment.wallet else "visa"]["brand"]
        case = "resolution" if prevented else "inquiry" if status.startswith("warning") else "chargeback"
        card = {"brand": brand, "case_type": case, "network": brand, "network_reason_code": dispute.code}
        builder.new(
            "dispute",
            payment.key,
            made,
            id=builder.id("dispute", payment.key, dispute_prefix(dispute)),
            amount=payment.amount,
            balance_transactions=[builder.id("balance_transaction", f"{name}/{payment.key}") for name in moves if moves[name]],
            charge=last_charge(builder, payment),
            currency=payment.currency,
            enhanced_eligibility_types=_ENHANCED.get(dispute.code, []),
            evidence=evidence,
            evidence_details={
                "due_by": None if prevented else due,
                "enhanced_eligibility": {_COMPELLING: {"status": "not_qualified"}} if dispute.code == "10.4" else {},
                "has_evidence": any(evidence.values()),
                "submission_method": "manual" if sent else "not_submitted",
                "submission_count": int(sent),
            },
            is_charge_refundable=status.startswith("warning"),
            metadata={"assigned_to": "mei.tan"} if pending else ABSENT,
            network_reason_code=dispute.code,
            payment_intent=builder.id("payment_intent", payment.key),
            payment_method_details={"card": card, "type": "card"},
            reason=dispute.reason,
            status=status,
        )


def reviews(builder: Builder) -> None:
    """Write reviews and warnings."""
    paid = payments(first(builder.world))
    for key, (closed, opened) in REVIEWS.items():
        payment, redacted = paid[key], closed == "redacted"
        builder.new(
            "review",
            key,
            (payment.attempts or [payment])[-1].created + 60,
            billing_zip=None if redacted else "97205",
            charge=last_charge(builder, payment),
            closed_reason=closed,
            ip_address=None if redacted else "203.0.113.18",
            ip_address_location={
                "city": "Portland",
                "country": "US",
                "latitude": 45.52,
                "longitude": -122.68,
                "region": "OR",
            },
            open=closed is None,
            opened_reason=opened,
            payment_intent=builder.id("payment_intent", payment.key),
            reason=closed or opened,
            session={"browser": "Firefox", "device": "Other", "platform": "Linux", "version": "139.0"},
        )
    for key, (type_, actionable) in WARNINGS.items():
        payment = paid[key]
        made = min(payment.attempts[-1].created + 20 * DAY, builder.world.now - DAY)
        about = {"charge": last_charge(builder, payment), "payment_intent": builder.id("payment_intent", payment.key)}
        builder.new("radar.early_fraud_warning", key, made, actionable=actionable, fraud_type=type_, **about)
