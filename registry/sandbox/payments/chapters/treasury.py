"""Financial accounts with everything that flowed through them, and the transactions and entries that account for it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from registry.sandbox.cast import COMPANY
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import vaults
from registry.sandbox.payments.chapters.flowing import shown
from registry.sandbox.payments.chapters.parts import Hash
from registry.sandbox.payments.chapters.vaults import Account, Flow, Impact, Step
from registry.sandbox.world import DAY

_ACTIVE = [
    "card_issuing",
    "deposit_insurance",
    "financial_addresses.aba",
    "inbound_transfers.ach",
    "intra_stripe_flows",
    "outbound_payments.ach",
    "outbound_payments.us_domestic_wire",
    "outbound_transfers.ach",
    "outbound_transfers.us_domestic_wire",
]


def write(builder: Builder) -> None:
    """Write the chapter."""
    world = builder.world
    sums: dict[str, Impact] = defaultdict(lambda: (0, 0, 0))
    for flow in vaults.flows(world):
        account = builder.id("treasury.financial_account", flow.account)
        transaction = None
        parts = vaults.steps(flow)
        moment = vaults.made(world, flow)
        if parts:
            name = f"hold/{flow.key}" if flow.kind == "issuing_authorization" else f"{flow.kind}/{flow.key}"
            transaction = _transaction(builder, flow, name, parts, account, moment, sums)
        returned = None
        if flow.status == "returned" or flow.more == "returned":
            inbound = flow.kind == "inbound_transfer"
            type_ = f"{flow.kind}_return"
            back = (Step(type_, 0, (-1 if inbound else 1, 0, 0)),)
            name = f"{flow.kind}/{flow.key}/return"
            returned = _transaction(builder, flow, name, back, account, moment + 5 * DAY, sums)
        if flow.kind not in ("issuing_authorization", "other"):
            shown(builder, flow, account, transaction, returned)
    for account_ in vaults.ACCOUNTS:
        _account(builder, account_, sums[account_.key])


def flow_kind(flow: Flow) -> str | None:
    """The kind of object that a flow is."""
    if flow.kind == "other":
        return None
    return "issuing.authorization" if flow.kind == "issuing_authorization" else f"treasury.{flow.kind}"


def _impact(impact: Impact) -> Hash:
    return dict(zip(("cash", "inbound_pending", "outbound_pending"), impact, strict=True))


def _transaction(
    builder: Builder,
    flow: Flow,
    name: str,
    parts: tuple[Step, ...],
    account: str,
    moment: int,
    sums: dict[str, Impact],
) -> str:
    kind = flow_kind(flow)
    about = {
        "flow": builder.id(kind, flow.key) if kind else None,
        "flow_type": flow.kind,
        "currency": "usd",
        "financial_account": account,
    }
    id_ = builder.id("treasury.transaction", name)
    total: Impact = (0, 0, 0)
    done = moment
    for number, step in enumerate(parts):
        cash, inbound, outbound = (part * flow.amount for part in step.impact)
        total = (total[0] + cash, total[1] + inbound, total[2] + outbound)
        done = vaults.after(moment, step.hours)
        builder.new(
            "treasury.transaction_entry",
            f"{name}/{number}",
            done,
            **about,
            balance_impact=_impact((cash, inbound, outbound)),
            effective_at=done,
            transaction=id_,
            type=step.type,
        )
    before = sums[flow.account]
    sums[flow.account] = (before[0] + total[0], before[1] + total[1], before[2] + total[2])
    status = "open" if total[1] or total[2] else "posted" if total[0] else "void"
    sign = -1 if parts[0].impact[0] < 0 else 1
    return builder.new(
        "treasury.transaction",
        name,
        moment,
        **about,
        amount=sign * flow.amount,
        balance_impact=_impact(total),
        description=flow.text,
        status=status,
        status_transitions={
            "posted_at": done if status == "posted" else None,
            "void_at": done if status == "void" else None,
        },
    )


def _account(builder: Builder, account: Account, balance: Impact) -> None:
    made = builder.world.now - account.days * DAY
    closed = account.status == "closed"
    id_ = builder.id("treasury.financial_account", account.key)
    payroll = account.key == "payroll"
    fields: dict[str, Any] = {
        "active_features": [] if closed else [name for name in _ACTIVE if not (payroll and name == "card_issuing")],
        "pending_features": ["remote_deposit_capture"] if payroll else [],
        "restricted_features": ["outbound_payments.us_domestic_wire"] if closed else [],
    }
    digits = builder.world.digits(f"financial account/{account.key}", 12)
    builder.new(
        "treasury.financial_account",
        account.key,
        made,
        **fields,
        balance={name: {"usd": amount} for name, amount in _impact(balance).items()},
        country="US",
        features=id_,
        financial_addresses=[]
        if closed
        else [
            {
                "aba": {
                    "account_holder_name": COMPANY,
                    "account_number": None,
                    "account_number_last4": digits[-4:],
                    "bank_name": "TEST BANK",
                    "routing_number": "110000000",
                },
                "supported_networks": ["ach", "us_domestic_wire"],
                "type": "aba",
            }
        ],
        is_default=account.key == "operating",
        metadata={"owner": "oskar.berg"},
        nickname=account.nickname,
        platform_restrictions={"inbound_flows": "restricted" if closed else "unrestricted", "outbound_flows": "unrestricted"},
        status=account.status,
        status_details={"closed": {"reasons": ["account_rejected"]} if closed else None},
        supported_currencies=["usd"],
    )
    builder.new("treasury.financial_account_features", account.key, made, id=id_, **_features(account))


def _features(account: Account) -> dict[str, Any]:
    def feature(*, on: bool = True, pending: bool = False) -> Hash:
        if account.status == "closed":
            details = [{"code": "financial_account_closed", "resolution": "contact_stripe", "restriction": None}]
            return {"requested": on, "status": "restricted", "status_details": details}
        status = "pending" if pending else "active" if on else "restricted"
        details = [{"code": "activating", "resolution": None, "restriction": None}] if pending else []
        return {"requested": on, "status": status, "status_details": details}

    return {
        "card_issuing": feature(on=account.key != "payroll"),
        "deposit_insurance": feature(),
        "financial_addresses": {"aba": feature() | {"bank": "test_bank"}},
        "inbound_transfers": {"ach": feature(pending=account.key == "payroll")},
        "intra_stripe_flows": feature(),
        "outbound_payments": {"ach": feature(), "us_domestic_wire": feature()},
        "outbound_transfers": {"ach": feature(), "us_domestic_wire": feature()},
    }
