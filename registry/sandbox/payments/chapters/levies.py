"""The tax rates that invoices calculate with, as the tax chapter's file tells of them."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.chapters.told import listed


class Levy(NamedTuple):
    """A tax rate in percent; where prices are told with the tax, it is inclusive."""

    percentage: float
    inclusive: bool


LEVIES: dict[str, Levy] = {
    key: Levy(rate["percentage"], rate["inclusive"])
    for key, rate in listed("taxes", "tax_rate").items()
    if rate["rate_type"] == "percentage"
}
