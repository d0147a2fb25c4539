"""Subscriptions with their items, and the schedules that change them."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goods
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import Contract, contracts
from registry.sandbox.payments.chapters.discounts import ON_ITEMS, running
from registry.sandbox.payments.chapters.parts import AUTOMATIC, NOT_AUTOMATIC, Hash, later
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.payments.chapters.told import particular
from registry.sandbox.payments.naming import names
from registry.sandbox.world import DAY


def write(builder: Builder) -> None:
    """Write the schedules."""
    _schedules(builder, contracts(first(builder.world)))


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the subscriptions of a cohort."""
    for contract in contracts(cohort).values():
        _subscription(builder, contract)


def _subscription(builder: Builder, contract: Contract) -> None:
    deal, buyer, now = contract.deal, contract.buyer, builder.world.now
    start, end = contract.periods[-1]
    fields: dict[str, Any] = {}
    rates = []
    if buyer.tax.startswith("sales"):
        fields["automatic_tax"] = {"enabled": True, "liability": AUTOMATIC["liability"]}
    elif buyer.tax:
        rates = [names(builder.world)("tax_rate", buyer.tax)]
    fields["default_tax_rates"] = rates
    if contract.method and deal.collect != "send_invoice":
        if contract.method.older:
            fields["default_source"] = names(builder.world)("card", contract.method.key)
        else:
            fields["default_payment_method"] = names(builder.world)("payment_method", contract.method.key)
    if running(contract, now):
        fields["discounts"] = [names(builder.world)("discount", deal.key)]
    if deal.collect == "send_invoice":
        fields["days_until_due"] = int(deal.more.get("days", 14))
    if buyer.clock:
        fields["test_clock"] = names(builder.world)("test_helpers.test_clock", buyer.clock)
    if contract.trial_end:
        behavior = "pause" if deal.status == "paused" else "create_invoice"
        fields |= {
            "trial_end": contract.trial_end,
            "trial_settings": {"end_behavior": {"missing_payment_method": behavior}},
            "trial_start": contract.start,
        }
    builder.new(
        "subscription",
        deal.key,
        contract.start,
        **fields,
        **particular(builder.world, "subscription", deal.key),
        **_ending(contract, end, now),
        billing_cycle_anchor=contract.trial_end or contract.start,
        collection_method=deal.collect,
        currency=buyer.currency,
        customer=names(builder.world)("customer", buyer.key),
        latest_invoice=names(builder.world)("invoice", f"{deal.key}/{deal.bills - 1}"),
        start_date=contract.start,
        status=deal.status,
    )
    for place, (name, quantity) in enumerate(deal.items):
        price = names(builder.world)("price", name)
        more: dict[str, Any] = {"quantity": quantity} if quantity else {}
        if not quantity and "threshold" in deal.more:
            more["billing_thresholds"] = {"usage_gte": 1_000}
        if f"{deal.key}/{place}" in ON_ITEMS:
            more["discounts"] = [names(builder.world)("discount", f"item/{deal.key}/{place}")]
        builder.new(
            "subscription_item",
            f"{deal.key}/{place}",
            contract.start + place,
            **more,
            current_period_end=end,
            current_period_start=start,
            plan=price,
            price=price,
            subscription=names(builder.world)("subscription", deal.key),
        )


def _ending(contract: Contract, end: int, now: int) -> dict[str, Any]:
    """How a subscription ended, or is going to."""
    deal = contract.deal
    fields: dict[str, Any] = {"cancel_at_period_end": False}
    if "threshold" in deal.more:
        fields["billing_thresholds"] = {"amount_gte": deal.more["threshold"]}
    if "pause" in deal.more:
        fields["pause_collection"] = {"behavior": deal.more["pause"], "resumes_at": now + 25 * DAY}
    if "cancel_at_period_end" in deal.more:
        fields |= {"cancel_at": end, "cancel_at_period_end": True, "canceled_at": now - 3 * DAY}
        fields["cancellation_details"] = _why("unused", "We close the practice.")
    if "cancel_at" in deal.more:
        fields |= {"cancel_at": now + int(deal.more["cancel_at"]) * DAY, "canceled_at": now - DAY}
        fields["cancellation_details"] = _why(None, None)
    if contract.ended:
        fields |= {"canceled_at": contract.ended - DAY if deal.gone else contract.ended, "ended_at": contract.ended}
        reason = "cancellation_requested" if deal.gone else "payment_failed"
        fields["cancellation_details"] = _why(deal.more.get("feedback"), None, reason)
    return fields


def _why(feedback: str | None, comment: str | None, reason: str = "cancellation_requested") -> Hash:
    return {"comment": comment, "feedback": feedback, "reason": reason}


class _Phase(NamedTuple):
    start: int
    end: int
    price: str
    quantity: int
    coupon: str | None = None


def _schedules(builder: Builder, agreed: dict[str, Contract]) -> None:
    now = builder.world.now
    big, murphy, gone = agreed["halden.board"], agreed["murphy"], agreed["van.wyk"]
    clocked = agreed["clock.renewal"]
    start, end = big.periods[-1]
    begun, ends = clocked.periods[-1]
    first = now + 10 * DAY
    name = names(builder.world)
    _schedule(
        builder, "halden", big.start, "active", "release",
        [_Phase(start, end, "board.year", 60), _Phase(end, later(end, 12), "board.year", 90, "PARTNER15")],
        subscription=name("subscription", "halden.board"), current_phase={"end_date": end, "start_date": start},
    )  # fmt: skip
    _schedule(
        builder, "petrova", now - 2 * DAY, "not_started", "renew",
        [
            _Phase(first, later(first, 1), "board.month", 1, "FRIENDS10"),
            _Phase(later(first, 1), later(first, 12), "board.month", 2),
        ],
    )  # fmt: skip
    _schedule(
        builder, "murphy", murphy.start, "released", "release",
        [_Phase(murphy.start, later(murphy.start, 3), "board.month", 2)],
        released_subscription=name("subscription", "murphy"), released_at=later(murphy.start, 3),
    )  # fmt: skip
    _schedule(
        builder, "fernandez", now - 150 * DAY, "canceled", "none",
        [_Phase(now - 120 * DAY, now - 90 * DAY, "board.month", 4)], canceled_at=now - 130 * DAY,
    )  # fmt: skip
    _schedule(
        builder, "van.wyk", gone.start, "completed", "cancel", [_Phase(gone.start, gone.ended or now, "desk.month", 1)],
        subscription=name("subscription", "van.wyk"), completed_at=gone.ended,
    )  # fmt: skip
    _schedule(
        builder, "clock.renewal", clocked.start, "active", "release", [_Phase(begun, ends, "board.month", 2)],
        subscription=name("subscription", "clock.renewal"), current_phase={"end_date": ends, "start_date": begun},
        test_clock=name("test_helpers.test_clock", "renewal"),
    )  # fmt: skip


def _schedule(builder: Builder, key: str, created: int, status: str, after: str, phases: list[_Phase], **fields: Any) -> None:
    """A schedule goes by the name of its customer."""
    currency = BY_KEY[key].currency
    builder.new(
        "subscription_schedule",
        key,
        created,
        **{"current_phase": None, "released_subscription": None, "subscription": None} | fields,
        customer=names(builder.world)("customer", key),
        default_settings={"automatic_tax": NOT_AUTOMATIC, "invoice_settings": {"issuer": {"type": "self"}}},
        end_behavior=after,
        phases=[_phase(builder, phase, currency) for phase in phases],
        status=status,
    )


def _phase(builder: Builder, phase: _Phase, currency: str) -> Hash:
    price = names(builder.world)("price", goods.BY_KEY[phase.price].key)
    reduced = [{"coupon": phase.coupon}] if phase.coupon else []
    return {
        "automatic_tax": {},
        "currency": currency,
        "discounts": reduced,
        "end_date": phase.end,
        "items": [{"plan": price, "price": price, "quantity": phase.quantity}],
        "start_date": phase.start,
    }
