"""JSON answers of any size, as a service gives them: a page of customers, and behind it an element to look for."""

from __future__ import annotations

import json
from pathlib import Path

LAST = "Needle_At_The_End"


def write(path: Path, megabytes: int) -> None:
    """Write an answer of about so many megabytes, without white space."""
    size, number = 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write('{"object":"list","data":[')
        while size < megabytes * 1_000_000:
            text = ("," if number else "") + json.dumps(_customer(number), separators=(",", ":"), ensure_ascii=bool(number % 2))
            size += file.write(text)
            number += 1
        file.write(f'],"has_more":false,"last":"{LAST}"}}')


def _customer(number: int) -> dict[str, object]:
    return {
        "id": f"cus_{number * 7919:x}",
        "object": "customer",
        "address": {"city": "Zürich", "country": "CH", "line1": None, "postal_code": str(8000 + number % 90)},
        "balance": number % 10_000 - 5_000,
        "created": 1_700_000_000 + number,
        "currency": "usd",
        "delinquent": False,
        "email": f"user{number}@example.com",
        "invoice_settings": {"custom_fields": None, "default_payment_method": None, "footer": None},
        "livemode": False,
        "metadata": {"order": str(number), "tags": "a,b"},
        "name": f"Customer {number}",
        "preferred_locales": ["en", "de"],
        "tax_exempt": "none",
        "tax_ids": [],
    }
