"""Customers with their tax ids; their subscriptions with items, discounts and entitlements, and the schedules of these."""

from collections import Counter

from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.agreed import BY_KEY, Cohort, first
from registry.sandbox.payments.datasets.bills import Contract, bills_of, contracts, joined
from registry.sandbox.payments.datasets.parts import AUTOMATIC, NOT_AUTOMATIC, Hash, place
from registry.sandbox.payments.datasets.tables import listed, particular
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY, later

ON_CUSTOMERS: dict[str, str] = {"kiwi.orchards": "FRIENDS10", "quotes": "FRIENDS10", "gallery": "SPRING5"}
"""Customers with their own discount, newer than their last invoice."""

ON_ITEMS: dict[str, str] = {"brightwater/0": "Yt7PqL2x"}
"""Items of subscriptions with their own discount, also newer than the last invoice."""

_CODES = {"ada.romero": "HELLO20", "perrin": "HELLO20", "ben.david": "PARTNER-BENDAVID", "rossi": "FROST"}


_VERIFIED = ("verified", "pending", "unavailable", "unverified")


def customers(builder: Builder, cohort: Cohort) -> None:
    """Write the customers of a cohort, with their tax ids."""
    since, bills = joined(cohort), bills_of(cohort).values()
    invoices = Counter(bill.buyer.key for bill in bills if bill.number)
    late = {bill.buyer.key for bill in bills if bill.turn in ("open", "lost") and bill.collect != "send_invoice"}
    for number, buyer in enumerate(cohort.buyers):
        key, methods = buyer.key, goods.wallet(buyer)
        usual = builder.link("payment_method", methods[0].key if methods else None)
        source = next((builder.id(method.kind, method.key) for method in methods if method.older), ABSENT)
        fields = {
            "delinquent": key in late,
            "balance": sum(entry.amount for entry in cohort.ledgers.get(key, ())),
            "address": place(buyer.where),
            "currency": buyer.currency if invoices[key] else None,
            "default_source": source,
            "discount": builder.link("discount", f"customer/{key}" if key in ON_CUSTOMERS else None),
            "email": buyer.email,
            "invoice_settings": {"default_payment_method": usual} if methods and not methods[0].older else ABSENT,
            "invoice_prefix": invoice_prefix(builder, key),
            "name": buyer.name,
            "next_invoice_sequence": invoices[key] + 1,
            "phone": buyer.phone,
            "preferred_locales": [buyer.locale] if buyer.locale else ABSENT,
            "tax": {"location": {"country": buyer.country, "state": buyer.where.split("|")[2] or None}},
            "tax_exempt": buyer.exempt,
            "test_clock": builder.link("test_helpers.test_clock", buyer.clock),
        }
        for name, value in particular(builder.world, "customer", key).items():
            fields[name] = fields.get(name, {}) | value if isinstance(value, dict) else value
        id_ = builder.new("customer", key, since[key], **fields)
        if buyer.tax_id:
            status = _VERIFIED[number % 4 if number % 3 == 0 else 0]
            type_, _, value = buyer.tax_id.partition(":")
            names = {"verified_address": buyer.where.split("|")[0], "verified_name": buyer.name}
            builder.new(
                "tax_id",
                key,
                since[key] + 120,
                country=buyer.country,
                customer=id_,
                owner={"customer": id_, "type": "customer"},
                type=type_,
                value=value,
                verification={"status": status} | (names if status == "verified" else dict.fromkeys(names)),
            )


def invoice_prefix(builder: Builder, key: str) -> str:
    """What the numbers of a customer's invoices start with."""
    return builder.world.capitals(f"prefix/{key}", 8)


def discounts(builder: Builder, cohort: Cohort) -> None:
    """Write the discounts of a cohort's subscriptions."""
    for contract in contracts(cohort).values():
        deal, start = contract.deal, contract.start
        if not deal.discount:
            continue
        code, repeating = _CODES.get(deal.key), goods.COUPONS[deal.discount]["duration"] == "repeating"
        builder.new(
            "discount",
            deal.key,
            start,
            customer=builder.id("customer", deal.buyer),
            end=contract.discount_end if repeating else None,
            promotion_code=builder.id("promotion_code", code) if code else None,
            source={"coupon": deal.discount, "type": "coupon"},
            start=start,
            subscription=builder.id("subscription", deal.key),
        )


def entitlements(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort's customers may use."""
    carried: dict[str, list[tuple[str, str]]] = {}
    for key in listed("features", "product_feature"):
        product, _, feature = key.partition("/")
        carried.setdefault(product, []).append((feature, builder.id("entitlements.feature", feature)))
    seen = set()
    for contract in contracts(cohort).values():
        if contract.deal.status not in ("active", "trialing", "past_due"):
            continue
        customer = builder.id("customer", contract.buyer.key)
        for price, _ in contract.deal.items:
            for key, feature in carried.get(goods.PRICES[price].product, ()):
                if (name := f"{contract.buyer.key}/{key}") not in seen:
                    fields = {"feature": feature, "lookup_key": key, "_customer": customer}
                    builder.new("entitlements.active_entitlement", name, contract.start, **fields)
                seen.add(name)


def subscriptions(builder: Builder, cohort: Cohort) -> None:
    """Write the subscriptions of a cohort."""
    for contract in contracts(cohort).values():
        deal, buyer, now, method = contract.deal, contract.buyer, builder.world.now, contract.method
        begun, (start, end), trial_end = contract.start, contract.periods[-1], contract.trial_end
        automatic, sent = buyer.tax.startswith("sales"), deal.collect == "send_invoice"
        reduced = deal.discount and (contract.discount_end or now + 1) > now
        fields = _ending(contract, end, now) | {
            "automatic_tax": {"enabled": True, "liability": AUTOMATIC["liability"]} if automatic else ABSENT,
            "billing_cycle_anchor": trial_end or begun,
            "collection_method": deal.collect,
            "currency": buyer.currency,
            "customer": builder.id("customer", buyer.key),
            "days_until_due": int(deal.more.get("days", 14)) if sent else ABSENT,
            "default_tax_rates": [builder.id("tax_rate", buyer.tax)] if buyer.tax and not automatic else [],
            "discounts": [builder.id("discount", deal.key)] if reduced else ABSENT,
            "latest_invoice": builder.id("invoice", f"{deal.key}/{deal.bills - 1}"),
            "start_date": begun,
            "status": deal.status,
            "test_clock": builder.link("test_helpers.test_clock", buyer.clock),
        }
        if method and not sent:
            source = builder.id("card" if method.older else "payment_method", method.key)
            fields["default_source" if method.older else "default_payment_method"] = source
        if trial_end:
            missing = {"missing_payment_method": "pause" if deal.status == "paused" else "create_invoice"}
            fields |= {"trial_end": trial_end, "trial_settings": {"end_behavior": missing}, "trial_start": begun}
        fields |= particular(builder.world, "subscription", deal.key)
        subscription = builder.new("subscription", deal.key, begun, **fields)
        for number, (name, quantity) in enumerate(deal.items):
            price, key = builder.id("price", name), f"{deal.key}/{number}"
            builder.new(
                "subscription_item",
                key,
                begun + number,
                billing_thresholds={"usage_gte": 1_000} if not quantity and "threshold" in deal.more else ABSENT,
                current_period_end=end,
                current_period_start=start,
                discounts=[builder.id("discount", f"item/{key}")] if key in ON_ITEMS else ABSENT,
                plan=price,
                price=price,
                quantity=quantity or ABSENT,
                subscription=subscription,
            )


def _ending(contract: Contract, end: int, now: int) -> Hash:
    deal, more = contract.deal, contract.deal.more
    why = {"comment": None, "feedback": None, "reason": "cancellation_requested"}
    fields: Hash = {
        "billing_thresholds": {"amount_gte": more["threshold"]} if "threshold" in more else ABSENT,
        "cancel_at_period_end": "cancel_at_period_end" in more,
        "pause_collection": {"behavior": more["pause"], "resumes_at": now + 25 * DAY} if "pause" in more else ABSENT,
    }
    if "cancel_at_period_end" in more:
        why |= {"comment": "We close the practice.", "feedback": "unused"}
        fields |= {"cancel_at": end, "canceled_at": now - 3 * DAY, "cancellation_details": why}
    if "cancel_at" in more:
        when = {"cancel_at": now + int(more["cancel_at"]) * DAY, "canceled_at": now - DAY}
        fields |= when | {"cancellation_details": why}
    if contract.ended:
        why |= {"feedback": more.get("feedback"), "reason": "cancellation_requested" if deal.gone else "payment_failed"}
        canceled = contract.ended - DAY if deal.gone else contract.ended
        fields |= {"canceled_at": canceled, "cancellation_details": why, "ended_at": contract.ended}
    return fields


_Phase = tuple[int, int, str, int, str | None]
"""Its start and end, the price with its quantity, and a coupon."""


def schedules(builder: Builder) -> None:
    """Write the schedules."""
    now, name, agreed = builder.world.now, builder.id, contracts(first(builder.world))
    big, murphy, gone, clocked = (agreed[key] for key in ("halden.board", "murphy", "van.wyk", "clock.renewal"))
    start, end = big.periods[-1]
    begun, ends = clocked.periods[-1]
    begins_at, released = now + 10 * DAY, later(murphy.start, 3)
    second = later(begins_at, 1)
    grown = (start, end, "board.year", 60, None), (end, later(end, 12), "board.year", 90, "PARTNER15")
    begins = (begins_at, second, "board.month", 1, "FRIENDS10"), (second, later(begins_at, 12), "board.month", 2, None)
    never = (now - 120 * DAY, now - 90 * DAY, "board.month", 4, None)
    rows: tuple[tuple[str, int, str, str, tuple[_Phase, ...], Hash], ...] = (
        ("halden", big.start, "active", "release", grown,
         {"subscription": name("subscription", "halden.board"), "current_phase": {"end_date": end, "start_date": start}}),
        ("petrova", now - 2 * DAY, "not_started", "renew", begins, {}),
        ("murphy", murphy.start, "released", "release", ((murphy.start, released, "board.month", 2, None),),
         {"released_subscription": name("subscription", "murphy"), "released_at": released}),
        ("fernandez", now - 150 * DAY, "canceled", "none", (never,), {"canceled_at": now - 130 * DAY}),
        ("van.wyk", gone.start, "completed", "cancel", ((gone.start, gone.ended or now, "desk.month", 1, None),),
         {"subscription": name("subscription", "van.wyk"), "completed_at": gone.ended}),
        ("clock.renewal", clocked.start, "active", "release", ((begun, ends, "board.month", 2, None),),
         {"subscription": name("subscription", "clock.renewal"), "current_phase": {"end_date": ends, "start_date": begun},
          "test_clock": name("test_helpers.test_clock", "renewal")}),
    )  # fmt: skip
    for key, made, status, after, phases, own in rows:  # a schedule goes by the name of its customer
        fields: Hash = {
            "current_phase": None,
            "customer": name("customer", key),
            "default_settings": {"automatic_tax": NOT_AUTOMATIC, "invoice_settings": {"issuer": {"type": "self"}}},
            "end_behavior": after,
            "phases": [_phase(builder, BY_KEY[key].currency, *phase) for phase in phases],
            "released_subscription": None,
            "status": status,
            "subscription": None,
        }
        builder.new("subscription_schedule", key, made, **fields | own)


def _phase(builder: Builder, currency: str, start: int, end: int, price: str, quantity: int, coupon: str | None) -> Hash:
    id_ = builder.id("price", price)
    return {
        "automatic_tax": {},
        "currency": currency,
        "discounts": [{"coupon": coupon}] if coupon else [],
        "end_date": end,
        "items": [{"plan": id_, "price": id_, "quantity": quantity}],
        "start_date": start,
    }
