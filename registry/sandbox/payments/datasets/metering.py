"""Usage: the events of the meters, and the credit grants that pay for metered prices."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import BY_KEY, GRANTS, USES, Grant, first
from registry.sandbox.payments.datasets.bills import bills_of
from registry.sandbox.payments.datasets.parts import Hash, midnight
from registry.sandbox.world import DAY, HOUR

_EVENTS = (
    ("relay", "brightwater", 3, 40),
    ("relay", "harbour.finch", 2, 25),
    ("vault", "halden", 1, 900),
    ("vault", "northpine", 1, 250),
)


def usage(builder: Builder) -> None:
    """Events of the last four weeks, at a few times of every day."""
    today = midnight(builder.world.now)
    dice = builder.world.dice("meter events")
    for meter, buyer, times, most in _EVENTS:
        body = {"meter": builder.id("billing.meter", meter), "customer": builder.id("customer", buyer)}
        for day in range(1, 29):
            for number in range(times):
                moment = today - day * DAY + (8 + 4 * number) * HOUR + dice.randrange(HOUR)
                name = f"{meter}/{buyer}/{day}/{number}"
                builder.note("_usage", name, moment, body | {"value": dice.randint(1, most)})


def grants(builder: Builder) -> None:
    """Write credit grants and their transactions."""
    now = builder.world.now
    left = {grant.key: grant.value for grant in GRANTS.values()}
    for grant in GRANTS.values():
        made = now - int(grant.days * DAY)
        effective = made + int(grant.starts * DAY)
        prices = [{"id": builder.id("price", key)} for key in grant.prices]
        voided = now - 40 * DAY if grant.end == "voided" else None
        builder.new(
            "billing.credit_grant",
            grant.key,
            made,
            amount=_money(grant, grant.value),
            applicability_config={"scope": {"prices": prices} if prices else {"price_type": "metered"}},
            category=grant.category,
            customer=builder.id("customer", grant.buyer),
            effective_at=effective,
            expires_at=None if grant.ends is None else now + int(grant.ends * DAY),
            metadata={"approved_by": "oskar.berg"},
            name=grant.name,
            priority=grant.priority,
            updated=voided or made,
            voided_at=voided,
        )
        amount = {"amount": _money(grant, grant.value), "type": "credits_granted"}
        _moved(builder, grant, "granted", made, effective, credit=amount)
    bills = bills_of(first(builder.world))
    for key, (granted, used) in USES.items():
        bill, grant = bills[key], GRANTS[granted]
        line = next(line for line in bill.lines if line.credit)
        applied = {"invoice": builder.id("invoice", key), "invoice_line_item": builder.id("line_item", line.key)}
        moment = bill.finalized or bill.created
        left[granted] -= used
        _moved(builder, grant, key, moment, moment, debit=_debit(grant, used, "credits_applied", applied))
    for grant in GRANTS.values():
        if grant.end:
            ended = now - 40 * DAY if grant.end == "voided" else now + int((grant.ends or 0) * DAY)
            _moved(builder, grant, grant.end, ended, ended, debit=_debit(grant, left[grant.key], f"credits_{grant.end}", None))


def _money(grant: Grant, value: int) -> Hash:
    return {"monetary": {"currency": BY_KEY[grant.buyer].currency, "value": value}, "type": "monetary"}


def _debit(grant: Grant, value: int, type_: str, applied: Any) -> Hash:
    return {"amount": _money(grant, value), "credits_applied": applied, "type": type_}


def _moved(builder: Builder, grant: Grant, name: str, created: int, effective: int, **moved: Hash) -> None:
    (type_,) = moved
    fields: Hash = {"credit": None, "debit": None} | moved
    of, key = builder.id("billing.credit_grant", grant.key), f"{grant.key}/{name}"
    builder.new(
        "billing.credit_balance_transaction", key, created, **fields, credit_grant=of, effective_at=effective, type=type_
    )


def use_id(builder: Builder, bill: str) -> str:
    """The id of the transaction by which an invoice used a grant."""
    return builder.id("billing.credit_balance_transaction", f"{USES[bill][0]}/{bill}")
