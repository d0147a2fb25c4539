"""A value list of the fraud screening that is longer than a page of a hundred; the others are data."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.world import DAY


def write(builder: Builder) -> None:
    """Write the addresses behind the three that the data tells of."""
    made = builder.world.now - 359 * DAY
    for place, number in enumerate(range(100, 204), start=3):
        builder.new(
            "radar.value_list_item",
            f"bad_addresses/{place}",
            made + place * 60,
            created_by="mei.tan@fernway.example",
            value=f"198.51.100.{number}",
            value_list=builder.id("radar.value_list", "bad_addresses"),
        )
