"""Requests on behalf of a connected account, which the ``Stripe-Account`` header names, or ``Stripe-Context``.

Such a request sees the connected account as its own: its people, capabilities and external accounts, its balance and its
settings. A connected account does no business itself here; its money is what the platform transferred to it, less what
was taken back and less the platform's fees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry.sandbox.payments.errors import ApiError, masked, testmode_account
from registry.sandbox.payments.keys import Key
from registry.sandbox.payments.reading import Reader, platform
from registry.sandbox.store import Body


def behalf(reader: Reader, key: Key, account: str) -> Reader:
    """What a request can see on behalf of an account. For the platform's own account that is what it sees anyway.

    Raises:
        ApiError: 403, the account is not there or was deleted; 400, a live key asks for an account of test mode.
    """
    if account == platform(reader.world):
        return reader
    reader.ensure(("account",))
    if reader.store.get("account", account) is None:
        if reader.gone("account", account):
            raise ApiError(403, f"The account {account} has been deleted, so this action cannot be completed.")
        raise ApiError(
            403,
            f"The provided key '{masked(key.text)}' does not have access to account '{account}' (or that account does not "
            "exist). Application access may have been revoked.",
            code="account_invalid",
        )
    if reader.live:
        raise testmode_account(account)
    return reader.on_behalf_of(account)


def _balance(reader: Reader) -> Body:
    """All that was transferred to the account has arrived; nothing is on its way."""
    reader.ensure(("transfer", "application_fee"))
    row = reader.require(("account",), reader.own_account, "account").row
    amounts = {str(row.body.get("default_currency", "usd")): 0}
    for kind, by, back, sign in (
        ("transfer", "destination", "amount_reversed", 1),
        ("application_fee", "account", "amount_refunded", -1),
    ):
        for one in reader.store.every(kind, {by: row.id}):
            currency = one.body["currency"]
            amounts[currency] = amounts.get(currency, 0) + sign * (one.body["amount"] - one.body[back])

    def parts(values: dict[str, int]) -> list[dict[str, Any]]:
        return [
            {"amount": amount, "currency": currency, "source_types": {"card": amount}} for currency, amount in values.items()
        ]

    return {"available": parts(amounts), "pending": parts(dict.fromkeys(amounts, 0))}


def _balance_settings(reader: Reader) -> Body:
    """What the account's own settings say about payouts."""
    row = reader.require(("account",), reader.own_account, "account").row
    payouts: Body = (row.body.get("settings") or {}).get("payouts") or {}
    schedule: Body = payouts.get("schedule") or {}
    return {
        "payments": {
            "debit_negative_balances": payouts.get("debit_negative_balances", True),
            "payouts": {
                "automatic_transfer_rules_by_currency": None,
                "minimum_balance_by_currency": None,
                "schedule": {name: schedule[name] for name in ("interval", "weekly_payout_days") if name in schedule},
                "statement_descriptor": payouts.get("statement_descriptor"),
                "status": "enabled" if row.body.get("payouts_enabled") else "disabled",
            },
            "settlement_timing": {"delay_days": schedule.get("delay_days", 2), "delay_days_override": None},
        }
    }


def _tax_settings(_: Reader) -> Body:
    """The platform does not know yet where the account has its head office."""
    return {
        "defaults": {"provider": "stripe", "tax_behavior": None, "tax_code": None},
        "head_office": None,
        "status": "pending",
        "status_details": {"pending": {"missing_fields": ["head_office"]}},
    }


OWN: dict[str, Callable[[Reader], Body]] = {
    "balance": _balance,
    "balance_settings": _balance_settings,
    "tax.settings": _tax_settings,
}
"""What every account has one of, as a connected account has it."""
