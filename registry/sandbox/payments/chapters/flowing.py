"""The flows of financial accounts, each in the shape of its kind."""

from __future__ import annotations

from typing import Any

from registry.sandbox.cast import COMPANY
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import vaults
from registry.sandbox.payments.chapters.methods import NOBODY
from registry.sandbox.payments.chapters.parts import PAY, Hash
from registry.sandbox.payments.chapters.vaults import Flow
from registry.sandbox.world import DAY

_SOMEBODY: Hash = {name: NOBODY[name] for name in ("address", "email", "name")}
_OURS: Hash = _SOMEBODY | {"email": "treasury@fernway.example", "name": COMPANY}

_REVERSED = ("wrong", "twice", "kept", "payroll.odd")
"""Received credits that were sent back, or were to be; their reversals have the same keys."""


def shown(builder: Builder, flow: Flow, account: str, transaction: str | None, returned: str | None) -> None:
    """Write a flow's object.

    Args:
        builder: where to.
        flow: what it is.
        account: the id of its financial account.
        transaction: the id of its transaction, if it has one.
        returned: the id of the transaction by which the money came back.
    """
    kind = f"treasury.{flow.kind}"
    id_ = builder.id(kind, flow.key)
    moment = vaults.made(builder.world, flow)
    common: dict[str, Any] = {
        "amount": flow.amount,
        "currency": "usd",
        "financial_account": account,
        "hosted_regulatory_receipt_url": f"{PAY}/regulatory/{id_}" if transaction else None,
        "status": flow.status,
        "transaction": transaction,
    }
    match flow.kind:
        case "inbound_transfer":
            fields = _inbound(builder, flow, moment)
        case "outbound_transfer" | "outbound_payment":
            fields = _outbound(builder, flow, moment, returned)
        case "received_credit":
            fields = _credit(builder, flow, moment)
        case "received_debit":
            fields = _debit(builder, flow, moment)
        case _:
            fields = _reversal(builder, flow, moment)
    builder.new(kind, flow.key, moment, **common, **fields)


def _bank(flow: Flow, last4: str = "6789") -> Hash:
    return {
        "account_holder_type": "company",
        "account_type": "checking",
        "bank_name": "TEST BANK",
        "fingerprint": None,
        "last4": last4,
        "mandate": None,
        "network": flow.network if flow.network != "stripe" else "ach",
        "routing_number": "110000000",
    }


def _inbound(builder: Builder, flow: Flow, moment: int) -> dict[str, Any]:
    succeeded = flow.status == "succeeded"
    return {
        "cancelable": flow.status == "processing",
        "description": flow.text,
        "failure_details": {"code": flow.more} if flow.status == "failed" else None,
        "linked_flows": {"received_debit": None},
        "origin_payment_method": builder.id("payment_method", "own/checking"),
        "origin_payment_method_details": {"billing_details": _OURS, "type": "us_bank_account", "us_bank_account": _bank(flow)},
        "returned": flow.more == "returned",
        "statement_descriptor": "transfer",
        "status_transitions": {
            "canceled_at": moment + 3_600 if flow.status == "canceled" else None,
            "failed_at": moment + 2 * DAY if flow.status == "failed" else None,
            "succeeded_at": moment + 2 * DAY if succeeded else None,
        },
    }


def _outbound(builder: Builder, flow: Flow, moment: int, returned: str | None) -> dict[str, Any]:
    ends = {"canceled": 3_600, "failed": 30 * 3_600, "posted": 26 * 3_600, "returned": 5 * DAY}
    transitions: Hash = dict.fromkeys(("canceled_at", "failed_at", "posted_at", "returned_at"))
    if flow.status in ends:
        transitions[f"{flow.status}_at"] = moment + ends[flow.status]
    if flow.status == "returned":
        transitions["posted_at"] = moment + ends["posted"]
    fields: dict[str, Any] = {
        "cancelable": flow.status == "processing",
        "description": flow.text,
        "expected_arrival_date": moment + 2 * DAY,
        "returned_details": {"code": flow.more, "transaction": returned} if returned else None,
        "statement_descriptor": "transfer" if flow.kind == "outbound_transfer" else "payment",
        "status_transitions": transitions,
    }
    if flow.status == "posted" and flow.network != "stripe":
        wire = flow.network == "us_domestic_wire"
        trace = builder.world.digits(f"trace/{flow.key}", 15)
        inner = {"imad": trace, "omad": None} if wire else {"trace_id": trace}
        fields["tracking_details"] = {flow.network: inner, "type": flow.network}
    if flow.kind == "outbound_transfer":
        within = flow.network == "stripe"
        key = "own/savings" if "savings" in flow.text else "own/checking"
        details: Hash = {"billing_details": _OURS, "type": "us_bank_account", "us_bank_account": _bank(flow)}
        if within:
            payroll = builder.id("treasury.financial_account", "payroll")
            details = {
                "billing_details": _OURS,
                "financial_account": {"id": payroll, "network": "stripe"},
                "type": "financial_account",
            }
        fields["destination_payment_method"] = None if within else builder.id("payment_method", key)
        fields["destination_payment_method_details"] = details
        return fields
    # The caterer is a customer as well; everybody else is paid without being one.
    caterer = flow.key.startswith("catering")
    fields |= {
        "customer": builder.id("customer", "cedar") if caterer else None,
        "destination_payment_method": builder.id("payment_method", "cedar/0") if caterer else None,
        "destination_payment_method_details": {
            "billing_details": _SOMEBODY | {"name": "Cedar Food Co-op" if caterer else "R. Kowalczyk"},
            "type": "us_bank_account",
            "us_bank_account": _bank(flow),
        },
        "end_user_details": {"ip_address": "203.0.113.77", "present": True}
        if flow.key == "typo"
        else {"ip_address": None, "present": False},
    }
    return fields


def _credit(builder: Builder, flow: Flow, moment: int) -> dict[str, Any]:
    linked: Hash = dict.fromkeys(
        (
            "credit_reversal",
            "issuing_authorization",
            "issuing_transaction",
            "source_flow",
            "source_flow_details",
            "source_flow_type",
        )
    )
    initiating: Hash = {
        "billing_details": _SOMEBODY | {"name": "Hollow Oak Ventures"},
        "type": "us_bank_account",
        "us_bank_account": {"bank_name": "TEST BANK", "last4": "4321", "routing_number": "110000000"},
    }
    if flow.key in _REVERSED:
        linked["credit_reversal"] = builder.id("treasury.credit_reversal", flow.key)
    if flow.of:
        linked |= {"source_flow": builder.id("treasury.outbound_transfer", flow.of), "source_flow_type": "outbound_transfer"}
        sender = builder.id("treasury.financial_account", "operating")
        initiating = {
            "billing_details": _OURS,
            "financial_account": {"id": sender, "network": "stripe"},
            "type": "financial_account",
        }
    elif flow.key == "platform":
        initiating = {"balance": "payments", "billing_details": _OURS, "type": "balance"}
    return {
        "description": flow.text,
        "failure_code": flow.more or None,
        "initiating_payment_method_details": initiating,
        "linked_flows": linked,
        "network": flow.network,
        "reversal_details": _reversible(flow, moment, reversed_=flow.key in _REVERSED),
    }


def _debit(builder: Builder, flow: Flow, moment: int) -> dict[str, Any]:
    linked: Hash = dict.fromkeys(
        ("debit_reversal", "inbound_transfer", "issuing_authorization", "issuing_transaction", "payout")
    )
    initiating: Hash = {
        "billing_details": _SOMEBODY | {"name": flow.text},
        "type": "us_bank_account",
        "us_bank_account": {"bank_name": "TEST BANK", "last4": "8765", "routing_number": "110000000"},
    }
    spend = flow.key.removeprefix("card/")
    reversed_ = flow.key in ("gym", "fax", "unknown") or spend == "ads.1"
    if reversed_:
        linked["debit_reversal"] = builder.id("treasury.debit_reversal", spend)
    if flow.network == "card":
        linked["issuing_authorization"] = builder.id("issuing.authorization", spend)
        linked["issuing_transaction"] = builder.id("issuing.transaction", spend)
        card = builder.id("issuing.card", "fernway.ads")
        initiating = {"billing_details": _OURS, "issuing_card": card, "type": "issuing_card"}
    return {
        "description": flow.text,
        "failure_code": flow.more or None,
        "initiating_payment_method_details": initiating,
        "linked_flows": linked,
        "network": flow.network,
        "reversal_details": _reversible(flow, moment, reversed_=reversed_),
    }


def _reversible(flow: Flow, moment: int, *, reversed_: bool) -> Hash:
    reason = None
    if flow.status == "failed":
        reason = "source_flow_restricted" if flow.kind == "received_credit" else "other"
    elif reversed_:
        reason = "already_reversed"
    elif flow.network in ("us_domestic_wire", "stripe", "card"):
        reason = "network_restricted"
    elif flow.days > 40:
        reason = "deadline_passed"
    return {"deadline": None if reason else moment + 40 * DAY, "restricted_reason": reason}


def _reversal(builder: Builder, flow: Flow, moment: int) -> dict[str, Any]:
    done = moment + DAY if flow.status in ("posted", "succeeded") else None
    if flow.kind == "credit_reversal":
        return {
            "network": flow.network,
            "received_credit": builder.id("treasury.received_credit", flow.of),
            "status_transitions": {"posted_at": done},
        }
    card = flow.network == "card"
    dispute = builder.id("issuing.dispute", flow.key) if card else None
    return {
        "linked_flows": {"issuing_dispute": dispute},
        "network": flow.network,
        "received_debit": builder.id("treasury.received_debit", flow.of),
        "status_transitions": {"completed_at": done},
    }
