"""Small pieces that the datasets put together: dates, addresses, and hashes that look the same wherever they appear."""

from __future__ import annotations

from calendar import monthrange, timegm
from datetime import UTC, datetime
from typing import Any

Hash = dict[str, Any]

PAY = "https://pay.fernway.example"

NOT_AUTOMATIC: Hash = {"disabled_reason": None, "enabled": False, "liability": None}
AUTOMATIC: Hash = {"enabled": True, "liability": {"type": "self"}, "provider": "stripe", "status": "complete"}


def later(moment: int, months: int) -> int:
    """The same day and time so many calendar months later (earlier when negative), or the month's last day."""
    when = datetime.fromtimestamp(moment, UTC)
    year, month = divmod(when.year * 12 + when.month - 1 + months, 12)
    day = when.day if when.day <= 28 else min(when.day, monthrange(year, month + 1)[1])
    return timegm((year, month + 1, day, when.hour, when.minute, when.second))


def anchored(moment: int) -> int:
    """The moment, or the 28th of its month at that time: a day that every month has."""
    when = datetime.fromtimestamp(moment, UTC)
    return moment - max(0, when.day - 28) * 86_400


def midnight(moment: int) -> int:
    """The start of the moment's day in UTC."""
    return moment - moment % 86_400


def year_of(moment: int) -> int:
    """The calendar year in UTC."""
    return datetime.fromtimestamp(moment, UTC).year


def place(text: str) -> Hash:
    """A postal address from ``line1|city|state|postal code|country``; empty parts are null."""
    line1, city, state, postal_code, country = (part or None for part in text.split("|"))
    assert country is not None
    return {"city": city, "country": country, "line1": line1, "postal_code": postal_code, "state": state}


def tax_entry(amount: int, taxable: int, rate: str, *, inclusive: bool) -> Hash:
    """One tax on an invoice, an invoice line or a credit note."""
    return {
        "amount": amount,
        "tax_behavior": "inclusive" if inclusive else "exclusive",
        "tax_rate_details": {"tax_rate": rate},
        "taxable_amount": taxable,
        "type": "tax_rate_details",
    }


def to_authenticate(about: str) -> Hash:
    """The next action of a payment or setup intent: the customer authenticates at its own address."""
    way = {"return_url": f"{PAY}/return", "url": f"{PAY}/authenticate/{about}"}
    return {"redirect_to_url": way, "type": "redirect_to_url"}
